"""Channels of the models with memory boundaries: one ring of 64-bit words in the arena, any number of senders and
receivers.

            HEAD                     TAIL                    positions count up for ever; the slot is position & mask
              v                        v
    ... [ ] [word] [word] [word] [word] [ ] ...              a small int is the word itself; other words say where
                                                             the pickled item lies: in the byte ring beside, or in a
                                                             block of its own
Senders move TAIL under the senders' lock, receivers move HEAD under the receivers' lock; a lock is held for a few
loads and stores. To close is to set a high bit of TAIL: it is then beyond every limit, so the fast way of `send` needs
no look at a flag, and whether a racing `send` was accepted is decided by the lock.

A rendezvous (capacity 0) uses neither ring nor positions: see `rendezvous.py`.
"""

from _thread import get_ident
from math import inf
from os import eventfd_read, eventfd_write

from concmodels.errors import ChannelClosed, WouldBlock
from concmodels.models.memory.arena import ALERT, LIST, NEXT, OUTCOME, OWNER, PENDING, PREVIOUS, WAITING, deadline
from concmodels.models.memory.channel_layout import (
    CLOSED,
    HEAD,
    IN_CHUNK,
    LEAST,
    POSITION,
    RECEIVERS,
    SENDERS,
    TAIL,
    make,
)
from concmodels.models.memory.channel_waiting import Waiting
from concmodels.models.memory.participant import current, units
from concmodels.models.waiting.timeouts import must_be_seconds

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from types import TracebackType
    from typing import Any, Self

NOTHING: Any = object()  # nothing was there
LAST = RECEIVERS + 1  # of a list
_TURN = 256  # after so many sends, a task that never has to wait looks whether it was cancelled


