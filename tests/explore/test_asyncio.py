"""Unmodified programs of asyncio: what is explored, what is found, and what is refused."""

import asyncio
import gc
import textwrap

import pytest

from concmodels.explore import CannotExplore, explore, replay
from concmodels.explore.eventloops.loop import SimulatedLoop
from concmodels.models.simulated.world import World

BEGIN = "import asyncio\nimport time\n"


@pytest.fixture
def judged(tmp_path):
    """What explores a text."""

    def judge(text, **options):
        path = tmp_path / "program.py"
        path.write_text(BEGIN + textwrap.dedent(text))
        return explore(str(path), **options)

    return judge


def told(report):
    return f"{type(report.failure.error).__name__}: {report.failure.error}"


# What is free, and what isn't.


def test_callbacks_keep_their_order(judged):
    report = judged(ORDER)
    assert report.verdict == "held in all" and set(report.outcomes) == {("a", "b", "c")}


def test_in_any_order_they_dont(judged):
    report = judged(ORDER, order="any")
    assert report.verdict == "held in all" and len(report.outcomes) == 6


ORDER = """
    async def main():
        log = []
        async def note(it):
            log.append(it)
        await asyncio.gather(*map(note, "abc"))
        return tuple(log)
"""


def test_timers_keep_their_order(judged):
    report = judged("""
        async def main():
            log = []
            async def note(it, seconds):
                await asyncio.sleep(seconds)
                log.append(it)
            await asyncio.gather(note("c", 0.02), note("a", 0.01), note("b", 0.01))
            return "".join(log)
    """)
    assert report.verdict == "held in all" and set(report.outcomes) == {"abc"}


RACING = """
    async def main():
        log = []
        async def go_on():
            for _ in range(3):
                await asyncio.sleep(0)
            log.append("callbacks")
        async def wait():
            await asyncio.sleep({seconds})
            log.append("timer")
        await asyncio.gather(go_on(), wait())
        return log[0]
"""


def test_a_timer_may_come_before_what_is_ready(judged):
    report = judged(RACING.format(seconds=0.05))
    assert report.verdict == "held in all" and set(report.outcomes) == {"callbacks", "timer"}


def test_a_timer_that_lies_far_ahead_may_not(judged):
    report = judged(RACING.format(seconds=0.051))
    assert report.verdict == "held in all" and set(report.outcomes) == {"callbacks"}


def test_callbacks_are_late_once_and_not_again_and_again(judged):
    """However many timers there are, they take no more than the slack from what is ready."""
    report = judged("""
        async def main():
            ticks = 0
            async def tick():
                nonlocal ticks
                while True:
                    await asyncio.sleep(0.02)
                    ticks += 1
            ticking = asyncio.create_task(tick())
            await asyncio.to_thread(int)
            ticking.cancel()
            return ticks
    """)
    assert report.verdict == "held in all" and set(report.outcomes) == {0, 1, 2}


@pytest.mark.parametrize("order", ["kept", "any"])
def test_a_task_that_polls_sees_a_timer_expire(judged, order, monkeypatch):
    monkeypatch.setattr("concmodels.explore.eventloops.loop.PATIENCE", 200)
    report = judged(
        """
        async def main():
            done = asyncio.create_task(asyncio.sleep(1))
            while not done.done():
                await asyncio.sleep(0)
    """,
        schedules=20,
        order=order,
    )
    assert report.failure is None and not report.limited


def test_time_is_virtual(judged):
    report = judged("""
        async def main():
            loop = asyncio.get_running_loop()
            begin = loop.time()
            await asyncio.gather(asyncio.sleep(3600), asyncio.sleep(1))
            assert loop.time() - begin == 3600
    """)
    assert report.failure is None  # and the time limit of a test is a minute


def test_the_job_of_a_thread_ends_at_any_time(judged):
    report = judged("""
        async def main():
            log = []
            async def job(it):
                await asyncio.to_thread(int)
                log.append(it)
            await asyncio.gather(*map(job, "abc"))
            return "".join(log)
    """)
    assert report.verdict == "held in all" and len(report.outcomes) == 6


