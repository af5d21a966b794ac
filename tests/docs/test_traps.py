"""Everything is written so that it is right without the GIL: the models are read for the traps that can be seen.

`traps/reader.py` has the rules and their reasons, `traps/allowed.py` what looks like a trap and is none, with why.
"""

import ast
import functools
from pathlib import Path

import pytest
from traps.allowed import ALLOWED
from traps.reader import PREEMPTIVE, RULES, Reader, signal_handlers

import concmodels
from concmodels import catalog

PACKAGE = Path(concmodels.__file__).parent
FILES = sorted([*PACKAGE.glob("models/**/*.py"), *PACKAGE.glob("stackless/*.py")])
EACH = catalog.names(variants=True, simulated=True)
ONE_THREAD = {
    *(f"models/{facts.file}.py" for facts in map(catalog.facts, EACH) if not facts.preemptive),
    *(f"models/simulated/{name}.py" for name in ("schedules", "steps", "world")),
    *(f"models/waiting/sockets/{name}.py" for name in ("eventlet", "gevent", "loops", "trio")),
    "models/waiting/sockets/event_loop.py", "models/waiting/hub_throws.py",
    *(f"models/tasks/{name}.py" for name in ("asyncio_group", "nursery", "hubs")), "models/deadlocks/loops.py",
    *(f"stackless/{name}.py" for name in ("channel", "run", "scheduler", "tasklet")),
}  # fmt: skip
"""The files whose objects belong to one thread per run: a model that switches only where it says so."""


@functools.cache
def handlers():
    """What any file has called in a signal handler."""
    return {name for file in FILES for name in signal_handlers(ast.parse(file.read_text()))}


@functools.cache
def found_in(path):
    """The traps of a file, by what an entry of ALLOWED would be."""
    name = path.relative_to(PACKAGE).as_posix()
    reader = Reader("" if name in ONE_THREAD else PREEMPTIVE, handlers())
    return [((name, it.function, it.rule), it) for it in reader.read(path.read_text())]


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.relative_to(PACKAGE).as_posix())
def test_no_trap_in(path):
    traps = [f"{path}: {finding}" for key, finding in found_in(path) if key not in ALLOWED]
    assert not traps, "\n".join(traps)


def test_what_is_allowed_is_there():
    found = {key for path in FILES for key, _ in found_in(path)}
    assert not ALLOWED.keys() - found, "these are allowed, and nothing needs it any more"
    assert all(len(reason.split()) >= 3 for reason in ALLOWED.values())
    assert {rule for _, _, rule in ALLOWED} <= RULES.keys()


# The reader itself, on traps planted and on what looks like them.

PLANTED = {
    "increment": [
        "class A:\n    def f(self):\n        self.n += 1",
        "N = 0\ndef f():\n    N += 1",
        "def f(table):\n    table[0] -= 1",
        "def f(self):\n    with open('x'):\n        self.n += 1",
    ],
    "check then act": [
        "def f(self):\n    if self.items:\n        return self.items.pop()",
        "def f(self):\n    while not self.items[0]:\n        del self.items[0]",
        "def f(self):\n    if 1 not in self.known:\n        self.known[1] = 2",
        "def f(self):\n    it = self.known.get(1)\n    if it is None:\n        self.known[1] = 2",
        "def f(self):\n    while self.closers:\n        self.closers[-1]()",
    ],
    "iteration": [
        f"class A:\n    def __init__(self):\n        self.s = {made}\n    def f(self):\n        {use}"
        for made, use in (
            ("set()", "for it in self.s: pass"),
            ("set()", "return tuple(self.s)"),
            ("{}", "return [it for it in self.s.values()]"),
            ("dict()", "return any(it for it in self.s)"),
            ("deque()", "return list(self.s)"),
        )
    ],
    "shared iterator": [
        "def f(self):\n    return next(self.numbers)",
        "from m import count\nN = iter('ab')\ndef f():\n    next(N)",
        "class C:\n    _turns = cycle('ab')",
    ],
    "sliced view": [
        "def f(arena):\n    return arena.bytes[1:2]",
        "def f(words):\n    words[1:] = b''",
        "def f(self):\n    self._control.release()",
    ],
    "module state": ["known = {}", "known: dict = dict()", "numbers = count(1)", "def f():\n    global n\n    n = 1"],
    "byte order": ["view.cast('>q')", "struct.pack('!Q', 1)"],
    "queue wait": ["def f(self):\n    return self._queue.get()", "queue.put(1)"],
    "loose thread": ["Thread(target=f, daemon=True)", "start_new_thread(f, ())"],
    "wall clock": ["import time\nt = time.time()", "from time import time"],
    "polling": ["def f():\n    while True:\n        time.sleep(1)", "for _ in x:\n    sleep(0)"],
    "handler": [
        "def on(n, frame):\n    with lock:\n        pass\nsignal(2, on)",
        "def on(n, frame):\n    self.lock.acquire()\nsignal.signal(2, on)",
        "class A:\n    def on(self):\n        import os\nGuard(self.on)",
    ],
}
HARMLESS = [
    "def f(self):\n    with self._lock:\n        self.n += 1\n        if self.items:\n            self.items.pop()",
    "def f(self):\n    n = 0\n    n += 1",
    "def f(self):\n    self.s = set()\n    for it in list(self.s): pass\n    return sorted(self.s), [*self.s]",
    "def f(self):\n    self.s = set()\n    with self._lock:\n        for it in self.s: pass",
    "def f(self):\n    while closers := list(self.closers):\n        closers[-1]()",
    "def f(self):\n    with self.arena.claim:\n        it = self.known.get(1)\n        self.known[1] = it",
    "def f(self):\n    return next(iter([]))",
    "def f(self):\n    text[1:2]\n    self._lock.release()",
    "__all__ = ['a']\nNAMES = ('a', 'b')\nTABLE = {1: 2}",
    "struct.pack('<q', 1)\nif a > b: print('>')",
    "Thread(target=f, daemon=False)",
    "import time\nt = time.monotonic()\ntime.sleep(1)",
    "def on(n, frame):\n    os.write(1, b'!')\nsignal(2, on)",
]


def rules_in(text, kind=PREEMPTIVE):
    """The names of the rules that find something here."""
    return [finding.rule for finding in Reader(kind).read(text)]


@pytest.mark.parametrize(("rule", "text"), [(rule, text) for rule, texts in PLANTED.items() for text in texts])
def test_the_reader_finds(rule, text):
    assert rule in rules_in(text)


@pytest.mark.parametrize("text", HARMLESS)
def test_the_reader_leaves_alone(text):
    assert rules_in(text) == []


def test_every_rule_is_tried():
    assert PLANTED.keys() == RULES.keys()


def test_one_thread_needs_no_locks():
    assert rules_in("def f(self):\n    self.n += 1\n    if self.items:\n        self.items.pop()", "") == []


def test_a_finding_says_where_and_why():
    (finding,) = Reader(PREEMPTIVE).read("class A:\n    def f(self):\n        self.n += 1")
    assert str(finding).startswith("increment, line 3, in A.f: self.n += 1 (`+=` on something shared")
