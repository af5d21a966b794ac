"""A run of an event loop whose callbacks have nothing to do with each other proves the program; others don't.

The oracle is the search that leaves out nothing: a program that is proved like this must have a single outcome.

    pytest tests/explore/test_followed.py --thorough     2,000 random programs; as a rule there are 20
"""

import asyncio
from random import Random

import pytest
from exhausted import outcomes

from concmodels.explore import explore
from concmodels.explore.eventloops import followed, futures
from concmodels.explore.eventloops.replaced import event_loops_replaced
from concmodels.explore.preemption.following import Following
from concmodels.explore.running.options import Options
from concmodels.explore.scenarios import of_file
from concmodels.explore.search import Found, Search
from concmodels.explore.strategies.sleep_sets import SleepSets

PER_TEST = 20
PARTS = 100
MOST, FEWER = 300, 80
"""A program that has more schedules is not compared; without `--thorough`, one with more than FEWER."""


def pytest_generate_tests(metafunc):
    if "part" in metafunc.fixturenames:
        metafunc.parametrize("part", range(PARTS if metafunc.config.getoption("thorough") else 1))


def are_alike(scenario, **options):
    """Whether a run of the program shows that all its schedules do the same."""
    search = Search(scenario, Options(search="all", **options))
    with search._surroundings.watched(), search.runs:
        try:
            search._follow()
        except Found:
            return False
    return bool(scenario.monitor.can_follow and scenario.monitor.are_alike)


# Programs of which it is known.

HEAD = """
import asyncio

class Worker:
    def __init__(self, number):
        self.number, self.log, self.lock, self.queue = number, [], asyncio.Lock(), asyncio.Queue()

total = 0

async def main():
    log, lock, event, queue = [], asyncio.Lock(), asyncio.Event(), asyncio.Queue()
    workers = [Worker(number) for number in range(3)]
    condition, semaphore, loop = asyncio.Condition(), asyncio.Semaphore(), asyncio.get_running_loop()
    tasks = []
"""
GATHERED = """
    async def work(worker):
        {work}
    result = await asyncio.gather(*map(work, workers), return_exceptions=True)
    return [worker.log for worker in workers], log, total, result
"""
GROUPED = """
    async def work(worker):
        {work}
    async with asyncio.TaskGroup() as group:
        tasks += [group.create_task(work(worker)) for worker in workers]
    return [worker.log for worker in workers], log, total, [it.result() for it in tasks]
"""
STEPS = """
        for _ in range(2):
            await asyncio.sleep(0.01)
            {step}
"""
APART = {
    "attributes": "worker.number = worker.number + 1",
    "containers": "worker.log.append(len(worker.log))",
    "locks": "\n            async with worker.lock: await asyncio.sleep(0); worker.number += 1",
    "queues": "worker.queue.put_nowait(1); worker.log.append(await worker.queue.get())",
    "limits": "\n            async with asyncio.timeout(5): await asyncio.sleep(0.01); worker.number += 1",
    "reading": "worker.number += len(workers)",
}
TOGETHER = {
    "attributes": "workers[0].number = worker.number",
    "containers": "log.append(worker.number)",
    "a global": "global total; total = worker.number",
    "locks": "\n            async with lock: await asyncio.sleep(0)",
    "a queue": "queue.put_nowait(worker.number); await queue.get()",
    "an event": "event.set() if worker.number else event.clear()",
    "a semaphore": "\n            async with semaphore: await asyncio.sleep(0)",
    "a condition": "\n            async with condition: condition.notify_all()",
    "a limit": "\n            async with asyncio.timeout(0.05): await asyncio.sleep(0.01)",
    "the time": "worker.log.append(loop.time())",
    "names": "worker.log.append(asyncio.create_task(asyncio.sleep(0)).get_name())",
    "a cancelled callback": "loop.call_soon(log.append, 1).cancel()",
    "a callback in C": "loop.call_later(0.01, log.append, worker.number)",
    "a thread": "await asyncio.to_thread(int)",
    "an unknown call": "setattr(*[workers[0], 'number', 1])",
    "a failure": "\n            if worker.number: raise KeyError(worker.number)",
    "all tasks": "worker.log.append(len(asyncio.all_tasks()))",
}