def test_code_in_a_thread_is_preempted(judged):
    text = """
        import threading
        class Counter:
            def __init__(self):
                self.number = 0
                self.lock = threading.Lock()
            def add(self):
                {with_lock}self.number += 1
        async def main():
            counter = Counter()
            await asyncio.gather(*(asyncio.to_thread(counter.add) for _ in range(2)))
            assert counter.number == 2
    """
    report = judged(text.replace("{with_lock}", ""))
    assert report.verdict == "broken" and "data race: self.number" in str(report)
    assert judged(text.replace("{with_lock}", "with self.lock: ")).verdict == "held in all"


def test_a_thread_and_the_loop_race(judged):
    report = judged("""
        async def main():
            number = 0
            def add():
                nonlocal number
                number += 1
            job = asyncio.create_task(asyncio.to_thread(add))
            await asyncio.sleep(0)
            number += 1
            await job
            assert number == 2
    """)
    assert report.verdict == "broken"


def test_a_job_that_sleeps_takes_its_time(judged):
    report = judged("""
        async def main():
            async with asyncio.timeout(1):
                await asyncio.to_thread(time.sleep, 0.5)
            try:
                async with asyncio.timeout(1):
                    await asyncio.to_thread(time.sleep, 1.5)
            except TimeoutError:
                return "late"
    """)
    assert set(report.outcomes) == {"late"} and report.failure is None


def test_a_job_may_be_done_before_anybody_awaits_it(judged):
    """Then the task goes on at once, and no other one comes in between."""
    report = judged("""
        async def main():
            log = []
            async def other():
                log.append("other")
            task = asyncio.create_task(other())
            await asyncio.to_thread(int)
            log.append("main")
            await task
            return tuple(log)
    """)
    assert report.verdict == "held in all" and set(report.outcomes) == {("other", "main"), ("main", "other")}


def test_run_waits_for_jobs_that_nothing_awaits(judged):
    report = judged("""
        async def work(log, function):
            job = asyncio.create_task(asyncio.to_thread(function, "a"))
            await asyncio.sleep(0)
            job.cancel()
        def main():
            log = []
            asyncio.run(work(log, log.append))
            asyncio.run(work(log, lambda it: log.append(it)))
            assert len(log) == 2
    """)
    assert report.failure is None, str(report)


def test_a_thread_has_no_running_loop(judged):
    report = judged("""
        def job():
            try:
                asyncio.get_running_loop()
            except RuntimeError:
                return asyncio.run(in_a_loop_of_its_own())
        async def in_a_loop_of_its_own():
            await asyncio.sleep(0.01)
            return asyncio.current_task().get_coro().__name__
        async def main():
            assert await asyncio.to_thread(job) == "in_a_loop_of_its_own"
            assert asyncio.current_task().get_coro().__name__ == "main"
    """)
    assert report.failure is None, str(report)


def test_callbacks_of_the_loop_are_steps_in_each_phase_of_a_search(judged):
    report = judged("""
        async def buy(shop):
            if shop["left"]:
                await asyncio.sleep(0)
                shop["left"] -= 1

        async def main():
            shop, loop = {"left": 1}, asyncio.get_running_loop()
            def customer():
                asyncio.run_coroutine_threadsafe(buy(shop), loop).result()
            await asyncio.gather(asyncio.to_thread(customer), asyncio.to_thread(customer))
            assert shop["left"] == 0
    """)
    assert report.verdict == "broken" and report.failure.number == 1


