"""The channel of Stackless: how tasklets meet there, and which of them goes on at once."""

from collections import deque

from concmodels.stackless.scheduler import IN_RING, Bomb, callbacks, instance, normalized
from concmodels.stackless.tasklet import here

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from types import TracebackType
    from typing import Any, Self

    from concmodels.stackless.scheduler import Scheduler
    from concmodels.stackless.tasklet import tasklet


class channel:
    """A channel between tasklets. It holds no values: every value goes directly from one tasklet to another.

    >>> import concmodels.stackless as stackless
    >>> channel = stackless.channel()
    >>> task = stackless.tasklet(channel.send)("from the tasklet")
    >>> channel.balance
    0
    >>> channel.receive()
    'from the tasklet'
    >>> stackless.run()
    """

    _receivers: deque[tasklet]
    _senders: deque[tasklet]
    _closing = False
    _preference = -1
    _order = -1  # goes on at once: -1 the receiver, 1 the sender, 0 the one that came second, 2 the next in the ring

    def __new__(cls, *_: object, **__: object) -> Self:
        self = super().__new__(cls)
        self._receivers, self._senders = deque(), deque()
        return self

    def __init__(self, *_: object, **__: object) -> None:
        pass

    def send(self, value: Any) -> None:
        """Send the value to a tasklet that receives, waiting until there is one."""
        scheduler, receivers = here.scheduler, self._receivers
        source = scheduler.current
        if callbacks.on_channel is not None:
            source.tempval = value  # for the callback to look at
            callbacks.call(callbacks.on_channel, self, source, 1, not receivers)
            source.tempval = None
        if not receivers:
            self._check_wait(scheduler, source)
            source.tempval, source._place = value, self
            self._senders.append(source)
            scheduler.leave(source)
            return
        order = self._order
        target = self._partner(receivers, scheduler, order in (-1, 2))
        target.tempval, target._place = value, IN_RING
        if order == -1:  # the receiver goes on at once
            scheduler.ready.append(source)
            scheduler.switch(source, target)
            return
        scheduler.ready.append(target)
        if order == 2:  # both are at the end of the ring; otherwise this one, the sender, just goes on
            scheduler.ready.append(source)
            scheduler.leave(source)

    def receive(self) -> Any:
        """Receive a value from a tasklet that sends, waiting until there is one."""
        scheduler, senders = here.scheduler, self._senders
        source = scheduler.current
        if callbacks.on_channel is not None:
            callbacks.call(callbacks.on_channel, self, source, 0, not senders)
        if not senders:
            self._check_wait(scheduler, source)
            source._place = self
            self._receivers.append(source)
            return scheduler.leave(source)
        order = self._order
        target = self._partner(senders, scheduler, order > 0)
        source.tempval, target.tempval, target._place = target.tempval, None, IN_RING
        if order == 1:  # the sender goes on at once
            scheduler.ready.append(source)
            return scheduler.switch(source, target)
        scheduler.ready.append(target)
        if order == 2:
            scheduler.ready.append(source)
            return scheduler.leave(source)
        return scheduler.switch(source, source)  # no switch: it takes the value out of `source`, and raises a `Bomb`

    def _check_wait(self, scheduler: Scheduler, source: tasklet) -> None:
        if source.block_trap:
            raise RuntimeError("this tasklet does not like to be blocked.")
        if self._closing:
            raise ValueError("Send/receive operation on a closed channel")
        scheduler.check_trap()

    @staticmethod
    def _partner(waiting: deque[tasklet], scheduler: Scheduler, switches: bool) -> tasklet:
        if switches:
            scheduler.check_trap()
        if waiting[0]._scheduler is not scheduler:
            raise RuntimeError("the tasklet that waits at this channel belongs to another thread")
        return waiting.popleft()

    def send_exception(self, exc: type[BaseException], *args: Any) -> None:
        """Send an exception: `exc(*args)` is raised in the receiver."""
        self.send(Bomb(instance(exc, args)))

    def send_throw(
        self, exc: type[BaseException] | BaseException, val: object = None, tb: TracebackType | None = None
    ) -> None:
        """Send the exception that `raise exc, val, tb` would raise: it is raised in the receiver."""
        self.send(Bomb(normalized(exc, val, tb)))

    def send_sequence(self, seq: Iterable[Any]) -> int:
        """Send the items one by one, and return their number."""
        count = 0
        for item in seq:
            self.send(item)
            count += 1
        return count

    def __iter__(self) -> Self:
        return self

    def __next__(self) -> Any:
        """Receive a value. Iteration ends after `send_exception(StopIteration)`, or when the channel is closed."""
        if self.closed:
            raise StopIteration
        return self.receive()

    next = __next__

    def close(self) -> None:
        """Close the channel: from now on no tasklet may wait at it. Tasklets that already wait are not woken."""
        self._closing = True

    def open(self) -> None:
        """Undo `close`."""
        self._closing = False

    @property
    def closing(self) -> bool:
        """Whether `close` has been called."""
        return self._closing

    @property
    def closed(self) -> bool:
        """Whether `close` has been called and no tasklet waits at the channel."""
        return self._closing and not self._senders and not self._receivers

    @property
    def balance(self) -> int:
        """The number of tasklets that wait to send. If tasklets wait to receive, it is their number, negated."""
        return len(self._senders) - len(self._receivers)

    @property
    def queue(self) -> tasklet | None:
        """The tasklet that has waited longest, or None. Its `next` is the next one that waits."""
        return next(iter(self._waiting()), None)

    @property
    def preference(self) -> int:
        """The tasklet that continues at once: -1 the receiver, 1 the sender, 0 the one that came second.

        Setting it raises `TypeError` for what is no integer.
        """
        return self._preference

    @preference.setter
    def preference(self, value: int) -> None:
        if not isinstance(value, int):
            raise TypeError("preference must be set to an integer")
        self._preference = (value > 0) - (value < 0)
        if self._order != 2:
            self._order = self._preference

    @property
    def schedule_all(self) -> int:
        """1 if both tasklets go to the end of the ring, whatever the preference; otherwise 0."""
        return int(self._order == 2)

    @schedule_all.setter
    def schedule_all(self, value: int) -> None:
        if not isinstance(value, int):
            raise TypeError("preference must be set to a bool or integer")
        self._order = 2 if value else self._preference

    def _waiting(self) -> deque[tasklet]:
        return self._senders or self._receivers

    def _forget(self, waiting: tasklet) -> None:
        queue = self._waiting()
        if waiting in queue:
            queue.remove(waiting)
