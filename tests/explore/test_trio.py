"""Unmodified programs of trio, and of anyio on both of its event loops."""

import os
import subprocess
import sys
import textwrap
from importlib.util import find_spec

import pytest

from concmodels.explore import CannotExplore, explore, replay

pytestmark = pytest.mark.skipif(not (find_spec("trio") and find_spec("anyio")), reason="needs trio and anyio")


@pytest.fixture
def judged(tmp_path):
    """What explores a text, or a function of it."""

    def judge(text, function="", **options):
        path = tmp_path / "program.py"
        path.write_text(textwrap.dedent(text))
        return explore(f"{path}{function}", **options)

    return judge


ORDER = """
    import trio

    async def main():
        log = []
        async def note(it):
            await trio.sleep({seconds})
            log.append(it)
        async with trio.open_nursery() as nursery:
            for number in range({tasks}):
                nursery.start_soon(note, number, name="note")
        return tuple(log)
"""


@pytest.mark.parametrize("seconds", [0, 1])
def test_each_batch_is_run_forwards_and_backwards(judged, seconds):
    report = judged(ORDER.format(seconds=seconds, tasks=2))
    assert report.verdict == "held in all" and set(report.outcomes) == {(0, 1), (1, 0)}


def test_a_batch_is_run_so_too_where_hypothesis_has_trio_shuffle_it(judged, monkeypatch):
    monkeypatch.setattr("trio._core._run._ALLOW_DETERMINISTIC_SCHEDULING", True)  # as its plugin does when loaded
    report = judged(ORDER.format(seconds=0, tasks=3))
    assert set(report.outcomes) == {(0, 1, 2), (2, 1, 0)}


LIMIT = """
    import trio

    async def main():
        closed = False
        with trio.move_on_after({limit}):
            await trio.sleep(0.02)
            await trio.lowlevel.checkpoint()
            closed = True
        assert closed
"""


def test_a_deadline_may_come_before_what_is_ready(judged):
    report = judged(LIMIT.replace("{limit}", "0.05"))
    assert report.verdict == "broken" and report.failure.number <= 10


def test_a_deadline_that_lies_far_ahead_may_not(judged):
    assert judged(LIMIT.replace("{limit}", "5")).failure is None


def test_a_task_that_polls_sees_a_deadline_come(judged, monkeypatch):
    """Also where sleeps end too soon, for which there is a second: so this task polls for less long."""
    monkeypatch.setattr("concmodels.explore.eventloops.trio_.PATIENCE", 200)
    report = judged(
        """
        import trio

        async def main():
            log = []
            async def wait():
                await trio.sleep(1)
                log.append("done")
                polling.cancel()
            async def rely():
                await trio.sleep(2)
                assert log
            async with trio.open_nursery() as nursery:
                nursery.start_soon(wait)
                nursery.start_soon(rely)
                with trio.CancelScope() as polling:
                    while True:
                        await trio.lowlevel.checkpoint()
    """,
        schedules=20,
    )
    assert report.failure is None and not report.limited
    (sentence,) = report.unseen
    assert sentence.startswith("right only if 2 s is long enough at ") and sentence.endswith("program.py:11")


def test_two_tasks_that_are_not_in_one_batch_keep_their_order(judged):
    report = judged(
        ORDER.format(seconds="len(log) or number_of(it)", tasks=2)
        + """
    def number_of(it):
        return 1 + it
    """
    )
    assert report.verdict == "held in all" and set(report.outcomes) == {(0, 1)}


LOST = """
    import trio

    async def main():
        number = 0
        async def add():
            nonlocal number
            {before}
            seen = number
            {between}
            number = seen + 1
        async with trio.open_nursery() as nursery:
            nursery.start_soon(add)
            nursery.start_soon(add)
        assert number == 2
"""
PAUSE = "await trio.lowlevel.checkpoint()"


def test_a_lost_update_is_found_and_its_twin_holds(judged, tmp_path):
    report = judged(LOST.format(before="pass", between=PAUSE))
    assert report.verdict == "broken" and "add-1" in str(report) and f"program.py:10  {PAUSE}" in str(report)
    assert replay(str(tmp_path / "program.py"), schedule=report.failure.replay_id).verdict == "broken"
    assert judged(LOST.format(before=PAUSE, between="pass")).verdict == "held in all"


DEADLOCK = """
    import trio

    async def main():
        one, other = trio.Lock(), trio.Lock()
        async def both(first, second):
            async with first:
                await trio.sleep(0.1)
                async with second:
                    pass
        async with trio.open_nursery() as nursery:
            nursery.start_soon(both, one, other)
            nursery.start_soon(both, other, one)
"""