def test_threads_may_give_work_to_the_loop(judged, thorough):
    report = judged(
        """
        import threading
        from concurrent.futures import ThreadPoolExecutor
        async def double(number):
            await asyncio.sleep(0.01)
            return 2 * number
        async def main():
            loop, done, results = asyncio.get_running_loop(), asyncio.Event(), []
            def job():
                results.append(asyncio.run_coroutine_threadsafe(double(4), loop).result())
                loop.call_soon_threadsafe(done.set)
            thread = threading.Thread(target=job)
            thread.start()
            await done.wait()
            thread.join()
            with ThreadPoolExecutor(1) as pool:
                results.append(await loop.run_in_executor(pool, abs, -3))
                results.append(await asyncio.wrap_future(pool.submit(abs, -2)))
            assert results == [8, 3, 2]
    """,
        schedules=300 if thorough else 80,
    )
    assert report.failure is None, str(report)


def test_an_event_that_is_set_by_another_thread_without_a_word_to_the_loop(judged):
    """asyncio's events are no threads' events: the loop isn't woken."""
    report = judged("""
        import threading
        async def main():
            event = asyncio.Event()
            thread = threading.Thread(target=lambda: event.set())
            thread.start()
            await event.wait()
            thread.join()
    """)
    assert report.verdict == "broken" and type(report.failure.error).__name__ == "Deadlock"


# Sleeps in the place of an await.


SLEEPY = """
    async def main():
        log = []
        async def work():
            await asyncio.sleep(0.02)
            log.append("done")
        working = asyncio.create_task(work())
        {before}
        assert log
        await working
"""
RELYING = {
    "a sleep": ("await asyncio.sleep(0.1)", "0.1"),
    "a loop": ("for _ in range(2): await asyncio.sleep(0.06)", "0.06"),
    "a job": ("await asyncio.to_thread(int); await asyncio.sleep(3)", "3"),
}


@pytest.mark.parametrize("name", RELYING)
@pytest.mark.parametrize("order", ["kept", "any"])
def test_a_sleep_in_the_place_of_an_await_is_said(judged, name, order):
    line, seconds = RELYING[name]
    report = judged(SLEEPY.format(before=line), order=order)
    assert report.verdict == "held so far", str(report)
    assert [it.rpartition("/")[2] for it in report.unseen if "right only if" in it] == ["program.py:10"], report.unseen
    assert any(it.startswith(f"right only if {seconds} s is long enough at ") for it in report.unseen)


NOT_RELYING = {
    "awaited": "await asyncio.sleep(0.1); await working",
    "within a time limit": "await asyncio.wait_for(working, 0.1)",
    "polled for": "while not log: await asyncio.sleep(0.3)",
    "several at once": "await asyncio.gather(working, *map(asyncio.sleep, (0.1, 0.2)))\n"
    "        assert asyncio.get_running_loop().time() < 0.25",
    "a limit on a longer one": "async with asyncio.timeout(5): await asyncio.gather(asyncio.sleep(4), working)",
    "longer than its limit": "await working\n"
    "        try: await asyncio.wait_for(asyncio.sleep(2), 1)\n"
    "        except TimeoutError: log = log * 1\n"
    "        else: assert False",
    "long work that is cancelled": "async def long():\n"
    "            await asyncio.sleep(9)\n"
    "        working_long = asyncio.create_task(long())\n"
    "        await working\n"
    "        assert working_long.cancel()",
}


@pytest.mark.parametrize("name", NOT_RELYING)
def test_a_sleep_on_which_nothing_relies_takes_no_proof_away(judged, name):
    report = judged(SLEEPY.format(before=NOT_RELYING[name]))
    assert report.verdict == "held in all", str(report)


# Ctrl-C, and other signals.


INTERRUPTED = """
    import signal
    class Database:
        is_open = False
    async def work(database):
        database.is_open = True
        {work}
    async def long(database):
        await asyncio.sleep(0)
        await asyncio.gather(asyncio.sleep(1), asyncio.sleep(0))
        database.is_open = False
    async def closed(database):
        try:
            await long(database)
        finally:
            database.is_open = False
    async def handled(database):
        working = asyncio.create_task(long(database))
        asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, {handler})
        await asyncio.wait([working])
        asyncio.get_running_loop().remove_signal_handler(signal.SIGTERM)
    def main():
        database = Database()
        try:
            asyncio.run(work(database))
        except KeyboardInterrupt:
            pass
        assert not database.is_open
"""


