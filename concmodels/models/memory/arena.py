"""The arena: all that the processes or interpreters of one run share, in one sparse file of memory.

    word 0        header: counters, free lists, the name of the locks
    RECORDS_AT    records, 32 words each: a task (its wait, its scope, its result), a group, a case of a select
    CHANNELS_AT   channels, 32 words each, on cache lines of their own
    HEAP_AT       bytes: the rings of the channels, and blocks for what does not fit there

The file is 4 TiB of addresses and costs nothing: a page exists from the first touch until `give_back`. Everything
in it is a 64-bit word, because a memoryview of format "q" reads and writes one in a single instruction.

The locks are POSIX semaphores opened by name, a fixed set per run: 64 pairs (a channel uses the pair of its number
modulo 64) and the *claim* lock, which guards every list, the records and the heap. A thread that takes several of them
takes them in this order: one of a channel's pair, then the claim lock. An uncontended pair of acquire and release costs
about 30 ns and is also the full memory fence between two processes (`platform/memory.py`).

    senders' lock    TAIL and what lies between HEAD and TAIL, while it is being written
    receivers' lock  HEAD and what lies behind it
    claim lock       NEXT, PREVIOUS, LIST, OUTCOME and CHOSEN of every record; the free lists; HEAP
    no lock          CANCELLED, CANCELS, ALERT, BROKEN, WAITING: single stores, each of which may be seen late

A word that is loaded without the lock under which it is stored says that something else is there by now: TAIL says that
an item is, STATE that a result is. Such words are stored and loaded through `ordered`, which keeps that order on every
processor, and all others through `words`.
"""

import time
from _pickle import PickleBuffer
from _thread import allocate_lock

from concmodels.platform import memory
from concmodels.platform.memory import PAGE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from mmap import mmap
    from typing import Any

PAIRS = 64
LOCK_NAME_WORDS = 16

# The header.
NEXT_CHANNEL, NEXT_RECORD, FREE_RECORD, HEAP, BROKEN, CANCELS, CHANNEL_BYTES = range(1, 8)
SPAWNED = 8  # a list: the tasks that are to be started
MAIN_AT, MAIN_SIZE, ASKED = range(10, 13)
LIMITS = 13  # not 0 once a group with a time limit was opened that the supervisor has not noted yet
FREE_BLOCKS = 16  # one list per power of two
ALERT = 14  # not 0 once a scope was cancelled or the run broken off, and while tasks are asked where they wait, which
# is a byte of its own (`lives/deadlocks.py`): while it is 0, a checkpoint has nothing else to look at
IN_FLIGHT = 62  # a list: the sockets that were pickled and have not arrived
SHARES, FREE_SHARE = 60, 61  # how many buffers were shared, and a list of entries that are free again
KEPT, TURN, WATCHED = 64, 65, 66  # free blocks that have kept their pages: bytes in all; see `Arena.free`
COLD_BLOCKS = 64  # as FREE_BLOCKS, for those whose pages went back; the smallest is of two pages, so from word 77 on
LOCK_NAMES = 128

