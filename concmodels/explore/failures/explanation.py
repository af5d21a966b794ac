"""The explanation of a failure: what went wrong, the lines in the order in which they ran, and why that matters."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from concmodels.explore.failures.picture import ROWS, picture
from concmodels.explore.running.outcome import place_of, sentence
from concmodels.models.tasks.signals.frames import short

if TYPE_CHECKING:
    from concmodels.explore.failures.moment import Moment
    from concmodels.explore.monitor import Access, Race


def explain(
    error: BaseException, moments: Sequence[Moment], forced_switches: int, races: Sequence[Race], rows: int = ROWS
) -> str:
    """Return the explanation of a failure, several lines of text; its picture has at most so many rows."""
    waits = getattr(error, "waits", ())
    place = "" if waits else place_of(error)  # a deadlock is where its tasks wait
    lines = [sentence(error) + (f", raised at {place}" if place else "")]
    lines += [f"  {wait}" for wait in waits]
    drawn = picture(moments, rows)
    if drawn:
        lines += ["", f"What happened, {_switches(forced_switches)}:", *drawn]
    causes = likely_causes(moments, races)
    return "\n".join([*lines, "", *causes, ""] if causes else [*lines, ""])


def likely_causes(moments: Sequence[Moment], races: Sequence[Race]) -> list[str]:
    """Return what may have led to a failure, one sentence each: lost updates, and data races."""
    return [*dict.fromkeys(lost_updates(moments, races)), *describe_races(races)]


def _switches(count: int) -> str:
    if count == 0:
        return "where each task runs on until it has to wait"
    return f"with {count} forced switch{'es' if count > 1 else ''}, marked >"


def describe_races(races: Iterable[Race]) -> list[str]:
    """Return a sentence about each data race, with both lines; where several tell the same lines, one of them."""
    told: dict[object, str] = {}
    for race in races:
        if not race.is_atomic:
            lines = frozenset((it.file, it.line) for it in (race.first, race.second))
            told.setdefault((race.what, lines), _race_text(race))
    return list(told.values())


def _race_text(race: Race) -> str:
    one, other = race.first, race.second
    if (one.file, one.line, one.writes) == (other.file, other.line, other.writes):
        return f"data race: {race.what} is {_access(one)} by {one.task} and by {other.task}, and nothing orders the two"
    both = f"{_access(one)} by {one.task} and {_access(other)} by {other.task}"
    return f"data race: {race.what} is {both}, and nothing orders the two"


def _access(access: Access) -> str:
    return f"{'written' if access.writes else 'read'} at {short(access.file)}:{access.line}"


@dataclass
class _LastRead:
    """The last time that a task has read a variable."""

    moment: Moment
    overwritten: Moment | None = None
    """The last write of another task since then."""


def lost_updates(moments: Sequence[Moment], races: Iterable[Race]) -> Iterator[str]:
    """Yield a sentence for each write by a task that has not seen what another one has written since its own read.

    Footprints tell variables by their names alone, and any call may write. So only lines of a known data race count,
    and as writes only those that write in one.
    """
    accesses = [it for race in races for it in (race.first, race.second)]
    racing, writing = {it.line for it in accesses}, {it.line for it in accesses if it.writes}
    readers: defaultdict[object, dict[str, _LastRead]] = defaultdict(dict)  # of a variable: by task
    for moment in moments:
        if moment.line in racing:
            for variable in filter(_is_memory, moment.footprint):
                if moment.footprint[variable] and moment.line in writing:
                    yield from _lost_by(moment, readers[variable])
                else:
                    readers[variable][moment.identity] = _LastRead(moment)


def _lost_by(write: Moment, readers: dict[str, _LastRead]) -> Iterator[str]:
    """Note a write for the tasks that have read the variable; yield a sentence if the writer's own read was too old."""
    for task, read in readers.items():
        if task != write.identity:
            read.overwritten = write
        elif read.overwritten is not None:
            yield _lost(read.moment, read.overwritten, write)


def _is_memory(key: object) -> bool:
    return isinstance(key, tuple) and isinstance(key[1], str)  # anything else has an identity


def _lost(read: Moment, between: Moment, write: Moment) -> str:
    return (
        f"lost update: {read.task} reads at {read.file}:{read.line}, {between.task} writes at {between.file}:"
        f"{between.line}, and {write.task} writes at {write.file}:{write.line} what it has made of the old value"
    )
