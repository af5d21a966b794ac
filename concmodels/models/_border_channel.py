"""Channels of the border models: one ring of 64-bit words in the arena, any number of senders and receivers.

            HEAD                     TAIL                    positions count up for ever; the slot is position & mask
              v                        v
    ... [ ] [word] [word] [word] [word] [ ] ...              a small int is the word itself; other words say where
                                                             the pickled item lies: in the byte ring beside, or in a
                                                             block of its own
Senders move TAIL under the senders' lock, receivers move HEAD under the receivers' lock; a lock is held for a few
loads and stores. To close is to set a high bit of TAIL: it is then beyond every limit, so the fast way of `send` needs
no look at a flag, and whether a racing `send` was accepted is decided by the lock.

On a rendezvous (capacity 0) the word is an *offer*: the record of the waiting sender, with a serial number. The
receiver takes the item from the record; a sender that gives up changes its serial number, so that nobody will.
"""

from math import inf

from concmodels.errors import ChannelClosed, WouldBlock
from concmodels.models._arena import (
    CHANNEL_BYTES,
    CHANNEL_WORDS,
    CHANNELS,
    CHANNELS_AT,
    ITEM,
    LIST,
    NEXT_CHANNEL,
    OUTCOME,
    RECORD_WORDS,
    RECORDS_AT,
    SERIAL,
    deadline,
)
from concmodels.models._border import Unit, current, ref, units
from concmodels.models._travel import unpack

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from types import TracebackType
    from typing import Any, ClassVar, Self

# A channel's words in the arena. What senders write, what receivers write and what both read lies on its own cache line.
HEAD, BYTES_HEAD = 0, 1
TAIL, BYTES_TAIL, SPILL_START, SPILL_END = 8, 9, 10, 11
RECEIVERS, SENDERS = 16, 18  # lists
CAPACITY, SLOTS_AT, SLOTS, BYTES_AT, BYTES, NAME_AT, NAME_SIZE, FDS = range(24, 32)

CLOSED = 1 << 62
POSITION = CLOSED - 1

# A word of at least LEAST is an int; below are 32 kinds of other words with 56 bits each.
LEAST = -(1 << 62)
_BASE = -(1 << 63)
_KIND = 56
_VALUE = (1 << _KIND) - 1
_RECORD, _BLOCK, _OFFER, _CONSTANT = range(4)
_CONSTANTS = (None, False, True)
_SERIAL = 24  # an offer is serial << 24 | number of the record

_PENDING, _TAKEN, _REFUSED = 1, 2, 3
_STALE: Any = object()  # an offer that was withdrawn

# Pages go back in chunks. Senders stay one chunk behind the receivers, so that nobody writes where pages vanish.
_CHUNK = 1 << 15  # words
_BYTE_CHUNK = 1 << 18
_SMALL_BYTES = 1 << 16


def _word(kind: int, value: int) -> int:
    return _BASE + (kind << _KIND) + value


def make(unit: Unit, capacity: float, name: str | None, fds: int = 0) -> int:
    """Lay out a new channel in the arena; returns its number."""
    if capacity != inf and (not isinstance(capacity, int) or capacity < 0):
        raise ValueError(f"capacity must be 0, a positive whole number or math.inf, not {capacity!r}")
    arena, words = unit.arena, unit.words
    slots, size = _sizes(capacity, words[CHANNEL_BYTES])
    label = b"" if name is None else name.encode()
    with arena.claim:
        number = words[NEXT_CHANNEL]
        if number == CHANNELS:
            raise MemoryError(f"a run can make {CHANNELS} channels, not more")
        layout = (
            -1 if capacity == inf else int(capacity),
            arena.reserve(8 * slots),
            slots,
            arena.reserve(size),
            size,
            arena.put(label) if label else 0,
            -1 if name is None else len(label),
            fds,
        )
        words[NEXT_CHANNEL] = number + 1
    at = CHANNELS_AT + CHANNEL_WORDS * number
    for offset, value in enumerate(layout, at + CAPACITY):
        words[offset] = value
    return number