@pytest.mark.parametrize("joined", [GATHERED, GROUPED])
@pytest.mark.parametrize("name", APART)
def test_what_has_nothing_to_do_with_each_other_is_proved_by_one_run(tmp_path, name, joined):
    path = tmp_path / "program.py"
    path.write_text(HEAD + joined.format(work=STEPS.format(step=APART[name])))
    assert are_alike(of_file(str(path)))


@pytest.mark.parametrize("name", TOGETHER)
def test_what_may_meet_is_not(tmp_path, name):
    path = tmp_path / "program.py"
    path.write_text(HEAD + GATHERED.format(work=STEPS.format(step=TOGETHER[name])))
    assert not are_alike(of_file(str(path)))


PROGRAMS = {
    "futures that no loop has made": """
import asyncio

async def main():
    one, two = asyncio.Future(), asyncio.Future()

    async def first():
        await asyncio.sleep(0.01)
        for _ in range(6):
            await asyncio.sleep(0)
        one.set_result(1)

    async def second():
        await asyncio.sleep(0.02)
        two.set_result(1)

    tasks = [asyncio.create_task(first()), asyncio.create_task(second())]
    finished = await asyncio.wait([one, two], return_when=asyncio.FIRST_COMPLETED)
    await asyncio.gather(*tasks)
    done, _ = finished
    assert one in done
""",
    "futures by a name that is computed": """
import asyncio

async def main():
    make = getattr(asyncio, next(it for it in dir(asyncio) if it.startswith("Fu")))
    future = make()

    async def first():
        await asyncio.sleep(0.01)
        for _ in range(6):
            await asyncio.sleep(0)
        future.set_result(1)

    async def second():
        await asyncio.sleep(0.02)
        assert future.done()

    await asyncio.gather(first(), second())
""",
    "a class of futures": """
import asyncio

class Result(asyncio.Future):
    pass

async def main():
    future = Result()

    async def first():
        await asyncio.sleep(0.01)
        for _ in range(6):
            await asyncio.sleep(0)
        future.set_result(1)

    async def second():
        await asyncio.sleep(0.02)
        assert future.done()

    await asyncio.gather(first(), second())
""",
    "a task that no loop has made": """
import asyncio

async def main():
    async def first():
        await asyncio.sleep(0.01)
        for _ in range(6):
            await asyncio.sleep(0)

    one = asyncio.Task(first())

    async def second():
        await asyncio.sleep(0.02)
        assert one.done()

    await asyncio.gather(one, second())
""",
    "the future of a gather": """
import asyncio

async def main():
    gathered = asyncio.gather(asyncio.sleep(0.03))

    async def look():
        await asyncio.sleep(0.01)
        for _ in range(6):
            await asyncio.sleep(0)
        return await asyncio.wait([gathered], timeout=0)

    async def join():
        await gathered

    done, _ = (await asyncio.gather(look(), join()))[0]
    assert not done
""",
    "a sleep of the thread": """
import asyncio
import time

async def main():
    async def quick():
        async with asyncio.timeout(0.5):
            await asyncio.sleep(0.01)
            for _ in range(6):
                await asyncio.sleep(0)

    async def slow():
        await asyncio.sleep(0.02)
        time.sleep(1)

    await asyncio.gather(quick(), slow())
""",
    "a weak reference by another name": """
import asyncio
from weakref import ref as look

class Thing:
    pass

async def main():
    things = [Thing()]
    seen = look(things[0])

    async def drop():
        await asyncio.sleep(0.01)
        for _ in range(3):
            await asyncio.sleep(0)
        things.pop()

    async def see():
        await asyncio.sleep(0.02)
        assert seen() is None

    await asyncio.gather(drop(), see())
""",
    "a function made by exec": """
import asyncio

log = []
exec("def note(number): log.append(number)")

async def main():
    log.clear()

    async def work(number):
        await asyncio.sleep(0.01 * number)
        for _ in range(6 - 3 * number):
            await asyncio.sleep(0)
        note(number)

    await asyncio.gather(work(1), work(2))
    assert log == [1, 2]
""",
}
"""Each of them fails in a schedule, though not in the first."""


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_program_that_fails_in_another_schedule_is_not_proved(tmp_path, name):
    path = tmp_path / "program.py"
    path.write_text(PROGRAMS[name])
    assert not are_alike(of_file(str(path)))
    assert "broken" in str(explore(str(path), seconds=30))


