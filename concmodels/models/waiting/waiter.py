"""Waiters, each of which is one wait of one task, and events, which any number of tasks wait for.

A `Waiter` is *claimed* exactly once: by a partner, by a close, by a timeout or by a cancellation. What claims it
decides the outcome and wakes the task. All other claims fail: a partner then looks for the next waiter, and a timeout
or a cancellation has come too late. So nothing is ever handed to a task that has stopped waiting, and no task is woken
twice.

What a partner has claimed is done, and nothing is ever given back. A cancellation that reaches the task after that, but
before the task has gone on, does not undo the operation: the operation returns, and the cancellation is raised at the
task's next checkpoint (see `Waiter.postpone`).

How a task waits and how it is woken depends on the model: a lock, a switch, a future. Each model has its own kind of
waiter in its own file.
"""

import sys
from _thread import allocate_lock
from collections import deque

from concmodels.models.waiting.queues import forget
from concmodels.models.waiting.timeouts import expired

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, Protocol

    class Purpose(Protocol):
        """The thing that a task waits for: a channel, a select, the end of a task or of a group, a result of a pool."""

        def describe_wait(self, waiter: Waiter) -> str:
            """Say what this waiter waits for, as the message of a `Deadlock` does."""

    type Wait = Waiter | NativeWait


DONE, CLOSED, TIMED_OUT, CANCELLED, RETRY = "done", "closed", "timed out", "cancelled", "retry"
"""What a claim can decide. RETRY replaces DONE where receivers take items without the lock (`threads._Unbounded`): look
again, because a faster receiver took the item that this task was woken for.
"""

native_waits: dict[Any, NativeWait] = {}
"""The wait of each task that waits inside its library's own code, for the end of a group.

Every other wait is noted on the task itself, since a dictionary would cost as much as the wait's own steps:

    sync models    `task.waiter`; among threads and bare greenlets, `Task.cancel` finds the wait there as well
    asyncio        `task.concmodels_wait`, an attribute that is added to asyncio's task
    trio           `task.custom_sleep_data`, which trio keeps for this

The deadlock detector reads these notes for its message. An old note does no harm: its wait is claimed already.
"""


class Waiter:
    """One wait of one task; a model adds how to `park` the task and how to `wake` it."""

    __slots__ = ("_claim", "item", "outcome", "purpose")

    outside = False
    """Whether something outside of the run can end the wait, as with a wait for a socket: then it is no deadlock."""

    purpose: Purpose | None
    """What the task waits for, for the report of a deadlock."""

    def __init__(self, item: Any = None, purpose: Purpose | None = None) -> None:
        self._claim = [None]
        self.item = item
        self.outcome = ""
        self.purpose = purpose

    def claim(self, outcome: str) -> bool:
        """Decide this wait; return True only to the first caller."""
        try:
            self._claim.pop()  # atomic with and without the GIL, and takes no lock: a signal handler may claim
        except IndexError:
            return False  # the winner may not have written `outcome` yet: read that once woken, or under a lock
        self.outcome = outcome
        return True

    def waits(self) -> bool:
        """Return whether the wait has not been claimed yet."""
        return bool(self._claim)

    def is_over(self) -> bool:
        """Return whether the wait has been claimed, or its task was cancelled and will claim it as soon as it runs.

        Asked of a wait for a socket, when another task wants to wait for the same one.
        """
        return not self.waits()

    def park(self, timeout: float | None) -> Any:
        """Wait to be woken; return False if the timeout expired first. Awaited in the async models."""
        raise NotImplementedError(f"{type(self).__name__} must say how its task waits")

    def wake(self) -> None:
        """Let the parked task go on. Called once, by the task or timer that claimed the waiter."""
        raise NotImplementedError(f"{type(self).__name__} must say how its task is woken")

    def postpone(self, error: BaseException) -> None:
        """Raise `error` at the task's next checkpoint: it came after a partner had completed this operation.

        Overridden where the library may throw into a wait after a partner has claimed it: asyncio, anyio on asyncio,
        gevent and eventlet. In the other models, what is raised in a wait has claimed it first, so nothing ever has to
        be put off, and this is not called.
        """
        raise error

    def finish(self, outcome: str) -> bool:
        """Claim the wait, and wake its task; return True only to the first caller."""
        if not self.claim(outcome):
            return False
        self.wake()
        return True


