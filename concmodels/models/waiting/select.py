"""How one task waits for several channels at once, in the sync models and in the async ones.

A select is one wait with several cases. It is in the queues of all its channels at once, as a `Case` in each, and all
its cases share one waiter, which can be claimed once: so exactly one case takes effect.

It looks and queues under the locks of all its channels, which every select takes in the same order. So nothing can
happen between a look at the first channel and a place in the queue of the last, no two selects wait for each other's
locks, and a select that looks for partners is itself in no queue: it never meets itself. An awaited select takes no
locks for that: its tasks share one thread, and nothing else runs between two awaits.
"""

from _random import Random  # `random` itself would import half of the standard library

from concmodels.errors import ChannelClosed, Selected
from concmodels.models.waiting.channel import NOTHING, ChannelState
from concmodels.models.waiting.queues import forget
from concmodels.models.waiting.timeouts import deadline, expired, remaining
from concmodels.models.waiting.waiter import (
    CANCELLED,
    CLOSED,
    DONE,
    RETRY,
    TIMED_OUT,
    Waiter,
    wait,
    wait_async,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections import deque
    from typing import Any

dice = Random().random


class Case:
    """One case of a select. In the queue of its channel it stands for the select's waiter."""

    __slots__ = ("channel", "item", "queue", "sending", "waiter")

    def __init__(self, channel: ChannelState, item: Any, sending: bool) -> None:
        self.channel = channel
        self.item = item
        self.sending = sending
        self.queue: deque[Any] = channel._senders if sending else channel._receivers
        self.waiter: Waiter

    def claim(self, outcome: str) -> bool:
        """As `Waiter.claim`, for the whole select: it is this case that takes effect."""
        if not self.waiter.claim(outcome):
            return False
        self.waiter.item = self
        return True

    def wake(self) -> None:
        """As `Waiter.wake`."""
        self.waiter.wake()

    def waits(self) -> bool:
        """As `Waiter.waits`."""
        return self.waiter.waits()

    finish = Waiter.finish  # the same steps: claim, and wake if that succeeded

    @property
    def outcome(self) -> str:
        """As `Waiter.outcome`."""
        return self.waiter.outcome

    @outcome.setter
    def outcome(self, outcome: str) -> None:
        self.waiter.outcome = outcome

    @property
    def unit(self) -> Any:
        """The greenlet of the task that selects. The tasklets model switches to it in a rendezvous."""
        return self.waiter.unit  # type: ignore[attr-defined]

    def attempt(self) -> Selected | None:
        """Perform the case if that needs no waiting; return None if it does. The caller holds the channel's lock."""
        channel, item = self.channel, self.item
        try:
            if self.sending:
                return Selected(channel, item, sent=True) if channel._offer(item) else None
            item = channel._take()
            return None if item is NOTHING else Selected(channel, item)
        except ChannelClosed:
            return Selected(channel, closed=True)


class Selection:
    """The steps of a select, none of which waits."""

    def __init__(self, kind: type[ChannelState], cases: tuple[Any, ...], priority: bool) -> None:
        self.cases = [_case(kind, case) for case in cases]
        if not cases:
            raise ValueError("select needs at least one case: a channel, or a pair (channel, item)")
        self._priority = priority
        locks = {id(case.channel): case.channel._lock for case in self.cases}  # once each: cases may share a channel
        self._locks: list[Any] = [locks[number] for number in sorted(locks)]

    def __enter__(self) -> None:
        for lock in self._locks:
            lock.acquire()

    def __exit__(self, *_: object) -> None:
        for lock in self._locks:
            lock.release()

    def attempt(self) -> Selected | None:
        """Perform the first case that is ready, in the given order or in a random one; return None if none is."""
        for case in self.cases if self._priority else shuffled(self.cases):
            done = case.attempt()
            if done is not None:
                return done
        return None

    def queue(self) -> Waiter:
        """Put the task into the queues of all its cases, because none can be done now; return its one waiter."""
        waiter = self.cases[0].channel._new_waiter(None, self)
        for case in self.cases:
            case.waiter = waiter
            case.channel._queue(case, case.queue)  # type: ignore[arg-type] # as good as a Waiter there
        return waiter

    def describe_wait(self, _waiter: Waiter | None = None) -> str:
        """Describe the wait of a task that waits for this select."""
        return "select of " + ", ".join(case.channel.describe_case(case.sending) for case in self.cases)

    def settle(self, waiter: Waiter) -> Selected | None:
        """Turn the outcome of the wait into the result; None means to look again."""
        with self:
            self._leave()
        if waiter.outcome == TIMED_OUT:
            raise TimeoutError(f"{self.describe_wait(waiter)} timed out")
        if waiter.outcome == RETRY:
            return None
        case: Case = waiter.item
        if waiter.outcome == CLOSED:
            return Selected(case.channel, closed=True)
        return Selected(case.channel, case.item, sent=case.sending)

    def withdraw(self, waiter: Waiter) -> bool:
        """Stop waiting, because an exception was thrown into the wait; return False if a partner was first."""
        with self:
            waiter.claim(CANCELLED)
            self._leave()
        return waiter.outcome != DONE

    def _leave(self) -> None:
        for case in self.cases:
            forget(case.channel, case.queue, case)


def _case(kind: type[ChannelState], case: Any) -> Case:
    if isinstance(case, tuple) and len(case) == 2 and isinstance(case[0], kind):
        return Case(case[0], case[1], sending=True)
    if isinstance(case, kind):
        return Case(case, None, sending=False)
    raise bad_case(_model(kind), case)


def bad_case(model: str, case: Any) -> TypeError:
    """Return the error that says what is wrong with this case."""
    channel = case[0] if isinstance(case, tuple) and len(case) == 2 else case
    if hasattr(channel, "receive"):
        wrong = f"but this channel is one of {_model(type(channel))}"
    else:
        wrong = f"not {case!r}"
    return TypeError(f"a case of select is a channel of {model}, or a pair (channel, item), {wrong}")


def _model(kind: type) -> str:
    return kind.__module__.rpartition(".")[2].strip("_")


def shuffled[C](cases: list[C]) -> list[C]:
    """Return the cases in an order that is new each time, so that those which are ready have equal chances."""
    return sorted(cases, key=lambda _: dice()) if len(cases) > 1 else cases


def select_sync(kind: Any, cases: tuple[Any, ...], timeout: float | None, priority: bool) -> Selected:
    """Perform a select in a sync model."""
    selection = Selection(kind, cases, priority)
    first, until = selection.cases[0].channel, None
    if next(first._yields, True):  # where the count runs out, as among threads, it is time for a checkpoint
        first._checkpoint()
    while True:
        with selection:
            done = selection.attempt()
            if done is not None:
                return done
            if expired(timeout):
                raise TimeoutError(f"{selection.describe_wait()} would have to wait")
            until = until or deadline(timeout)
            waiter = selection.queue()
        try:
            wait(waiter, timeout)
        except BaseException as error:
            if selection.withdraw(waiter):
                raise
            waiter.postpone(error)
        done = selection.settle(waiter)
        if done is not None:
            return done
        timeout = remaining(until)


async def select_async(kind: Any, cases: tuple[Any, ...], timeout: float | None, priority: bool) -> Selected:
    """Perform a select in an async model."""
    selection = Selection(kind, cases, priority)
    first = selection.cases[0].channel
    if next(first._yields, True):
        await first._checkpoint()
    done = selection.attempt()
    if done is not None:
        return done
    if expired(timeout):
        raise TimeoutError(f"{selection.describe_wait()} would have to wait")
    waiter = selection.queue()
    try:
        await wait_async(waiter, timeout)
    except BaseException as error:
        if selection.withdraw(waiter):
            raise
        waiter.postpone(error)
    done = selection.settle(waiter)
    assert done is not None  # tasks of one loop can't be faster than each other: none looks again
    return done