def test_only_an_order_that_is_kept_is_followed(tmp_path):
    path = tmp_path / "program.py"
    path.write_text(HEAD + GATHERED.format(work=STEPS.format(step=APART["attributes"])))
    assert are_alike(of_file(str(path)))
    assert not are_alike(of_file(str(path)), order="any")


IMPORTS = [
    "from weakref import finalize", "from weakref import proxy as near", "import weakref as weak",
    "from gc import collect", "from sys import getrefcount as count", "from weakref import WeakMethod",
    "import sys; look = getattr(sys.modules.get('weakref'), 'ref', None)",
]  # fmt: skip


@pytest.mark.parametrize("line", IMPORTS)
def test_a_program_with_another_name_for_what_is_not_followed_is_not(tmp_path, line):
    path = tmp_path / "program.py"
    path.write_text(line + HEAD + GATHERED.format(work=STEPS.format(step=APART["attributes"])))
    assert not of_file(str(path)).monitor.can_follow


PLAIN = {
    "a data class": "class Job:\n    number: int\n    seen: list = field(default_factory=list)\n",
    "an annotation": "class Job:\n    number: int\n    result: asyncio.Future | None = None\n",
}


@pytest.mark.parametrize("name", PLAIN)
def test_data_classes_and_annotations_are_followed(tmp_path, name):
    path = tmp_path / "program.py"
    head = "from dataclasses import dataclass, field\nimport asyncio\n\n@dataclass\n" + PLAIN[name]
    step = "worker.number = Job(worker.number).number + 1"
    path.write_text(head + HEAD + GATHERED.format(work=STEPS.format(step=step)))
    assert are_alike(of_file(str(path)))


@pytest.mark.parametrize(
    ("kind", "real", "quiet"),
    [
        (futures.FollowedTask, asyncio.Task, {"get_loop", "set_result", "set_exception"}),
        (futures.Future, asyncio.Future, {"get_loop"}),
        (futures.Gathering, asyncio.Future, {"get_loop"}),
    ],
)
def test_every_method_of_a_future_tells(kind, real, quiet):
    methods = {name for name in dir(real) if not name.startswith("_") and callable(getattr(real, name))}
    untold = {it for it in methods | {"__await__", "__iter__"} if getattr(kind, it) is getattr(real, it)}
    assert untold == quiet


def test_a_search_of_separate_workers_is_done_soon(tmp_path):
    path = tmp_path / "program.py"
    path.write_text(HEAD.replace("range(3)", "range(6)") + GATHERED.format(work=STEPS.format(step=APART["limits"])))
    report = explore(str(path), seconds=60)
    assert report.in_all == 1, str(report)


# Random ones.