class SingleThreadWaiter(Waiter):
    """A wait that only one thread can claim: so a look and a note will do, and no atomic step is needed.

    A signal handler may claim it too. CPython runs handlers only after calls and at backward jumps, and there is
    neither between the look and the note.
    """

    __slots__ = ()

    def __init__(self, item: Any = None, purpose: Purpose | None = None) -> None:
        self.item = item
        self.outcome = ""
        self.purpose = purpose

    def claim(self, outcome: str) -> bool:
        """As `Waiter.claim`."""
        if self.outcome:
            return False
        self.outcome = outcome
        return True

    def waits(self) -> bool:
        """As `Waiter.waits`."""
        return not self.outcome


class NativeWait:
    """A wait that the model's own library does, for the end of a group: it is never claimed, and just ends."""

    __slots__ = ("purpose", "reason")

    def __init__(self, purpose: Any) -> None:
        self.purpose = purpose
        self.reason = sys.exception()  # why the task leaves the group; None if its body has just ended

    def waits(self) -> bool:
        """As `Waiter.waits`."""
        return True


def claim_first(waiters: deque[Waiter]) -> Waiter | None:
    """Take the first waiter that has not been claimed yet out of the queue, and claim it for a partner."""
    while waiters:
        waiter = waiters.popleft()
        if waiter.claim(DONE):
            return waiter
    return None


def wait(waiter: Waiter, timeout: float | None) -> None:
    """Park until the waiter is claimed, or claim it for the timeout."""
    if not waiter.park(timeout) and not waiter.claim(TIMED_OUT):
        waiter.park(None)  # claimed just before the timeout: the wake-up is on its way


async def wait_async(waiter: Waiter, timeout: float | None) -> None:
    """As `wait`, awaited."""
    await waiter.park(timeout)
    if not waiter.outcome:  # every model here claims its timeout in `park`: this is for one whose `park` just returns
        waiter.claim(TIMED_OUT)


def _late(purpose: Purpose | None) -> TimeoutError:
    name = getattr(purpose, "name", None)
    return TimeoutError("it did not happen in time" if name is None else f"task {name!r} has not ended in time")


class Event:
    """Something that happens once and that tasks wait for: the end of a task, the end of the last one of a group."""

    _gone = 0  # see `forget`

    def __init__(self, new_waiter: Callable[..., Waiter]) -> None:
        self._new_waiter = new_waiter
        self._waiters: deque[Waiter] | None = None  # until a task waits: most tasks end before another waits for that
        self._lock = allocate_lock()
        self.happened = False

    def set(self) -> None:
        """Note that it has happened, and wake every task that waits for it."""
        with self._lock:
            self.happened = True
            while self._waiters:
                self._waiters.popleft().finish(DONE)

    def wait(self, timeout: float | None = None, purpose: Purpose | None = None) -> None:
        """Wait until it has happened. `purpose` describes the wait in a deadlock's report. Raises `TimeoutError`."""
        with self._lock:
            if self.happened:
                return
            if expired(timeout):
                raise _late(purpose)
            waiter = self._new_waiter(None, purpose)
            waiters = self._queue(waiter)
        try:
            wait(waiter, timeout)
        finally:  # an exception may leave a wait that is DONE, too: an event hands over nothing that could be lost
            if waiter.outcome != DONE:
                waiter.claim(CANCELLED)
                with self._lock:
                    forget(self, waiters, waiter)
        if waiter.outcome == TIMED_OUT:
            raise _late(purpose)

    def _queue(self, waiter: Waiter) -> deque[Waiter]:
        if self._waiters is None:
            self._waiters = deque()
        self._waiters.append(waiter)
        return self._waiters


class AsyncEvent(Event):
    """As `Event`, awaited. Its tasks share one thread, so `wait` takes no lock."""

    async def wait(self, timeout: float | None = None, purpose: Purpose | None = None) -> None:  # type: ignore[override]
        """As `Event.wait`, awaited."""
        if self.happened:
            return
        if expired(timeout):
            raise _late(purpose)
        waiter = self._new_waiter(None, purpose)
        waiters = self._queue(waiter)
        try:
            await wait_async(waiter, timeout)
        finally:
            if waiter.outcome != DONE:
                waiter.claim(CANCELLED)
                forget(self, waiters, waiter)
        if waiter.outcome == TIMED_OUT:
            raise _late(purpose)
