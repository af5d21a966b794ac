"""How sure the conclusions are: the same work in several arms, and work that takes longer by a known part.

Each cell has six equal arms, and four that report exactly 3, 5, 10 and 20 % more time. Of many rounds, sessions of a
few are cut; what `benchmarks.rounds` says of the arms in each is a false alarm, a find, or neither: see
`benchmarks.report.certainty`.
It has to be named, and needs many rounds: `python -m benchmarks run certainty --rounds 36`.
"""

from collections.abc import Iterator

from benchmarks.cell import Candidate

WORKS = {
    "loop": (None, 3_000_000, 1, None),
    "stream": ("asyncio", 100, 6000, None),
    "token": ("threads", 100, 100, 1),
}
"""By cell: the model, nodes, messages and those in flight; without a model it is a plain loop of so many turns."""
EQUAL = 6
SLOWER = (3, 5, 10, 20)
"""By so many percent."""


def candidates(quick: bool) -> list[Candidate]:
    """Return all arms; if `quick`, with a hundredth of the work."""
    return [arm for cell in WORKS for arm in arms(cell, 100 if quick else 1)]


def arms(cell: str, part: int) -> Iterator[Candidate]:
    """Yield the arms of a cell."""
    model, nodes, messages, in_flight = WORKS[cell]
    sizes = {"model": model, "nodes": nodes // part if model is None else nodes, "messages": max(1, messages // part)}
    equal = [(f"arm {number}", 0) for number in range(1, EQUAL + 1)]
    for name, percent in (*equal, *((f"+{percent} %", percent) for percent in SLOWER)):
        yield Candidate(
            f"certainty/{cell}/{name}",
            "benchmarks.calls:slowed",
            kind="baseline",
            model=model,
            step="hop" if model else "turn",
            steps=sizes["nodes"] * sizes["messages"],
            sizes={**sizes, "in_flight": in_flight, "percent": percent},
            parameters=sizes | {"in_flight": in_flight or "all", "percent": percent},
        )