@pytest.mark.parametrize("order", ["kept", "any"])
def test_a_ctrl_c_comes_at_any_time_if_it_may(judged, tmp_path, order, thorough):
    broken = INTERRUPTED.format(work="await long(database)", handler="int")
    assert judged(broken, order=order).verdict == "held in all"
    report = judged(broken, order=order, interrupt=True)
    assert report.verdict == "broken" and "Ctrl-C" in str(report), str(report)
    again = replay(str(tmp_path / "program.py"), schedule=report.failure.replay_id)
    assert again.verdict == "broken" and "i-" in report.failure.replay_id
    closed = INTERRUPTED.format(work="await closed(database)", handler="int")
    schedules = 5000 if order == "kept" else 300 if thorough else 100
    report = judged(closed, order=order, interrupt=True, schedules=schedules)
    assert report.failure is None and (order == "any" or report.in_all > 3), str(report)


def test_so_does_a_signal_that_the_program_handles(judged):
    text = INTERRUPTED.format(work="await handled(database)", handler="{}")
    report = judged(text.format("working.cancel"), interrupt=True)
    assert report.verdict == "broken" and "Ctrl-C" in str(report), str(report)
    text = text.replace("await asyncio.wait([working])", "try: await asyncio.wait([working])\n        finally: {}")
    closes = "database.is_open = False; working.cancel()"
    assert judged(text.format("working.cancel", closes), interrupt=True).verdict == "held in all"
    assert judged(text.format("lambda: 1 / 0", closes), interrupt=True).verdict == "broken"


def test_to_end_by_a_ctrl_c_is_no_failure_and_otherwise_it_is(judged):
    text = """
        async def main():
            await asyncio.gather(asyncio.sleep(1), asyncio.sleep(2))
            {}
    """
    assert judged(text.format("pass"), interrupt=True).verdict == "held in all"
    assert told(judged(text.format("raise KeyboardInterrupt"))).startswith("KeyboardInterrupt")


# Sets of tasks.


def test_sets_of_tasks_and_of_scopes_are_gone_through_in_one_order(judged):
    report = judged("""
        async def job(log, number):
            try:
                await asyncio.sleep(number)
                return number
            finally:
                log.append(number)
        async def main():
            log = []
            done, pending = await asyncio.wait([asyncio.create_task(job(log, it)) for it in range(5)], timeout=2.5)
            log += [it.result() for it in done]
            try:
                async with asyncio.TaskGroup() as group:
                    for number in range(10, 20):
                        group.create_task(job(log, number))
                    await asyncio.sleep(0)
                    raise KeyError
            except* KeyError:
                await asyncio.wait(pending)
            return tuple(log)
    """)
    assert report.failure is None and report.unseen == (), str(report)


@pytest.mark.parametrize(("tasks", "orders"), [(3, 6), (5, 120)])
def test_as_completed_starts_coroutines_in_any_order(judged, tasks, orders):
    """It keeps them in a set, and they have no order there."""
    report = judged(f"""
        async def main():
            log = []
            async def note(it):
                log.append(it)
            for it in asyncio.as_completed(map(note, range({tasks}))):
                await it
            return tuple(log)
    """)
    assert report.verdict == "held in all" and len(report.outcomes) == orders, str(report)


# Where main is.


def test_main_may_call_run_itself(judged):
    report = judged("""
        async def work(log):
            await asyncio.sleep(0.01)
            log.append(1)
        async def two(log):
            await asyncio.gather(work(log), work(log))
        def main():
            log = []
            asyncio.run(two(log))
            with asyncio.Runner() as runner:
                runner.run(two(log))
            assert log == [1] * 4
    """)
    assert report.verdict == "held in all", str(report)


numbers = []


async def top_level():
    await asyncio.gather(asyncio.sleep(0), asyncio.sleep(0))
    numbers.append(1)
    assert len(numbers) == 1


