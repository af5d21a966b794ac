"""Code that is in no text, because the program has generated it, accesses what nobody looks at: no proof is made of it.

And a function of the library that is written in C, and that a thread was given, is looked at where it is called.
"""

import importlib
import sys
import textwrap

import pytest

import concmodels
from concmodels.explore import explore

MAKE = {
    "exec": "exec(TEXT)",
    "a file's own name": 'exec(compile(TEXT, __file__, "exec"))',
    "another name": 'exec(compile(TEXT, "made.py", "exec"))',
    "a function of a code object": (
        'import types; bump = types.FunctionType(compile(TEXT, "<made>", "exec").co_consts[0], globals())'
    ),
    "a lambda": "bump = eval(\"lambda: globals().__setitem__('n', n + 1)\")",
    "a generator": 'exec(TEXT.replace("seen", "yield 1; seen")); steps = bump; bump = lambda: list(steps())',
}
HEAD = """
    import asyncio, functools, threading
    from concurrent.futures import ThreadPoolExecutor

    n = 0
    TEXT = '''def bump():
        global n
        seen = n
        n = seen + 1
    '''
    {make}

    def other():
        global n
        n += 1
"""
USE = {
    "threads": """
    def main():
        threads = [threading.Thread(target=bump) for _ in range(2)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert n == 2
""",
    "one side of two": """
    def main():
        thread = threading.Thread(target=bump)
        thread.start()
        other()
        thread.join()
        assert n == 2
""",
    "a pool": """
    def main():
        with ThreadPoolExecutor(2) as pool:
            pool.submit(bump)
            pool.submit(functools.partial(bump))
        assert n == 2
""",
    "jobs of an event loop": """
    async def main():
        await asyncio.gather(asyncio.to_thread(bump), asyncio.to_thread(functools.partial(bump)))
        assert n == 2
""",
}


def judged(tmp_path, text, **options):
    path = tmp_path / "program.py"
    path.write_text(textwrap.dedent(text))
    return explore(str(path), **({"schedules": 250, "seconds": 60.0} | options))


@pytest.mark.parametrize("use", USE)
@pytest.mark.parametrize("make", MAKE)
def test_generated_code_beside_other_tasks_is_no_proof(tmp_path, make, use):
    report = judged(tmp_path, HEAD.format(make=MAKE[make]) + USE[use])
    assert report.verdict != "held in all", str(report)
    if report.verdict == "held so far":
        assert any("generated" in it or "not explored" in it for it in report.unseen), str(report)


def test_code_that_was_generated_before_threads_begin_costs_nothing(tmp_path):
    text = (
        HEAD.format(make=MAKE["exec"])
        + """
    def main():
        bump()
        thread = threading.Thread(target=other)
        thread.start()
        thread.join()
        bump()
        assert n == 3
"""
    )
    assert judged(tmp_path, text).verdict == "held in all"


def test_a_data_class_was_generated_by_the_library(tmp_path):
    text = """
    import dataclasses, threading

    @dataclasses.dataclass
    class Pair:
        one: int
        other: int

    def main():
        pairs = []
        threads = [threading.Thread(target=lambda: pairs.append(Pair(1, 2))) for _ in range(2)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert pairs == [Pair(1, 2)] * 2
"""
    assert judged(tmp_path, text).verdict == "held in all"


TEXTS = {
    "exec": "exec, TEXT",
    "timeit": "timeit.timeit, TEXT, 'pass', timeit.default_timer, 1",
    "runpy": "runpy.run_path, PATH",
}


@pytest.mark.parametrize("name", TEXTS)
def test_a_text_that_a_job_executes_is_no_proof(tmp_path, name):
    text = f"""
    import asyncio, pathlib, runpy, sys, timeit

    n = 0
    TEXT = f"import sys; m = sys.modules['{{__name__}}']; seen = m.n; m.n = seen + 1"
    PATH = str(pathlib.Path(__file__).parent / "text.py")
    pathlib.Path(PATH).write_text(TEXT)

    async def main():
        await asyncio.gather(asyncio.to_thread({TEXTS[name]}), asyncio.to_thread({TEXTS[name]}))
        assert n == 2
"""
    assert judged(tmp_path, text).verdict != "held in all"


