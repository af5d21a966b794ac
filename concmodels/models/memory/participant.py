"""What a process or an interpreter has of a run: its view of the arena, its bells, and how it waits.

Waiting consumes nothing, taking never waits. Who wants to wait

1. takes the lock of those who could make it unnecessary (a receiver the senders' lock, a sender the receivers'), so
   that nothing can happen meanwhile;
2. looks once more, and if there is still nothing, puts itself into the list of waiters (claim lock);
3. gives the locks back and blocks in one `read` of its own bell, an eventfd.

Who makes progress possible pops the first waiter and rings its bell. The woken one looks again; if somebody was
faster, it goes back to the *front* of the list. One that was rung but leaves without taking (a timeout, a
cancellation) passes the ring on. So an item is never left lying while somebody waits, and a ring too many does no harm.

A cancellation is a word in the arena: every task and every group is a scope, and knows its parent. A task that waits
must stop if any scope around it is cancelled.
"""

import time
from _thread import _local, allocate_lock, get_ident
from _weakref import ref
from os import eventfd_write, read

from concmodels.errors import Terminated
from concmodels.models.memory.arena import (
    ALERT,
    BELL,
    BROKEN,
    CANCELLED,
    LIST,
    NEXT,
    OUTCOME,
    OWNER,
    PARENT,
    PENDING,
    PREVIOUS,
    TELL,
    TOLD,
    WAITING,
    Arena,
    Cancelled,
)
from concmodels.models.memory.pickling import careful_dumps, pack

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from types import FrameType
    from typing import Any

now = time.monotonic
units: dict[int, Unit] = {}  # the runs that this interpreter takes part in, by number


class Parker:
    """One thread's place to wait: its bell, and the scope it is in."""

    __slots__ = ("at", "bell", "guard", "poll", "scope", "shielded", "waits")

    def __init__(self, at: int, bell: int, scope: int) -> None:
        self.at = at
        self.bell = bell
        self.scope = scope
        self.shielded = False
        self.guard: Any = None  # only in the main task: a Ctrl-C that waits to be raised
        self.poll: Any = None
        self.waits = 1  # how many there have been


def _call(function: Callable[..., object], args: tuple[object, ...]) -> object:
    return function(*args)


