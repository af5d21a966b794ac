"""What was called held, and could fail: each program here has got a proof that it had not earned."""

import sys
import tempfile
import textwrap

import pytest

from concmodels.explore import CannotExplore, NotRepeatable, explore
from concmodels.explore.preemption.monitoring import must_be_seen

LOST_UPDATE = """
    import threading

    counter = 0

    def count():
        global counter
        counter += 1

    def main():
        threads = [threading.Thread(target=count) for _ in range(2)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert counter == 2
"""
NOT_REPEATABLE = """
    import random
    import threading

    drawn = random.SystemRandom()
    number = 0

    def count():
        global number
        for _ in range(drawn.randrange(50)):
            number += 1

    def main():
        threads = [threading.Thread(target=count) for _ in range(3)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
"""
LOCKS_IN_A_LOOK_UP = """
    import threading

    class Locked(dict):
        def __init__(self):
            self.lock = threading.RLock()

        def __contains__(self, key):
            with self.lock:
                return dict.__contains__(self, key)

        def __setitem__(self, key, value):
            with self.lock:
                if key in self:
                    del self[key]
                dict.__setitem__(self, key, value)

    def main():
        items = Locked()

        def put(key):
            items[key] = key

        threads = [threading.Thread(target=put, args=(number % 2,)) for number in range(3)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert len(items) == 2
"""


@pytest.fixture
def program(tmp_path):
    """Write a program into a file, and return its name."""

    def write(text, name="program.py"):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(textwrap.dedent(text))
        return str(path)

    return write


def is_traced():
    """Whether a trace function is called in this thread."""
    seen = []
    old = sys.gettrace()
    sys.settrace(lambda *_: seen.append(1))
    try:
        (lambda: None)()
    finally:
        sys.settrace(old)
    return bool(seen)


# One exploration, and what comes after it in the same thread.


def test_what_was_not_repeatable_hides_nothing_from_the_next_one(program):
    broken, other = program(LOST_UPDATE), program(NOT_REPEATABLE, "other.py")
    for _ in range(2):
        with pytest.raises(NotRepeatable):
            explore(other)
        assert is_traced()
        assert explore(broken).verdict == "broken"


def test_the_methods_of_a_container_are_not_called_to_see_what_an_instruction_accesses(program):
    broken = program(LOST_UPDATE)
    assert explore(program(LOCKS_IN_A_LOOK_UP, "other.py")).verdict != "broken"
    assert is_traced()
    assert explore(broken).verdict == "broken"


CALLS = {
    "a key's ==": """
        class Key(str):
            def __eq__(self, other):
                CALLED.append(1)
                return str.__eq__(self, other)
            __hash__ = str.__hash__
        items = {Key("a"): 0}
        def work(): items["a"] = items[Key("a")]
    """,
    "__getattr__": """
        class Far:
            def __getattr__(self, name):
                CALLED.append(1)
                return [name]
        far = Far()
        far.n = 0
        def work():
            far.n = len(far.names) + far.n
    """,
    "a descriptor without __set__": """
        class Made:
            def __get__(self, owner, kind):
                CALLED.append(1)
                return [1]
        class Owner:
            made = Made()
        owner = Owner()
        owner.n = 0
        def work():
            owner.n = len(owner.made)
    """,
    "__len__": """
        class Items(list):
            def __len__(self):
                CALLED.append(1)
                return list.__len__(self)
        items = Items([1, 2])
        def work(): items[-1] = items[-2]
    """,
    "__iter__ of a tuple": """
        class Pair(tuple):
            def __iter__(self):
                CALLED.append(1)
                return tuple.__iter__(self)
            def __radd__(self, other):
                CALLED.append(1)
                return NotImplemented
        left = [Pair((1, 2))]
        def work():
            global kept
            kept = left + left
            kept = str(Pair((1, left)))
    """,
}
CALLER = """
    import threading

    CALLED = []

    def main():
        threads = [threading.Thread(target=work) for _ in range(2)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        return len(CALLED)
"""


@pytest.mark.parametrize("name", CALLS)
def test_no_code_of_the_program_is_run_that_it_does_not_run_itself(program, name):
    text = textwrap.dedent(CALLER) + textwrap.dedent(CALLS[name])
    alone = {}
    exec(text, alone)
    report = explore(program(text), schedules=200)
    assert set(report.outcomes) == {alone["main"]()}, report


