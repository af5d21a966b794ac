"""Where a channel of the models with memory boundaries lies in the arena, and how an item becomes a word there.

    ... [ ] [word] [word] [word] [word] [ ] ...     positions count up for ever; the slot is position & mask
             HEAD                        TAIL

A small int is the word itself. Other words say where the pickled item lies: in the channel's byte ring (published
whole, in one piece), or, if there is no room or it is large, in a block of its own (`large.py`). Pages of both rings
that have been read go back to the system, so a stream of any length needs no more memory than what lies in it at a
time. A byte ring that has been read to its end begins again at its first page: in a stream whose receiver keeps up,
the same few pages are used again and again, and none has to be faulted in.
"""

from _weakref import ref
from math import inf

from concmodels.errors import ChannelClosed
from concmodels.models.memory.arena import (
    CHANNEL_BYTES,
    CHANNEL_WORDS,
    CHANNELS,
    CHANNELS_AT,
    HELD,
    NEXT_CHANNEL,
)
from concmodels.models.memory.channels.words import (
    BASE,
    BLOCK,
    CONSTANT,
    CONSTANTS,
    LEAST,
    RAW,
    RECORD,
    RECORDS,
    kind_of,
    word_of,
)
from concmodels.models.memory.participant import Participant
from concmodels.models.memory.pickling import unpack_arrived
from concmodels.platform.memory import IS_ORDERED, PAGE, ordered

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

# Pages go back in chunks. Senders stay one chunk behind the receivers, so that none writes where pages vanish.
_CHUNK = 1 << 15  # words
IN_CHUNK = _CHUNK - 1 if IS_ORDERED else 0
"""The bits of a position in its chunk. Where loads have to be ordered, none: `_look` sees many items by one fence."""

