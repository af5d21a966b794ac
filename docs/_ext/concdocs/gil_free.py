"""What an article says about web services without the GIL, claim by claim, compared with a result of two Pythons."""

from collections.abc import Callable, Iterator
from typing import NamedTuple

from benchmarks.report import granian
from benchmarks.report.granian import WITH, WITHOUT
from benchmarks.result import Results, Row
from concdocs.verdicts import Claim, Ratio, alike, claim, less, more, on_cores, ratio

THEN = "on 8 cores"
NEEDED = 4
"""The number of processors at which two can compute for a server while the others put load on it."""
THEIRS = {"peak_pss_bytes": "memory_bytes", "p99_s": "max_s"}
"""Our figures, and the article's figures that come nearest."""


class Cells(NamedTuple):
    """The rows of both Pythons, and the article's, by cell and name."""

    now: dict[tuple[str, str, str], Row]
    then: dict[tuple[str, str, str], Row]

    def pair(self, first: tuple[str, str, str], second: tuple[str, str, str], figure: str) -> list[Ratio | None]:
        """The ratio of a figure then, and the ratio now."""
        past = ratio(self.then.get(first), self.then.get(second), THEIRS.get(figure, figure))
        return [past, ratio(self.now.get(first), self.now.get(second), figure)]

    def without(self, cell: str, name: str, figure: str = "goodput") -> list[Ratio | None]:
        """Both ratios of a figure without the GIL to that with it."""
        return self.pair((WITHOUT, cell, name), (WITH, cell, name), figure)


def claims(results: Results) -> list[Claim]:
    """All claims."""
    cells, cpus = cells_of(results), int(results.about.get("machine", {}).get("cpus") or 1)
    return [*of_asgi(cells), *of_threads(cells), *of_workers(cells, cpus), *of_wsgi(cells, cpus)]


def cells_of(results: Results) -> Cells:
    """The rows by Python, cell and name."""
    cells = Cells({}, {})
    for line in granian.lines(results):
        cells.now.update({(python, line.cell, line.name): row for python, row in line.now.items()})
        cells.then.update({(python, line.cell, line.name): row for python, row in line.then.items()})
    return cells


def of_asgi(cells: Cells) -> Iterator[Claim]:
    """What the GIL costs FastAPI, with one worker and with two."""
    for workers in ("one worker", "two workers"):
        name = f"asgi W{2 if workers.startswith('two') else 1}"
        yield claim(
            f"ASGI, {workers}, `/json`: fewer answers without the GIL",
            *cells.without("granian", f"{name} /json"),
            less,
        )
        yield claim(
            f"ASGI, {workers}, `/io`: as many answers without the GIL", *cells.without("granian", f"{name} /io"), alike
        )
    what = "ASGI, two workers: less memory without the GIL"
    yield claim(what, *cells.without("granian", "asgi W2 /json", "peak_pss_bytes"), less)


def of_threads(cells: Cells) -> Iterator[Claim]:
    """What more threads do with the GIL."""
    for endpoint, what, judge in (("/io", "more answers", more), ("/json", "fewer answers", less)):
        both = ((WITH, f"threads-{threads}", f"wsgi W1 {endpoint}") for threads in (128, 1))
        yield claim(f"WSGI with the GIL, `{endpoint}`: {what} from 128 threads than from one",
                    *cells.pair(*both, "goodput"), judge)  # fmt: skip
    slowest = ((python, "granian", "wsgi W1 /json") for python in (WITH, WITHOUT))
    what = "WSGI, 64 threads, `/json`: the slowest answers take longer with the GIL (P99; then: the slowest)"
    yield claim(what, *cells.pair(*slowest, "p99_s"), more)


def of_workers(cells: Cells, cpus: int) -> Iterator[Claim]:
    """Whether threads are as good as workers without the GIL."""
    for number, words in ((2, "two"), (4, "four")):
        both = ((WITHOUT, "granian-shares", f"wsgi {share} /json") for share in (f"W1 T{number}", f"W{number} T1"))
        what = f"WSGI without the GIL, `/json`: as many answers from {words} threads as from {words} workers"
        yield of_cores(what, cells.pair(*both, "goodput"), alike, cpus)


def of_wsgi(cells: Cells, cpus: int) -> Iterator[Claim]:
    """What Flask gains and pays without the GIL."""
    for number, workers in ((1, "one worker"), (2, "two workers")):
        name, what = f"wsgi W{number}", f"WSGI, {workers} with 64 threads"
        scaled = cells.without("granian", f"{name} /json")
        yield of_cores(f"{what}, `/json`: more answers without the GIL", scaled, more, cpus)
        yield claim(f"{what}, `/io`: as many answers without the GIL", *cells.without("granian", f"{name} /io"), alike)
        memory = cells.without("granian", f"{name} /json", "peak_pss_bytes")
        yield claim(f"{what}: more memory without the GIL", *memory, more)


def of_cores(what: str, both: list[Ratio | None], judge: Callable[[Ratio | None], str], cpus: int) -> Claim:
    """A claim about how much several processors gain."""
    then, now = both
    return claim(what, then, now, lambda it: on_cores(judge(it), it, cpus, NEEDED))