def test_an_exploration_needs_events():
    sys.monitoring.use_tool_id(4, "test")
    try:
        must_be_seen(4)
        refused = []

        def trace(*_):
            try:
                must_be_seen(4)
            except CannotExplore as error:
                refused.append(str(error))

        old = sys.gettrace()
        sys.settrace(trace)
        try:
            (lambda: None)()
        finally:
            sys.settrace(old)
    finally:
        sys.monitoring.free_tool_id(4)
    assert "no event of sys.monitoring comes in this thread" in refused[0]


# What no instruction names, and no object stands for: the state of the library itself.


TWO = """
    import contextlib, copy, functools, heapq, io, logging, mimetypes, operator, queue, sys, threading, time, warnings

    lock, bad = LOCK, []

    def two(*functions):
        threads = [threading.Thread(target=it) for it in functions]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert not bad
"""
LOOKED_AT_TWICE = """
    SETUP
    def look():
        with lock:
            if LOOK != LOOK:
                bad.append(1)

    def change():
        with lock:
            CHANGE

    def main():
        two(look, change)
"""
OF_THE_LIBRARY = {
    "names of levels": (
        "logging._levelToName.pop(17, None)",
        "logging.getLevelName(17)",
        "logging.addLevelName(17, 'x')",
    ),
    "types of files": (
        "mimetypes.init(); [types.pop('.new', None) for types in mimetypes._db.types_map]",
        "mimetypes.guess_type('x.new')",
        "mimetypes.add_type('a/b', '.new')",
    ),
    "a generic function": (
        "function = functools.singledispatch(lambda it: 1)",
        "function(3)",
        "function.register(int, str)",
    ),
    "filters of warnings": ("", "len(warnings.filters)", "warnings.simplefilter('error', BytesWarning)"),
    "a default of a dict": (
        "from collections import defaultdict; items = defaultdict(int)",
        "len(items)",
        "items['a']",
    ),
}
WITH_STREAMS = """
    def write(text):
        with lock:
            out = io.StringIO()
            with contextlib.redirect_stdout(out):
                print(text)
            if out.getvalue() != text + "\\n":
                bad.append(text)

    def main():
        two(lambda: write("a"), lambda: write("b"))
"""
INSIDE = {
    "copy.deepcopy": ("items = {'a': [0], 'b': [0]}",
        "copied = copy.deepcopy(items); bad.extend([1] * (copied['a'] != copied['b']))",
        "items['a'][0] = 1; items['b'][0] = 1"),
    "heapq.merge": ("items = [1, 2]", "bad.extend([1] * (list(heapq.merge(items, [3])) not in ([1, 2, 3], [3])))",
        "del items[0]; del items[0]"),
    "os.path.exists, which is frozen": ("import os, tempfile; handle, path = tempfile.mkstemp(); os.close(handle)",
        "os.path.exists(path) and os.remove(path)", "os.path.exists(path) and os.remove(path)"),
    "a generator": ("items = []\n    def pair():\n        yield 1\n        yield 2",
        "items.extend(pair())", "bad.extend([1] * (len(items) == 1))"),
}  # fmt: skip
CALLED_BACK = {
    "a generator": ("items = []", "items.extend(two())", "len(items) == 1"),
    "a generator that is named as what calls it": ("items = []", "items.extend(extend())", "len(items) == 1"),
    "a generator in a list of the library": (
        "import collections; user = collections.UserList(); items = user.data", "user.extend(two())",
        "len(items) == 1"),
    "a generator in a thread's function": ("items = []", "", "len(items) == 1"),
    "a comparison": (
        "items = [Other(), Other(), 1]", "bad.extend([1] * (1 not in items))", "items.pop(0) == items.pop(0)"),
}  # fmt: skip
"""C code calls code of the program, and goes on with a container when that returns."""
WITH_CALLS_BACK = """
    class Other:
        def __eq__(self, other):
            return False

    class Worker(threading.Thread):
        def __init__(self, function):
            super().__init__()
            self.function = function

        def run(self):
            self.function()

    def extend():
        yield 1
        yield 2

    def main():
        SETUP
        def two():
            yield 1
            yield 2
        def one():
            with lock:
                CHANGE
        def look():
            with lock:
                if LOOK:
                    bad.append(1)
        workers = [threading.Thread(target=FIRST), Worker(lambda: look())]
        for worker in workers:
            worker.start()
        for worker in workers:
            worker.join()
        assert not bad
"""
SECOND_NAMES = {
    "a weak proxy": ("import weakref; box = Box(); proxy = weakref.proxy(box)", "proxy.n", "box.n = 1"),
    "a bound method": ("Box.get.n = 0; box = Box()", "box.get.n", "Box.get.n = 1"),
    "a new object": ("", "Box().n", "Box.n = 1"),
    "the type of an object": ("box = Box()", "type(box).n", "Box.n = 1"),
    "a thread-local": ("class Local(threading.local): n = 0\n    local = Local()", "local.n", "Local.n = 1"),
    "what a metaclass keeps": ("class Made(Box, metaclass=Kept): pass", "Made().n", "Made().n = 1"),
    "a ChainMap": ("import collections; low = {'n': 0}; chain = collections.ChainMap(low)", "chain['n']",
        "low['n'] = 1"),
    "a UserDict": ("import collections; user = collections.UserDict(n=0)", "user.data['n']", "user.update(n=1)"),
    "ctypes": ("import ctypes; raw = bytearray(8); numbers = (ctypes.c_int * 2).from_buffer(raw)",
        "numbers[0]", "raw[0] = 1"),
    "a writer of CSV": ("import csv; text = io.StringIO(); writer = csv.writer(text)", "text.getvalue()",
        "writer.writerow([1])"),
    "a text file": ("raw = io.BytesIO(); text = io.TextIOWrapper(raw, write_through=True)", "raw.getvalue()",
        "text.write('1')"),
    "a mapped file": ("import atexit, mmap, os, tempfile; file, path = tempfile.mkstemp(); os.unlink(path)\n"
        "    atexit.register(os.close, file); os.truncate(file, 1); mapped = mmap.mmap(file, 1)",
        "mapped[0]", "os.pwrite(file, b'1', 0)"),
    "vars": ("box = Box(); box.n = 0", "box.n", "vars(box)['n'] = 1"),
    "a dict of attributes that is kept": ("box = Box(); box.n = 0", "box.n", "names = box.__dict__; names['n'] = 1"),
    "all of a dict of attributes": ("box = Box()", "len(vars(box))", "box.n = 1"),
    "a dict of attributes that is emptied": ("box = Box(); box.n = 1", "box.n", "box.__dict__.clear()"),
    "an attribute that only a text names": ("box = Box(); vars(box)['n' + 'm'] = 1", "vars(box).get('n' + 'm')",
        "box.__dict__.pop('n' + 'm', None)"),
    "a dict of a class": ("", "Box.__dict__['n']", "Box.n = 1"),
    "globals": ("number = 0", "number", "globals()['number'] = 1"),
    "the variables of a module": ("import types; made = types.ModuleType('made'); made.n = 0", "vars(made)['n']",
        "made.n = 1"),
    "a module that is formatted": ("import types; made = types.ModuleType('made'); made.n = 0", "'{0.n}'.format(made)",
        "made.n = 1"),
    "a class by an object": ("", "Box.n", "type(Box()).n = 1"),
    "what a function returns": ("items = []\n    def get():\n        return items.append", "len(items)", "get()(1)"),
    "attrgetter": ("get = operator.attrgetter('n'); box = Box(); box.n = 0", "get(box)", "box.n = 1"),
    "attrgetter of several": ("import types; get = operator.attrgetter('one.n', 'one'); box = Box(); box.one = Box()",
        "get(box)[0]", "box.one.n = 1"),
    "a property of an attrgetter": ("Box.n = 0\n    class Other(Box): m = property(operator.attrgetter('n'))\n"
        "    other = Other()", "other.m", "other.n = 1"),
    "methodcaller": ("items = []; add = operator.methodcaller('append', 1)", "len(items)", "add(items)"),
    "methodcaller of the program": ("box = Box(); put = operator.methodcaller('put', 1)", "box.n", "put(box)"),
    "a function with arguments": ("items = []", "len(items)", "functools.partial(items.append, 1)()"),
    "a function with an object": ("box = Box(); box.n = 0", "box.n", "functools.partial(setattr, box)('n', 1)"),
    "the notes of an exception": ("error = ValueError()", "getattr(error, '__notes__', None)", "error.add_note('1')"),
}  # fmt: skip
"""What changes by one name is seen by another."""
WITH_SECOND_NAMES = """
    class Box:
        n = 0

        def get(self):
            pass

        def put(self, n):
            self.n = n

    class Kept(type):
        def __init__(self, *args):
            self.made = object.__new__(self)

        def __call__(self):
            return self.made

"""
AFTER_A_RELEASE = """
    jobs, done = queue.Queue(), []

    def work():
        jobs.get()
        FIRST
        SECOND

    def main():
        thread = threading.Thread(target=work)
        thread.start()
        jobs.put(1)
        jobs.join()
        count = len(done)
        thread.join()
        assert count == 1
"""
SLEEPS_AND_LOCKS = {
    "a sleep in a lock": ("with lock: time.sleep(1); done.append(1); time.sleep(1)", "with lock: seen = len(done)",
        "held in all"),
    "a sleep before a lock": ("with lock: done.append(1)",
        "time.sleep(1)\n        with lock: bad.extend([1][len(done):])", "held so far"),
    "a sleep between two locks": (
        "with lock: time.sleep(2)\n        with lock: done.append(1)",
        "with lock: time.sleep(1)\n        time.sleep(3)\n        with lock: bad.extend([1][len(done):])",
        "held so far"),
    "a sleep after one of two turns": (
        "time.sleep(1)\n        with lock: done.append(1)",
        "for turn in (1, 0):\n            with lock: bad.extend([1][len(done) + turn:])\n            time.sleep(2)",
        "held so far"),
    "a sleep without a lock": ("time.sleep(1); done.append(1); time.sleep(1)", "with lock: seen = len(done)",
        "held so far"),
}  # fmt: skip
SLEEPS = """
    done = []

    def main():
        thread = threading.Thread(target=done.append, args=(1,))
        thread.start()
        WAIT
        assert done
        thread.join()
"""