_BYTE_CHUNK = 1 << 18
_SMALL_BYTES = 1 << 16
_STRETCH = 1 << 16  # bytes after which a sender looks whether all was read, and the byte ring can begin again
LARGE, LARGE_BESIDE_WARM = 1 << 12, 1 << 14  # bytes: what has more lies in a block of its own. Getting and freeing a
# block takes about as long as faulting in a page; a byte ring that is small and never gives pages back is faster


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
        "_bytes",
        "_bytes_at",
        "_bytes_limit",
        "_bytes_mask",
        "_control",
        "_free_claim",
        "_free_receive",
        "_free_send",
        "_grab_claim",
        "_grab_receive",
        "_grab_send",
        "_in_pieces",
        "_large",
        "_limit",
        "_mask",
        "_most",
        "_most_bytes",
        "_ordered",
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
        self._ordered = ordered(control)
        self.home, self.number, self._at = participant, number, at
        capacity, slots, name = control[CAPACITY], control[SLOTS], control[NAME_SIZE]
        self.capacity: float = inf if capacity < 0 else capacity
        self.name = None if name < 0 else participant.arena.get(control[NAME_AT], name).decode()
        self._bounded = capacity > 0
        self._trims = slots > 2 * _CHUNK
        most = slots - _CHUNK if self._trims else slots
        self._most = min(capacity, most) if capacity > 0 else most
        self._bytes_at, self._bytes_mask = control[BYTES_AT], control[BYTES] - 1
        # A send and a receive before these positions need no look at the other side.
        self._limit = self._ready = self._bytes_limit = 0
        self._large = LARGE_BESIDE_WARM if capacity and self._bytes_mask < 2 * _BYTE_CHUNK else LARGE
        self._most_bytes = min(self._large, self._bytes_mask >> 2) if capacity else -1  # of an item in the byte ring
        self._in_pieces = False  # whether the last item was large, and the next may be so too
        self._take_locks(participant)
        self._ring = participant.arena.part(control[SLOTS_AT] >> 3, slots)
        self._bytes = participant.arena.view(control[BYTES_AT], control[BYTES])
        self._mask = slots - 1
        participant.channels[number] = ref(self, lambda dead: participant.forget_channel(number, dead))

    def _take_locks(self, participant: Participant) -> None:
        senders, receivers = participant.arena.pair(self.number)
        self._senders, self._receivers = senders, receivers
        self._grab_send, self._wait_send, self._free_send = senders.acquire, senders.patient, senders.release
        self._grab_receive, self._wait_receive = receivers.acquire, receivers.patient
        # No fence: a sender looks at HEAD under this lock before it waits for room.
        self._free_receive = receivers.release_only
        claim = participant.arena.claim
        self._grab_claim, self._wait_claim, self._free_claim = claim.acquire, claim.patient, claim.release
        self._words = participant.words

    def _look(self, head: int) -> bool:
        """Return whether there is an item to take; on the way, give back the pages behind.

        The caller holds the receivers' lock.
        """
        tail = self._ordered[TAIL] & POSITION
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

    def describe(self, sending: bool) -> str:
        """Describe what a task that sends or receives here is doing."""
        label = f"channel {self.name!r}" if self.name else "a channel without a name"
        return f"{'send' if sending else 'receive'} on {label}"

    def _refuse_closed(self, sending: bool) -> NoReturn:
        raise ChannelClosed(f"{self.describe(sending)}: it is closed")

    def not_in_time(self, sending: bool) -> TimeoutError:
        """Return the error of a task that could not send or receive in time."""
        return TimeoutError(f"{self.describe(sending)} timed out")

    def would_wait(self, sending: bool) -> TimeoutError:
        """Return the error of a task that would have to wait, and whose timeout is 0."""
        return TimeoutError(f"{self.describe(sending)} would have to wait")

    # Items as words. The caller holds the lock of its side where the byte ring is touched.

    def _load(self, item: Any) -> int | bytes:
        """Return an item as a word, or as bytes for the byte ring. Raises `CannotTravel`."""
        kind = type(item)
        if type(item) is int and LEAST <= item < -BASE:
            return item
        if item is None or kind is bool:
            return word_of(CONSTANT, CONSTANTS.index(item))
        if self._in_pieces or (kind in (bytes, bytearray) and len(item) > self._large):
            return self._load_large(item)
        return self._placed(self.home.pack(item))

    def _load_large(self, item: Any) -> int | bytes:
        from concmodels.models.memory.channels import large  # most children never need it

        if type(item) in (bytes, bytearray) and len(item) > self._large:
            try:
                return large.write_bytes(self.home, item)
            except ValueError:
                pass  # another thread has resized the bytearray; pickle takes it in one step
        payload = large.write_in_pieces(self.home, item, self._large)
        if isinstance(payload, bytes):
            self._in_pieces = False
            return self._placed(payload)
        return payload

    def _placed(self, data: bytes) -> int | bytes:
        """Return what was pickled: itself if it is for the byte ring, or the word of a block."""
        if len(data) <= self._most_bytes:
            return data
        self._in_pieces = len(data) > self._large
        return self._own_block(data)

    def _own_block(self, data: bytes) -> int:
        return word_of(BLOCK, self.home.write_block(len(data), [(0, data)]))

    def _store(self, data: bytes) -> int:
        """Put bytes into the byte ring, in one piece, or into a block of their own; return the word that says where."""
        control, size = self._control, self._bytes_mask + 1
        at, need, trims = control[BYTES_TAIL], 8 + (len(data) + 7 & -8), size > 2 * _BYTE_CHUNK
        if trims and at >= _STRETCH and at == control[BYTES_HEAD]:
            at = self._begin_again(at)
        if (at & self._bytes_mask) + need > size:
            at = (at | self._bytes_mask) + 1
        free_to = self._ordered[BYTES_HEAD] + size - (_BYTE_CHUNK if trims else 0)
        if at + need > free_to:
            return self._own_block(data)
        place = at & self._bytes_mask
        self.home.words[self._bytes_at + place >> 3] = len(data)
        self._bytes[place + 8 : place + 8 + len(data)] = data
        control[BYTES_TAIL] = at + need
        # How far `Channel._send_other` may go without a look at BYTES_HEAD: as far as it is free now. Where positions
        # may begin again, only before the end of the ring is first reached: so far it is free, whatever was read.
        end = (at + need | _STRETCH - 1) + 1
        self._bytes_limit = min(end, size - _BYTE_CHUNK) if trims else min(free_to, (at | self._bytes_mask) + 1)
        return word_of(RECORD, at)

    def _begin_again(self, at: int) -> int:
        """Begin the byte ring anew, which has been read to its end, and give back the last pages that were used.

        BYTES_HEAD is the receivers', but they touch neither it nor the ring before they find another record.
        """
        if chunk := at & self._bytes_mask & -_BYTE_CHUNK:
            self.home.arena.give_back(self._bytes_at + chunk, _BYTE_CHUNK)
        self._control[BYTES_HEAD] = self._control[BYTES_TAIL] = 0
        return 0

    def _unload(self, word: int) -> bytes | None:
        """Return the bytes of a record, and free their place; return None for a word of another kind.

        A block is the calling task's from here on.
        """
        if word >= RECORDS[1]:
            kind, value = kind_of(word)
            if kind != CONSTANT and word < LEAST:
                self.home.words[self.home.wait_slot().at + HELD] = value
            return None
        at, control = word - BASE, self._control
        place = at & self._bytes_mask
        size = self._words[self._bytes_at + place >> 3]
        data = self._bytes[place + 8 : place + 8 + size].tobytes()
        end = at + 8 + (size + 7 & -8)
        if self._bytes_mask >= 2 * _BYTE_CHUNK and (end ^ control[BYTES_HEAD]) >= _BYTE_CHUNK:
            for chunk in range(control[BYTES_HEAD] & -_BYTE_CHUNK, end & -_BYTE_CHUNK, _BYTE_CHUNK):
                self.home.arena.give_back(self._bytes_at + (chunk & self._bytes_mask), _BYTE_CHUNK)
        self._ordered[BYTES_HEAD] = end
        return data

    def _item_of(self, word: int) -> Any:
        """Return the item of a word that was handed over in a record of the arena."""
        return self._opened(word, None)

    def _opened(self, word: int, data: bytes | None) -> Any:
        """Return the item itself, from its word and what `_unload` has returned. Raises `CannotTravel`."""
        if word >= LEAST:
            return word
        if data is None:
            kind, at = kind_of(word)
            if kind == CONSTANT:
                return CONSTANTS[at]
            size = self.home.words[at >> 3]
            if kind != RAW and (kind != BLOCK or size > LARGE):
                from concmodels.models.memory.channels import large

                return large.read(self.home, kind, at)
            try:
                data = self.home.arena.get(at + 8, size)
            finally:
                self.home.free_block(at)
            if kind == RAW:
                return data
        return unpack_arrived(data, "an item of this channel")

    def _discard(self, payload: int | bytes) -> None:
        """Free the block of a payload that was not sent."""
        if type(payload) is int and payload < LEAST:
            kind, at = kind_of(payload)
            if kind != CONSTANT:
                self.home.free_block(at)
