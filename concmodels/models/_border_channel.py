"""Channels of the border models: one ring of 64-bit words in the arena, any number of senders and receivers.

            HEAD                     TAIL                    positions count up for ever; the slot is position & mask
              v                        v
    ... [ ] [word] [word] [word] [word] [ ] ...              a small int is the word itself; other words say where
                                                             the pickled item lies: in the byte ring beside, or in a
                                                             block of its own
Senders move TAIL under the senders' lock, receivers move HEAD under the receivers' lock; a lock is held for a few
loads and stores. To close is to set a high bit of TAIL: it is then beyond every limit, so the fast way of `send` needs
no look at a flag, and whether a racing `send` was accepted is decided by the lock.

A rendezvous (capacity 0) uses neither ring nor positions: see `_rendezvous.py`.
"""

from math import inf

from concmodels.errors import ChannelClosed, WouldBlock
from concmodels.models._arena import LIST, deadline
from concmodels.models._border import current, units
from concmodels.models._channel_memory import (
    CLOSED,
    HEAD,
    LEAST,
    POSITION,
    RECEIVERS,
    SENDERS,
    TAIL,
    make,
)
from concmodels.models._rendezvous import Rendezvous

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from types import TracebackType
    from typing import Any, Self

NOTHING: Any = object()  # nothing was there
_TURN = 256  # after so many sends, a task that never has to wait looks whether it was cancelled


class Channel(Rendezvous):
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
                    if control[RECEIVERS]:
                        self.home.wake(self._at + RECEIVERS)
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
            elif timeout is None or timeout > 0:
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
        """Receive until the channel is closed and drained."""
        grab, wait, free, control, ring, mask = (
            *(self._grab_receive, self._wait_receive, self._free_receive),
            *(self._control, self._ring, self._mask),
        )
        bounded, receive = self._bounded, self._receive_waiting
        while True:
            grab(False) or wait()
            head = control[HEAD]
            if head < self._ready:
                word = ring[head & mask]
                if word >= LEAST:
                    control[HEAD] = head + 1
                    free()
                    if bounded and control[SENDERS]:
                        self.home.wake(self._at + SENDERS)
                    yield word
                    continue
                yield self._take_cargo(head, word)
                continue
            free()
            try:
                item = receive(None)
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
            rung = self._wait_for(RECEIVERS, self._senders, self._is_empty, until, rung)
        return item

    def _take(self) -> Any:
        """Take the first item; `NOTHING` if there is none."""
        if self.capacity == 0:
            return self._take_offer(NOTHING)
        self._grab_receive(False) or self._wait_receive()
        head = self._control[HEAD]
        if not self._look(head):
            closed = self._control[TAIL] >= CLOSED
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

    # Waiting.

    def _is_empty(self) -> bool:
        tail: int = self._control[TAIL]
        return tail == self._control[HEAD]

    def _wait_for(
        self,
        waiters: int,
        others: Any,
        must_wait: Callable[[], bool],
        until: float | None,
        rung: bool,
    ) -> bool:
        """Wait in one of the lists, unless it has become needless. Returns True once somebody has rung."""
        unit, arena = self.home, self.home.arena
        me = unit.begin_wait()
        with others, arena.claim:
            if not must_wait():
                return rung
            arena.push(self._at + waiters, me, front=rung)
        try:
            while unit.words[me + LIST]:
                if not self._block(until) and not unit.stop_waiting(me):
                    raise TimeoutError(f"{self!r}: nobody came in time")
        except TimeoutError:
            raise
        except BaseException:
            if unit.stop_waiting(me):
                unit.wake(self._at + waiters)  # we were rung, and leave without taking
            raise
        return True

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

    kind = "border"
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
