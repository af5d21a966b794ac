"""What a failure says to a reader: what went wrong, the lines in the order in which they ran, and why that matters."""

from itertools import groupby
from typing import TYPE_CHECKING

from concmodels.explore.outcome import sentence
from concmodels.models.tasks.frames import short

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from concmodels.explore.failure import Failure, Moment
    from concmodels.explore.watch import Race

_SHOWN = 60
"""The most rows of a picture; of a longer one the end is shown."""


def explain(failure: Failure) -> str:
    """Return the explanation of a failure, several lines of text."""
    where = f", raised at {failure.place}" if failure.place else ""
    lines = [f"{sentence(failure.error)}{where}"]
    lines += [f"  {wait}" for wait in getattr(failure.error, "waits", ())]
    lines += ["", f"What happened, with {_switches(failure)}:", *picture(failure.moments)]
    reasons = [*(tell_race(race) for race in failure.races), *lost_updates(failure.moments)]
    return "\n".join([*lines, "", *reasons] if reasons else lines)


def _switches(failure: Failure) -> str:
    count = failure.forced_switches
    if count == 0:
        return "no forced switch: each task runs until it has to wait"
    return f"{count} forced switch{'es' if count > 1 else ''} (>)"


def picture(moments: Sequence[Moment]) -> list[str]:
    """Return a row for each line that a task has run before another one did, in a column for each task."""
    rows = list(_rows(moments))
    names = list(dict.fromkeys(moment.task for moment in moments))
    width = max(map(len, names)) + 2
    hidden = len(rows) - _SHOWN
    shown = [f"  ... {hidden} more before"] if hidden > 0 else []
    for moment in rows[-_SHOWN:]:
        lane = "  " * names.index(moment.task)
        text = f"{lane}{'> ' if moment.forced else '  '}{moment.task:{width}}"
        place = f"{moment.file}:{moment.line}"
        shown.append(f"{text:{width + 2 * len(names) + 2}}{place}  {moment.source or moment.what}".rstrip())
    return shown


def _rows(moments: Sequence[Moment]) -> Iterator[Moment]:
    """Yield one moment for each run of the same task at the same line; the first that was forced, if one was."""
    for _, group in groupby((it for it in moments if it.file), key=lambda it: (it.task, it.file, it.line)):
        found = list(group)
        yield next((it for it in found if it.forced), found[0])


def tell_race(race: Race) -> str:
    """Return a sentence about a data race, with both lines."""
    one, other = race.first, race.second
    name = "order" if race.is_atomic else "data race"
    places = [
        f"{'written' if it.writes else 'read'} at {short(it.file)}:{it.line} ({it.task})" for it in (one, other)
    ]
    return f"{name}: {race.what} is {places[0]} and {places[1]}, and nothing orders the two"


def lost_updates(moments: Sequence[Moment]) -> Iterator[str]:
    """Yield a sentence for each write that another task has overwritten without having seen it."""
    reads: dict[tuple[object, str], Moment] = {}
    foreign: dict[tuple[object, str], Moment] = {}
    told = set()
    for moment in moments:
        for key, writes in moment.footprint.items():
            if key[0] not in MEMORY:
                continue
            mine = key, moment.task
            if not writes:
                reads[mine] = moment
                foreign.pop(mine, None)
                continue
            seen, between = reads.get(mine), foreign.get(mine)
            if seen is not None and between is not None and (seen.line, between.task, moment.line) not in told:
                told.add((seen.line, between.task, moment.line))
                yield (
                    f"lost update: {moment.task} has read at {seen.file}:{seen.line}, {between.task} writes at "
                    f"{between.file}:{between.line}, and {moment.task} writes at {moment.file}:{moment.line} without "
                    "having seen that"
                )
            for other in {it.task for it in moments} - {moment.task}:
                foreign[key, other] = moment


MEMORY = frozenset({"global", "attribute", "item", "cell"})
"""The kinds of keys that stand for shared memory."""
