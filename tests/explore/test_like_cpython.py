"""Queues, pools and results of futures in one step have the outcomes of CPython's own code, in fewer schedules.

The oracle is that code on simulated locks, on random programs.

    pytest tests/explore/test_like_cpython.py --thorough     500 programs; as a rule there are 10
"""

from functools import cache
from random import Random

import pytest
from exhausted import outcomes

from concmodels.explore.scenarios import of_file
from concmodels.explore.threads import futures, library, program

PER_TEST = 5
PARTS = 50
MOST = 2000
POOL_HEAD = """
import threading
from concurrent.futures import CancelledError, ThreadPoolExecutor, as_completed, wait

def main():
    log, futures, lock = [], [], threading.Lock()

    def name():
        return threading.current_thread().name[-1]

    def attempt(function):
        try:
            return function()
        except (CancelledError, RuntimeError) as error:
            return type(error).__name__

    def fails():
        raise RuntimeError

    def logs(mark):
        with lock:
            log.append(mark)

"""
JOBS = [
    "name", "name", "fails", "lambda: logs({mark})", "lambda: logs({mark})",
    "lambda: attempt(lambda: pool.submit(int).done())",
]  # fmt: skip
OF_POOLS = [
    "futures.append(pool.submit({job}))",
    "futures.append(pool.submit({job}))",
    "logs(attempt(futures[-1].result))",
    "logs(attempt(futures[0].result))",
    "logs(attempt(futures[-1].exception) is None)",
    "logs(futures[-1].done())",
    "logs(futures[0].running())",
    "logs(futures[-1].cancel())",
    "futures[-1].add_done_callback(lambda it: logs(name()))",
    "logs(len(wait(futures, return_when='FIRST_COMPLETED').done))",
    "logs(len(wait(futures, return_when='FIRST_EXCEPTION').done))",
    "logs(len(wait(futures, timeout={flag:d}).done))",
    "logs([futures.index(it) for it in as_completed(futures)])",
    "logs(futures.index(next(as_completed(futures))))",
    "logs(attempt(lambda: futures[0].result(timeout=1)))",
    "logs('running' in repr(futures[-1]))",
    "pool.shutdown(wait={flag}, cancel_futures={flag})",
    "logs(len(threading.enumerate()))",
]
QUEUE_HEAD = """
import queue, threading

def main():
    logs = [[], [], []]
    one, other = queue.{kind}({size}), queue.Queue()

    def attempt(function, *args, **options):
        try:
            return function(*args, **options)
        except (queue.Empty, queue.Full, queue.ShutDown, ValueError) as error:
            return type(error).__name__
"""
QUEUE_TAIL = """
    threads = [threading.Thread(target=it, daemon=True) for it in ({bodies},)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return str((logs, list(one.queue)))
"""
OF_QUEUES = [
    *["attempt(one.put, {mark})"] * 3, *["logs[{task}].append(attempt(one.get))"] * 3,
    "logs[{task}].append(attempt(one.put, {mark}, False))", "logs[{task}].append(attempt(one.put, {mark}, timeout=1))",
    "logs[{task}].append(attempt(one.get, False))", "logs[{task}].append(attempt(one.get, timeout=1))",
    "logs[{task}].append((one.empty(), one.full()))", "logs[{task}].append(one.qsize())",
    "other.put({mark})", "logs[{task}].append(other.get())",
    "logs[{task}].append(attempt(one.task_done))", "one.join()", "one.shutdown(immediate={flag})",
]  # fmt: skip


def pytest_generate_tests(metafunc):
    if "part" in metafunc.fixturenames:
        metafunc.parametrize("part", range(PARTS if metafunc.config.getoption("thorough") else 1))


def of_a_pool(random):
    def statement(text, mark):
        return text.format(job=random.choice(JOBS).format(mark=mark), flag=random.choice([True, False]))

    first, *others = [OF_POOLS[0], *random.choices(OF_POOLS, k=random.randint(2, 4))]
    lines = [statement(first, 0), *(f"attempt(lambda: {statement(it, mark)})" for mark, it in enumerate(others, 1))]
    body = "".join(f"        {line}\n" for line in lines)
    workers = random.choice([1, 2, 2, 2, 3])
    return f"{POOL_HEAD}    with ThreadPoolExecutor({workers}) as pool:\n{body}    return str(log)\n"


