"""A process or an interpreter as part of a run: its view of the arena, its wakers, and how its threads wait.

Waiting consumes nothing, taking never waits. A task that wants to wait

1. takes the lock of the tasks that could make the wait unnecessary (a receiver the senders' lock, a sender the
   receivers'), so that nothing can happen meanwhile;
2. looks once more, and if there is still nothing, puts its record into the list of waiters (claim lock);
3. gives the locks back and waits for its own waker (`concmodels/platform/waking.py`), in one system call.

A task that makes progress possible pops the first waiter and wakes that task by its waker. The woken task looks again;
if another task was faster, it goes back to the *front* of the list. A task that was woken but leaves without taking (a
timeout, a cancellation) wakes the next one instead. So no item is left lying while a task waits for it, and a
superfluous wake-up does no harm.

A cancellation is a word in the arena: every task and every group is a scope, and knows its parent. A task that waits
must stop if any scope around it is cancelled. It looks in `Participant.checkpoint`, once before it blocks, and once
each time it was woken.
"""

import time
from _thread import _local, allocate_lock, get_ident
from _weakref import ref

from concmodels.errors import CannotTravel, Terminated
from concmodels.models.memory.arena import (
    ALERT,
    ANSWERED,
    ASKED,
    BROKEN,
    CANCELLED,
    HELD,
    LIST,
    NEXT,
    OUTCOME,
    OWNER,
    PARENT,
    PENDING,
    PREVIOUS,
    WAITING,
    Arena,
    Cancelled,
)
from concmodels.models.memory.pickling import pack
from concmodels.platform import waking
from concmodels.platform.waking import wait, wake

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from socket import socket
    from types import FrameType
    from typing import Any

now = time.monotonic
participants: dict[int, Participant] = {}  # the runs that this interpreter takes part in, by number


class WaitSlot:
    """The means by which one thread waits: its record in the arena, its waker, and the scope that it is in."""

    __slots__ = ("at", "guard", "scope", "shielded", "wait_for", "waker", "waits")

    def __init__(self, at: int, waker: int, scope: int) -> None:
        self.at = at
        self.waker = waker
        self.scope = scope
        self.shielded = False
        self.guard: Any = None  # only in the main task: it keeps a Ctrl-C until that can be raised
        self.wait_for: Callable[[float], object] | None = None  # waits for the waker with a limit
        self.waits = 1  # the number of the current wait, by which a deadlock is told from progress


def _call(function: Callable[..., object], args: tuple[object, ...]) -> object:
    return function(*args)


