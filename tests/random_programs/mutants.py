"""Channels of the threads model that are broken on purpose, each in one way: the machinery must find out."""

from types import SimpleNamespace

from concmodels import catalog
from concmodels.errors import ChannelClosed, WouldBlock
from concmodels.models import threads

from .trial import Setting

Channel = threads.Channel
select = threads.select


class LosesAWakeUp(Channel):
    """A sender puts its item into the buffer although somebody waits for it."""

    def _offer(self, item):
        if not self._closed and len(self._buffer) < self._capacity:
            self._buffer.append(item)
            return True
        return super()._offer(item)


class CloseWakesNobody(Channel):
    """Who waits when the channel is closed waits on."""

    def close(self):
        self._closed = True


class CloseDropsTheBuffer(Channel):
    """What was accepted is gone after a close."""

    def close(self):
        super().close()
        self._buffer.clear()


class EndsTooEarly(Channel):
    """A closed channel refuses receivers while there are items left."""

    def _take(self):
        if self._closed:
            self._refuse()
        return super()._take()


class AcceptsAfterClose(Channel):
    """There is room, so it is accepted."""

    def _offer(self, item):
        if self._closed and len(self._buffer) < self._capacity:
            self._buffer.append(item)
            return True
        return super()._offer(item)


class HoldsOneTooMany(Channel):
    """A rendezvous holds an item: `send` returns before anybody takes it."""

    def __init__(self, capacity=0, name=None):
        super().__init__(capacity + 1, name)


class DeliversTwice(Channel):
    """The first of two items is left where it was."""

    def _take(self):
        first = self._buffer[0] if len(self._buffer) > 1 else None
        item = super()._take()
        if first is not None:
            self._buffer.appendleft(first)
        return item


class LosesAnItem(Channel):
    """Who takes the first of two items takes both."""

    def _take(self):
        item = super()._take()
        if len(self._buffer) > 1:
            self._buffer.popleft()
        return item


class TakesTheLast(Channel):
    """First in, last out."""

    def _take(self):
        self._buffer.reverse()
        item = super()._take()
        self._buffer.reverse()
        return item


class DeliversWhatTimedOut(Channel):
    """A sender that gave up has sent nevertheless."""

    def send(self, item, timeout=None):
        try:
            super().send(item, timeout)
        except TimeoutError:
            self._buffer.append(item)
            raise


class TimesOutWithTheItem(Channel):
    """A receiver that was in time says that it was too late."""

    def receive(self, timeout=None):
        item = super().receive(timeout)
        if timeout is not None and timeout < 1:
            raise TimeoutError
        return item


class BlocksWithAnItem(Channel):
    """`receive_nowait` does not see a single item."""

    def receive_nowait(self):
        if len(self._buffer) == 1:
            raise WouldBlock
        return super().receive_nowait()


class SendsAlthoughCancelled(Channel):
    """The partner was first, and then it is cancelled all the same."""

    def send(self, item, timeout=None):
        super().send(item, timeout)
        task = self._new_waiter.current()
        if task.must_stop():
            task.stop()


class ReceivesAlthoughCancelled(Channel):
    """The same at the other end."""

    def receive(self, timeout=None):
        item = super().receive(timeout)
        task = self._new_waiter.current()
        if task.must_stop():
            task.stop()
        return item


def select_two(*cases, **settings):
    """Two receive cases take effect."""
    chosen = select(*cases, **settings)
    for case in cases:
        if not isinstance(case, tuple) and case is not chosen.channel and not chosen.sent:
            try:
                case.receive_nowait()
            except WouldBlock, ChannelClosed:
                continue
            break
    return chosen


def select_the_last(*cases, timeout=None, priority=False):
    """With `priority`, the last of the cases that are ready."""
    return select(*reversed(cases), timeout=timeout, priority=priority)


def select_and_time_out(*cases, timeout=None, priority=False):
    """It was done, and then it is too late."""
    chosen = select(*cases, timeout=timeout, priority=priority)
    if timeout is not None and timeout < 1:
        raise TimeoutError
    return chosen


CHANNELS = (
    *(LosesAWakeUp, CloseWakesNobody, CloseDropsTheBuffer, EndsTooEarly, AcceptsAfterClose, HoldsOneTooMany),
    *(DeliversTwice, LosesAnItem, TakesTheLast, DeliversWhatTimedOut, TimesOutWithTheItem, BlocksWithAnItem),
    *(SendsAlthoughCancelled, ReceivesAlthoughCancelled),
)
SELECTS = (select_two, select_the_last, select_and_time_out)


def setting_with(mutant):
    """The threads model with this mutant in it."""
    model = SimpleNamespace(**{name: getattr(threads, name) for name in threads.__all__})
    if mutant in SELECTS:
        model.select = mutant
    make = mutant if mutant in CHANNELS else threads.Channel
    return Setting(mutant.__name__, model, catalog.facts("threads"), make, patience=0.5, reducing=0)