def of_queues(random):
    tasks = random.choice([2, 2, 3])
    text = QUEUE_HEAD.format(kind=random.choice(["Queue", "Queue", "LifoQueue"]), size=random.choice([0, 1, 1, 2]))
    for task in range(tasks):
        lines = [
            random.choice(OF_QUEUES).format(mark=10 * task + line, task=task, flag=random.choice([True, False]))
            for line in range(random.randint(2, 4 if tasks == 2 else 2))
        ]
        text += f"\n    def task_{task}():\n" + "".join(f"        {line}\n" for line in lines)
    return text + QUEUE_TAIL.format(bodies=", ".join(f"task_{task}" for task in range(tasks)))


@pytest.fixture
def of_cpython(monkeypatch):
    """The outcomes of a program on CPython's own code."""
    plain = cache(library.Library)

    def of_cpython(path):
        with monkeypatch.context() as patched:
            patched.setattr(library, "wait_for_futures_by_gates", futures.repeat_themselves)
            patched.setattr(library, "let_workers_commute", lambda _: None)
            patched.setattr(library, "do_in_one_step", lambda *_: None)
            patched.setattr(program, "library", plain)
            return outcomes(of_file(path), runs=MOST)

    return of_cpython


@pytest.mark.parametrize("random_program", [of_a_pool, of_queues])
def test_operations_in_one_step_have_the_outcomes_of_cpython(
    random_program, part, tmp_path, of_cpython, record_property
):
    told = dict.fromkeys(("programs", "CPython's runs", "runs", "with several outcomes"), 0)
    wrong = []
    for number in range(part * PER_TEST, (part + 1) * PER_TEST):
        path = tmp_path / f"program_{number}.py"
        path.write_text(random_program(Random(number)))
        everything, runs = of_cpython(str(path))
        if everything is None:
            continue
        found, fewer = outcomes(of_file(str(path)))
        told["programs"] += 1
        told["CPython's runs"] += runs
        told["runs"] += fewer
        told["with several outcomes"] += len(everything) > 1
        if found != everything:
            wrong.append(f"{path.read_text()}\nmissed: {everything - found}\nnew: {found - everything}")
    record_property("random programs", (random_program.__name__, told))
    assert not wrong, "\n\n".join(wrong)
    assert told["programs"] and told["runs"] < told["CPython's runs"]
    assert told["with several outcomes"] or part


BY_ITSELF = """
import queue, threading

def main():
    one = queue.Queue(2)
    for number in range(2):
        one.put(number)
    {line}
    thread = threading.Thread(target=lambda: one.put(7))
    thread.start()
    got = one.get()
    thread.join()
    return got, one.qsize(), one.full()
"""


@pytest.mark.parametrize(
    "line",
    ["one.queue.clear()", "one.queue.append(3)", "one.maxsize = 4", "with one.mutex: one.queue.clear()"],
)
def test_a_program_may_change_a_queue_itself(line, tmp_path, of_cpython):
    path = tmp_path / "program.py"
    path.write_text(BY_ITSELF.replace("{line}", line))
    assert outcomes(of_file(str(path)))[0] == of_cpython(str(path))[0]


OF_TWO_JOBS = """
from concurrent.futures import ThreadPoolExecutor, as_completed, wait

def main():
    with ThreadPoolExecutor(2) as pool:
        jobs = [pool.submit(abs, number) for number in range(2)]
        {line}
"""


@pytest.mark.parametrize(
    ("line", "schedules"),
    [("[it.result() for it in as_completed(jobs)]", 30), ("wait(jobs)", 30), ("jobs[0].add_done_callback(id)", 15)],
)
def test_what_nobody_can_tell_apart_is_no_schedule_of_its_own(line, schedules, tmp_path):
    path = tmp_path / "program.py"
    path.write_text(OF_TWO_JOBS.format(line=line))
    assert outcomes(of_file(str(path)))[1] <= schedules