@pytest.mark.parametrize("factory", ["asyncio.EventLoop", "asyncio.SelectorEventLoop", "asyncio.new_event_loop"])
def test_a_loop_factory_of_asyncio_makes_a_loop_of_the_run(judged, factory):
    report = judged(f"""
        async def work():
            await asyncio.gather(asyncio.sleep(0), asyncio.sleep(0.01))

        def main():
            asyncio.run(work(), loop_factory={factory})
    """)
    assert report.verdict == "held in all", str(report)


def test_a_function_of_a_test_file_starts_afresh():
    assert explore(top_level).verdict == "held in all"
    assert not numbers


def test_a_function_in_a_function_is_explored_as_it_is():
    async def main(seen):
        async def look():
            await asyncio.sleep(0.01)
            seen.append(1)

        before = len(seen)
        await asyncio.gather(look(), look())
        assert len(seen) == before + 2

    assert explore(main, []).verdict == "held in all"


def test_outside_of_a_search_asyncio_is_what_it_was():
    new = asyncio.new_event_loop
    explore(top_level)
    assert asyncio.new_event_loop is new
    assert asyncio.run(asyncio.sleep(0, "real")) == "real"


# What is found.


def test_a_deadlock_says_who_waits_and_where(judged):
    report = judged("""
        async def main():
            one, other = asyncio.Lock(), asyncio.Lock()
            async def both(first, second):
                async with first:
                    await asyncio.sleep(0)
                    async with second:
                        pass
            await asyncio.gather(both(one, other), both(other, one))
    """)
    waits = [line.partition("at ")[0] + line.rpartition(":")[2] for line in report.failure.error.waits]
    assert waits == ["main: waits 11", "both-1: waits 9", "both-2: waits 9"]


def test_a_picture_has_a_line_for_each_task_that_goes_on(judged):
    text = str(judged(LOST))
    rows = [line.split() for line in text.splitlines() if "program.py:" in line and "again" not in line]
    assert ["add-1", "program.py:9", "await", "asyncio.sleep(0)"] in rows
    assert ["add-2", "program.py:9", "await", "asyncio.sleep(0)"] in rows


LOST = """
    async def main():
        number = 0
        async def add():
            nonlocal number
            seen = number
            await asyncio.sleep(0)
            number = seen + 1
        await asyncio.gather(add(), add())
        assert number == 2
"""


@pytest.mark.parametrize("order", ["kept", "any"])
def test_a_failure_is_replayed(judged, tmp_path, order):
    report = judged(LATE, order=order)
    assert report.verdict == "broken" and len(report.failure.replay_id) <= 60
    again = replay(str(tmp_path / "program.py"), schedule=report.failure.replay_id)
    assert again.failure.error.args == report.failure.error.args
    assert [it.forced for it in again.failure.moments].count(True) == report.failure.forced_switches


LATE = """
    async def main():
        done = []
        async def work():
            await asyncio.sleep(0.01)
            for _ in range(2):
                await asyncio.sleep(0)
            done.append(1)
        working = asyncio.create_task(work())
        await asyncio.sleep(0.02)
        assert done
        await working
"""

LOGGED = {
    "never retrieved": (
        """
        async def fail():
            raise ValueError("nobody looks")
        async def main():
            task = asyncio.create_task(fail())
            await asyncio.sleep(0.01)
        """,
        "NeverRetrieved: the exception of task Task-2 (fail) was never retrieved: ValueError('nobody looks'), raised "
        "at PATH:5",
    ),
    "never awaited": (
        """
        async def work():
            pass
        async def main():
            task = asyncio.create_task(work())
            await asyncio.sleep(0.01)
            work()
        """,
        "NeverAwaited: coroutine work was never awaited, created at PATH:9",
    ),
    "destroyed": (
        """
        async def forget():
            await asyncio.get_running_loop().create_future()
        async def main():
            asyncio.create_task(forget())
            await asyncio.sleep(0.01)
            await asyncio.sleep(0.01)
        """,
        "DestroyedPending: task Task-2 (forget) was destroyed, but it is pending, created at PATH:7",
    ),
    "a callback": (
        """
        async def main():
            asyncio.get_running_loop().call_later(0.01, int, "no number")
            await asyncio.sleep(0.02)
            await asyncio.create_task(asyncio.sleep(0))
        """,
        'FailedCallback: Exception in callback int(): ValueError("invalid',
    ),
}


