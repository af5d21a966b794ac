"""Puts right what a killed process may have left behind in the memory of the run, if the run can go on without it: it
was a worker of a pool, or did not end when it was cancelled.

A process can be killed at any moment, also while it holds a lock; then what the lock guards may be half done, and the
run can't go on. A process that is killed while it holds no lock can only have left its record in lists of waiters. The
record is taken out, and one waiter of each list is woken, since a wake-up may have been lost with the process. A
superfluous one does no harm. The block of an item that the process was sending or reading is given back.
"""

from concmodels.models.memory.arena import (
    CHANNEL_WORDS,
    CHANNELS_AT,
    HELD,
    LIST,
    NEXT_CHANNEL,
    NEXT_RECORD,
    OWNER,
    PAIRS,
    RECORD_WORDS,
    RECORDS_AT,
    Arena,
)
from concmodels.models.memory.channels.layout import CAPACITY, RECEIVERS, SENDERS
from concmodels.models.memory.group import cancel
from concmodels.models.memory.participant import Participant

_PATIENCE_S = 1.0
"""A lock is held for microseconds. One that can't be had for so long was held by the process that was killed."""


def locks_are_free(arena: Arena) -> bool:
    """Return whether every lock of the run can be had: then the process that was killed held none."""
    locks = [arena.claim, *(lock for number in range(PAIRS) for lock in arena.pair(number))]
    for lock in locks:
        if not (lock.acquire(False) or lock.acquire(True, _PATIENCE_S)):
            return False
        lock.release()
    return True


def clear_away(participant: Participant, at: int) -> None:
    """Take a process that was killed out of all lists, and end what it had started."""
    words = participant.words
    with participant.arena.claim:
        if held := words[at + HELD]:
            participant.arena.free(held, 8 + words[held >> 3])
            words[at + HELD] = 0
        for record in range(RECORDS_AT, RECORDS_AT + RECORD_WORDS * words[NEXT_RECORD], RECORD_WORDS):
            if words[record + LIST] and at in (record, words[record + OWNER]):
                participant.arena.remove(record)
    for number in range(1, words[NEXT_CHANNEL]):
        channel = CHANNELS_AT + CHANNEL_WORDS * number
        if words[channel + CAPACITY]:  # on a rendezvous only a claim wakes a waiter, and the claim is not lost
            participant.wake(channel + RECEIVERS)
            participant.wake(channel + SENDERS)
    # Also if it was cancelled before: every task is woken for that. The dead process may have taken one out of its
    # list, and not have woken it.
    cancel(participant, at)
