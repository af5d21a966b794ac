"""The suites: what is measured, and with which sizes.

Each module here has `candidates(quick)`, which describes and does nothing. The sizes are chosen so that a run
of what is measured by default takes about 35 minutes on two processors; `quick` ones so that it takes less than two.
Nothing is measured that no page shows: `tests/docs/test_needed_rows.py`.
"""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from benchmarks.cell import Candidate

SUITES = {
    "ring": "messages through a ring of nodes, in full; baselines, peers, languages",
    "channel": "one channel at work: stream, rendezvous, ping-pong, select",
    "shapes": "chains, fans, crowds, pairs, items and calls of every size: our channels and pools, and what ships",
    "pool": "empty tasks, tasks of 10 us and 1 ms; computing, waiting, reading a buffer",
    "spawn": "time and memory of one unit, and how both grow; what the command costs to start",
    "classics": "small programs that languages have been compared by for decades",
    "explore": "ten races: schedules until each is found, and schedules per second, of explorers and real threads",
    "articles": "the tables of two articles, measured again",
    "gil": "what the GIL costs and saves: one thread alone, a shared iterator, a loop in each thread",
    "certainty": "equal arms, and arms that are slower by a known part: how sure the conclusions are",
    "scale": "pools and rings over one worker up to one for each processor: for machines with many of them",
    "web": "every model as a web server, under load; servers written by hand, and those of others",
}
"""All suites, and what each is about."""
NAMED_ONLY = ("shapes", "web", "explore", "certainty", "scale")
"""The suites that are measured only where they are asked for; so is `gil`, which says nothing on one Python alone
(`benchmarks.twins`). A quick run has `explore`, `shapes` and `gil`, which take seconds then."""


SECONDS = {"scale": 110}
"""No round begins that would end later, where only this suite is measured: it is meant for the machines of others."""


def by_default(quick: bool) -> tuple[str, ...]:
    """Return the suites that are measured where none is asked for."""
    left_out = ("web", "certainty", "scale") if quick else NAMED_ONLY
    return tuple(suite for suite in SUITES if suite not in left_out)


def limit(candidates: Iterable[Candidate]) -> float:
    """Return the seconds that these may take; most suites take as long as they need."""
    return max((SECONDS.get(it.suite, float("inf")) for it in candidates), default=float("inf"))


def load(suite: str, quick: bool = False) -> list[Candidate]:
    """Return the candidates of a suite. Raises `KeyError` if there is no such suite."""
    from importlib import import_module

    if suite not in SUITES:
        raise KeyError(suite)
    found: list[Candidate] = import_module(f"benchmarks.suites.{suite}").candidates(quick)
    return found


def find(path: str, quick: bool = False) -> Candidate:
    """Return one candidate by its path. Raises `KeyError`."""
    for candidate in load(path.partition("/")[0], quick):
        if candidate.path == path:
            return candidate
    raise KeyError(path)


def by_cell(candidates: Iterable[Candidate]) -> dict[tuple[str, str], list[Candidate]]:
    """Return the candidates grouped by cell: those of one cell are measured side by side."""
    cells: dict[tuple[str, str], list[Candidate]] = {}
    for candidate in candidates:
        cells.setdefault((candidate.suite, candidate.cell), []).append(candidate)
    return cells