@pytest.mark.parametrize("name", LOGGED)
def test_what_asyncio_logs_is_a_failure(judged, tmp_path, name):
    text, expected = LOGGED[name]
    report = judged(text)
    assert report.verdict == "broken", str(report)
    assert told(report).replace(str(tmp_path / "program.py"), "PATH").startswith(expected)


def test_an_exception_handler_of_the_program_gets_it_instead(judged):
    text, _ = LOGGED["never retrieved"]
    report = judged(
        text.replace("task = ", "asyncio.get_running_loop().set_exception_handler(lambda *_: None); task = ")
    )
    assert report.verdict == "held in all", str(report)


@pytest.mark.parametrize(
    ("line", "what"),
    {
        "await asyncio.open_connection('localhost', 1)": "opens or uses a socket",
        "await asyncio.start_server(None, 'localhost', 1)": "opens or uses a socket",
        "await asyncio.create_subprocess_exec('true')": "starts a process",
        "asyncio.get_running_loop().add_signal_handler(2, int)": "handles a signal",
        "asyncio.get_running_loop().add_reader(0, int)": "waits for a file",
        "type('Own', (asyncio.SelectorEventLoop,), {})()": "makes an event loop of its own",
    }.items(),
)
def test_what_no_schedule_decides_is_refused(judged, line, what):
    with pytest.raises(CannotExplore, match=f"the program {what}.* at .*program.py:4, and no schedule decides"):
        judged(f"async def main():\n    {line}\n")


def test_a_program_of_one_task_is_no_proof(judged):
    report = judged("""
        async def main():
            await asyncio.sleep(1)
    """)
    assert report.verdict == "held so far" and "no task was started" in str(report)


def test_but_a_time_limit_makes_it_one_that_can_go_on_in_several_ways(judged):
    report = judged("""
        async def main():
            try:
                async with asyncio.timeout(0.01):
                    await asyncio.Event().wait()
            except TimeoutError:
                return "late"
    """)
    assert report.verdict == "held in all" and set(report.outcomes) == {"late"}


def test_functions_of_asyncio_take_no_proof_away_where_threads_are_watched(judged):
    report = judged("""
        import threading
        async def main():
            loop = asyncio.get_running_loop()
            told, items = loop.create_future(), []
            def tell():
                items.append(1)
                loop.call_soon_threadsafe(told.set_result, None)
            threading.Thread(target=tell).start()
            async with asyncio.timeout(2):
                await told
            assert items == [1]
    """)
    assert report.verdict == "held in all", str(report)


@pytest.mark.parametrize(
    "line",
    [
        "await asyncio.gather(one, add())",
        "await asyncio.wait([one]); await asyncio.wait_for(add(), 1)",
        "await asyncio.gather(one, return_exceptions=True)",
        "for it in asyncio.as_completed([one]): await it",
    ],
)
def test_nor_do_those_that_are_given_tasks(judged, line):
    text = f"""
        import threading
        async def main():
            counter, lock = [0], threading.Lock()
            def step():
                with lock:
                    counter[0] += 1
            async def add():
                await asyncio.to_thread(step)
            one = asyncio.create_task(add())
            {line}
    """
    report = judged(text)
    assert report.verdict == "held in all", str(report)


def test_but_a_thread_that_touches_a_task_does(judged):
    report = judged("""
        import threading
        async def main():
            other = asyncio.create_task(asyncio.sleep(0.01))
            thread = threading.Thread(target=lambda: other.cancel())
            thread.start()
            await asyncio.gather(other, return_exceptions=True)
            thread.join()
    """)
    (sentence,) = report.unseen
    assert sentence.startswith("a thread touches a task or future of an event loop at "), str(report)


