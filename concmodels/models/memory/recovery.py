"""A worker of a pool was killed: what it may have left behind in the memory of the run.

A process can be killed at any moment, also while it holds a lock; then what the lock guards may be half done, and the
run can't go on. Whoever dies without a lock leaves at most a name in a list of those who wait: that is taken out, and
as it may just have been rung, everybody else who waits is rung in its place. A ring too many does no harm.
"""

from concmodels.models.memory.arena import (
    CANCELLED,
    CHANNEL_WORDS,
    CHANNELS_AT,
    LIST,
    NEXT_CHANNEL,
    NEXT_RECORD,
    OWNER,
    PAIRS,
    RECORD_WORDS,
    RECORDS_AT,
    Arena,
)
from concmodels.models.memory.channel_layout import CAPACITY, RECEIVERS, SENDERS
from concmodels.models.memory.group import DIED, cancel, finish
from concmodels.models.memory.participant import Unit

_PATIENCE_S = 1.0
"""A lock is held for microseconds. One that can't be had for so long was held by the dead."""


def locks_are_free(arena: Arena) -> bool:
    """Whether every lock of the run can be had: then the dead held none."""
    locks = [arena.claim, *(lock for number in range(PAIRS) for lock in arena.pair(number))]
    for lock in locks:
        if not (lock.acquire(False) or lock.acquire(True, _PATIENCE_S)):
            return False
        lock.release()
    return True


def clear_away(unit: Unit, at: int, cause: str) -> None:
    """Take a dead worker out of all lists, end what it had started, and say in its record why it died."""
    words = unit.words
    with unit.arena.claim:
        for record in range(RECORDS_AT, RECORDS_AT + RECORD_WORDS * words[NEXT_RECORD], RECORD_WORDS):
            if words[record + LIST] and at in (record, words[record + OWNER]):
                unit.arena.remove(record)
    for number in range(1, words[NEXT_CHANNEL]):
        channel = CHANNELS_AT + CHANNEL_WORDS * number
        if words[channel + CAPACITY]:  # on a rendezvous nobody is rung who has not been claimed before
            unit.wake(channel + RECEIVERS)
            unit.wake(channel + SENDERS)
    if not words[at + CANCELLED]:
        cancel(unit, at)
    finish(unit, at, DIED, cause.encode())
