"""The steps of a channel, none of which waits. The verbs that wait are in each model's own file.

A channel is a buffer and two queues of waiters, senders and receivers:

        senders that wait            buffer             receivers that wait
     [s2 "d"] [s1 "c"]  ──────►  | "b" | "a" |  ──────►  (only while the buffer is empty)

The steps (`_offer`, `_take` ...) know no scheduler and run under the channel's lock; where all tasks share one thread
the lock is always free, and the fast paths do without it. A model's `send` and `receive` try a step first. If it can't
be done now, they put a waiter (`waiter.py`) into a queue and wait, on the model's own primitive, until a *partner* (a
receiver for a sender, and the reverse) claims the waiter: after that, no timeout and no cancellation can.
"""

import math
from _thread import allocate_lock
from collections import deque

from concmodels.errors import ChannelClosed, WouldBlock
from concmodels.models.waiting.queues import forget
from concmodels.models.waiting.waiter import CANCELLED, CLOSED, DONE, claim_first

TYPE_CHECKING = False  # as in all these files: type checkers take it for True, and `typing` need not be imported
if TYPE_CHECKING:
    from collections.abc import Callable
    from contextlib import AbstractContextManager
    from typing import Any, ClassVar, NoReturn, Self

    from concmodels.models.waiting.waiter import Waiter


_NOBODY: deque[Waiter] = deque(maxlen=0)  # the senders that wait for room where there is always room


class NOTHING:
    """The mark that `_take` returns if there is no item. Never called.

    It is a class because, without the GIL, all threads would change the reference count of a plain object at every
    operation, and the cores would contend for its memory. References to a class are not counted there.
    """


class ChannelState:
    """The state of a channel and the steps that change it. A model adds `send`, `receive` and iteration.

    A model's channel also says how its tasks wait (`_new_waiter`). An operation that need not wait is no checkpoint,
    except now and then: when `next(_yields)` is true (see `yields.py`), `_checkpoint` is called first. There the task
    meets a cancellation and lets others run.
    """

    _new_waiter: ClassVar[Callable[..., Waiter]]
    _yields: Any
    _checkpoint: Callable[..., Any]
    _gone = 0  # see `forget`

    def __init__(self, capacity: float = 0, name: str | None = None) -> None:
        if not (capacity == math.inf or (isinstance(capacity, int) and capacity >= 0)):
            raise ValueError(f"a channel's capacity is a whole number from 0, or math.inf, not {capacity!r}")
        self._capacity = capacity
        self._name = name
        self._closed = False
        self._buffer: deque[Any] = deque()
        self._senders: deque[Waiter] = deque() if capacity != math.inf else _NOBODY
        self._receivers: deque[Waiter] = deque()
        self._lock: AbstractContextManager[Any] = allocate_lock()

    @property
    def capacity(self) -> float:
        """The number of items that it can hold: 0 is a rendezvous, `math.inf` has no bound."""
        return self._capacity

    @property
    def closed(self) -> bool:
        """Whether `close` was called."""
        return self._closed

    @property
    def name(self) -> str | None:
        """The name it was given."""
        return self._name

    def __len__(self) -> int:
        """Return the number of items held now; a snapshot."""
        return len(self._buffer)

    def __repr__(self) -> str:
        label = f" {self._name!r}" if self._name else ""
        state = "closed" if self._closed else "open"
        return f"<Channel{label} {len(self)} of {self._capacity} {state}>"

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def send_nowait(self, item: Any) -> None:
        """Send without waiting; raises `WouldBlock` or `ChannelClosed`."""
        with self._lock:
            if not self._offer(item):
                raise WouldBlock(f"{self!r} has no room, and no task waits to receive")

    def receive_nowait(self) -> Any:
        """Receive without waiting; raises `WouldBlock` or `ChannelClosed`."""
        with self._lock:
            item = self._take()
        if item is NOTHING:
            raise WouldBlock(f"{self!r} is empty")
        return item

    def close(self) -> None:
        """Close the channel for all tasks. Items that it has accepted can still be received. Never waits."""
        with self._lock:
            self._closed = True
            for queue in (self._senders, self._receivers):
                while queue:
                    queue.popleft().finish(CLOSED)

    # The steps. Each runs under the lock, or in the only thread, and leaves this true: receivers wait only while the
    # buffer is empty, senders only while it is full. So a newcomer can't overtake those that wait.

    def _offer(self, item: Any) -> bool:
        """Hand the item to a waiting receiver, or keep it if there is room; return False if neither can be done."""
        if self._closed:
            self._refuse(True)
        if self._receivers:
            receiver = claim_first(self._receivers)
            if receiver is not None:
                receiver.item = item
                receiver.wake()
                return True
        if len(self._buffer) < self._capacity:
            self._buffer.append(item)
            return True
        return False

    def _take(self) -> Any:
        """Take the oldest item, from the buffer or from a waiting sender; return NOTHING if there is none."""
        if self._buffer:
            item = self._buffer.popleft()
            if self._senders:
                # The item of the first sender moves up into the place that is free now: its `send` has succeeded.
                sender = claim_first(self._senders)
                if sender is not None:
                    self._buffer.append(sender.item)
                    sender.wake()
            return item
        sender = claim_first(self._senders) if self._senders else None
        if sender is not None:
            sender.wake()
            return sender.item
        if self._closed:
            self._refuse()
        return NOTHING

    def _queue(self, waiter: Waiter, queue: deque[Waiter]) -> None:
        """Put a waiter into one of the queues: nothing can be done now."""
        queue.append(waiter)

    def _withdraw(self, waiter: Waiter, queue: deque[Waiter]) -> bool:
        """Stop waiting, because an exception was raised in the wait; return False if a partner was first."""
        with self._lock:
            # Partners claim under this lock: either one has done so before, and `outcome` says DONE, or none will.
            waiter.claim(CANCELLED)
            if waiter.outcome == DONE:
                return False
            forget(self, queue, waiter)
            return True

    def _settle(self, waiter: Waiter, queue: deque[Waiter]) -> None:
        """Turn the outcome of a wait into a return or an exception; after a timeout, leave the queue."""
        if waiter.outcome == DONE:
            return
        if waiter.outcome == CLOSED:
            self._refuse(queue is self._senders)  # `close` has emptied the queues
        with self._lock:
            forget(self, queue, waiter)  # otherwise each timeout would leave a waiter there until a partner comes
        raise TimeoutError(f"{self.describe_case(queue is self._senders)} timed out")

    def _no_waiting(self, queue: deque[Waiter]) -> TimeoutError:
        """Return the error of an operation that would have to wait and whose timeout is 0."""
        return TimeoutError(f"{self.describe_case(queue is self._senders)} would have to wait")

    def _refuse(self, sending: bool = False) -> NoReturn:
        raise ChannelClosed(f"{self.describe_case(sending)}: it is closed")

    def describe_wait(self, waiter: Waiter) -> str:
        """Say what a waiter in one of the queues waits for."""
        return self.describe_case(waiter in self._senders)

    def describe_case(self, sending: bool) -> str:
        """Describe the wait of a task that sends here, or receives."""
        label = f"channel {self._name!r}" if self._name else "a channel without a name"
        return f"{'send' if sending else 'receive'} on {label}"


