"""What was taken for one step, or for nothing, and is neither: here no program that can fail is held in all."""

import textwrap

import pytest

from concmodels.explore import explore

TWO = """
    def main():
        before()
        threads = [threading.Thread(target=it) for it in (one, other)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        after()
"""
CALLED_BACK = """
    import threading
    lock = threading.Lock()
    items = [2, 1]
    names = {{"a": 1}}
    seen = set()
    bad = []

    def key(x):
        return x

    def gen():
        yield 1
        yield 2

    class Pairs:
        def keys(self):
            return iter(["b", "c"])
        def __getitem__(self, key):
            return 1

    class Ordered:
        def __lt__(self, other):
            return False

    def before():
        pass

    def one():
        {change}

    def other():
        {look}

    def after():
        assert not bad
"""
CHANGES = {
    "sort(key=)": ("items.sort(key=key)", "if not items: bad.append(1)"),
    "sort(key=lambda)": ("items.sort(key=lambda x: x)", "if not items: bad.append(1)"),
    "sort of objects": ("items[:] = [Ordered(), Ordered()]; items.sort()", "if not items: bad.append(1)"),
    "extend(gen())": ("items.extend(gen())", "if len(items) == 3: bad.append(1)"),
    "extend of a generator": ("it = gen(); items.extend(it)", "if len(items) == 3: bad.append(1)"),
    "extend of an expression": ("items.extend(x for x in (1, 2))", "if len(items) == 3: bad.append(1)"),
    "extend(map())": ("items.extend(map(key, (1, 2)))", "if len(items) == 3: bad.append(1)"),
    "+= gen()": ("global items; items += gen()", "if len(items) == 3: bad.append(1)"),
    "set.update(gen())": ("seen.update(gen())", "if len(seen) == 1: bad.append(1)"),
    "dict.update(keys)": ("names.update(Pairs())", "if len(names) == 2: bad.append(1)"),
}


@pytest.fixture
def program(tmp_path):
    """Write a program into a file, and return its name."""

    def write(*texts):
        (tmp_path / "program.py").write_text("".join(map(textwrap.dedent, texts)))
        return str(tmp_path / "program.py")

    return write


@pytest.mark.parametrize("name", CHANGES)
def test_a_call_that_calls_back_is_not_one_step(program, name):
    change, look = CHANGES[name]
    report = explore(program(CALLED_BACK.format(change=change, look=look), TWO), schedules=500)
    assert report.verdict != "held in all", report
    if report.failure is None:
        assert "is not one step, and no switch is tried before it is done" in str(report)


@pytest.mark.parametrize("name", CHANGES)
def test_under_a_lock_it_is_proved(program, name):
    change, look = CHANGES[name]
    change = (
        f"{change[:13]}\n        with lock: {change[13:]}" if change.startswith("global") else f"with lock: {change}"
    )
    look = f"with lock:\n            {look}"
    report = explore(program(CALLED_BACK.format(change=change, look=look), TWO), schedules=500)
    assert report.failure is None and "before it is done" not in str(report), report


NAMED = """
    import builtins
    import operator
    import threading
    from functools import partial

    class C:
        def __init__(self):
            {init}

    put, read, remove, look = setattr, getattr, delattr, vars
    plain, get, call = object.__setattr__, operator.attrgetter, operator.methodcaller
    c = None

    def before():
        global c
        c = C()
        {given}

    def one():
        {work}

    other = one

    def after():
        assert c.n == 2
"""
WORK = {
    "setattr and getattr": 'put(c, "n", read(c, "n") + 1)',
    "setattr alone": 'put(c, "n", c.n + 1)',
    "getattr alone": 'c.n = read(c, "n") + 1',
    "of builtins": 'builtins.setattr(c, "n", builtins.getattr(c, "n") + 1)',
    "object.__setattr__": 'plain(c, "n", c.n + 1)',
    "vars": 'look(c)["n"] = c.n + 1',
    "attrgetter": 'put(c, "n", get("n")(c) + 1)',
    "in a variable": 'write = setattr; write(c, "n", c.n + 1)',
    "with a name in a variable": 'name = "n"; put(c, name, read(c, name) + 1)',
    "called by map": 'value = c.n + 1; list(map(put, [c], ["n"], [value]))',
}


