"""A put and a get of other items are independent steps: so many schedules of pools are left out, and no outcome.

The oracle is the search that leaves out nothing, on random programs of `SimpleQueue`.

    pytest tests/explore/test_queues_reduced.py --thorough     200 programs; as a rule there are 10
"""

from random import Random

from exhausted import outcomes

from concmodels.explore.scenarios import of_file
from concmodels.explore.strategies.sleep_sets import SleepSets

PER_TEST = 10
PARTS = 20
MOST, FEWER = 1500, 150
"""A program that has more schedules is left out; without `--thorough`, one with more than FEWER."""
HEAD = """
import queue, threading

def main():
    order, logs, lock = [], [[], [], []], threading.Lock()
    one, other = queue.SimpleQueue(), queue.SimpleQueue()

    def attempt(it, *options):
        try:
            return it.get(*options)
        except queue.Empty:
            return "empty"
"""
TAIL = """
    threads = [threading.Thread(target=it) for it in ({bodies},)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return str((order, logs))
"""
STATEMENTS = [
    "{queue}.put({mark})", "{queue}.put({mark})", "logs[{task}].append({queue}.get())",
    "logs[{task}].append(attempt({queue}, False))", "logs[{task}].append(attempt({queue}, True, 1))",
    "logs[{task}].append({queue}.empty())", "\n        with lock: order.append({task})",
]  # fmt: skip


def pytest_generate_tests(metafunc):
    if "part" in metafunc.fixturenames:
        metafunc.parametrize("part", range(PARTS if metafunc.config.getoption("thorough") else 1))


def random_program(number):
    random = Random(number)
    tasks = random.choice([2, 2, 3])
    text = HEAD
    for task in range(tasks):
        lines = [
            random.choice(STATEMENTS).format(
                queue=random.choice(["one", "one", "one", "other"]), mark=10 * task + line, task=task
            )
            for line in range(random.randint(1, 3 if tasks == 2 else 2))
        ]
        text += f"\n    def task_{task}():\n" + "".join(f"        {line}\n" for line in lines)
    return text + TAIL.format(bodies=", ".join(f"task_{task}" for task in range(tasks)))


def test_a_put_and_a_get_of_other_items_are_independent(part, tmp_path, record_property, thorough):
    told = dict.fromkeys(("programs", "full runs", "reduced runs", "with several outcomes"), 0)
    wrong = []
    for number in range(part * PER_TEST, (part + 1) * PER_TEST):
        path = tmp_path / f"program_{number}.py"
        path.write_text(random_program(number))
        everything, runs = outcomes(of_file(str(path)), SleepSets(reduce=False), runs=MOST if thorough else FEWER)
        if everything is None:
            continue
        reduced, fewer = outcomes(of_file(str(path)))
        told["programs"] += 1
        told["full runs"] += runs
        told["reduced runs"] += fewer
        told["with several outcomes"] += len(everything) > 1
        if reduced != everything:
            wrong.append(f"{path.read_text()}\nmissed: {everything - reduced}")
    record_property("random programs", ("queues", told))
    assert not wrong, "\n\n".join(wrong)
    assert told["programs"] and told["with several outcomes"] and told["reduced runs"] < told["full runs"] / 2


ORDER = """
import queue, threading

def main():
    jobs, got = queue.SimpleQueue(), []
    jobs.put(1)
    thread = threading.Thread(target=lambda: got.append(jobs.get()))
    thread.start()
    for number in range(2, 5):
        jobs.put(number)
    thread.join()
    return tuple(got)
"""


def test_puts_behind_the_item_that_is_taken_make_no_difference(tmp_path):
    path = tmp_path / "program.py"
    path.write_text(ORDER)
    assert outcomes(of_file(str(path)))[1] == 1