def judged(program, text, fixed, **options):
    """Return the verdict on a program, in which one lock is taken by both functions if it is fixed."""
    text = textwrap.dedent(TWO) + textwrap.dedent(text)
    lock = "threading.Lock()" if fixed else "contextlib.nullcontext()"
    return explore(program(text.replace("LOCK,", f"{lock},")), schedules=2000, seconds=60.0, **options).verdict


@pytest.mark.parametrize("name", OF_THE_LIBRARY)
def test_what_the_library_keeps_itself_is_shared(program, name):
    text = LOOKED_AT_TWICE
    for part, of_it in zip(("SETUP", "LOOK", "CHANGE"), OF_THE_LIBRARY[name], strict=True):
        text = text.replace(part, of_it)
    assert judged(program, text, fixed=False) == "broken"
    assert judged(program, text, fixed=True) == "held in all"


@pytest.mark.parametrize("name", SECOND_NAMES)
def test_what_has_two_names_is_shared(program, name):
    text = WITH_SECOND_NAMES + LOOKED_AT_TWICE
    for part, of_it in zip(("SETUP", "LOOK", "CHANGE"), SECOND_NAMES[name], strict=True):
        text = text.replace(part, of_it)
    assert judged(program, text, fixed=False, search="all") == "broken"
    assert judged(program, text, fixed=True, search="all") == "held in all"