def _sizes(capacity: float, most: int) -> tuple[int, int]:
    """How many slots and how many bytes a channel gets: powers of two."""
    if capacity in (0, inf):
        return most // 8, most
    slots = _power(max(512, int(capacity)))
    if slots > _CHUNK:
        slots = _power(int(capacity) + _CHUNK)
    return slots, min(most, max(_SMALL_BYTES, 64 * slots))


def _power(number: int) -> int:
    return 1 << (number - 1).bit_length()


class Channel:
    """One end of a channel in this process or interpreter; all ends are equal."""

    kind: ClassVar[str]

    __slots__ = (
        "__weakref__",
        "_at",
        "_bounded",
        "_bytes_at",
        "_bytes_mask",
        "_control",
        "_free_receive",
        "_free_send",
        "_grab_receive",
        "_grab_send",
        "_limit",
        "_mask",
        "_most",
        "_ready",
        "_receivers",
        "_ring",
        "_senders",
        "_trims",
        "_wait_receive",
        "_wait_send",
        "capacity",
        "home",
        "name",
        "number",
    )

    def __init__(self, capacity: float = 0, name: str | None = None) -> None:
        unit = current(self.kind)
        self._attach(unit, make(unit, capacity, name))

    def _attach(self, unit: Unit, number: int) -> None:
        at = CHANNELS_AT + CHANNEL_WORDS * number
        control = self._control = unit.words[at : at + CHANNEL_WORDS]
        self.home, self.number, self._at = unit, number, at
        capacity, slots, name = control[CAPACITY], control[SLOTS], control[NAME_SIZE]
        self.capacity: float = inf if capacity < 0 else capacity
        self.name = None if name < 0 else unit.arena.get(control[NAME_AT], name).decode()
        self._bounded = capacity > 0
        self._trims = slots > 2 * _CHUNK
        most = slots - _CHUNK if self._trims else slots
        self._most = min(capacity, most) if capacity > 0 else most
        self._bytes_at, self._bytes_mask = control[BYTES_AT], control[BYTES] - 1
        self._limit = self._ready = 0  # positions that a send and a receive may go to without looking
        self._take_locks(unit)
        self._open_slots(unit)
        unit.channels[number] = ref(self, lambda _: unit.channels.pop(number, None))

    def _take_locks(self, unit: Unit) -> None:
        senders, receivers = unit.arena.pair(self.number)
        self._senders, self._receivers = senders, receivers
        self._grab_send, self._wait_send, self._free_send = senders.acquire, senders.patient, senders.release
        self._grab_receive, self._wait_receive = receivers.acquire, receivers.patient
        self._free_receive = receivers.release

    def _open_slots(self, unit: Unit) -> None:
        """Where the words of the items are: anything with `[position & mask]`."""
        first = self._control[SLOTS_AT] >> 3
        self._ring: Any = unit.words[first : first + self._control[SLOTS]]
        self._mask = self._control[SLOTS] - 1

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
                except (ValueError, OverflowError):  # more than 63 bits
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
            sent = self._hand_over(cargo) if self.capacity == 0 else self._append(cargo)
            if not sent:
                raise WouldBlock("nobody waits for it" if self.capacity == 0 else "the channel is full")
        except BaseException:
            self._discard(cargo)
            raise

    def _send_cargo(self, cargo: int | bytes, timeout: float | None) -> None:
        if self.capacity == 0 and (timeout is None or timeout > 0):
            self._send_offer(self._own_block(cargo), timeout)
            return
        try:
            if self.capacity != 0:
                self._send_buffered(cargo, timeout)
            elif not self._hand_over(cargo):
                raise TimeoutError("nobody took the item in time")
        except BaseException:
            self._discard(cargo)
            raise

    def _send_buffered(self, cargo: int | bytes, timeout: float | None) -> None:
        until, rung = deadline(timeout), False
        while not self._append(cargo):
            if self.capacity == inf:
                raise MemoryError(f"{self._most} items lie in this channel: give `run` more `channel_bytes`")
            if timeout is not None and timeout <= 0:
                raise TimeoutError("the channel stayed full")
            rung = self._wait_for(SENDERS, self._receivers, self._is_full, until, rung)

    def _append(self, cargo: int | bytes) -> bool:
        """Put it behind the others, if there is room."""
        control = self._control
        with self._senders:
            tail = control[TAIL]
            if tail >= CLOSED:
                raise ChannelClosed("the channel is closed: nothing can be sent")
            self._limit = control[HEAD] + self._most if self.capacity != 0 else 0
            if tail >= control[HEAD] + self._most:
                return False
            self._ring[tail & self._mask] = cargo if type(cargo) is int else self._store(cargo)
            control[TAIL] = tail + 1
        if control[RECEIVERS]:
            self.home.wake(self._at + RECEIVERS)
        return True

    def _is_full(self) -> bool:
        tail: int = self._control[TAIL]
        return tail < CLOSED and tail >= self._control[HEAD] + self._most

    def _hand_over(self, cargo: int | bytes) -> bool:
        """Rendezvous: give it to a receiver that waits, if one does.

        A receiver is in the list only if nothing was left to take, and every item sent since has popped one: so one
        that is still there has nothing else to do than to take this.
        """
        control, arena = self._control, self.home.arena
        with self._senders:
            tail = control[TAIL]
            if tail >= CLOSED:
                raise ChannelClosed("the channel is closed: nothing can be sent")
            with arena.claim:
                receiver = arena.pop(self._at + RECEIVERS)
            if not receiver:
                return False
            self._ring[tail & self._mask] = cargo if type(cargo) is int else self._store(cargo)
            control[TAIL] = tail + 1
        self.home.ring(receiver)
        return True

    def _send_offer(self, cargo: int, timeout: float | None) -> None:
        """Rendezvous: offer it and wait until it is taken. What was taken has been sent, whatever happened to us."""
        unit, until = self.home, deadline(timeout)
        me = unit.parker().at
        offer = self._make_offer(me, cargo)
        try:
            self._append_offer(me, offer)
            while unit.words[me + OUTCOME] == _PENDING:
                if not unit.wait(until):
                    raise TimeoutError("nobody took the item in time")
        except BaseException as error:
            if self._withdraw(me):
                self._discard(cargo)
                raise
            if isinstance(error, KeyboardInterrupt):
                raise
        if unit.words[me + OUTCOME] == _REFUSED:
            self._discard(cargo)
            raise ChannelClosed("the channel was closed before anybody took the item")

    def _make_offer(self, me: int, cargo: int) -> int:
        words = self.home.words
        words[me + ITEM], words[me + OUTCOME] = cargo, _PENDING
        return _word(_OFFER, words[me + SERIAL] << _SERIAL | (me - RECORDS_AT) // RECORD_WORDS)

    def _append_offer(self, me: int, offer: int) -> None:
        control, arena = self._control, self.home.arena
        with self._senders:
            tail = control[TAIL]
            if tail >= CLOSED:
                raise ChannelClosed("the channel is closed: nothing can be sent")
            if tail >= control[HEAD] + self._most:
                raise MemoryError("too many senders gave up on this channel while nobody received")
            with arena.claim:
                arena.push(self._at + SENDERS, me)  # `close` finds it there
            self._ring[tail & self._mask] = offer
            control[TAIL] = tail + 1
        if control[RECEIVERS]:
            self.home.wake(self._at + RECEIVERS)

    def _withdraw(self, me: int) -> bool:
        """Take the offer back; False if it was taken or refused first."""
        words = self.home.words
        with self._receivers, self.home.arena.claim:
            self.home.arena.remove(me)
            if words[me + OUTCOME] != _PENDING:
                return False
            words[me + SERIAL] += 1  # another serial number: the word in the ring means nobody any more
            words[me + OUTCOME] = 0
        return True

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
            item = self._take_cargo(head, word)
            if item is not _STALE:
                return item
        else:
            self._free_receive()
        return self._receive_waiting(timeout)

    def receive_nowait(self) -> Any:
        """Receive without waiting. Raises `WouldBlock` or `ChannelClosed`."""
        item = self._take()
        if item is _STALE:
            raise WouldBlock("nothing is there")
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
                item = self._take_cargo(head, word)
                if item is not _STALE:
                    yield item
                    continue
            else:
                free()
            try:
                item = receive(None)
            except ChannelClosed:
                return
            yield item

    def _receive_waiting(self, timeout: float | None) -> Any:
        until, rung = deadline(timeout), False
        while (item := self._take()) is _STALE:
            if timeout is not None and timeout <= 0:
                raise TimeoutError("nothing came in time")
            rung = self._wait_for(RECEIVERS, self._senders, self._is_empty, until, rung)
        return item

    def _take(self) -> Any:
        """Take the first item; `_STALE` if there is none."""
        while True:
            self._grab_receive(False) or self._wait_receive()
            control = self._control
            head = control[HEAD]
            if not self._look(head):
                closed = control[TAIL] >= CLOSED
                self._free_receive()
                if closed:
                    raise ChannelClosed("the channel is closed and drained")
                return _STALE
            item = self._take_cargo(head, self._ring[head & self._mask])
            if item is not _STALE:
                return item

    def _look(self, head: int) -> bool:
        """Whether there is something to take; on the way, give back the pages behind."""
        tail = self._control[TAIL] & POSITION
        if head >= tail:
            return False
        if self._trims:
            into_chunk = head & (_CHUNK - 1)
            if head and not into_chunk:
                behind = (head - _CHUNK) & self._mask_of_slots()
                self.home.arena.give_back(self._control[SLOTS_AT] + 8 * behind, 8 * _CHUNK)
            tail = min(tail, head - into_chunk + _CHUNK)
        self._ready = tail
        return True

    def _mask_of_slots(self) -> int:
        mask: int = self._control[SLOTS] - 1
        return mask

    def _take_cargo(self, head: int, word: int) -> Any:
        """Take the item of this word. Called with the receivers' lock, which it gives back."""
        control, sender, data = self._control, 0, None
        try:
            if (word - _BASE) >> _KIND == _OFFER:
                sender, word = self._accept((word - _BASE) & _VALUE)
            if word < LEAST:
                word, data = self._unload(word)
            control[HEAD] = head + 1
        finally:
            self._free_receive()
        if sender > 0:
            self.home.ring(sender)
        elif self._bounded and control[SENDERS]:
            self.home.wake(self._at + SENDERS)
        if sender < 0:
            return _STALE
        return word if data is None else unpack(data) if type(data) is bytes else _CONSTANTS[word]

    def _accept(self, offer: int) -> tuple[int, int]:
        """Rendezvous: take an offer, if it still stands. Returns the sender's record (-1: withdrawn) and the word."""
        words, arena = self.home.words, self.home.arena
        sender = RECORDS_AT + RECORD_WORDS * (offer & ((1 << _SERIAL) - 1))
        if words[sender + OUTCOME] != _PENDING or words[sender + SERIAL] != offer >> _SERIAL:
            return -1, 0
        with arena.claim:
            arena.remove(sender)
        word = words[sender + ITEM]
        words[sender + SERIAL] += 1
        words[sender + OUTCOME] = _TAKEN
        return sender, word

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
        me = unit.parker().at
        with others, arena.claim:
            if not must_wait():
                return rung
            arena.push(self._at + waiters, me, front=rung)
        try:
            while unit.words[me + LIST]:
                if not unit.wait(until) and not unit.stop_waiting(me):
                    raise TimeoutError("nothing came in time" if waiters == RECEIVERS else "the channel stayed full")
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
        control, arena, words = self._control, self.home.arena, self.home.words
        with self._senders:
            if control[TAIL] >= CLOSED:
                return
            control[TAIL] |= CLOSED
        refused = []
        if self.capacity == 0:
            with self._receivers, arena.claim:
                while sender := arena.pop(self._at + SENDERS):
                    words[sender + SERIAL] += 1
                    words[sender + OUTCOME] = _REFUSED
                    refused.append(sender)
        for sender in refused:
            self.home.ring(sender)
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
        return f"<{self.kind} channel {self.name or self.number}>"

    def __reduce__(self) -> tuple[Callable[..., Channel], tuple[Any, ...]]:
        """A channel travels as (run, number) and nothing else."""
        return revive, (type(self), self.home.run, self.number)

    def detach(self) -> None:
        """The run is over: let go of its memory, and say so when used."""
        for view in (self._control, self._ring):
            view.release()
        self.__class__ = Outside  # type: ignore[assignment]

    # Items as words. Called with the lock of the side that it is for.

    def _load(self, item: Any) -> int | bytes:
        """An item as a word, or as bytes for the byte ring."""
        if type(item) is int and LEAST <= item < -_BASE:
            return item
        if item is None or type(item) is bool:
            return _word(_CONSTANT, _CONSTANTS.index(item))
        data = self.home.pack(item)
        return data if 4 * len(data) <= self._bytes_mask and self.capacity != 0 else self._own_block(data)

    def _own_block(self, cargo: int | bytes) -> int:
        if type(cargo) is int:
            return cargo
        arena = self.home.arena
        with arena.claim:
            at = arena.allocate(8 + len(cargo))
        self.home.words[at >> 3] = len(cargo)
        arena.bytes[at + 8 : at + 8 + len(cargo)] = cargo  # type: ignore[call-overload]
        return _word(_BLOCK, at)

    def _store(self, data: Any) -> int:
        """Put bytes into the byte ring, in one piece; into a block of their own if there is no room."""
        control, size = self._control, self._bytes_mask + 1
        at, need = control[BYTES_TAIL], 8 + (len(data) + 7 & -8)
        if (at & self._bytes_mask) + need > size:
            at = (at | self._bytes_mask) + 1
        margin = _BYTE_CHUNK if size > 2 * _BYTE_CHUNK else 0
        if at + need > control[BYTES_HEAD] + size - margin:
            return self._own_block(data)
        start = self._bytes_at + (at & self._bytes_mask)
        self.home.words[start >> 3] = len(data)
        self.home.arena.bytes[start + 8 : start + 8 + len(data)] = data
        control[BYTES_TAIL] = at + need
        return _word(_RECORD, at)

    def _unload(self, word: int) -> tuple[int, Any]:
        """What a word stands for: (value, bytes or a sign that it is a constant)."""
        kind, value = (word - _BASE) >> _KIND, (word - _BASE) & _VALUE
        if kind == _CONSTANT:
            return value, True
        arena, words = self.home.arena, self.home.words
        at = value if kind == _BLOCK else self._bytes_at + (value & self._bytes_mask)
        size = words[at >> 3]
        data = arena.get(at + 8, size)
        if kind == _BLOCK:
            with arena.claim:
                arena.free(at, 8 + size)
        else:
            self._release_bytes(value + 8 + (size + 7 & -8))
        return 0, data

    def _release_bytes(self, end: int) -> None:
        first = self._control[BYTES_HEAD] & -_BYTE_CHUNK
        if self._bytes_mask + 1 > 2 * _BYTE_CHUNK:
            for chunk in range(first, end & -_BYTE_CHUNK, _BYTE_CHUNK):
                self.home.arena.give_back(self._bytes_at + (chunk & self._bytes_mask), _BYTE_CHUNK)
        self._control[BYTES_HEAD] = end

    def _discard(self, cargo: int | bytes) -> None:
        """It was not sent: its block is free again."""
        if type(cargo) is int and cargo < LEAST and (cargo - _BASE) >> _KIND == _BLOCK:
            at, arena = (cargo - _BASE) & _VALUE, self.home.arena
            with arena.claim:
                arena.free(at, 8 + self.home.words[at >> 3])


class Outside(Channel):
    """What a channel turns into when its run is over."""

    kind = "border"
    __slots__ = ()

    def __init__(self) -> None:
        self._refuse()

    def _refuse(self, *_: object, **__: object) -> Any:
        raise RuntimeError("this channel belongs to a run that is over")

    send = send_nowait = receive = receive_nowait = close = __len__ = __reduce__ = _refuse  # type: ignore[assignment]
    __iter__ = __enter__ = _refuse  # type: ignore[assignment]
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