def test_a_deadlock_says_who_waits_and_where(judged):
    report = judged(DEADLOCK)
    waits = {line.partition(" at ")[0] + " " + line.rpartition(":")[2] for line in report.failure.error.waits}
    assert waits == {"main: waits 11", "both-1: waits 9", "both-2: waits 9"}


@pytest.mark.parametrize(
    ("line", "what"),
    {
        "await one.recv(1)": "waits for a socket",
    }.items(),
)
def test_what_no_schedule_decides_is_refused(judged, line, what):
    text = "import trio\nimport trio.socket\n\nasync def main():\n    one, other = trio.socket.socketpair()\n"
    with pytest.raises(CannotExplore, match=f"the program {what}.*, and no schedule decides"):
        judged(f"{text}    with one, other:\n        {line}\n")


GROUPS = {
    ("trio", ""): "trio.open_nursery()",
    ("anyio", ""): "anyio.create_task_group()",
    ("anyio", ":on_trio"): "anyio.create_task_group()",
}
BUT_ANYIO_ON_TRIO = [pytest.param(*it, marks=[pytest.mark.thorough] if it[1] else []) for it in GROUPS]
"""As parameters: anyio on trio only with `--thorough`, because trio and anyio on asyncio show its two halves."""


JOBS = """
    import {library}
    import threading

    class Counter:
        def __init__(self):
            self.number = 0
            self.lock = threading.Lock()
        def add(self):
            {with_lock}self.number += 1
            {library}.from_thread.run_sync(self.note)
            return {library}.from_thread.run(self.double)
        def note(self):
            self.noted = True
        async def double(self):
            await {library}.sleep(1)
            return 2 * self.number

    async def main():
        counter, results = Counter(), []
        async def add():
            results.append(await {library}.to_thread.run_sync(counter.add))
        async with {group} as group:
            group.start_soon(add)
            group.start_soon(add)
        assert counter.number == 2 and counter.noted and max(results) == 4

    def on_trio():
        {library}.run(main, backend="trio")
"""


@pytest.mark.parametrize(("library", "function"), BUT_ANYIO_ON_TRIO)
def test_jobs_of_threads_are_explored(judged, library, function, thorough):
    text = JOBS.replace("{library}", library).replace("{group}", GROUPS[library, function])
    report = judged(text.replace("{with_lock}", ""), function)
    assert report.verdict == "broken" and "data race: self.number" in str(report)
    schedules = 60 if thorough else 30
    report = judged(text.replace("{with_lock}", "with self.lock: "), function, schedules=schedules)
    assert report.failure is None and not report.unseen, str(report)


PORTAL = """
    import anyio
    from anyio.from_thread import start_blocking_portal

    async def add(numbers, number):
        {before}await anyio.sleep(0.01)
        numbers.append(number + len(numbers) - count)

    def main(backend="asyncio"):
        numbers = []
        with start_blocking_portal(backend) as portal:
            for future in [portal.start_task_soon(add, numbers, 0) for _ in range(2)]:
                future.result()
        assert numbers == [0, 0]

    def on_trio():
        main("trio")
"""


@pytest.mark.parametrize("function", ["", ":on_trio"])
def test_a_portal_runs_its_loop_in_a_thread(judged, function, thorough):
    report = judged(PORTAL.replace("{before}", "count = len(numbers); "), function)
    assert report.verdict == "broken" and "AssertionError" in str(report), str(report)
    text = PORTAL.replace("{before}", "").replace("numbers.append", "count = len(numbers); numbers.append")
    assert judged(text, function, schedules=60 if thorough else 30).failure is None


ABANDONED = """
    import {library}
    import time

    async def main():
        done = []
        def job():
            time.sleep(1)
            {library}.from_thread.check_cancelled()
            done.append(1)
        with {library}.move_on_after(0.5) as scope:
            await {library}.to_thread.run_sync(job, abandon_on_cancel=True)
        assert scope.cancel_called and not done
        await {library}.to_thread.run_sync(time.sleep, 3)
        return len(done)

    def on_trio():
        {library}.run(main, backend="trio")
"""


@pytest.mark.parametrize(("library", "function"), GROUPS)
def test_a_job_that_nobody_waits_for_any_more(judged, library, function, thorough):
    report = judged(ABANDONED.replace("{library}", library), function, schedules=150 if thorough else 60)
    assert report.failure is None and set(report.outcomes) <= {0, None}, str(report)


INTERRUPTED = """
    import trio

    async def work(database):
        database["open"] = True
        {work}
    async def long(database):
        await trio.sleep(1)
        async with trio.open_nursery() as nursery:
            nursery.start_soon(trio.sleep, 2)
            nursery.start_soon(trio.sleep, 1)
        del database["open"]
    async def closed(database):
        try:
            await long(database)
        finally:
            database.clear()
    def main():
        database = {{}}
        try:
            trio.run(work, database)
        except* KeyboardInterrupt:
            pass
        assert not database
"""


