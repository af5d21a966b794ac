"""A worker's memory: the part of the arena in which a pool gives it batches of tasks and finds the results.

    the pool writes    GIVEN, CLOSING, HEAD, WATCHED    two slots for batches                         ──►  the worker
    the worker writes  BEGUN, ENDED, LEFT, TAIL, WAITS    results: a word per task    ring: pickled bytes  ──►  the pool

Each word has one writer, and no lock is taken on either side. So a worker that is killed, whatever it was doing, leaves
nothing locked and nothing half done: ENDED tasks have their results here, one more has begun if BEGUN is ahead of it,
and no other has.

The tasks of a worker are numbered from 1 on, those of its n-th batch from n * MOST + 1 on. Before each task the worker
writes that it is BEGUN, and then looks whether the batch still reaches that far; the pool takes the end of a batch back
by writing a nearer STOP, and then looks how far the worker has begun. Both put a fence between the two steps, so at
least one of them sees the other: no task is begun by two workers.

A result is one word. A small int is itself; None, False and True are constants; of what is pickled, results and
exceptions, the word is the size. The bytes follow each other in the ring, in the order of the tasks, those of each in
one piece if the ring is large enough (`begin_of`), so that the pool unpickles them where they lie. What does not fit
there passes through piece by piece: the worker says that it is STUCK, and waits until the pool has read.

A side that looks into this memory anyway need not be woken. The worker says that it WAITS before it looks for a batch
for the last time and blocks; the pool gives a batch, and then looks whether the worker waits. A caller that waits for
its result may look at LEFT itself (`looking.py`), and says so in WATCHED; when it stops, it says that first, and then
looks once more. The worker leaves a batch, and then looks whether it is watched. Here too there is a fence between the
two steps of each side.
"""

from concmodels.models.memory.channels.words import CONSTANTS, word_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from concmodels.models.memory.arena import Arena

# The pool writes these ...
GIVEN, CLOSING, HEAD, RING, WATCHED = range(5)
# ... and the worker those, on a cache line of their own. TOOK_NS is two words, one per slot. WAITS changes seldom.
BEGUN, ENDED, LEFT, TAIL, STUCK, READY, TOOK_NS = range(8, 15)
WAITS = 24

READY_TO_WORK, UNFIT = 1, 2
"""What READY says, once the initializer was called."""

SLOTS, SLOTS_AT, SLOT_WORDS = 2, 16, 4
STOP, PAYLOAD_AT, PAYLOAD_SIZE, UNREAD = range(4)
"""UNREAD is the worker's: the number of the batch, from 1 on, says that the worker could not unpickle it, and has begun
none of it. BEGUN and ENDED don't say so: they go on with the batch behind it."""

RESULTS_AT, MOST = 32, 1 << 12
"""MOST is the most tasks of one batch: enough for a millisecond of the emptiest. (Linux moves no task that has run in
the last half millisecond to an idle core: with shorter batches, all workers and the caller were seen to share one.)"""

_CALLS_AT = RESULTS_AT + SLOTS * MOST
SMALL_CALL = 1 << 10
"""Bytes for a small call, in each slot: it needs no block."""

WORDS = _CALLS_AT + SLOTS * SMALL_CALL // 8
_RING_BYTES = 1 << 20

NONE, FALSE, TRUE = (word_of(2, number) for number in range(len(CONSTANTS)))
RESULTS, RAISED = 8, 16  # kinds of words: those of a channel's blocks, from RESULTS on, and for exceptions


def slot(sequence: int) -> int:
    """Return where the slot of a batch is in the worker's memory."""
    return SLOTS_AT + sequence % SLOTS * SLOT_WORDS


def small_call_at(sequence: int) -> int:
    """Return where in the worker's memory, in bytes, a small call lies."""
    return 8 * _CALLS_AT + sequence % SLOTS * SMALL_CALL


def result_at(number: int) -> int:
    """Return where the result of the task with this number is."""
    return RESULTS_AT + (number - 1) % (SLOTS * MOST)


def begin_of(position: int, size: int, ring: int) -> int:
    """Return where the next result begins: at this position, or at the ring's start if it is to lie in one piece."""
    return position + ring - position % ring if size <= ring < position % ring + size else position


def make(arena: Arena, most: int) -> int:
    """Set up a worker's memory, whose ring has at most so many bytes; return its address.

    The caller holds the claim lock.
    """
    ring = min(most, _RING_BYTES)
    at = arena.allocate(8 * WORDS + ring)
    words = arena.words
    for number in range(at >> 3, (at >> 3) + RESULTS_AT):
        words[number] = 0
    words[(at >> 3) + RING] = ring
    return at


def clear(arena: Arena, at: int) -> None:
    """Give a worker's memory back. The caller holds the claim lock."""
    arena.free(at, 8 * WORDS + arena.words[(at >> 3) + RING])