@pytest.mark.parametrize("name", WORK)
@pytest.mark.parametrize("init, given", [("self.n = 0", "pass"), ("pass", 'put(c, "n", 0)')], ids=["assigned", "put"])
def test_other_names_for_what_accesses_by_name(program, name, init, given):
    report = explore(program(NAMED.format(init=init, given=given, work=WORK[name]), TWO), schedules=1000)
    assert report.verdict != "held in all", report


OBJECTS = {
    "WeakSet": ("weakref.WeakSet()", "o in s", "s.add(o)"),
    "UserDict": ("collections.UserDict()", '"a" in s', 's["a"] = 1'),
    "UserList": ("collections.UserList()", "len(s)", "s.append(1)"),
    "ChainMap": ("collections.ChainMap()", '"a" in s', 's["a"] = 1'),
    "WeakValueDictionary": ("weakref.WeakValueDictionary()", '"a" in s', 's["a"] = o'),
}
OF_LIBRARY = """
    import collections
    import threading
    import weakref

    class O:
        pass

    o, s, done = O(), {made}, []

    def before():
        pass

    def one():
        if not ({look}):
            done.append(1)
            {change}

    other = one

    def after():
        assert len(done) == 1
"""


@pytest.mark.parametrize("name", OBJECTS)
def test_operators_on_objects_of_the_library(program, name):
    made, look, change = OBJECTS[name]
    report = explore(program(OF_LIBRARY.format(made=made, look=look, change=change), TWO), schedules=1000)
    assert report.verdict != "held in all", report


STARTED_TOO_EARLY = """
    import threading

    bad = []

    class Worker:
        def __init__(self):
            self.thread = threading.Thread(target=self.run)
            self.thread.start()
            self.items = [1]

        def run(self):
            if not hasattr(self, "items"):
                bad.append(1)

    def main():
        Worker().thread.join()
        assert not bad
"""


@pytest.mark.parametrize("switches", ["gil", "anywhere"])
def test_a_thread_may_begin_before_start_returns(program, switches):
    assert explore(program(STARTED_TOO_EARLY), switches=switches).verdict == "broken"


# What only a clock orders.

SLEEPY = """
    import threading
    import time

    n, lock = 0, threading.Lock()

    def work():
        global n
        with lock:
            n += 1

    def slow():
        for _ in range(2):
            work()
            time.sleep(0.5)

    def setting(event):
        global n
        time.sleep(1)
        n = 2
        event.set()

    def main():
        threads = [threading.Thread(target=work) for _ in range(2)]
        for thread in threads:
            thread.start()
"""
NEVER_JOINED = {
    "a variable": """
        time.sleep(0.1)
        assert n == 2
        """,
    "a variable under a lock": """
        time.sleep(0.1)
        with lock:
            assert n == 2
        """,
    "a wait that is never over before": """
        threading.Event().wait(0.1)
        assert n == 2
        """,
}
NOT_BY_THE_CLOCK = {
    "join after a sleep": """
        time.sleep(0.1)
        for thread in threads:
            thread.join()
        assert n == 2
        """,
    "threads that sleep between two steps": """
        for thread in threads:
            thread.join()
        threads = [threading.Thread(target=slow) for _ in range(2)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert n == 6
        """,
    "an event that comes late": """
        for thread in threads:
            thread.join()
        event = threading.Event()
        threading.Thread(target=setting, args=(event,)).start()
        while not event.is_set():
            time.sleep(0.3)
        assert n == 2
        """,
}


@pytest.mark.parametrize("name", NEVER_JOINED)
def test_a_sleep_in_the_place_of_join_is_said(program, name):
    report = explore(program(SLEEPY + NEVER_JOINED[name]), schedules=300)
    assert report.verdict == "held so far", report
    assert any("right only if 0.1 s is long enough at " in it for it in report.unseen), report