class Unit:
    """One process's or one interpreter's part in a run."""

    def __init__(self, kind: str, run: int, arena: Arena) -> None:
        self.kind = kind
        self.run = run
        self.arena = arena
        self.words = arena.words
        self.bells: dict[int, int] = {}
        self.channels: dict[int, ref[Any]] = {}
        self.loans: Any = None  # what it sees of the run's shared buffers; made by `loans_of`
        self.opening_lock = allocate_lock()
        self.first: Parker = None  # type: ignore[assignment] # set by `adopt`
        self.first_thread = 0
        self._here = _local()
        self.fetch_bell: Callable[[int], int] = self.words.__getitem__  # in one process a bell is its descriptor
        self.new_parker: Callable[[], Parker] = self._no_parker
        self.tell: Callable[[Unit, Parker, FrameType], object]  # say where a thread waits
        self.alarm: Callable[[], object] = bool  # tell the keeper to look at the arena
        self.hurry: Callable[[], object] = bool  # Ctrl-C: no long grace for those who only compute
        self.is_parent = False
        self.call: Callable[[Callable[..., object], tuple[object, ...]], object] = _call
        self.own_threads: float = 0  # how many the model itself has started here ...
        self.service: set[int] = set()  # ... and beside those: threads that serve tasks, and do nothing by themselves
        self.death: BaseException | None = None  # of a process of this run
        self.unreported: BaseException | None = None
        self.pools: dict[int, Any] = {}  # those made here, by the record of their group
        self.closers: list[Callable[[], object]] = []  # the end of the run, or of this part of it: called before
        units[run] = self

    # Waiting and waking.

    def parker(self) -> Parker:
        """The place where the calling thread waits."""
        try:
            parker: Parker = self._here.parker
        except AttributeError:
            parker = self._here.parker = self.new_parker()
        return parker

    def adopt(self, parker: Parker) -> None:
        """Let the calling thread wait here."""
        self._here.parker = parker
        self.first, self.first_thread = parker, get_ident()

    def sit(self, parker: Parker) -> None:
        """Let the calling thread, which is not this unit's first one, wait here."""
        self._here.parker = parker

    def clean_up(self, on: bool) -> None:
        """Whether the calling task waits only for others to end: then a second Ctrl-C gives up."""
        guard = self.parker().guard
        if guard is not None:
            guard.cleaning_up = on

    def begin_service(self) -> None:
        """The calling thread is one of the model's own, and serves its tasks. Ctrl-C is not for it."""
        from _thread import get_ident

        from concmodels.models.tasks.interrupts import hold_back

        hold_back()
        self.service.add(get_ident())

    def end_service(self) -> None:
        """It is going to end."""
        from _thread import get_ident

        self.service.discard(get_ident())

    def finish_pools(self) -> None:
        """Wait until the pools that were made here and never shut down have done what they were given."""
        while pools := list(self.pools.values()):  # a list, because a pool that ends leaves the dictionary
            pools[0].shutdown()

    def close_all(self) -> None:
        """What belongs to this part of the run ends before it."""
        while self.closers:
            self.closers[-1]()

    def _no_parker(self) -> Parker:
        raise RuntimeError("this thread has no part in the run")

    def ring(self, record: int) -> None:
        """Wake the waiter of this record, now or when it next waits."""
        bell = self.bells.get(record)
        if bell is None:
            bell = self.open_bell(record)
        eventfd_write(bell, 1)

    def open_bell(self, record: int) -> int:
        """The bell of a record, at first use."""
        with self.opening_lock:
            if record not in self.bells:
                self.bells[record] = self.fetch_bell(record)
            return self.bells[record]

    def wake(self, waiters: int) -> None:
        """Wake the first waiter of a list."""
        claim, words = self.arena.claim, self.words
        claim.acquire(False) or claim.patient()
        record = words[waiters]
        if not record:
            claim.release()
            return
        after = words[waiters] = words[record + NEXT]
        words[after + PREVIOUS if after else waiters + 1] = 0
        words[record + LIST] = 0
        owner = words[record + OWNER] or record
        if owner != record and words[owner + OUTCOME] == PENDING:
            words[owner + OUTCOME] = 0  # a select that is to look again: until then no partner may choose for it
        claim.release()
        eventfd_write(self.bells.get(owner) or self.open_bell(owner), 1)

    def wake_all(self, waiters: int) -> None:
        """Wake all waiters of a list."""
        while self.words[waiters]:
            self.wake(waiters)

    def heed(self, parker: Parker) -> None:
        """A checkpoint, unless the task is shielded."""
        if not parker.shielded:
            self.checkpoint(parker)

    def stop_waiting(self, record: int) -> bool:
        """Leave the list; True if somebody had popped and rung us."""
        with self.arena.claim:
            return not self.arena.remove(record)

    def wait(self, until: float | None) -> bool:
        """Block until the bell rings, False when the moment has come first. Raises `Cancelled`."""
        parker = self.look_around()
        if until is None:
            self._wait_for_ever(parker)
        elif not self._wait_until(parker, until):
            return False
        if not parker.shielded:
            self.checkpoint(parker)
        return True

    def _wait_for_ever(self, parker: Parker) -> None:
        self.words[parker.at + WAITING] = parker.waits
        read(parker.bell, 8)
        self.answer(parker)

    def answer(self, parker: Parker) -> None:
        """Waits no more; but if the keeper suspects a deadlock and asks where we wait, say so first."""
        words = self.words
        if words[TELL] != words[parker.at + TOLD]:
            import sys

            self.tell(self, parker, sys._getframe())
        words[parker.at + WAITING] = 0

    def begin_wait(self) -> int:
        """The calling task is going to wait for something new; returns its record."""
        parker = self.parker()
        parker.waits += 1
        return parker.at

    def _wait_until(self, parker: Parker, until: float) -> bool:
        rest = until - now()
        if rest <= 0:
            return False
        if parker.poll is None:
            from select import POLLIN, poll

            parker.poll = poll()
            parker.poll.register(parker.bell, POLLIN)
        if parker.poll.poll(min(rest, 3600.0) * 1000):
            read(parker.bell, 8)
        return True

    def look_around(self) -> Parker:
        """A checkpoint for who may not have to wait; returns the place where the calling thread waits."""
        parker = self.parker()
        if not parker.shielded:
            self.checkpoint(parker)
        return parker

    def put_off(self, error: BaseException) -> None:
        """The wait that this was raised in has succeeded: a cancellation is raised at the next, Ctrl-C too."""
        if isinstance(error, (KeyboardInterrupt, Terminated)):
            self.parker().guard.put_off()

    def checkpoint(self, parker: Parker) -> None:
        """Raise what the calling task has to hear before it waits."""
        if parker.guard is not None:
            parker.guard.check()
        words = self.words
        if not words[ALERT]:
            return
        if words[BROKEN]:
            raise Cancelled("a process of this run was killed")
        scope = parker.scope
        while scope:
            if words[scope + CANCELLED]:
                raise Cancelled("the task was cancelled")
            scope = words[scope + PARENT]

    def cancelled(self, scope: int) -> bool:
        """Whether a scope, or one around it, is cancelled."""
        words = self.words
        while scope and not words[scope + CANCELLED]:
            scope = words[scope + PARENT]
        return bool(scope)

    def sleep(self, seconds: float) -> None:
        """Wait for the moment; a checkpoint."""
        until = now() + seconds
        while self.wait(until) and now() < until:
            pass

    # What travels.

    def pack(self, item: object) -> bytes:
        """Pickle an item."""
        return pack(item, self)

    def careful_dumps(self, value: object) -> bytes:
        """Pickle with a sentence about what can't travel."""
        return careful_dumps(value, self)

    def bell_of(self, at: int, bell: int) -> Parker:
        """A parker at this record with this bell, known to others through the record."""
        self.words[at + BELL] = bell
        self.bells[at] = bell
        return Parker(at, bell, at)

    def close(self, *, last: bool = False) -> None:
        """Leave the run: from here on its channels and its shared buffers say so."""
        units.pop(self.run, None)
        for channel in [known() for known in list(self.channels.values())]:
            if channel is not None:
                channel.detach()
        self.arena.close(last=last, seen=() if self.loans is None else self.loans.end())


_current = _local()


def enter(unit: Unit) -> None:
    """The calling thread takes part in this run."""
    vars(_current).setdefault("units", []).append(unit)


def leave(unit: Unit) -> None:
    """The calling thread's part in this run is over."""
    _current.units.remove(unit)


def current(kind: str) -> Unit:
    """The run of this model that the calling thread takes part in (a thread of the program: the only one there is)."""
    own: list[Unit] = [unit for unit in getattr(_current, "units", ()) if unit.kind == kind]
    if own:
        return own[-1]
    all_of_kind = [unit for unit in list(units.values()) if unit.kind == kind]
    if len(all_of_kind) == 1:
        return all_of_kind[0]
    raise RuntimeError(f"there is no run of {kind!r} here: call this inside `run(main)` of that model")


def runs_here(kind: str) -> bool:
    """Whether the calling thread is already inside a run of this model."""
    return any(unit.kind == kind for unit in getattr(_current, "units", ()))
