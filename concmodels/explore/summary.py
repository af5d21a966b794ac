"""The results of the explorations of a test run: as plain values, as JUnit properties, and in lines at its end.

The values are texts and numbers only, because pytest-xdist sends them from its workers as JSON.
"""

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, NotRequired, TypedDict

if TYPE_CHECKING:
    from concmodels.explore.report import Report

REFUSED, BROKEN, HELD_SO_FAR, HELD_IN_ALL = "refused", "broken", "held so far", "held in all"
NOT_EXPLORED = "not explored"
"""The verdict on a test that has held and has started no task: hundreds of schedules of one task are no sample."""
_WORST_LAST = (HELD_IN_ALL, HELD_SO_FAR, NOT_EXPLORED, BROKEN, REFUSED)


class Explored(TypedDict):
    """The result of one exploration."""

    label: str
    verdict: str
    how: str
    why: list[str]
    schedules: NotRequired[int]
    seconds: NotRequired[float]
    replay_id: NotRequired[str]


def explored(report: Report, *, is_kept: bool = False) -> Explored:
    """Return the result of a search, or of a kept schedule that has failed again, in plain values."""
    label, verdict, how, why = report.scenario.label, report.verdict, _how(report), _reasons(report)
    if verdict == HELD_SO_FAR and report.not_explored:
        verdict, how, why = NOT_EXPLORED, NOT_EXPLORED, [report.not_explored]
    found = Explored(
        label=label,
        verdict=verdict,
        how="broken again, on the schedule that was kept" if is_kept else how,
        why=why,
        schedules=1 if is_kept else report.schedules,
        seconds=round(report.seconds, 3),
    )
    if report.failure is not None:
        found["replay_id"] = report.failure.replay_id
    return found


def refused(label: str, why: str) -> Explored:
    """Return the result of an exploration that could not be made."""
    return Explored(label=label, verdict=REFUSED, how=REFUSED, why=[why])


def _reasons(report: Report) -> list[str]:
    """Return why a program is broken, or why nothing is proved about it, a sentence each."""
    from concmodels.explore.running.outcome import sentence

    if report.failure is not None:
        return [" at ".join(filter(None, [sentence(report.failure.error), report.failure.place]))]
    if report.in_all is not None:
        return []
    reasons = list(report.unseen)
    if report.limited:
        reasons.append(f"{report.limited:,} schedules were cut after {report.options.steps:,} steps")
    return reasons or [report.limit]


def _how(report: Report) -> str:
    return report.sentence.removeprefix(f"{report.scenario.label}: ")


def properties(found: Explored) -> Iterator[tuple[str, str]]:
    """Yield the names and values of the properties that a JUnit report has for a test."""
    yield "explored", f"{found['label']}: {found['how']}"
    yield "explore_verdict", found["verdict"]
    for reason in found["why"]:
        yield "explore_reason", reason
    for name in ("schedules", "seconds", "replay_id"):
        if name in found:
            yield f"explore_{name}", str(found[name])


def worst(all_found: Iterable[Explored]) -> str:
    """Return the verdict of these that says least for the program."""
    return max((it["verdict"] for it in all_found), key=_WORST_LAST.index)


def lines(results: list[tuple[str, Explored]]) -> Iterator[str]:
    """Yield the lines that end a test run: one for each exploration of a test, and the numbers."""
    order = sorted(results, key=lambda it: _WORST_LAST.index(it[1]["verdict"]))
    width = max((len(found["how"]) for _, found in order), default=0)
    for test, found in order:
        label = "" if _is_name_of(found["label"], test) else f" {found['label']}"
        again = f"; again: {found['replay_id']}" if "replay_id" in found else ""
        why = f": {found['why'][0]}{again}" if found["why"] else ""
        yield f"{found['how']:{width}}  {test}{label}{why}"
    yield f"explored: {_numbers([found for _, found in order])}"


def _is_name_of(label: str, test: str) -> bool:
    return test.rpartition("::")[2].partition("[")[0] == label


def _numbers(all_found: list[Explored]) -> str:
    """Return how many there are of each verdict; with the reason, if there is one for all that are not proved."""
    parts = []
    for verdict in _WORST_LAST:
        of_it = [it for it in all_found if it["verdict"] == verdict]
        reasons = {it["why"][0] for it in of_it if it["why"]}
        why = f" ({reasons.pop()})" if verdict == HELD_SO_FAR and len(reasons) == 1 else ""
        if of_it:
            parts.append(f"{len(of_it)} {verdict}{why}")
    return ", ".join(parts) or "nothing: no test that was run has the marker explore, or the fixture of that name"