def test_what_no_instruction_changes_is_named(program):
    text = """
    frame = sys._getframe()

    def one():
        bad.extend([1] * (frame.f_locals['bad'] is None))

    def main():
        two(one, one)
    """
    assert judged(program, text, fixed=False) == "held so far"


@pytest.mark.parametrize(
    "change",
    [
        "list(map(operator.methodcaller('append', 1), [items]))",
        "sorted([items], key=operator.methodcaller('append', 1))",
        "list(map(functools.partial(items.append), [1]))",
    ],
)
def test_a_method_that_the_library_calls_later_is_named(program, change):
    text = LOOKED_AT_TWICE.replace("SETUP", "items = []").replace("LOOK", "len(items)").replace("CHANGE", change)
    assert judged(program, text, fixed=False, search="all") == "held so far"


def test_a_variable_that_functions_of_the_library_read_is_named(program, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", tempfile.tempdir)
    text = LOOKED_AT_TWICE.replace("SETUP", "import tempfile; tempfile.tempdir = '/tmp'")
    text = text.replace("LOOK", "tempfile.gettempdir()").replace("CHANGE", "tempfile.tempdir = '/var/tmp'")
    assert judged(program, text, fixed=False) == "held so far"


def test_a_stream_that_is_redirected_is_shared(program):
    stream = sys.stdout
    assert judged(program, WITH_STREAMS, fixed=False) == "broken"
    assert judged(program, WITH_STREAMS, fixed=True) == "held in all"
    assert sys.stdout is stream


@pytest.mark.parametrize("name", INSIDE)
def test_with_the_gil_threads_switch_in_the_library_too(program, name, monkeypatch):
    monkeypatch.setattr("concmodels.explore.search.FIRST_SAMPLE", 100)  # the complete search doesn't switch there
    setup, look, change = INSIDE[name]
    text = f"""
    {setup}

    def one():
        with lock:
            {look}

    def other():
        with lock:
            {change}

    def main():
        two(one, other)
    """
    assert judged(program, text, fixed=False, switches="gil") == "broken"
    assert judged(program, text, fixed=True, switches="gil") == "held in all"


@pytest.mark.parametrize("name", CALLED_BACK)
def test_with_the_gil_threads_switch_where_c_code_calls_the_program(program, name):
    text = WITH_CALLS_BACK
    for part, of_it in zip(("SETUP", "CHANGE", "LOOK"), CALLED_BACK[name], strict=True):
        text = text.replace(part, of_it or "pass")
    is_given = not CALLED_BACK[name][1]
    text = text.replace("FIRST", "functools.partial(items.extend, two())" if is_given else "one")
    assert judged(program, text, fixed=False, switches="gil", search="all") == "broken"
    assert judged(program, text, fixed=False, search="all") != "held in all"
    if not is_given:  # a thread takes no lock by itself
        assert judged(program, text, fixed=True, switches="gil", search="all") == "held in all"


def test_with_the_gil_a_call_of_python_code_goes_on_with_nothing(program):
    text = WITH_CALLS_BACK.replace("SETUP", "items = []").replace("CHANGE", "items.append(1); items.append(2)")
    text = textwrap.dedent(TWO + text.replace("LOOK", "len(items) == 1").replace("FIRST", "one"))
    report = explore(program(text.replace("LOCK,", "threading.Lock(),")), switches="gil", search="all")
    assert report.in_all == 2, str(report)


def test_with_the_gil_others_go_on_before_the_line_after_a_release(program):
    orders = ("jobs.task_done()", "done.append(1)"), ("done.append(1)", "jobs.task_done()")
    verdicts = [
        judged(program, AFTER_A_RELEASE.replace("FIRST", one).replace("SECOND", other), fixed=False, switches="gil")
        for one, other in orders
    ]
    assert verdicts == ["broken", "held in all"]


@pytest.mark.parametrize("switches", ["anywhere", "gil", "checkpoints"])
def test_a_sleep_that_alone_orders_two_accesses_is_no_proof_wherever_tasks_switch(program, switches):
    slept = SLEEPS.replace("WAIT", "time.sleep(0.5)")
    assert judged(program, slept, fixed=False, switches=switches) == "held so far"
    joined = SLEEPS.replace("WAIT", "thread.join()").replace(
        "target=done.append, args=(1,)", "target=lambda: done.append(1)"
    )
    assert judged(program, joined, fixed=False, switches=switches) == "held in all"


@pytest.mark.parametrize("name", SLEEPS_AND_LOCKS)
def test_a_sleep_orders_nothing_where_a_lock_lets_either_come_first(program, name):
    one, other, verdict = SLEEPS_AND_LOCKS[name]
    text = f"""
    done = []

    def one():
        {one}

    def other():
        {other}

    def main():
        done.clear()
        two(one, other)
    """
    assert judged(program, text, fixed=True) == verdict