class Channel(Waiting):
    """One end of a channel in this process or interpreter; all ends are equal."""

    __slots__ = ()

    def __init__(self, capacity: float = 0, name: str | None = None) -> None:
        unit = current(self.kind)
        self._attach(unit, make(unit, capacity, name))

    # Sending.

    def send(self, item: Any, timeout: float | None = None) -> None:
        """Send, waiting for room (on a rendezvous: until it is taken). Raises `ChannelClosed` or `TimeoutError`."""
        if type(item) is int and item >= LEAST:
            self._grab_send(False) or self._wait_send()
            control = self._control
            tail = control[TAIL]
            if tail < self._limit:
                try:
                    self._ring[tail & self._mask] = item
                except ValueError, OverflowError:  # more than 63 bits
                    self._free_send()
                else:
                    control[TAIL] = tail + 1
                    self._free_send()
                    if control[RECEIVERS]:  # as `Unit.wake`, here once more: see `_stand_by`
                        words = self._words
                        self._grab_claim(False) or self._wait_claim()
                        record = control[RECEIVERS]
                        if not record:
                            self._free_claim()
                            return
                        after = control[RECEIVERS] = words[record + NEXT]
                        words[after + PREVIOUS if after else self._at + LAST] = 0
                        words[record + LIST] = 0
                        owner = words[record + OWNER] or record
                        if owner != record and words[owner + OUTCOME] == PENDING:
                            words[owner + OUTCOME] = 0
                        self._free_claim()
                        eventfd_write(self.home.bells.get(owner) or self.home.open_bell(owner), 1)
                    return
            else:
                self._free_send()
        self._send_cargo(self._load(item), timeout)

    def send_nowait(self, item: Any) -> None:
        """Send without waiting. Raises `WouldBlock` or `ChannelClosed`."""
        cargo = self._load(item)
        try:
            if not self._put(cargo):
                raise WouldBlock(f"{self!r} has no room and nobody waits to receive")
        except BaseException:
            self._discard(cargo)
            raise

    def _send_cargo(self, cargo: int | bytes, timeout: float | None) -> None:
        try:
            if self.capacity != 0:
                self._send_buffered(cargo, timeout)
            elif timeout is None or must_be_seconds(timeout) > 0:
                self._send_offer(cargo, timeout)
            elif not self._hand_over(cargo):
                raise TimeoutError(f"{self!r} has no room")
        except BaseException:
            self._discard(cargo)
            raise

    def _put(self, cargo: int | bytes) -> bool:
        """Send it, if that can be done without waiting."""
        return self._append(cargo) if self.capacity != 0 else self._hand_over(cargo)

    def _send_buffered(self, cargo: int | bytes, timeout: float | None) -> None:
        self.home.look_around()  # also for those who never wait: `_limit` sends them here now and then
        until, rung = deadline(timeout), False
        while not self._append(cargo):
            if self.capacity == inf:
                raise MemoryError(f"{self._most} items lie in this channel: give `run` more `channel_bytes`")
            if timeout is not None and timeout <= 0:
                raise TimeoutError(f"{self!r} has no room")
            rung = self._wait_for(SENDERS, self._receivers, self._is_full, until, rung)

    def _append(self, cargo: int | bytes) -> bool:
        """Put it behind the others, if there is room."""
        with self._senders:
            sent = self._append_now(cargo)
        if sent:
            self._wake_receiver()
        return sent

    def _append_now(self, cargo: int | bytes) -> bool:
        """The same, for who holds the senders' lock and then wakes a receiver."""
        control = self._control
        tail = control[TAIL]
        if tail >= CLOSED:
            self._refuse_closed()
        self._limit = min(control[HEAD] + self._most, tail + _TURN)
        if tail >= control[HEAD] + self._most:
            return False
        self._ring[tail & self._mask] = cargo if type(cargo) is int else self._store(cargo)
        control[TAIL] = tail + 1
        return True

    def _wake_receiver(self) -> None:
        if self._control[RECEIVERS]:
            self.home.wake(self._at + RECEIVERS)

    def _is_full(self) -> bool:
        tail: int = self._control[TAIL]
        return tail < CLOSED and tail >= self._control[HEAD] + self._most

    # Receiving.

    def receive(self, timeout: float | None = None) -> Any:
        """Receive, waiting for an item. Raises `ChannelClosed` (closed and drained) or `TimeoutError`."""
        self._grab_receive(False) or self._wait_receive()
        control = self._control
        head = control[HEAD]
        if head < self._ready:
            word = self._ring[head & self._mask]
            if word >= LEAST:
                control[HEAD] = head + 1
                self._free_receive()
                if self._bounded and control[SENDERS]:
                    self.home.wake(self._at + SENDERS)
                return word
            return self._take_cargo(head, word)
        self._free_receive()
        return self._receive_waiting(timeout)

    def receive_nowait(self) -> Any:
        """Receive without waiting. Raises `WouldBlock` or `ChannelClosed`."""
        item = self._take()
        if item is NOTHING:
            raise WouldBlock(f"{self!r} is empty")
        return item

    def __iter__(self) -> Iterator[Any]:
        """Receive until the channel is closed and drained; the fast way to receive.

        `_stand_by` is in here once more, for a task that waits in its own thread: see there what it does, and why it
        is all in one place. What is used is at hand in local variables, for the same reason.
        """
        if self.capacity == 0:
            yield from self._offers()
            return
        unit, control, ring, mask, words = self.home, self._control, self._ring, self._mask, self._words
        bounded, rung = self._bounded, False
        grab, wait, free = self._grab_receive, self._wait_receive, self._free_receive
        grab_claim, wait_claim, free_claim = self._grab_claim, self._wait_claim, self._free_claim
        parker, thread, ident, await_bell = unit.first, unit.first_thread, get_ident, eventfd_read
        me, bell, plain = parker.at, parker.bell, parker.guard is None and not self._polls
        head_at, tail_at, last, closed, least, in_chunk = HEAD, TAIL, LAST, CLOSED, LEAST, IN_CHUNK
        alert, before, behind, listed, waiting, waiters = ALERT, PREVIOUS, NEXT, LIST, WAITING, self._at + RECEIVERS
        while True:
            grab(False) or wait()
            head = control[head_at]
            if head < self._ready or (head & in_chunk and head < control[tail_at] < closed) or self._look(head):
                word = ring[head & mask]
                head += 1
                if word >= least:
                    control[head_at] = head
                    free()
                    if bounded and control[SENDERS]:
                        unit.wake(self._at + SENDERS)
                    yield word
                else:
                    yield self._take_cargo(head - 1, word)
                if head < self._ready or control[tail_at] != head:
                    continue
                rung = False
            else:
                over = control[tail_at] == closed | head
                free()
                if over:
                    return
            if rung or not plain or ident() != thread:
                rung = self._stand_by(rung)
                continue
            number = parker.waits = parker.waits + 1
            if words[alert]:
                unit.heed(parker)
            grab_claim(False) or wait_claim()
            tail = words[me + before] = control[last]
            words[tail + behind if tail else waiters] = control[last] = me
            words[me + behind] = 0
            words[me + listed] = waiters
            free_claim()
            if control[tail_at] != control[head_at]:
                rung = unit.stop_waiting(me)
                continue
            try:
                while words[me + listed]:
                    words[me + waiting] = number
                    try:
                        await_bell(bell)
                    except InterruptedError:  # a signal, and its handler has run: the bell has not rung
                        continue
                    if words[alert]:
                        unit.answer(parker)
                        unit.heed(parker)
                    else:
                        words[me + waiting] = 0
            except BaseException:
                self._pass_on(waiters, me)
                raise
            rung = True

    def _offers(self) -> Iterator[Any]:
        """The same on a rendezvous."""
        while True:
            try:
                item = self._receive_offer(None)
            except ChannelClosed:
                return
            yield item

    def _receive_waiting(self, timeout: float | None) -> Any:
        if self.capacity == 0:
            return self._receive_offer(timeout)
        until, rung = deadline(timeout), False
        while (item := self._take()) is NOTHING:
            if timeout is not None and timeout <= 0:
                raise TimeoutError(f"{self!r} is empty")
            if until is None:
                rung = self._stand_by(rung)
            else:
                rung = self._wait_for(RECEIVERS, self._senders, self._is_empty, until, rung)
        return item

    def _take(self) -> Any:
        """Take the first item; `NOTHING` if there is none."""
        if self.capacity == 0:
            return self._take_offer(NOTHING)
        self._grab_receive(False) or self._wait_receive()
        head = self._control[HEAD]
        if not self._look(head):
            closed = self._control[TAIL] == CLOSED | head
            self._free_receive()
            if closed:
                self._refuse_closed()
            return NOTHING
        return self._take_cargo(head, self._ring[head & self._mask])

    def _take_cargo(self, head: int, word: int) -> Any:
        """Take the item of this word. Called with the receivers' lock, which it gives back."""
        try:
            word, data = self._fetch(head, word)
        finally:
            self._free_receive()
        self._wake_sender()
        return self._opened(word, data)

    def _fetch(self, head: int, word: int) -> tuple[int, Any]:
        """The same for who holds the receivers' lock, then wakes a sender, and opens what was fetched."""
        data = None
        if word < LEAST:
            word, data = self._unload(word)
        self._control[HEAD] = head + 1
        return word, data

    def _wake_sender(self) -> None:
        if self._bounded and self._control[SENDERS]:
            self.home.wake(self._at + SENDERS)

    # Closing, and the rest.

    def close(self) -> None:
        """Accept nothing more, for all its users. What was accepted stays receivable."""
        if self.capacity == 0:
            self._close_rendezvous()
            return
        control = self._control
        with self._senders:
            if control[TAIL] >= CLOSED:
                return
            control[TAIL] |= CLOSED
        self.home.wake_all(self._at + RECEIVERS)
        self.home.wake_all(self._at + SENDERS)

    @property
    def closed(self) -> bool:
        """Whether `close` was called."""
        return bool(self._control[TAIL] >= CLOSED)

    def __len__(self) -> int:
        """How many items it holds now."""
        return max(0, (self._control[TAIL] & POSITION) - self._control[HEAD]) if self.capacity != 0 else 0

    def __bool__(self) -> bool:
        return True  # an empty channel is a channel

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        label = f" {self.name!r}" if self.name else ""
        state = "closed" if self.closed else "open"
        return f"<Channel{label} {len(self)} of {self.capacity} {state}>"

    def __reduce__(self) -> tuple[Callable[..., Channel], tuple[Any, ...]]:
        """A channel travels as (run, number) and nothing else."""
        return revive, (type(self), self.home.run, self.number)

    def detach(self) -> None:
        """The run is over: let go of its memory, and say so when used."""
        for view in (self._control, self._ring):
            view.release()
        self.__class__ = Outside


class Outside(Channel):
    """What a channel turns into when its run is over."""

    kind = "boundary"
    __slots__ = ()

    def __init__(self) -> None:
        self._refuse()

    def _refuse(self, *_: object, **__: object) -> Any:
        raise RuntimeError("this channel belongs to a run that is over")

    send = send_nowait = receive = receive_nowait = close = __len__ = __reduce__ = __iter__ = __enter__ = _refuse
    closed = property(_refuse)

    def __exit__(self, *_: object) -> None:
        """The run has closed it."""

    def __repr__(self) -> str:
        return f"<channel {self.name or self.number} of a run that is over>"


def revive(kind: type[Channel], run: int, number: int) -> Channel:
    """A channel that arrives: this unit's own end of it."""
    unit = units.get(run)
    if unit is None:
        raise RuntimeError("this channel belongs to another run, or to one that is over")
    known = unit.channels.get(number)
    channel = None if known is None else known()
    if channel is None:
        channel = kind.__new__(kind)
        channel._attach(unit, number)
    return channel
