"""How sockets travel: a socket that is pickled is duplicated, and the duplicate is *in flight* until it arrives.

The process of the run's parent has it open, and a record of the arena says which descriptor it is. Where the socket
arrives, it is asked for by the number of that record, and becomes the receiver's own; so both sides close theirs.
Interpreters have the descriptors of their process in common, and take it. Processes send a duplicate to the parent, and
get it from there, through the socket by which they ask for wakers (`lives/child.py`). A descriptor that was never asked
for is closed when the run ends.
"""

from concmodels.errors import CannotTravel
from concmodels.models.memory.arena import IN_FLIGHT, ITEM, LIST, Arena
from concmodels.platform.waking import close_descriptor, duplicate


def hold(arena: Arena, number: int) -> int:
    """Duplicate a descriptor of this process, note that it is in flight, and return the record that says so."""
    its = duplicate(number)
    try:
        with arena.claim:
            record = arena.new_record()
            arena.words[record + ITEM] = its
            arena.push(IN_FLIGHT, record)
    except BaseException:
        close_descriptor(its)
        raise
    return record


def take(arena: Arena, record: int) -> int:
    """Return the descriptor in flight that this record notes; from here on it is the caller's."""
    with arena.claim:
        if arena.words[record + LIST] != IN_FLIGHT:
            raise CannotTravel("this socket has arrived already: what holds it was unpickled twice")
        arena.remove(record)
        number = arena.words[record + ITEM]
        arena.free_record(record)
    return int(number)


def close_all(arena: Arena) -> None:
    """Close the descriptors that were never asked for, when the run ends. The parent calls this once it is alone."""
    while record := arena.pop(IN_FLIGHT):
        close_descriptor(arena.words[record + ITEM])
