"""Where a channel of the models with memory boundaries lies in the arena, and how an item becomes a word there.

    ... [ ] [word] [word] [word] [word] [ ] ...     positions count up for ever; the slot is position & mask
             HEAD                        TAIL

A small int is the word itself. Other words say where the pickled item lies: in the channel's byte ring (published
whole, in one piece), or, if there is no room or it is large, in a block of its own. Pages of both rings that have
been read go back to the system, so a stream of any length needs no more memory than what lies in it at a time.
"""

from _weakref import ref
from math import inf

from concmodels.errors import ChannelClosed
from concmodels.models.memory.arena import (
    CHANNEL_BYTES,
    CHANNEL_WORDS,
    CHANNELS,
    CHANNELS_AT,
    NEXT_CHANNEL,
)
from concmodels.models.memory.participant import Participant
from concmodels.models.memory.pickling import unpack_arrived
from concmodels.platform.memory import PAGE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, ClassVar, NoReturn

# A channel's words in the arena. What senders write and what receivers write lies on cache lines apart.
HEAD, BYTES_HEAD = 0, 1
TAIL, BYTES_TAIL = 8, 9
RECEIVERS, SENDERS = 16, 18  # lists
CAPACITY, SLOTS_AT, SLOTS, BYTES_AT, BYTES, NAME_AT, NAME_SIZE = range(24, 31)

CLOSED = 1 << 62
POSITION = CLOSED - 1

# A word of at least LEAST is an int; below are 32 kinds of other words with 56 bits each.
LEAST = -(1 << 62)
_BASE = -(1 << 63)
_KIND = 56
_VALUE = (1 << _KIND) - 1
_RECORD, _BLOCK, _CONSTANT = range(3)
CONSTANTS = (None, False, True)

# Pages go back in chunks. Senders stay one chunk behind the receivers, so that nobody writes where pages vanish.
_CHUNK = 1 << 15  # words
IN_CHUNK = _CHUNK - 1
_BYTE_CHUNK = 1 << 18
_SMALL_BYTES = 1 << 16


def word_of(kind: int, value: int) -> int:
    """Return the word of something that is no int."""
    return _BASE + (kind << _KIND) + value


def make(participant: Participant, capacity: float, name: str | None) -> int:
    """Lay out a new channel in the arena, and return its number. Raises `ValueError` and `MemoryError`."""
    if capacity != inf and (not isinstance(capacity, int) or capacity < 0):
        raise ValueError(f"capacity must be 0, a positive whole number or math.inf, not {capacity!r}")
    arena, words = participant.arena, participant.words
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
        )
        words[NEXT_CHANNEL] = number + 1
    at = CHANNELS_AT + CHANNEL_WORDS * number
    for offset, value in enumerate(layout, at + CAPACITY):
        words[offset] = value
    return number


def _sizes(capacity: float, most: int) -> tuple[int, int]:
    """Return how many slots and how many bytes a channel gets: powers of two."""
    if capacity == inf:
        return most // 8, most
    if capacity == 0:
        return PAGE // 8, PAGE  # nothing lies there: a rendezvous is two lists of waiters
    slots = _power(max(512, int(capacity)))
    if slots > _CHUNK:
        slots = _power(int(capacity) + _CHUNK)
    return slots, min(most, max(_SMALL_BYTES, 64 * slots))


def _power(number: int) -> int:
    return 1 << (number - 1).bit_length()


