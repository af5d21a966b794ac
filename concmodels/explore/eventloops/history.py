"""The history of a run of event loops, as a number: two runs with the same one are in the same state.

A complete search meets the same state on many ways. A timer that expires a callback earlier or later often makes no
difference: it sets the result of a future that only one task awaits. So the history tells which callbacks have been
called, and of those that touch the same things, in which order. It does not tell in which order the others were called:

    an event     one callback: by which event it was scheduled, as which one, and which events had touched the same last
    the history  the sum of all events, whatever their order

Every callback touches "the program", all that tasks share, because what it reads and writes is not looked at; only one
that sets the result of a future, as a timer of `asyncio.sleep` does, touches nothing but that future. So what a task
does between two awaits is ordered among all other tasks' steps, and the order of these is never left out. See
Musuvathi and Qadeer: Partial-Order Reduction for Context-Bounded State Exploration (2007), where this is "caching
happens-before graphs".
"""

import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from os.path import dirname, join
from typing import TYPE_CHECKING, Any, Protocol
from weakref import WeakKeyDictionary

from concmodels.models.tasks.signals.frames import place, stack

if TYPE_CHECKING:
    from types import FrameType

    from concmodels.models.simulated.world import World

_ASYNCIO = join(dirname(os.__file__), "asyncio", "")
TASKS = 3
"""The key of how many tasks there are: their names and their order in a set are numbers."""
PROGRAM = 0
"""The key of what all callbacks touch, but for those that set the result of a future."""
_BETWEEN = 1
"""What is done between two callbacks, before the loop runs and after it, is an event too, if it does anything."""
_REST = 2
"""What a callback does after another thread may have done something in the middle of it."""
_MASK = (1 << 64) - 1


class Follows(Protocol):
    """The interface of `Followed`, which is told of all that callbacks do."""

    def make(self, identity: int) -> None: ...
    def begin_callback(self, handle: Any, key: int) -> None: ...
    def end_callback(self) -> None: ...
    def end_loop(self, ready: Iterable[Any], timers: Iterable[Any], clock: float) -> None: ...
    def leave(self, when: float, clock: float) -> None: ...
    def touch_key(self, key: int, changes: bool) -> None: ...
    def read_clock(self) -> None: ...
    def differ(self) -> None: ...


class History:
    """The events of one run. `calls` is how many callbacks there were that touch the program."""

    def __init__(self, *, is_asked_for: bool = True) -> None:
        self.is_asked_for = is_asked_for
        self.calls = 0
        self.is_complete = True
        """Whether all that the program does is done in events; not if it runs in several threads."""
        self.followed: Follows | None = None
        """What is told of all that callbacks do, in the run that is followed."""
        self.unseen: dict[str, None] = {}
        """What can't be followed, a sentence each."""
        self._numbers = 0
        self._sum = 0
        self._last: dict[int, int] = {}
        self._between = 0
        self._now = self._between_callbacks()

    def __hash__(self) -> int:
        return self._sum

    def new_identity(self) -> int:
        """Return the identity of a callback, or a future, that the present event makes."""
        now = self._now
        now.made += 1
        identity = hash((now.identity, now.made))
        if self.followed is not None:
            self.followed.make(identity)
        return identity

    def next_number(self) -> int:
        """Return the number of a future or task of the run, in the order in which they are made."""
        self._numbers += 1
        return self._numbers

    def begin(self, identity: int, *keys: int) -> None:
        """Begin the callback with this identity, which touches these."""
        if self._now.has_done_something:  # the program, before it has called `run`
            self._note()
            self._between += 1
        self._now = _Event(identity, set(keys))
        self.calls += PROGRAM in keys

    def touch(self, key: int, changes: bool = True) -> None:
        """Note that the present event touches this; only what follows it looks whether it `changes` it."""
        self._now.touched.add(key)
        if self.followed is not None:
            self.followed.touch_key(key, changes)

    def note_thread(self, frame: FrameType) -> None:
        """Note that the program touches a future from another thread than that of its loop.

        What the loop does with it is no access that another thread's could be ordered with.
        """
        where = "" if frame.f_code.co_filename.startswith(_ASYNCIO) else place(stack(frame))
        if where:  # and not asyncio, which looks through the tasks of all loops
            self.unseen[f"a thread touches a task or future of an event loop{where}, which is not thread-safe"] = None

    def read_clock(self, clock: float) -> None:
        """Note that the present event has read the clock."""
        self._now.clock = clock
        if self.followed is not None:
            self.followed.read_clock()

    def draw(self, lot: int) -> None:
        """Note that the present event goes on as a lot has said."""
        self._now.identity = hash((self._now.identity, lot))
        self.differ()

    def differ(self) -> None:
        """Note that schedules may differ by what is not followed."""
        if self.followed is not None:
            self.followed.differ()

    @contextmanager
    def interrupted(self) -> Iterator[None]:
        """During this `with`, events of other threads come in the middle of the present one; its rest is another."""
        now = self._now
        self._note()
        self._now = self._between_callbacks()
        yield
        self._now = _Event(hash((now.identity, _REST)), {PROGRAM} & now.touched)
        self._now.made = now.made

    def end(self) -> None:
        """The callback has ended."""
        self._note()
        self._now = self._between_callbacks()

    def _note(self) -> None:
        """Add the present event, if anybody asks for the state."""
        if not self.is_asked_for:
            return
        now, last = self._now, self._last
        before = tuple((key, last.get(key, 0)) for key in sorted(now.touched))
        event = hash((now.identity, now.clock, before))
        for key in now.touched:
            last[key] = event
        self._sum = (self._sum + event) & _MASK

    def _between_callbacks(self) -> _Event:
        return _Event(hash((_BETWEEN, self._between)), {PROGRAM})


class _Event:
    __slots__ = ("clock", "identity", "made", "touched")

    def __init__(self, identity: int, touched: set[int]) -> None:
        self.identity = identity
        self.touched = touched
        self.made = 0
        self.clock: float | None = None

    @property
    def has_done_something(self) -> bool:
        """Whether it has made or touched anything but the program."""
        return bool(self.made or self.clock is not None or len(self.touched) > 1)


_histories: WeakKeyDictionary[World, History] = WeakKeyDictionary()


def history_of(world: World) -> History:
    """Return the history of a run: one for all its event loops."""
    found = _histories.get(world)
    if found is None:
        found = _histories[world] = History(is_asked_for=hasattr(world.strategy, "visit"))
        world.on_clock_read = found.read_clock
    return found