class Participant:
    """This process or interpreter as part of a run: its view of the arena, its channels, where its threads wait."""

    def __init__(self, kind: str, run: int, arena: Arena) -> None:
        self.kind = kind
        self.run = run
        self.arena = arena
        self.words, self.ordered = arena.words, arena.ordered
        self.wakers: dict[int, int] = {}  # of other tasks, by record
        self.channels: dict[int, ref[Any]] = {}
        self.views: Any = None  # the open views of the run's shared buffers; made by `views_of`
        self.opening_lock = allocate_lock()
        self.first: WaitSlot = None  # type: ignore[assignment] # set by `bind_first_thread`
        self.first_thread = 0
        self._here = _local()
        self.fetch_waker: Callable[[int], int] = self.words.__getitem__  # in one process its number is enough
        self.new_slot: Callable[[], WaitSlot] = self._no_slot
        self.hold_descriptor: Callable[[int], int] = self._hold_descriptor  # returns a record, ...
        self.take_descriptor: Callable[[int], int] = self._take_descriptor  # ... and this a descriptor for a record
        self.tell: Callable[[Participant, WaitSlot, FrameType], object]  # say where a thread waits
        self.notify_supervisor: Callable[[], object] = bool  # so that it looks at the arena
        self.shorten_grace: Callable[[BaseException], object] = (
            bool  # after a Ctrl-C tasks that only compute get less time
        )
        self.is_parent = False
        self.call: Callable[[Callable[..., object], tuple[object, ...]], object] = _call
        self.own_threads: float = 0  # how many the model itself has started here ...
        self.service: set[int] = set()  # ... and beside those: threads that serve tasks, and do nothing by themselves
        self.death: BaseException | None = None  # of a process of this run
        self.unreported: BaseException | None = None
        self.pools: dict[int, Any] = {}  # the pools that were made here, by the record of their group
        self.remote_pools: dict[int, Any] = {}  # those that have arrived here, by the channel for requests to them
        self.closers: list[Callable[[], object]] = []  # called before the end of the run, or of this part of it
        arena.ask_to_watch = lambda: self.notify_supervisor()
        participants[run] = self

    # The blocks of items. A block that only the calling task knows is noted in its record (HELD), until another does.

    def write_block(self, size: int, parts: Iterable[tuple[int, bytes | bytearray | memoryview]]) -> int:
        """Copy these parts into a new block, each to its place behind the size, and return the address.

        The calling task holds the block. Raises `MemoryError`, and `ValueError` if another thread resizes a part.
        """
        arena, words, me = self.arena, self.words, self.wait_slot().at
        with arena.claim:
            at = arena.allocate(8 + size)
            words[at >> 3] = size
            words[me + HELD] = at
        try:
            for offset, part in parts:
                arena.write(at + 8 + offset, part)
        except BaseException:
            self.free_block(at)
            raise
        return at

    def let_go(self) -> None:
        """Note that the calling task holds no block, because another task knows it now, or is about to."""
        self.words[self.wait_slot().at + HELD] = 0

    def free_block(self, at: int) -> None:
        """Give back the block of an item, with its size in front, which only the calling task knows."""
        arena, words, me = self.arena, self.words, self.wait_slot().at
        with arena.claim:
            arena.free(at, 8 + words[at >> 3])
            words[me + HELD] = 0

    # The slots of the threads.

    def wait_slot(self) -> WaitSlot:
        """Return the slot of the calling thread; a thread of the program's own gets one at first use."""
        try:
            slot: WaitSlot = self._here.slot
        except AttributeError:
            slot = self._here.slot = self.new_slot()
        return slot

    def bind_first_thread(self, slot: WaitSlot) -> None:
        """Give the calling thread, which runs this participant's task, its slot."""
        self._here.slot = slot
        self.first, self.first_thread = slot, get_ident()

    def bind_thread(self, slot: WaitSlot) -> None:
        """Give the calling thread, which is an additional one, its slot."""
        self._here.slot = slot

    def _no_slot(self) -> WaitSlot:
        raise RuntimeError("this thread has no part in the run")

    def _hold_descriptor(self, number: int) -> int:
        from concmodels.models.memory import in_flight  # few programs send a socket

        return in_flight.hold(self.arena, number)

    def _take_descriptor(self, record: int) -> int:
        from concmodels.models.memory import in_flight

        return in_flight.take(self.arena, record)

    def clean_up(self, on: bool) -> None:
        """Say whether the calling task only waits for others to end: a second Ctrl-C then gives the run up."""
        guard = self.wait_slot().guard
        if guard is None:
            return
        if on and not guard.cleaning_up:
            guard.leave(cleaning_up=True)
        guard.cleaning_up = on

    def begin_service(self) -> None:
        """Mark the calling thread as one of the model's own, which serves its tasks. Ctrl-C is not for it."""
        from concmodels.models.tasks.signals.handlers import hold_back

        hold_back()
        self.service.add(get_ident())

    def end_service(self) -> None:
        """Unmark the calling thread, which is going to end."""
        self.service.discard(get_ident())

    def known_channel(self, number: int) -> Any:
        """Return this participant's end of a channel, if it has one."""
        known = self.channels.get(number)
        return None if known is None else known()

    def forget_channel(self, number: int, dead: ref[Any]) -> None:
        """Forget this end of a channel, which is gone, unless another thread has made a new one meanwhile.

        The garbage collector calls this, perhaps in a thread that holds the lock. Then the dead reference stays.
        """
        if self.opening_lock.acquire(False):
            try:
                if self.channels.get(number) is dead:
                    del self.channels[number]
            finally:
                self.opening_lock.release()

    def finish_pools(self) -> None:
        """Wait until the pools that were made here and never shut down have done what they were given."""
        while pools := list(self.pools.values()):  # a list, because a pool that ends leaves the dictionary
            pools[0].shutdown()

    def close_all(self) -> None:
        """End what belongs to this part of the run, and has to end before it."""
        while closers := list(self.closers):  # a list, because a pool that ends takes its own out, in another thread
            closers[-1]()

    # Waking.

    def notify(self, record: int) -> None:
        """Wake the task of this record: at once if it waits, or else when it next does."""
        waker = self.wakers.get(record)
        if waker is None:
            waker = self.open_waker(record)
        wake(waker)

    def open_waker(self, record: int) -> int:
        """Return the waker of a record; a process asks the parent for it, at first use."""
        with self.opening_lock:
            if record not in self.wakers:
                self.wakers[record] = self.fetch_waker(record)
            return self.wakers[record]

    def wake(self, waiters: int) -> bool:
        """Pop the first waiter of a list, and wake it; return whether there was one."""
        claim, words = self.arena.claim, self.words
        claim.acquire(False) or claim.patient()
        record = words[waiters]
        if not record:
            claim.release()
            return False
        after = words[waiters] = words[record + NEXT]
        words[after + PREVIOUS if after else waiters + 1] = 0
        words[record + LIST] = 0
        owner = words[record + OWNER] or record
        if owner != record and words[owner + OUTCOME] == PENDING:
            words[owner + OUTCOME] = 0  # a select that is to look again: until then no partner may choose for it
        # From here on the waiter may find that it was popped, and end: it is woken anyway. The waker belongs to
        # the record and is used again with it, so at worst the next task wakes up once for nothing.
        claim.release()
        wake(self.wakers.get(owner) or self.open_waker(owner))
        return True

    def wake_all(self, waiters: int) -> None:
        """Wake all waiters of a list.

        It looks under the claim lock even if the list seems to be empty. A task holds that lock from its last look
        until it is in the list: it may be between the two, and not have seen what the caller wakes all others for.
        """
        while self.wake(waiters):
            pass

    # Waiting.

    def checkpoint(self, slot: WaitSlot | None = None) -> WaitSlot:
        """Raise what is pending for the calling task, unless it is shielded; return its slot.

        Raises `Cancelled` if a scope around the task is cancelled or the run was broken off, and in the main task what
        a signal has left to be raised. A caller that has the slot at hand saves the look for it.
        """
        if slot is None:
            slot = self.wait_slot()
        if slot.shielded:
            return slot
        if slot.guard is not None:
            slot.guard.check()
        words = self.words
        if not words[ALERT]:  # in this run nothing was ever cancelled: nearly always
            return slot
        if words[BROKEN]:
            raise Cancelled("a process of this run was killed")
        if self.cancelled(slot.scope):
            raise Cancelled("the task was cancelled")
        return slot

    def cancelled(self, scope: int) -> bool:
        """Return whether a scope, or one around it, is cancelled."""
        while scope and not self.ordered[scope + CANCELLED]:
            scope = self.words[scope + PARENT]
        return bool(scope)

    def begin_wait(self) -> int:
        """Count a new wait of the calling task, and return its record."""
        slot = self.wait_slot()
        slot.waits += 1
        return slot.at

    def wait(self, until: float | None) -> bool:
        """Block until the task is woken, then make a checkpoint. Return False if the moment has come first.

        The caller has made a checkpoint before, and no code of the program has run since. A cancellation that comes
        after that is not missed, though nothing looks for it before the thread blocks: each cancellation and each
        signal also wakes the task, so the wait returns at once.
        """
        slot = self.wait_slot()
        if until is None:
            self._wait_for_ever(slot)
        elif not self._wait_until(slot, until):
            return False
        self.checkpoint(slot)
        return True

    def _wait_for_ever(self, slot: WaitSlot) -> None:
        self.words[slot.at + WAITING] = slot.waits
        wait(slot.waker)
        self.answer(slot)

    def _wait_until(self, slot: WaitSlot, until: float) -> bool:
        rest = until - now()
        if rest <= 0:
            return False
        self._wait_at_most(slot, rest)
        return True

    def forget_wakeup(self, slot: WaitSlot) -> None:
        """Forget that the calling task was woken, if it was."""
        self._wait_at_most(slot, 0.0)

    @staticmethod
    def _wait_at_most(slot: WaitSlot, seconds: float) -> None:
        if slot.wait_for is None:
            slot.wait_for = waking.timed(slot.waker)
        slot.wait_for(seconds)

    def answer(self, slot: WaitSlot) -> None:
        """Note that the wait is over; if the supervisor suspects a deadlock and has asked, say where it was."""
        words = self.words
        # Before it answers: a partner may have woken the task at the same time, and then it does not wait again.
        words[slot.at + WAITING] = 0
        if words[ASKED] != words[slot.at + ANSWERED]:
            import sys

            self.tell(self, slot, sys._getframe())

    def stop_waiting(self, record: int) -> bool:
        """Leave the list of waiters; return whether another task had popped this one and woken it by then."""
        with self.arena.claim:
            return not self.arena.remove(record)

    def postpone(self, error: BaseException) -> None:
        """Keep, for the next checkpoint, what was raised in a wait that has succeeded nevertheless.

        Only Ctrl-C has to be kept: a cancellation is still in the arena.
        """
        if isinstance(error, (KeyboardInterrupt, Terminated)):
            self.wait_slot().guard.postpone()

    def sleep(self, seconds: float) -> None:
        """Sleep; a checkpoint."""
        until = now() + seconds
        self.checkpoint()
        while self.wait(until) and now() < until:
            pass

    # Pickling.

    def pack(self, item: object) -> bytes:
        """Pickle an item."""
        return pack(item, self)

    def reduce_socket(self, value: socket) -> tuple[Callable[..., socket], tuple[Any, ...]]:
        """Return how pickle is to send a socket, which is in flight from now on. Raises `CannotTravel`."""
        if value.fileno() < 0:
            raise CannotTravel("this socket is closed")
        return _open_socket, (self.run, self.hold_descriptor(value.fileno()), value.gettimeout())

    def close(self, *, last: bool = False) -> None:
        """Leave the run: after this, its channels and shared buffers raise an error that says so."""
        participants.pop(self.run, None)
        for channel in [known() for known in list(self.channels.values())]:
            if channel is not None:
                channel.detach()
        self.arena.close(last=last, seen=() if self.views is None else self.views.end())


def _open_socket(run: int, record: int, timeout: float | None) -> socket:
    from socket import socket

    arrived = socket(fileno=participants[run].take_descriptor(record))
    arrived.settimeout(timeout)
    return arrived


_current = _local()


def enter(participant: Participant) -> None:
    """Note that the calling thread takes part in this run."""
    vars(_current).setdefault("participants", []).append(participant)


def leave(participant: Participant) -> None:
    """Note that the calling thread's part in this run is over."""
    _current.participants.remove(participant)


def current(kind: str) -> Participant:
    """Return the run of this model that the calling thread takes part in.

    A thread of the program's own takes part in the only run that there is. Raises `RuntimeError` outside of a run.
    """
    own: list[Participant] = [it for it in getattr(_current, "participants", ()) if it.kind == kind]
    if own:
        return own[-1]
    all_of_kind = [it for it in list(participants.values()) if it.kind == kind]
    if len(all_of_kind) == 1:
        return all_of_kind[0]
    raise RuntimeError(f"there is no run of {kind!r} here: call this inside run(main), not run(main())")


def runs_here(kind: str) -> bool:
    """Return whether the calling thread is already inside a run of this model."""
    return any(participant.kind == kind for participant in getattr(_current, "participants", ()))