def test_a_search_leaves_no_run_behind():
    def runs_in_memory():
        gc.collect()
        return sum(isinstance(it, (SimulatedLoop, World)) for it in gc.get_objects())

    before = runs_in_memory()
    explore(top_level, search="random", schedules=20)
    assert runs_in_memory() == before


CODE_IN_A_THREAD = """
    class Counter:
        number = 0
    def add(_):
        seen = Counter.number
        Counter.number = seen + 1
        return 0
    async def main():
        work = {job}
        await asyncio.gather(work(), work())
        assert Counter.number == 2
"""


@pytest.mark.parametrize(
    "job",
    [
        "lambda: asyncio.to_thread(add, 1)",
        "lambda: asyncio.get_running_loop().run_in_executor(None, add, 1)",
        "lambda: asyncio.to_thread(lambda: add(1))",
        "lambda: asyncio.to_thread(sorted, [1], key=add)",
        "lambda: asyncio.to_thread(list, map(add, [1]))",
    ],
)
def test_code_of_the_program_in_a_thread_is_watched(judged, tmp_path, job):
    report = judged(CODE_IN_A_THREAD.replace("{job}", job))
    assert report.verdict == "broken" and report.options.switches == "anywhere", str(report)
    again = replay(str(tmp_path / "program.py"), schedule=report.failure.replay_id)
    assert again.failure.error.args == report.failure.error.args


CALLED_BY_C = """
    import io, logging, pickle, pprint, sys, warnings
    class Counter:
        number = 0
    def add():
        seen = Counter.number
        Counter.number = seen + 1
    class Handler(logging.Handler):
        def handle(self, record):
            add()
    class Counts:
        def __reduce__(self):
            return add, ()
        def write(self, text):
            if text.strip():
                add()
        def __eq__(self, other):
            add()
            return False
        __hash__ = object.__hash__
    async def main():
        Counter.number = 0
        {before}
        async def work():
            await {job}
        try:
            await asyncio.gather(work(), work())
        finally:
            {after}
        assert Counter.number == 2, Counter.number
"""


@pytest.mark.parametrize(
    "before, job, after",
    [
        ("text = pickle.dumps(Counts())", "asyncio.to_thread(pickle.loads, text)", "pass"),
        (
            "text = pickle.dumps(Counts())",
            "asyncio.get_running_loop().run_in_executor(None, pickle.loads, text)",
            "pass",
        ),
        (
            "warnings.simplefilter('always'); warnings.showwarning = lambda *_: add()",
            "asyncio.to_thread(warnings.warn, 'x')",
            "pass",
        ),
        ("before, sys.stdout = sys.stdout, Counts()", "asyncio.to_thread(print, 'x')", "sys.stdout = before"),
        ("before, sys.stdout = sys.stdout, Counts()", "asyncio.to_thread(pprint.pprint, 1)", "sys.stdout = before"),
        ("found = [Counts()]", "asyncio.to_thread(found.count, 1)", "pass"),
        (
            "mine = Handler(); logging.root.addHandler(mine)",
            "asyncio.to_thread(logging.warning, 'x')",
            "logging.root.removeHandler(mine)",
        ),
    ],
    ids=["pickle", "run_in_executor", "warnings", "print", "pprint", "count", "logging"],
)
def test_code_of_the_program_that_c_calls_in_a_thread_is_watched(judged, before, job, after):
    """The program does not import threading, so it isn't watched from the start."""
    text = CALLED_BY_C.replace("{before}", before).replace("{job}", job).replace("{after}", after)
    report = judged(text)
    assert report.verdict == "broken" and report.options.switches == "anywhere", str(report)


def test_a_job_without_code_of_the_program_is_one_step(judged):
    report = judged("""
        async def main():
            log = []
            await asyncio.gather(*(asyncio.to_thread(log.append, it) for it in "ab"))
            return tuple(log)
    """)
    assert report.options.switches == "checkpoints" and set(report.outcomes) == {("a", "b"), ("b", "a")}
    assert report.verdict == "held in all"
