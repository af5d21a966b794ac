"""A worker's memory: the part of the arena in which a pool gives it work and finds the results.

    the pool writes      GIVEN ──────────────►  batches [slot][slot][slot][slot]        ──►  the worker reads
    the pool reads       results [word][word] ...      area: pickled results            ◄──  the worker writes

No lock is taken on either side: each word has one writer. So a worker that is killed, whatever it was doing, leaves
nothing locked and nothing half done: what it has published is there, what it was in is BEGUN - 1, and everything after
that has not begun.

The tasks of one worker are numbered from 0 on, without end. A batch is a range of numbers. Before each task the worker
writes that it is begun, and then looks whether the batch still reaches that far; the pool takes the end of a batch back
by writing a nearer STOP, and then looks how far the worker has begun. Both put a fence between the two steps, so at
least one of them sees the other: no task is begun by two workers.

A result is one word: a small int is itself, None, False and True are constants, everything else is pickled and lies in
the area (`AT`), or in a block of its own if it is larger than that (`BLOCK_AT`). Exceptions likewise. Only the pool
makes blocks, for that takes a lock: the worker ASKs, and waits until it is ANSWERED.
"""

from concmodels.models.memory.channel_layout import CONSTANTS, LEAST, word_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from concmodels.models.memory.arena import Arena

# The pool writes these ...
GIVEN, CLOSING, FREED, AREA_AT, AREA_SIZE, MODEL, ANSWERED = range(7)
# ... and the worker those, on a cache line of their own.
BEGUN, TAKEN, STORED, READY, NEED, ASKED = range(8, 14)

# The slots of the batches.
DEPTH, SLOTS_AT, SLOT_WORDS = 4, 16, 8
START, STOP, PAYLOAD_AT, PAYLOAD_SIZE, FORM, TOOK_NS, UNREADABLE = range(7)

ITEMS, TUPLES, CALLS = range(3)
"""The FORM of a payload: items for one function, tuples of its arguments, or calls with functions of their own."""

RESULTS_AT, RESULTS = 64, 1 << 14
MASK = RESULTS - 1
WORDS = RESULTS_AT + RESULTS
MOST = RESULTS // DEPTH
"""The most tasks of one batch: enough for a millisecond of the emptiest. (Linux moves no task that has run in the last
half millisecond to an idle core: with shorter batches, all workers and the caller were seen to share one.)"""

EMPTY = -(1 << 63)
AT, ERROR_AT, BLOCK_AT, ERROR_BLOCK_AT = range(8, 12)  # kinds of words, beside those of a channel
NONE, FALSE, TRUE = (word_of(2, number) for number in range(len(CONSTANTS)))
_KIND_BITS = 56


def kind_of(word: int) -> tuple[int, int]:
    """Return the kind of a word below LEAST, and its value."""
    return (word - EMPTY) >> _KIND_BITS, (word - EMPTY) & ((1 << _KIND_BITS) - 1)


def word_for(value: object) -> int | None:
    """Return the word that is this result, or None if it must be pickled."""
    if value is None:
        return NONE
    if value is True or value is False:
        return TRUE if value else FALSE
    if type(value) is int and LEAST <= value < 1 << 63:
        return value
    return None


def slot(sequence: int) -> int:
    """Return where the slot of a batch is in the worker's memory."""
    return SLOTS_AT + sequence % DEPTH * SLOT_WORDS


def make(arena: Arena, area: int) -> int:
    """Set up a worker's memory, and return its address. The caller holds the claim lock."""
    at = arena.allocate(8 * WORDS)
    area_at = arena.allocate(area)
    words = arena.part(at >> 3, WORDS)
    for number in range(RESULTS_AT):
        words[number] = 0
    words[RESULTS_AT:] = _empties
    words[AREA_AT], words[AREA_SIZE] = area_at, area
    words.release()
    return at


def clear(arena: Arena, at: int) -> None:
    """Give a worker's memory back. The caller holds the claim lock."""
    words = arena.words
    area_at, area = words[(at >> 3) + AREA_AT], words[(at >> 3) + AREA_SIZE]
    arena.free(area_at, area)
    arena.free(at, 8 * WORDS)


_empties = memoryview(EMPTY.to_bytes(8, "little", signed=True) * RESULTS).cast("q")
empties = _empties
"""As many EMPTY words as a worker's memory has results."""