class ChannelMemory:
    """One participant's side of a channel: views of its words, its locks, and how items become words and back."""

    kind: ClassVar[str]

    __slots__ = (
        "__weakref__",
        "_at",
        "_bounded",
        "_bytes_at",
        "_bytes_mask",
        "_control",
        "_free_claim",
        "_free_receive",
        "_free_send",
        "_grab_claim",
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
        "_wait_claim",
        "_wait_receive",
        "_wait_send",
        "_words",
        "capacity",
        "home",
        "name",
        "number",
    )

    def _attach(self, participant: Participant, number: int) -> None:
        at = CHANNELS_AT + CHANNEL_WORDS * number
        control = self._control = participant.arena.part(at, CHANNEL_WORDS)
        self.home, self.number, self._at = participant, number, at
        capacity, slots, name = control[CAPACITY], control[SLOTS], control[NAME_SIZE]
        self.capacity: float = inf if capacity < 0 else capacity
        self.name = None if name < 0 else participant.arena.get(control[NAME_AT], name).decode()
        self._bounded = capacity > 0
        self._trims = slots > 2 * _CHUNK
        most = slots - _CHUNK if self._trims else slots
        self._most = min(capacity, most) if capacity > 0 else most
        self._bytes_at, self._bytes_mask = control[BYTES_AT], control[BYTES] - 1
        self._limit = self._ready = 0  # a send and a receive before these positions need no look at the other side
        self._take_locks(participant)
        self._ring = participant.arena.part(control[SLOTS_AT] >> 3, slots)
        self._mask = slots - 1
        participant.channels[number] = ref(self, lambda dead: participant.forget_channel(number, dead))

    def _take_locks(self, participant: Participant) -> None:
        senders, receivers = participant.arena.pair(self.number)
        self._senders, self._receivers = senders, receivers
        self._grab_send, self._wait_send, self._free_send = senders.acquire, senders.patient, senders.release
        self._grab_receive, self._wait_receive = receivers.acquire, receivers.patient
        self._free_receive = receivers.release
        claim = participant.arena.claim
        self._grab_claim, self._wait_claim, self._free_claim = claim.acquire, claim.patient, claim.release
        self._words = participant.words

    def _look(self, head: int) -> bool:
        """Return whether there is an item to take; on the way, give back the pages behind.

        The caller holds the receivers' lock.
        """
        tail = self._control[TAIL] & POSITION
        if head >= tail:
            return False
        if self._trims:
            into_chunk = head & (_CHUNK - 1)
            if head and not into_chunk:
                behind = (head - _CHUNK) & self._mask
                self.home.arena.give_back(self._control[SLOTS_AT] + 8 * behind, 8 * _CHUNK)
            tail = min(tail, head - into_chunk + _CHUNK)
        self._ready = tail
        return True

    def _refuse_closed(self) -> NoReturn:
        raise ChannelClosed(f"channel {self.name!r} is closed" if self.name else "the channel is closed")

    # Items as words. The caller holds the lock of its side where the byte ring is touched.

    def _load(self, item: Any) -> int | bytes:
        """Return an item as a word, or as bytes for the byte ring. Raises `CannotTravel`."""
        if type(item) is int and LEAST <= item < -_BASE:
            return item
        if item is None or type(item) is bool:
            return word_of(_CONSTANT, CONSTANTS.index(item))
        data = self.home.pack(item)
        return data if 4 * len(data) <= self._bytes_mask and self.capacity != 0 else self._own_block(data)

    def _own_block(self, payload: int | bytes) -> int:
        if isinstance(payload, int):
            return payload
        arena = self.home.arena
        with arena.claim:
            at = arena.allocate(8 + len(payload))
        self.home.words[at >> 3] = len(payload)
        arena.write(at + 8, payload)
        return word_of(_BLOCK, at)

    def _store(self, data: Any) -> int:
        """Put bytes into the byte ring, in one piece, or into a block of their own; return the word that says where."""
        control, size = self._control, self._bytes_mask + 1
        at, need = control[BYTES_TAIL], 8 + (len(data) + 7 & -8)
        if (at & self._bytes_mask) + need > size:
            at = (at | self._bytes_mask) + 1
        margin = _BYTE_CHUNK if size > 2 * _BYTE_CHUNK else 0
        if at + need > control[BYTES_HEAD] + size - margin:
            return self._own_block(data)
        start = self._bytes_at + (at & self._bytes_mask)
        self.home.words[start >> 3] = len(data)
        self.home.arena.write(start + 8, data)
        control[BYTES_TAIL] = at + need
        return word_of(_RECORD, at)

    def _unload(self, word: int) -> tuple[int, Any]:
        """Return what a word stands for: (0, its bytes), or for a constant (its number, True)."""
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

    def _item_of(self, word: int) -> Any:
        """Return the item of a word that was handed over in a record."""
        if word >= LEAST:
            return word
        return self._opened(*self._unload(word))

    @staticmethod
    def _opened(word: int, data: Any) -> Any:
        """Return the item itself, from what `_unload` has returned; with None for `data` the word is the item."""
        if type(data) is bytes:
            return unpack_arrived(data, "an item of this channel")
        return word if data is None else CONSTANTS[word]

    def _release_bytes(self, end: int) -> None:
        first = self._control[BYTES_HEAD] & -_BYTE_CHUNK
        if self._bytes_mask + 1 > 2 * _BYTE_CHUNK:
            for chunk in range(first, end & -_BYTE_CHUNK, _BYTE_CHUNK):
                self.home.arena.give_back(self._bytes_at + (chunk & self._bytes_mask), _BYTE_CHUNK)
        self._control[BYTES_HEAD] = end

    def _discard(self, payload: int | bytes) -> None:
        """Free the block of a payload that was not sent."""
        if type(payload) is int and payload < LEAST and (payload - _BASE) >> _KIND == _BLOCK:
            at, arena = (payload - _BASE) & _VALUE, self.home.arena
            with arena.claim:
                arena.free(at, 8 + self.home.words[at >> 3])
