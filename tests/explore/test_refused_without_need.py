"""Right programs that were called broken, or refused."""

import gc
import sys
import textwrap

import pytest

from concmodels.explore import explore
from concmodels.explore.running.run import run_once
from concmodels.explore.scenarios import of_file
from concmodels.models.simulated.schedules import FirstComeFirstServed
from concmodels.models.simulated.world import current

RUN = """
    import threading

    lock = threading.Lock()

    def both(work):
        threads = [threading.Thread(target=work) for _ in range(2)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
"""
RIGHT = {
    "pickle of its own class": """
        import pickle

        class Own:
            pass

        def work():
            with lock:
                assert type(pickle.loads(pickle.dumps(Own()))) is Own

        def main():
            both(work)
    """,
    "an index that counts how often it is asked": """
        class Next:
            number = -1

            def __index__(self):
                with lock:
                    self.number += 1
                    return self.number

            def __hash__(self):
                return self.__index__()

        def main():
            number, letters, numbers, taken = Next(), "abcd", {}, []
            both(lambda: taken.append(letters[number]))
            assert sorted(taken) == ["a", "b"]
            both(lambda: taken.append(number in numbers))
            assert number.number == 3
    """,
    "its own module": """
        import sys

        def work():
            with lock:
                assert sys.modules[__name__].work is work

        def main():
            both(work)
    """,
    "mock.patch of its own name": """
        from unittest import mock

        def value():
            return 1

        def main():
            with mock.patch(__name__ + ".value", lambda: 2):
                assert value() == 2
            assert value() == 1
            both(lambda: None)
    """,
    "a dataclass with annotations that are texts": """
        import dataclasses

        @dataclasses.dataclass
        class Point:
            x: "int"
            kind: "dataclasses.InitVar[int]" = 1

        def main():
            assert Point(1) == Point(1, 2)
            both(lambda: None)
    """,
    "a module beside it by importlib": """
        import importlib
        import beside

        def main():
            assert importlib.import_module("beside") is beside
            both(lambda: None)
    """,
}
FUTURES = """
    from concurrent.futures import ThreadPoolExecutor, as_completed, wait

    def main():
        with ThreadPoolExecutor(2) as pool:
            futures = [pool.submit(str, number) for number in range(2)]
            {how}
"""
HOW = {
    "as_completed": 'assert sorted(it.result() for it in as_completed(futures)) == ["0", "1"]',
    "wait": 'assert sorted(it.result() for it in wait(futures).done) == ["0", "1"]',
}


@pytest.fixture
def program(tmp_path):
    """Write a program into a file, and return its name."""

    def write(*texts):
        (tmp_path / "beside.py").write_text("value = 1\n")
        (tmp_path / "explored_program.py").write_text("".join(map(textwrap.dedent, texts)))
        return str(tmp_path / "explored_program.py")

    return write


@pytest.mark.parametrize("name", RIGHT)
def test_a_program_is_a_module_as_others(program, name):
    before = dict(sys.modules)
    report = explore(program(RUN, RIGHT[name]), schedules=300)
    assert report.failure is None and report.schedules > 1, report
    assert "explored_program" not in sys.modules and "beside" not in sys.modules
    assert {key: sys.modules.get(key) for key in before} == before


@pytest.mark.parametrize("name", HOW)
def test_futures_in_a_set_come_in_the_same_order(program, name, thorough):
    for _ in range(4 if thorough else 2):
        report = explore(program(FUTURES.format(how=HOW[name])), schedules=150)
        assert report.failure is None, report


def test_what_an_earlier_run_has_left_is_freed_outside_of_the_next_one(program):
    """Its finalizers are watched code, which would do steps there. It is collected where a program imports asyncio."""
    scenario, worlds = of_file(program(RUN, "import asyncio\n\ndef main():\n    both(str)\n")), []

    def note(phase, info):
        worlds.append(current())

    gc.callbacks.append(note)
    try:
        run_once(scenario, FirstComeFirstServed())
    finally:
        gc.callbacks.remove(note)
    assert worlds[0] is None and worlds[-1] is not None


JOINED = """
    import asyncio, threading

    async def main():
        loop, got = asyncio.get_running_loop(), []

        async def answer():
            return 42

        def ask():
            got.append(asyncio.run_coroutine_threadsafe(answer(), loop).result())

        thread = threading.Thread(target=ask)
        thread.start()
        await asyncio.to_thread(thread.join)
        assert got == [42]
"""


def test_a_job_may_ask_which_thread_it_is(tmp_path):
    """None that `threading` knows: what it makes then is freed at any time."""
    path = tmp_path / "program.py"
    path.write_text(textwrap.dedent(JOINED))
    report = explore(str(path), seconds=60.0)
    assert report.verdict == "held in all", str(report)


KEPT = """
    import threading

    def main():
        names, seen = {}, []
        note = seen.append
        threads = [threading.Thread(target=lambda: note(names.get("a"))) for _ in range(2)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert seen == [None, None]
"""


def test_a_method_that_keeps_what_it_is_given_is_one_step_by_any_name(program):
    report = explore(program(textwrap.dedent(KEPT)), search="all")
    assert report.verdict == "held in all", str(report)


MAPPED = """
    import threading
    from concurrent.futures import ThreadPoolExecutor

    def main():
        log, lock = {"n": 0}, threading.Lock()

        def work(n):
            with lock:
                log["n"] = log.get("n", 0) + n

        with ThreadPoolExecutor(2) as pool:
            PASSED
        assert log["n"] == 3
"""


@pytest.mark.parametrize("passed", ["list(pool.map(work, [1, 2]))", "tuple(pool.map(lambda n: work(n), [1, 2]))"])
def test_a_list_of_what_a_pool_returns_is_no_step_in_the_middle_of_which_code_runs(program, passed):
    report = explore(program(MAPPED.replace("PASSED", passed)), search="all")
    assert report.verdict == "held in all", str(report)