def test_a_ctrl_c_comes_at_any_time_if_it_may(judged, tmp_path):
    broken = INTERRUPTED.format(work="await long(database)")
    assert judged(broken).verdict == "held in all"
    report = judged(broken, interrupt=True)
    assert report.verdict == "broken" and "Ctrl-C" in str(report), str(report)
    assert replay(str(tmp_path / "program.py"), schedule=report.failure.replay_id).verdict == "broken"
    report = judged(INTERRUPTED.format(work="await closed(database)"), interrupt=True)
    assert report.verdict == "held in all" and report.in_all > 3, str(report)


def test_sets_of_tasks_are_gone_through_in_one_order(tmp_path, thorough):
    """A cancelled nursery goes through a set of its tasks: in other processes, the same schedule does the same."""
    path = tmp_path / "program.py"
    path.write_text(
        textwrap.dedent("""
        import trio

        async def main():
            log = []
            async def wait(it):
                try:
                    await trio.sleep_forever()
                finally:
                    log.append(it)
            async with trio.open_nursery() as nursery:
                for number in range(9):
                    nursery.start_soon(wait, number)
                await trio.sleep(1)
                nursery.cancel_scope.cancel()
            raise ValueError(log)
    """)
    )
    command = [sys.executable, "-m", "concmodels.explore", str(path), "--search", "all", "--quiet", "--json", "-"]
    told = {
        subprocess.run(
            command, env=os.environ | {"PYTHONHASHSEED": seed}, capture_output=True, text=True, timeout=60, check=False
        ).stdout.partition('"failure"')[2]
        for seed in ("123" if thorough else "12")
    }
    assert len(told) == 1 and "ValueError" in told.pop()


SLEEPY = """
    import {library}

    async def main():
        log = []
        async def work():
            await {library}.sleep(0.02)
            await {library}.sleep(0.02)
            log.append("done")
        async with {group} as group:
            group.start_soon(work)
            {before}
            assert log

    def on_trio():
        anyio.run(main, backend="trio")
"""


@pytest.mark.parametrize(("library", "function"), BUT_ANYIO_ON_TRIO)
def test_a_sleep_in_the_place_of_an_await_is_said(judged, library, function):
    group = GROUPS[library, function]
    report = judged(SLEEPY.format(library=library, group=group, before=f"await {library}.sleep(0.1)"), function)
    assert report.verdict == "held so far", str(report)
    (sentence,) = report.unseen
    assert sentence.startswith("right only if 0.1 s is long enough at ") and sentence.endswith("program.py:12")
    report = judged(SLEEPY.format(library=library, group=group, before=f"while not log: await {library}.sleep(0.1)"))
    assert report.verdict == "held in all", str(report)


def test_long_work_that_is_cancelled_takes_no_proof_away(judged):
    report = judged("""
        import trio

        async def main():
            log = []
            async def work():
                await trio.sleep(9)
                log.append("done")
            async with trio.open_nursery() as nursery:
                nursery.start_soon(work)
                await trio.sleep(0.02)
                nursery.cancel_scope.cancel()
            assert not log
    """)
    assert report.verdict == "held in all", str(report)


LIMITED = """
    import trio
    import anyio

    async def work(library):
        with library.move_on_after(1) as scope:
            await library.{wait}
        return scope.cancelled_caught

    def on_asyncio():
        return anyio.run(work, anyio)

    def on_trio():
        return trio.run(work, trio)
"""


@pytest.mark.parametrize("function", [":on_asyncio", ":on_trio"])
@pytest.mark.parametrize("wait", ["sleep(2)", "sleep(0.5)"])
def test_a_task_alone_with_a_time_limit_is_proved(judged, function, wait):
    report = judged(LIMITED.format(wait=wait), function)
    assert report.verdict == "held in all" and set(report.outcomes) == {wait == "sleep(2)"}, str(report)


ON_BOTH = """
    import anyio

    async def work():
        log = []
        async def note(it):
            await anyio.sleep(0.01)
            log.append(it)
        async with anyio.create_task_group() as group:
            group.start_soon(note, 0)
            group.start_soon(note, 1)
        return tuple(log)

    def on_asyncio():
        return anyio.run(work)

    def on_trio():
        return anyio.run(work, backend="trio")

    async def main():
        return await work()
"""


@pytest.mark.parametrize(
    ("function", "outcomes"),
    {":on_asyncio": {(0, 1)}, "": {(0, 1)}, ":on_trio": {(0, 1), (1, 0)}}.items(),
)
def test_anyio_on_both(judged, function, outcomes):
    report = judged(ON_BOTH, function)
    assert report.verdict == "held in all" and set(report.outcomes) == outcomes
