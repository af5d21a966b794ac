"""Why a schedule has failed, in words that tell one mistake from another: which lock is missing, who waits for whom."""

import re
from collections import defaultdict
from collections.abc import Iterator
from typing import TYPE_CHECKING

from concmodels.errors import Deadlock

if TYPE_CHECKING:
    from concmodels.explore import Failure
    from concmodels.explore.failures.moment import Moment

    type Locks = frozenset[object]
    type Touch = tuple[Moment, object, bool, Locks]
    """A moment that touches a variable, whether it writes it, and the locks that its task holds."""

_HELD = re.compile(r"^(?P<task>.*?): waits for lock .* which (?P<holder>.*) holds at ")
_WAITS = {
    "Condition.wait": "a task waits on a condition, and nobody is left to notify it",
    "Barrier.wait": "a task waits at a barrier for others that never come",
    "Event.wait": "a task waits for an event that nobody sets",
    "receive on": "a task waits for an item, and nobody is left to send one or to close the channel",
    "send on": "a task waits to send an item that nobody will receive",
    "Queue.get": "a task waits for an item, and nobody is left to put one",
}


def cause(failure: Failure) -> str:
    """Return the cause of a failure; nothing if it is not known."""
    if isinstance(failure.error, Deadlock):
        return of_waits(failure.error.waits)
    touches = list(_touches(failure.moments))
    return of_races(failure, touches) or of_gaps(touches)


def of_waits(waits: tuple[str, ...]) -> str:
    """Return why nobody can go on, given what each task waits for."""
    held = [found for found in map(_HELD.match, waits) if found]
    if any(it["task"] == it["holder"] for it in held):
        return "a task waits for a lock that it holds itself"
    if len(held) > 1:
        return "each task holds a lock that the next one waits for, in a circle"
    if held and not any(wait in line for wait in _WAITS for line in waits):
        return "a task waits for a lock whose holder never gives it back"
    return next((text for wait, text in _WAITS.items() if any(wait in line for line in waits)), "")


def of_races(failure: Failure, touches: list[Touch]) -> str:
    """Return which locks the two sides of a data race lack."""
    lines = {it.line for race in failure.races if not race.is_atomic for it in (race.first, race.second)}
    held = [locks for moment, _, _, locks in touches if moment.line in lines]
    if not held:
        return ""
    if not any(held):
        return "no lock is held there"
    if not all(held):
        return "one of the accesses is outside of the lock"
    return "" if frozenset.intersection(*held) else "the tasks hold different locks"


def of_gaps(touches: list[Touch]) -> str:
    """Return whether a task has given a lock back between its look at a variable and what it did then."""
    looked: dict[tuple[str, object], int] = {}
    written: defaultdict[object, list[tuple[int, str]]] = defaultdict(list)
    for at, (moment, variable, writes, locks) in enumerate(touches):
        if not locks:
            continue
        since = looked.get((moment.identity, variable))
        if writes:
            if since is not None and any(when > since and by != moment.identity for when, by in written[variable]):
                return "the lock is given back between the look and the act"
            written[variable].append((at, moment.identity))
            looked.pop((moment.identity, variable), None)
        else:
            looked.setdefault((moment.identity, variable), at)
    return ""


def _touches(moments: tuple[Moment, ...]) -> Iterator[Touch]:
    held: defaultdict[str, set[object]] = defaultdict(set)
    for moment in moments:
        locks = {key for key in moment.footprint if _kind(key) == "lock"}
        if moment.what.startswith("acquire"):
            held[moment.identity] |= locks
        elif moment.what.startswith("release"):
            held[moment.identity] -= locks
        for key, writes in moment.footprint.items():
            if _kind(key) == "attribute":
                yield moment, key, writes, frozenset(held[moment.identity])


def _kind(key: object) -> object:
    return key[0] if isinstance(key, tuple) else ""