RECORDS_AT, RECORD_WORDS, RECORDS = 1024, 32, 1 << 20
CHANNELS_AT, CHANNEL_WORDS, CHANNELS = RECORDS_AT + RECORD_WORDS * RECORDS, 32, 1 << 20
HEAP_AT = -(-(CHANNELS_AT + CHANNEL_WORDS * CHANNELS) * 8 // PAGE) * PAGE

# A record, whatever it is for. A record is in at most one list; LIST is 0 when it is in none. A select waits in several
# lists: it has a record per case, and their OWNER is the record of the task, whose waker is woken.
WAKER, OUTCOME, CHOSEN, ITEM, NEXT, PREVIOUS, LIST, OWNER = range(8)
CANCELLED, PARENT, STATE, BLOCK, SIZE, LIVE, WAITERS = range(8, 15)
WAITING, ANSWERED, PLACE_AT, PLACE_SIZE = range(16, 20)  # for finding deadlocks
EXPENDABLE = 20  # a worker of a pool: the run goes on without it
HELD = 21  # the block of the item that this task is sending or reading, and that no other task knows
NUMBER = 24  # of the last rendezvous of this task, the same for both, if they are numbered
UNTIL, STRUCK = 22, 23  # when the time of a group is over, in ns, and whether that has cancelled it

# What the OUTCOME of a wait says. 0: no partner can claim it (the task only waits to be woken, or not at all).
PENDING, TAKEN, REFUSED = 1, 2, 3

_SMALLEST_BLOCK = 8  # 256 bytes, as a power of two ...
_WHOLE_PAGE = PAGE.bit_length() - 1  # ... and the smallest that has a page of its own
_PATIENCE_S = 0.1

IDLE_S = 1.0
"""The pages of an unused block go back to the system after at least so many seconds, and at most twice as many."""


class Cancelled(BaseException):
    """Raised where a cancelled task waits. If the task swallows it, the next wait raises it again."""


class Lock:
    """One semaphore of the run.

    `acquire(False) or patient()` takes it: the hot paths write that out, the others use `with`. `release` is a full
    fence, too: what its thread loads afterwards comes after all that it has stored before. `release_only` is none.
    """

    __slots__ = ("acquire", "patient", "release", "release_only")

    def __init__(self, arena: Arena, semaphore: Any) -> None:
        self.acquire = semaphore.acquire
        self.release = memory.releasing(semaphore)
        self.release_only = semaphore.release

        def patient() -> bool:
            # Never without a timeout: the holder may have been killed, and a semaphore does not notice that. When the
            # supervisor has noticed, it sets BROKEN.
            while not semaphore.acquire(True, _PATIENCE_S):
                arena.while_patient()
                if arena.words[BROKEN]:
                    raise Cancelled("a process of this run was killed, maybe while it held a lock")
            return True

        self.patient = patient

    def __enter__(self) -> None:
        self.acquire(False) or self.patient()

    def __exit__(self, *_: object) -> None:
        self.release()


class Arena:
    """One participant's view of the shared memory. Addresses in `words` count words, those in `bytes` bytes."""

    def __init__(self, fd: int, view: memoryview, mapping: mmap | None = None) -> None:
        self.fd = fd
        self.bytes = view
        self.words: memoryview = view.cast("q")
        self.ordered = memory.ordered(self.words)
        self._mapping = mapping
        self._slicing = allocate_lock()  # without the GIL, one view must not be sliced by two threads at a time
        self._pairs: dict[int, tuple[Lock, Lock]] = {}
        self._semaphores: list[Any] = []
        self.while_patient: Callable[[], object] = bool  # called now and then while a thread waits long for a lock
        self.ask_to_watch: Callable[[], object] = bool  # has the supervisor look for idle blocks
        self.claim: Lock = None  # type: ignore[assignment] # set by `open_locks`

    @staticmethod
    def create() -> Arena:
        """Make a new arena, all zeros. Raises `MemoryError` if there is no address space for it."""
        fd = memory.new_file()
        for size in memory.SIZES:
            try:
                arena = Arena.attach(fd, size)
            except OSError, MemoryError:
                continue  # an address space limit (ulimit -v): a smaller one may do
            arena.words[HEAP] = HEAP_AT
            arena.words[NEXT_CHANNEL] = arena.words[NEXT_RECORD] = 1
            return arena
        memory.close_file(fd)
        raise MemoryError("no address space for the run's shared memory: raise `ulimit -v`")

    @staticmethod
    def attach(fd: int, size: int = 0) -> Arena:
        """Map an arena into this process: an existing one, or with a size a new one."""
        mapping = memory.attach(fd, size)
        return Arena(fd, memoryview(mapping), mapping)

    def open_locks(self) -> None:
        """Open the claim lock; the pairs are opened when a channel needs them."""
        self.claim = self._open_lock(2 * PAIRS)

    def pair(self, channel: int) -> tuple[Lock, Lock]:
        """Return the senders' and the receivers' lock of a channel."""
        number = channel % PAIRS
        if number not in self._pairs:
            self._pairs[number] = self._open_lock(2 * number), self._open_lock(2 * number + 1)
        return self._pairs[number]

    def _open_lock(self, number: int) -> Lock:
        name = self.get(8 * LOCK_NAMES, 8 * LOCK_NAME_WORDS).rstrip(b"\0").decode() + str(number)
        semaphore = memory.open_semaphore(name)
        self._semaphores.append(semaphore)
        return Lock(self, semaphore)

    def name_locks(self, prefix: str) -> None:
        """Write down what the names of the run's semaphores begin with; every participant opens them by number."""
        self.write(8 * LOCK_NAMES, prefix.encode())
        self.open_locks()

    # Records and blocks. The caller holds the claim lock.

    def new_record(self) -> int:
        """Return the address of a new record; all its words are 0, but for the waker of one that was used before."""
        words = self.words
        at = words[FREE_RECORD]
        if at:
            words[FREE_RECORD] = words[at + NEXT]
            for field in range(OUTCOME, RECORD_WORDS):  # others may still know its waker: it stays the same
                words[at + field] = 0
            return at
        number = words[NEXT_RECORD]
        if number == RECORDS:
            raise MemoryError(f"a run has room for {RECORDS} tasks and groups at a time")
        words[NEXT_RECORD] = number + 1
        return RECORDS_AT + RECORD_WORDS * number

    def free_record(self, at: int) -> None:
        """Give a record back."""
        self.words[at + NEXT] = self.words[FREE_RECORD]
        self.words[FREE_RECORD] = at

    def reserve(self, size: int) -> int:
        """Return the address of whole pages that are never freed; they cost nothing until they are touched."""
        at = self.words[HEAP]
        end = at + -(-size // PAGE) * PAGE
        if end > len(self.bytes):
            raise MemoryError("the run's shared memory has no addresses left: it holds too many or too large channels")
        self.words[HEAP] = end
        return at

    def allocate(self, size: int) -> int:
        """Return a block of at least `size` bytes. Blocks are powers of two, so that any of them can be used again."""
        power = max(_SMALLEST_BLOCK, (size - 1).bit_length())
        words = self.words
        at = words[FREE_BLOCKS + power]
        if at:
            words[FREE_BLOCKS + power] = words[at >> 3]
            if power > _WHOLE_PAGE:
                words[KEPT] -= 1 << power
            return at
        if power >= _WHOLE_PAGE:
            return self._allocate_pages(power)
        at = self.reserve(PAGE)
        for rest in range(at + (1 << power), at + PAGE, 1 << power):
            self._push_block(rest, FREE_BLOCKS + power)
        return at

    def _allocate_pages(self, power: int) -> int:
        at = self.words[COLD_BLOCKS + power] if power > _WHOLE_PAGE else 0
        if not at:
            return self.reserve(1 << power)
        self.words[COLD_BLOCKS + power] = self.words[at >> 3]
        return at

    def free(self, at: int, size: int, *, keep: bool = True) -> None:
        """Give a block back. One of several pages keeps them for the next that needs it, or gives them to the system.

        Faulting a megabyte in again takes about thirty times as long as copying it: while blocks were given back at
        once, a message of 1 MB took 2.2 ms; now it takes 0.1. So free blocks keep their pages, together no more than
        one channel may have (`channel_bytes`), and no longer than about a second: the supervisor gives back what was
        not used meanwhile (`give_back_idle`).
        """
        power = max(_SMALLEST_BLOCK, (size - 1).bit_length())
        words, blocks = self.words, FREE_BLOCKS
        if power > _WHOLE_PAGE:
            if keep and words[KEPT] + (1 << power) <= words[CHANNEL_BYTES]:
                words[KEPT] += 1 << power
                words[(at >> 3) + 1] = words[TURN]
                if not words[WATCHED]:
                    words[WATCHED] = 1
                    self.ask_to_watch()
            else:
                self._give_back_block(at, power)
                blocks = COLD_BLOCKS
        self._push_block(at, blocks + power)

    def _give_back_block(self, at: int, power: int) -> None:
        """Give back the pages of a block, all but the first: it holds the link."""
        self.give_back(at + PAGE, (1 << power) - PAGE)

    def _push_block(self, at: int, blocks: int) -> None:
        self.words[at >> 3] = self.words[blocks]
        self.words[blocks] = at

    def give_back_idle(self) -> None:
        """Give back the pages of free blocks that were not used in the last turn, and begin another turn.

        The supervisor calls this once in `IDLE_S`, while WATCHED says that there are such blocks.
        """
        words, idle = self.words, []
        with self.claim:
            for power in range(_WHOLE_PAGE + 1, len(self.bytes).bit_length()):
                idle += [(at, power) for at in self._cut_idle(FREE_BLOCKS + power)]
            words[KEPT] -= sum(1 << power for _, power in idle)
            words[TURN] += 1
            words[WATCHED] = bool(words[KEPT])
        for at, power in idle:  # without the lock: each is a system call
            self._give_back_block(at, power)
        with self.claim:
            for at, power in idle:
                self._push_block(at, COLD_BLOCKS + power)

    def _cut_idle(self, blocks: int) -> list[int]:
        """Cut off what was put into this list before this turn, and return it. New ones come in front."""
        words, before, at = self.words, blocks, self.words[blocks]
        while at and words[(at >> 3) + 1] == words[TURN]:
            before, at = at >> 3, words[at >> 3]
        words[before] = 0
        idle = []
        while at:
            idle.append(at)
            at = words[at >> 3]
        return idle

    def put(self, data: bytes) -> int:
        """Copy bytes into a block of their own, and return its address."""
        at = self.allocate(len(data))
        self.write(at, data)
        return at

    def get(self, at: int, size: int) -> bytes:
        """Copy bytes out of the arena."""
        with self._slicing:
            return self.bytes[at : at + size].tobytes()

    def write(self, at: int, data: bytes | bytearray | memoryview) -> None:
        """Copy bytes into the arena."""
        with self._slicing:
            self.bytes[at : at + len(data)] = data

    def part(self, first: int, count: int) -> memoryview:
        """Return a view of these words, to keep."""
        with self._slicing:
            return self.words[first : first + count]

    def view(self, at: int, size: int) -> memoryview:
        """Return a view of these bytes, cut from a view of its own: no other thread slices that."""
        with self._slicing:
            source = PickleBuffer(self.bytes) if self._mapping is None else self._mapping
            return memoryview(source)[at : at + size]

    def give_back(self, at: int, size: int) -> None:
        """Return whole pages to the system, if it can take them back."""
        memory.give_back(self._mapping, self.fd, at, size)

    # Lists of waiters: two words, first and last. The caller holds the claim lock.

    def push(self, at: int, record: int, *, front: bool = False) -> None:
        """Put a record into the list at this address."""
        words = self.words
        near, far, ahead, back = (at, at + 1, PREVIOUS, NEXT) if front else (at + 1, at, NEXT, PREVIOUS)
        end = words[near]
        words[record + back], words[record + ahead] = end, 0
        words[end + ahead if end else far] = record
        words[near] = record
        words[record + LIST] = at

    def remove(self, record: int) -> bool:
        """Take a record out of the list it is in; return False if it is in none, because another task popped it."""
        words = self.words
        at = words[record + LIST]
        if not at:
            return False
        before, after = words[record + PREVIOUS], words[record + NEXT]
        words[before + NEXT if before else at] = after
        words[after + PREVIOUS if after else at + 1] = before
        words[record + LIST] = 0
        return True

    def pop(self, at: int) -> int:
        """Take the first record out of a list; return 0 if the list is empty."""
        record: int = self.words[at]
        if record:
            self.remove(record)
        return record

    def owner(self, record: int) -> int:
        """Return the record of the task that waits with this one: itself, or for a case of a select the task's."""
        return self.words[record + OWNER] or record

    def first_to_claim(self, at: int) -> int:
        """Return the first record of a list whose wait is not claimed; those before it are taken out of the list.

        A select is claimed through one of its records; the others stay in their lists until it leaves them.
        """
        words = self.words
        while record := words[at]:
            if words[self.owner(record) + OUTCOME] == PENDING:
                return int(record)
            self.remove(record)
        return 0

    def claim_first(self, at: int, outcome: int = TAKEN) -> tuple[int, int]:
        """Claim the first wait of a list and take out its record; return that and the one to notify, or (0, 0).

        Once the claim lock is free, the record may be gone at any time: the claimed task may notice by itself, before
        it is notified.
        """
        record = self.first_to_claim(at)
        if not record:
            return 0, 0
        owner = self.owner(record)
        self.words[owner + OUTCOME], self.words[owner + CHOSEN] = outcome, record
        self.remove(record)
        return record, owner

    def close(self, *, last: bool = False, seen: Iterable[tuple[int, int]] = ()) -> None:
        """Unmap the arena. The last participant gives all memory back, but for what the program still sees (from, to).

        What the program sees stays valid until it has let go of it.
        """
        if last:
            size, at = len(self.bytes), 0
            for start, end in sorted((*seen, (size, size))):
                if start // PAGE * PAGE > at:
                    self.give_back(at, start // PAGE * PAGE - at)
                at = max(at, -(-end // PAGE) * PAGE)
        for semaphore in self._semaphores:
            memory.close_semaphore(semaphore)
        try:
            self.words.release()
            self.bytes.release()
            if self._mapping is not None:
                self._mapping.close()
        except BufferError:
            pass  # a thread of the program is still inside a channel: only addresses are lost, the pages are gone


def deadline(timeout: float | None) -> float | None:
    """Return the moment when a timeout expires. Raises `TypeError` or `ValueError` if it is no number."""
    if timeout is None:
        return None
    from concmodels.models.waiting.timeouts import must_be_seconds  # 300 children would import it, and few need it

    return time.monotonic() + must_be_seconds(timeout)