class SingleThreadChannel(ChannelState):
    """The steps where all tasks share one thread: between two waits nothing interferes, so the fast paths take no lock.

    `_room` opens and shuts the fast path of `send`: it is the capacity while a send only has to append to the buffer,
    and 0 while a receiver waits or the channel is closed. Then `send` falls through to `_offer`, which opens the path
    again once no receiver is left. Senders that wait need not shut it: while they wait, the buffer is full.

    A model names the count (`_yields`) and the checkpoint of its library (`_let_others_run`).
    """

    _let_others_run: Callable[[], Any]

    def __init__(self, capacity: float = 0, name: str | None = None) -> None:
        super().__init__(capacity, name)
        self._yields = self._yields  # the one count of this thread; found quicker in the instance than in the class
        self._room = capacity

    def _offer(self, item: Any) -> bool:
        """As `ChannelState._offer`; opens the fast path once no receiver is left."""
        if self._closed:
            self._refuse(True)
        receivers = self._receivers
        while receivers:
            receiver = receivers.popleft()
            if receiver.finish(DONE):
                receiver.item = item  # in time: the task goes on later, because it shares this thread
                if not receivers:
                    self._room = self._capacity
                return True
        self._room = self._capacity
        if len(self._buffer) < self._capacity:
            self._buffer.append(item)
            return True
        return False

    def _take(self) -> Any:
        """As `ChannelState._take`."""
        buffer, senders = self._buffer, self._senders
        if buffer and not senders:
            return buffer.popleft()
        item = buffer.popleft() if buffer else NOTHING
        while senders:
            sender = senders.popleft()
            if sender.finish(DONE):
                if item is NOTHING:
                    return sender.item
                buffer.append(sender.item)
                return item
        if item is NOTHING and self._closed:
            self._refuse()
        return item

    def __iter__(self) -> Any:
        """Raise `TypeError` in the async models; the sync ones have an iteration of their own."""
        raise TypeError("a channel of an async model is received from by `async for item in channel`, not by `for`")

    def _queue(self, waiter: Waiter, queue: deque[Waiter]) -> None:
        """As `ChannelState._queue`; a receiver that waits shuts the fast path."""
        queue.append(waiter)
        if queue is self._receivers:
            self._room = 0

    def _checkpoint(self) -> Any:
        """Let the others run, and begin the count anew. Awaited in the async models."""
        self._yields.__setstate__(0)
        return self._let_others_run()

    def close(self) -> None:
        """As `ChannelState.close`."""
        self._room = 0
        super().close()