IN_A_CONTAINER = """
from concmodels import load

def shared(model):
    n = [0]
    ACTIONS["add"] = lambda: n.__setitem__(0, n[0] + 1)
    with model.TaskGroup() as group:
        group.spawn(ACTIONS["add"])
        group.spawn(ACTIONS["add"])
    assert n == [2]

class Counter:
    def __init__(self):
        self._n = 0

    @property
    def n(self):
        return self._n

    @n.setter
    def n(self, value):
        self._n = self._n + value

def set_twice(model):
    counter = Counter()

    def add():
        counter.n = 1

    with model.TaskGroup() as group:
        group.spawn(add)
        group.spawn(add)
    assert counter.n == 2

ACTIONS = {"add": lambda box: box.__setitem__(0, box[0] + 1)}

def kept(model):
    box = [0]
    with model.TaskGroup() as group:
        group.spawn(ACTIONS["add"], box)
        group.spawn(ACTIONS["add"], box)
    assert box == [2]
"""


@pytest.mark.parametrize("name", ["shared", "set_twice", "kept"])
def test_functions_that_no_name_of_the_module_leads_to_are_watched(tmp_path, monkeypatch, name):
    file = tmp_path / "in_a_container.py"
    file.write_text(IN_A_CONTAINER)
    monkeypatch.syspath_prepend(tmp_path)
    module = importlib.import_module(file.stem)
    try:
        assert explore(getattr(module, name), concmodels.load("sim")).verdict == "broken"
    finally:
        del sys.modules[file.stem]


# What threads are given, and is written in C.

GIVEN = """
    import functools, threading

    def main():
        found = {found}
        threads = {threads}
        for thread in threads:
            thread.start()
        {early}
        for thread in threads:
            thread.join()
        {late}
"""
ACTS = {
    "append": ("[]", "[threading.Thread(target=found.append, args=(n,)) for n in range(2)]", "len(found) == 2"),
    "add": ("{1}", "[threading.Thread(target=found.add, args=(n,)) for n in range(2)]", "len(found) == 2"),
    "update": (
        "{}", "[threading.Thread(target=found.update, kwargs=it) for it in ({'a': 1}, {'b': 2})]", "len(found) == 2"
    ),
    "an item": (
        "[0, 0]", "[threading.Thread(target=found.__setitem__, args=(n, 1)) for n in range(2)]", "found == [1, 1]"
    ),
    "a partial": (
        "[]", "[threading.Thread(target=functools.partial(found.append, n)) for n in range(2)]", "len(found) == 2"
    ),
    "a timer": ("[]", "[threading.Timer(0, found.append, [n]) for n in range(2)]", "len(found) == 2"),
}  # fmt: skip


@pytest.mark.parametrize("name", ACTS)
def test_a_method_of_a_container_as_the_body_of_a_thread(tmp_path, name):
    found, threads, holds = ACTS[name]
    fixed = judged(tmp_path, GIVEN.format(found=found, threads=threads, early="pass", late=f"assert {holds}"))
    assert fixed.verdict == "held in all", str(fixed)
    broken = judged(tmp_path, GIVEN.format(found=found, threads=threads, early=f"assert {holds}", late="pass"))
    assert broken.verdict == "broken", str(broken)


POOL = """
    from concurrent.futures import ThreadPoolExecutor

    def main():
        found = []
        with ThreadPoolExecutor(1) as pool:
            future = pool.submit(found.append, 1)
            {wait}
            seen = list(found)
        assert seen == [1]
"""
CALLBACK = """
    from concurrent.futures import ThreadPoolExecutor

    def main():
        found = []
        with ThreadPoolExecutor(1) as pool:
            future = pool.submit(int)
            future.add_done_callback(found.append)
            {early}
        assert len(found) == 1
"""


def test_a_method_of_a_container_as_a_job(tmp_path):
    assert judged(tmp_path, POOL.format(wait="future.result()"), schedules=20_000).verdict == "held in all"
    assert judged(tmp_path, POOL.format(wait="pass")).verdict == "broken"


def test_a_method_of_a_container_as_the_callback_of_a_future(tmp_path):
    assert judged(tmp_path, CALLBACK.format(early="pass"), schedules=20_000).verdict == "held in all"
    assert judged(tmp_path, CALLBACK.format(early="future.result(); assert found")).verdict == "broken"


MIXED = """
    import asyncio, threading

    async def main():
        found = []
        thread = threading.Thread(target=found.append, args=(1,))
        thread.start()
        {first}
        await asyncio.to_thread(found.append, 2)
        thread.join()
        assert {holds}
"""


def test_a_method_of_a_container_as_the_job_of_an_event_loop(tmp_path):
    assert judged(tmp_path, MIXED.format(first="pass", holds="len(found) == 2")).verdict == "held in all"
    assert judged(tmp_path, MIXED.format(first="pass", holds="found == [1, 2]")).verdict == "broken"
    assert judged(tmp_path, MIXED.format(first="thread.join()", holds="found == [1, 2]")).verdict == "held in all"
