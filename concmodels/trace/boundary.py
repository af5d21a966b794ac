"""The verbs of a traced model that are different beyond a memory boundary.

There the number of a message is its position in the channel, which sender and receiver know without any message of
their own. So a small int stays a word.
"""

from concmodels.errors import ChannelClosed
from concmodels.models.memory.channels import positions
from concmodels.trace.rows import failure
from concmodels.trace.texts import verbs

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any

    from concmodels.errors import Selected
    from concmodels.trace.recorder import Recorder
    from concmodels.trace.rows import Lane
    from concmodels.trace.verbs import Channel as _Channel
    from concmodels.trace.verbs import Verbs as _Verbs
else:
    _Channel, _Verbs = verbs(False).Channel, verbs(False).Verbs


class Channel(_Channel):
    """A channel beyond a memory boundary."""

    __slots__ = ()

    def __init__(self, capacity: float = 0, name: str | None = None) -> None:
        super().__init__(capacity, name)
        _number_rendezvous(self)

    def __reduce__(self) -> Any:
        return channel_again, (self._recorder, self._sent, self._received, self.inner)

    def send(self, item: Any, timeout: float | None = None) -> None:  # type: ignore[override] # the sync text
        """Send."""
        try:
            lane = self._lane()
        except LookupError:
            lane = self._recorder.lane()
        clock = self._clock
        begin = clock()
        try:
            number = positions.send(self.inner, item, timeout)
        except BaseException as error:
            lane.row(begin, clock(), self._sent | failure(error))
            raise
        if not number & lane.mask:
            lane.row(begin, clock(), self._sent, number)

    def receive(self, timeout: float | None = None) -> Any:
        """Receive."""
        try:
            lane = self._lane()
        except LookupError:
            lane = self._recorder.lane()
        clock = self._clock
        begin = clock()
        try:
            number, item = positions.receive(self.inner, timeout)
        except BaseException as error:
            lane.row(begin, clock(), self._received | failure(error))
            raise
        if not number & lane.mask:
            lane.row(begin, clock(), self._received, number)
        return item

    def send_nowait(self, item: Any) -> None:
        """Send without waiting."""
        lane, begin = self._recorder.lane(), self._clock()
        self.done(lane, begin, self._sent, positions.send_nowait(self.inner, item))

    def receive_nowait(self) -> Any:
        """Receive without waiting."""
        lane, begin = self._recorder.lane(), self._clock()
        number, item = positions.receive_nowait(self.inner)
        self.done(lane, begin, self._received, number)
        return item

    def done(self, lane: Lane, begin: int, word: int, number: int) -> None:
        """Write the row of a message, unless the lane leaves it out."""
        if not number & lane.mask:
            lane.row(begin, self._clock(), word, number)

    def case(self, item: Any) -> tuple[Any, Any]:
        """Return the case of a select that sends this item."""
        return self.inner, item

    def opened(self, item: Any, lane: Lane, begin: int, sent: bool = False, position: int = 0) -> Any:
        """Return the item of what a select did, and write its row."""
        self.done(lane, begin, self._sent if sent else self._received, position)
        return item

    def not_sent(self) -> None:
        """Do nothing: no number was given."""

    def __iter__(self) -> Iterator[Any]:
        """Receive until the channel is closed and drained."""
        inner, receive, clock = self.inner, positions.receive, self._clock
        lane, word = self._recorder.lane(), self._received
        write = lane.row
        while True:
            begin = clock()
            try:
                number, item = receive(inner, None)
            except ChannelClosed as closed:
                lane.row(begin, clock(), word | failure(closed))
                return
            except BaseException as error:
                lane.row(begin, clock(), word | failure(error))
                raise
            if not number & lane.mask:
                write(begin, clock(), word, number)
            yield item
            del item


def _number_rendezvous(channel: Channel) -> None:
    if channel.capacity == 0:
        positions.number_rendezvous()


def channel_again(recorder: Recorder, sent: int, received: int, inner: Any) -> Channel:
    """Return a traced channel that arrives."""
    channel = Channel.__new__(Channel)
    channel._recorder, channel._clock, channel._lane = recorder, recorder.clock, recorder.current.get
    channel._sent, channel._received, channel.inner = sent, received, inner
    _number_rendezvous(channel)
    return channel


class Verbs(_Verbs):
    """The verbs that are functions."""

    def chosen(self, cases: list[Any], timeout: float | None, priority: bool) -> tuple[Selected, int]:  # type: ignore[override]
        """Return what a select of the model has done, and the position of the item."""
        from concmodels.models.memory.channels.select import select_and_tell

        done, selection = select_and_tell(self.inner.Channel.kind, tuple(cases), timeout, priority)
        return done, selection.position


def counted(recorder: Recorder, kind: str, main: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function that calls main, and asks all channels of the run at its end how much went through them."""

    def call(*args: Any) -> Any:
        try:
            return main(*args)
        finally:
            recorder.counts.update(positions.counts(kind))

    return call
