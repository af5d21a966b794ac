"""Sends and receives that tell the item's position, for traces: it is the same number for the sender and the receiver,
and no two items of a channel have the same.

A send knows TAIL and a receive knows HEAD while they have their locks, so it costs nothing to tell them. An item that
had its number with it would no longer be a word. In a rendezvous nothing has a position: the task that comes second
counts, and leaves the number in the records of both.

`send` and `receive` do what those of `Channel` do. Only their fast paths are written once more.
"""

from concmodels.errors import WouldBlock
from concmodels.models.memory.arena import CHANNEL_WORDS, CHANNELS_AT, NEXT_CHANNEL, NUMBER
from concmodels.models.memory.channels.channel import NOTHING
from concmodels.models.memory.channels.layout import CLOSED, HEAD, POSITION, RECEIVERS, SENDERS, TAIL
from concmodels.models.memory.channels.words import LEAST
from concmodels.models.memory.participant import current

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from concmodels.models.memory.channels.channel import Channel


def send(channel: Channel, item: Any, timeout: float | None) -> int:
    """Send, and return the position."""
    if type(item) is not int or item < LEAST:
        return _told(channel, channel._send_other(item, timeout))
    channel._grab_send(False) or channel._wait_send()
    control = channel._control
    tail = control[TAIL]
    if tail < channel._limit:
        try:
            channel._ring[tail & channel._mask] = item
        except ValueError, OverflowError:
            channel._free_send()
        else:
            channel._ordered[TAIL] = tail + 1
            channel._free_send()
            if control[RECEIVERS]:
                channel.home.wake(channel._at + RECEIVERS)
            return int(tail)
    else:
        channel._free_send()
    return _told(channel, channel._send_payload(channel._load(item), timeout))


def send_nowait(channel: Channel, item: Any) -> int:
    """Send without waiting, and return the position."""
    if channel.capacity == 0:
        channel.send_nowait(item)
        return _told(channel, 0)
    payload = channel._load(item)
    try:
        end = channel._append(payload)
        if not end:
            raise WouldBlock(f"{channel!r} has no room, and no task waits to receive")
    except BaseException:
        channel._discard(payload)
        raise
    return end - 1


def receive(channel: Channel, timeout: float | None) -> tuple[int, Any]:
    """Receive; return the position and the item."""
    if channel.capacity == 0:
        item = channel.receive(timeout)
        return _told(channel, 0), item
    channel._grab_receive(False) or channel._wait_receive()
    control = channel._control
    head = control[HEAD]
    if head < channel._ready:
        word = channel._ring[head & channel._mask]
        if word >= LEAST:
            channel._ordered[HEAD] = head + 1
            channel._free_receive()
            if channel._bounded and control[SENDERS]:
                channel.home.wake(channel._at + SENDERS)
            return head, word
        return head, channel._take_payload(head, word)
    channel._free_receive()
    found: tuple[int, Any] = channel._receive_waiting(timeout, lambda: _take(channel))
    return found


def receive_nowait(channel: Channel) -> tuple[int, Any]:
    """Receive without waiting; return the position and the item."""
    if channel.capacity == 0:
        item = channel.receive_nowait()
        return _told(channel, 0), item
    found: Any = _take(channel)
    if found is NOTHING:
        raise WouldBlock(f"{channel!r} is empty")
    return int(found[0]), found[1]


def _take(channel: Channel) -> Any:
    """Take the first item; return its position and itself, or `NOTHING`."""
    channel._grab_receive(False) or channel._wait_receive()
    head = channel._control[HEAD]
    if not channel._look(head):
        closed = channel._ordered[TAIL] == CLOSED | head
        channel._free_receive()
        if closed:
            channel._refuse_closed(False)
        return NOTHING
    return head, channel._take_payload(head, channel._ring[head & channel._mask])


def number_rendezvous() -> None:
    """Have each rendezvous of this process or interpreter numbered from now on."""
    from concmodels.models.memory.channels import rendezvous

    rendezvous.numbered = True


def _told(channel: Channel, position: int) -> int:
    """Return the position; for a rendezvous, the number that this task was told."""
    if channel.capacity != 0:
        return position
    return int(channel.home.words[channel.home.wait_slot().at + NUMBER])


def counts(kind: str) -> dict[tuple[int, int], tuple[int, int]]:
    """Return for each channel of this run, by run and number, how many items were sent there and received."""
    participant = current(kind)
    words, found = participant.words, {}
    for number in range(1, words[NEXT_CHANNEL]):
        at = CHANNELS_AT + CHANNEL_WORDS * number
        head = words[at + HEAD]
        found[participant.run, number] = max(head, words[at + TAIL] & POSITION), head
    return found