TASK = """
    async def task_{number}():
        mine = things[{number}]
        try:
{body}
        finally:
            mine.log.append("end")
"""
PROGRAM = """
import asyncio

class Thing:
    def __init__(self):
        self.log, self.lock, self.event, self.queue = [], asyncio.Lock(), asyncio.Event(), asyncio.Queue()
        self.future, self.count = asyncio.get_running_loop().create_future(), 0

async def main():
    things = [Thing() for _ in range(3)]
{tasks}
    tasks = {start}
    {end}
    return repr([(it.log, it.count) for it in things]), str(results)
"""
STATEMENTS = [
    "await asyncio.sleep(0)", "await asyncio.sleep({short})", "await asyncio.sleep({short})",
    "{thing}.count += 1", "mine.log.append({thing}.count)", "{thing}.log.append({mark})",
    "{thing}.event.set()", "{thing}.event.clear()", "mine.log.append({thing}.event.is_set())",
    "{thing}.queue.put_nowait({mark}); mine.log.append(await {thing}.queue.get())",
    "async with {thing}.lock: await asyncio.sleep({short}); {thing}.count += 1",
    "async with asyncio.timeout({limit}): await {thing}.queue.get()",
    "async with asyncio.timeout({limit}): await asyncio.sleep({short})",
    "{thing}.future.done() or {thing}.future.set_result(1)", "mine.log.append({thing}.future.done())",
    "await asyncio.wait([{thing}.future], timeout={short})",
    "await asyncio.gather(asyncio.sleep({short}), asyncio.sleep({short}))",
    "asyncio.get_running_loop().call_later({short}, mine.event.set)",
    "if {thing}.count: raise KeyError({mark})",
]  # fmt: skip
ENDS = [
    "results = await asyncio.gather(*tasks, return_exceptions=True)",
    "results = await asyncio.gather(*tasks)",
    "results = [it.exception() or it.result() for it in (await asyncio.wait(tasks))[0]]",
    "results = [await asyncio.wait_for(it, 3) for it in tasks]",
]


def random_program(number):
    """The text of a program in which most things belong to one task."""
    random = Random(number)
    sharing = random.choice([0, 0.1, 0.6])

    def statement(task):
        thing = "mine" if random.random() >= sharing else f"things[{random.randrange(3)}]"
        return random.choice(STATEMENTS).format(
            thing=thing, mark=random.randrange(9), short=random.choice([0.01, 0.01, 0.02, 0.04]),
            limit=random.choice([0.01, 0.03, 0.3, 5]),
        )  # fmt: skip

    count = random.randint(2, 3)
    tasks = "".join(
        TASK.format(number=task, body="\n".join(" " * 12 + statement(task) for _ in range(random.randint(1, 4))))
        for task in range(count)
    )
    start = "[" + ", ".join(f"asyncio.create_task(task_{task}())" for task in range(count)) + "]"
    return PROGRAM.format(tasks=tasks, start=start, end=random.choice(ENDS))


@pytest.mark.timeout(280)
def test_a_random_program_that_is_proved_by_one_run_has_one_outcome(part, tmp_path, record_property, thorough):
    told = dict.fromkeys(("programs", "proved", "with several outcomes"), 0)
    wrong = []
    for number in range(part * PER_TEST, (part + 1) * PER_TEST):
        path = tmp_path / f"program_{number}.py"
        path.write_text(random_program(number))
        told["programs"] += 1
        alike = are_alike(of_file(str(path)))
        told["proved"] += alike
        with event_loops_replaced():
            everything, _ = outcomes(of_file(str(path)), SleepSets(reduce=False), runs=MOST if thorough else FEWER)
        if everything is not None:
            several = len({(value, error) for value, error, *_ in everything}) > 1
            told["with several outcomes"] += several
            if alike and several:
                wrong.append(f"{path.read_text()}\nis proved by one run, and comes to {everything}")
    record_property("random programs", ("followed", told))
    assert not wrong, "\n\n".join(wrong)
    assert part or (told["proved"] and told["with several outcomes"])


# The tests find what is broken.

NOTHING, NO = (
    eval(compile(f"lambda *_: {it}", "<library>", "eval"), {"__name__": "concmodels"}) for it in (None, False)
)  # the program's is seen


@pytest.mark.parametrize(
    ("name", "owner", "method", "wrong"),
    [
        ("attributes", followed.Followed, "access", NOTHING),
        ("locks", Following, "_begin_or_go_on", NOTHING),
        ("a limit", followed.Followed, "leave", NOTHING),
        ("the time", followed.Followed, "read_clock", NOTHING),
        ("an unknown call", followed.Followed, "touch_all", NOTHING),
        ("a failure", followed.FollowedTask, "ended_badly", NO),
    ],
)
def test_a_program_that_is_followed_in_part_is_found(tmp_path, monkeypatch, name, owner, method, wrong):
    path = tmp_path / "program.py"
    path.write_text(HEAD + GATHERED.format(work=STEPS.format(step=TOGETHER[name])))
    monkeypatch.setattr(owner, method, wrong)
    assert are_alike(of_file(str(path)))