@pytest.mark.parametrize("name", NOT_BY_THE_CLOCK)
def test_a_sleep_that_orders_nothing_takes_no_proof_away(program, name):
    report = explore(program(SLEEPY + NOT_BY_THE_CLOCK[name]))
    assert report.verdict == "held in all", report


# What a library does in several steps, and what belongs to no object.

TWICE = """
    import builtins
    import functools
    import logging
    import sys
    import threading
    import weakref

    lock, bad, n = threading.Lock(), [], 0

    class Key:
        def __init__(self, number):
            self.number = number
        def __eq__(self, other):
            return self.number == other.number
        __hash__ = None

    class Lazy:
        @functools.cached_property
        def value(self):
            return object()

    keys, lazy, kept = [Key(1), Key(2), Key(3)], Lazy(), Key(0)
    me = sys.modules[__name__]

    def twice(one, other):
        threads = [threading.Thread(target=it) for it in (one, other)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert not bad
"""
STEPS = {
    "a look through a list that runs ==": ("if Key(3) not in keys: bad.append(1)", "keys.pop(0)"),
    "a cached property": ("if lazy.value is not vars(lazy)['value']: bad.append(1)", "lazy.value"),
    "a variable of sys.modules": ("if n != n: bad.append(1)", "me.n = 5"),
    "setattr by another function": ("if n != n: bad.append(1)", "getattr(builtins, 'setattr')(me, 'n', 5)"),
    "an assigned special attribute": (
        "if twice.__defaults__ != twice.__defaults__: bad.append(1)",
        "twice.__defaults__ = (1,)",
    ),
}


@pytest.mark.parametrize("name", STEPS)
@pytest.mark.parametrize("fixed", [False, True])
def test_what_is_not_one_step_is_not_proved(program, name, fixed):
    one, other = (f"with {'lock' if fixed else 'threading.Lock()'}: {it}" for it in STEPS[name])
    text = f"""
    def main():
        def look():
            {one.replace(": if", ":" + chr(10) + " " * 16 + "if")}
        def change():
            {other}
        twice(look, change)
    """
    report = explore(program(TWICE, text), schedules=300)
    assert (report.failure is None) if fixed else report.verdict != "held in all", report


def test_with_the_gil_a_library_in_python_is_no_step(program):
    text = """
    import collections
    import threading

    shared = collections.UserDict(n=0)

    def work():
        shared.update(n=shared["n"])

    def main():
        threads = [threading.Thread(target=work) for _ in range(2)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    """
    report = explore(program(text), switches="gil", schedules=300)
    assert report.verdict == "held so far", report
    assert any("a switch inside of it is not tried" in it for it in report.unseen)


def test_what_a_program_gives_atexit_is_called_at_the_end_of_each_run(program):
    text = """
    import atexit

    def main():
        atexit.register(print, "over", flush=True)
        atexit.register(fail)
        atexit.unregister(print)

    def fail():
        raise ValueError("at the end")
    """
    assert "ValueError: at the end" in str(explore(program(text)))


def test_the_end_of_a_group_comes_after_all_its_tasks(program):
    text = """
    from concmodels import load

    model = load("threads")
    found = []

    def main():
        with model.TaskGroup() as group:
            group.spawn(found.append, 1)
            group.spawn(lambda: found.append(2))
        assert all(it in (1, 2) for it in found)
    """
    report = explore(program(text.replace("found.append, 1", "lambda: found.append(1)")))
    assert report.verdict == "held in all" and all("assert" not in str(it) for it in report.races), report
    assert {access.task for race in report.races for access in (race.first, race.second)}.isdisjoint({"main"})


def test_a_local_list_that_is_handed_on_is_followed(program):
    text = """
    import threading

    def main():
        mine, threads = [], []
        others = []
        others.append(mine)
        for _ in range(2):
            threads.append(threading.Thread(target=lambda: others[0].append(len(others[0]))))
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert sorted(mine) == [0, 1]
    """
    assert explore(program(text)).verdict == "broken"
