"""`claims`: what two articles say of web services, claim by claim, with a verdict that is computed from a result.

`ARTICLES` is the table: each claim has a sentence, a direction, and what it compares. `benchmarks.report.verdicts`
judges.
"""

from collections.abc import Callable, Collection, Iterable
from typing import Any, NamedTuple

from docutils import nodes
from sphinx.application import Sphinx

from benchmarks.disturbance import MARK
from benchmarks.report import granian, words
from benchmarks.report import web_stack as stack
from benchmarks.report.granian import WITH, WITHOUT
from benchmarks.report.sheet import Sheet
from benchmarks.report.verdicts import (
    AGAINST,
    FAILS,
    HOLDS,
    MISSING,
    OPEN,
    PARTLY,
    Ratio,
    judge,
    judge_on,
    ratio,
)
from benchmarks.report.web_stack import Curve
from benchmarks.result import Results, Row
from benchmarks.web.stack import past
from concdocs import results
from concdocs.places import Directive, Mistake

OURS, SAID, NONE = "not in the article", "said, without figures", "—"
"""In the place of an article's figure: where a claim is not the article's, where it has none, where it is not known."""
SYNC, UVICORN = "gunicorn sync, flask", "uvicorn, starlette"
FLASK, BOTTLE = "pyuwsgi http, flask", "pyuwsgi http, bottle"
SCALING = 4
"""The number of processors at which two can compute for a server while the others put load on it."""
THEIRS = {"peak_pss_bytes": "memory_bytes", "p99_s": "max_s"}
"""Our figures, and the figures of the article on Granian that come nearest."""

type Data = Callable[[Results], tuple[Ratio | str | None, Ratio | None]]
"""The article's figure and the ratio of the result."""


class Judged(NamedTuple):
    """One line of a table of verdicts."""

    what: str
    then: str
    now: str
    verdict: str


class Claim(NamedTuple):
    """A claim about a ratio: that it is `more`, `less`, `not more`, or `alike`."""

    what: str
    direction: str
    data: Data
    processors: int = 0
    """How many it needs at least to be seen."""

    def judged(self, found: Results) -> Judged:
        """The claim beside a result."""
        then, now = self.data(found)
        cpus = int(found.about.get("machine", {}).get("cpus") or 1)
        verdict = judge_on(now, self.direction, cpus, self.processors)
        return Judged(self.what, *(NONE if it is None else str(it) for it in (then, now)), verdict)


# Web services without the GIL.


def cells(first: tuple[str, str, str], second: tuple[str, str, str], figure: str = "goodput") -> Data:
    """Compares two configurations of Granian, each a Python, a cell and a name."""

    def data(found: Results) -> tuple[Ratio | None, Ratio | None]:
        lines = granian.lines(found)
        now, then = (
            {(python, it.cell, it.name): row for it in lines for python, row in rows(it).items()}
            for rows in (lambda it: it.now, lambda it: it.then)
        )
        past_figure = THEIRS.get(figure, figure)
        return ratio(then.get(first), then.get(second), past_figure), ratio(now.get(first), now.get(second), figure)

    return data


def without(name: str, figure: str = "goodput") -> Data:
    """Compares a configuration without the GIL to the same with it."""
    return cells((WITHOUT, "granian", name), (WITH, "granian", name), figure)


def shares(number: int) -> Data:
    """Compares so many threads to as many workers, without the GIL."""
    names = (f"wsgi {share} /json" for share in (f"W1 T{number}", f"W{number} T1"))
    first, second = ((WITHOUT, "granian-shares", name) for name in names)
    return cells(first, second)


def threads(path: str) -> Data:
    """Compares 128 threads to one, with the GIL."""
    return cells((WITH, "threads-128", f"wsgi W1 {path}"), (WITH, "threads-1", f"wsgi W1 {path}"))


MEMORY = "peak_pss_bytes"
GIL_FREE = (
    Claim("ASGI, one worker, `/json`: fewer answers without the GIL", "less", without("asgi W1 /json")),
    Claim("ASGI, one worker, `/io`: as many answers without the GIL", "alike", without("asgi W1 /io")),
    Claim("ASGI, two workers, `/json`: fewer answers without the GIL", "less", without("asgi W2 /json")),
    Claim("ASGI, two workers, `/io`: as many answers without the GIL", "alike", without("asgi W2 /io")),
    Claim("ASGI, two workers: less memory without the GIL", "less", without("asgi W2 /json", MEMORY)),
    Claim("WSGI with the GIL, `/io`: more answers from 128 threads than from one", "more", threads("/io")),
    Claim("WSGI with the GIL, `/json`: fewer answers from 128 threads than from one", "less", threads("/json")),
    Claim(
        "WSGI, 64 threads, `/json`: the slowest answers take longer with the GIL (P99; then: the slowest)", "more",
        cells((WITH, "granian", "wsgi W1 /json"), (WITHOUT, "granian", "wsgi W1 /json"), "p99_s"),
    ),
    *(
        Claim(
            f"WSGI without the GIL, `/json`: as many answers from {name} threads as from {name} workers", "alike",
            shares(number), SCALING,
        )
        for number, name in ((2, "two"), (4, "four"))
    ),
    *(
        Claim(f"WSGI, {workers} with 64 threads{what} without the GIL", direction, without(name, figure), needed)
        for name, workers in (("wsgi W1", "one worker"), ("wsgi W2", "two workers"))
        for what, direction, name, figure, needed in (
            (", `/json`: more answers", "more", f"{name} /json", "goodput", SCALING),
            (", `/io`: as many answers", "alike", f"{name} /io", "goodput", 0),
            (": more memory", "more", f"{name} /json", MEMORY, 0),
        )
    ),
)  # fmt: skip


# Sync and async servers.


def servers(first: str, second: str) -> Data:
    """Compares two servers, each with the number of workers that suits it."""
    return lambda found: (
        ratio(stack.articles(found).get(first), stack.articles(found).get(second)),
        ratio(stack.chosen(found).get(first), stack.chosen(found).get(second)),
    )


def edges(figure: str, of_async: Callable[..., Row], of_sync: Callable[..., Row], then: str = "") -> Data:
    """Compares the async server with the least or most of a figure to the sync server chosen likewise."""

    def edge(rows: dict[str, Row]) -> Ratio | None:
        known = [row for name, row in rows.items() if name in past.TABLE and row.figure(figure) is not None]
        sides = [[row for row in known if row.model in side] for side in (("asyncio", "gevent"), ("processes",))]
        picked = [pick(side, key=lambda row: row.figure(figure), default=None)
                  for pick, side in zip((of_async, of_sync), sides, strict=True)]  # fmt: skip
        return ratio(picked[0], picked[1], figure)

    def data(found: Results) -> tuple[Ratio | str | None, Ratio | None]:
        chosen = stack.chosen(found)
        there = {name: row for name, row in stack.articles(found).items() if name in chosen}
        return then or edge(there), edge(chosen)

    return data


def slowest_sync(found: Results) -> tuple[Ratio | None, Ratio | None]:
    """Compares gunicorn with flask to the sync server that comes next from below."""
    chosen, then = stack.chosen(found), stack.articles(found)
    sync = [it for it in past.TABLE if it in chosen and chosen[it].model == "processes" and it != SYNC]
    if not sync or SYNC not in chosen:
        return None, None
    next_one = min(sync, key=lambda name: chosen[name].per_second)
    then_one = min(sync, key=lambda name: then[name].per_second) if all(it in then for it in sync) else ""
    return ratio(then.get(SYNC), then.get(then_one)), ratio(chosen[SYNC], chosen[next_one])


def with_equal_workers(first: str, second: str) -> Data:
    """Compares two servers with the fewest workers that both were measured with."""

    def data(found: Results) -> tuple[str, Ratio | None]:
        one, other = (stack.curves(found).get(name, {}) for name in (first, second))
        both = min(one.keys() & other.keys(), default=0)
        return SAID, ratio(one.get(both), other.get(both))

    return data


def slow_database(found: Results) -> tuple[str, Ratio | None]:
    """Compares an async server to a sync one where the database is slowest."""
    delays, number = stack.delays(found), longest(found)
    return OURS, ratio(*(delays.get(name, {}).get(number) for name in (UVICORN, SYNC)))


def longest(found: Results) -> int:
    """The longest time of a query, in milliseconds; 0 if there is none."""
    return max((it for curve in stack.delays(found).values() for it in curve), default=0)


def misbehaved(found: Results) -> Judged:
    """Whether async servers had to be killed, or left something behind."""
    what = "Every async framework misbehaved: it hung, or left processes behind"
    curves = {name: [*curve.values()] for name, curve in stack.curves(found).items()}
    known = [it for it, rows in curves.items() if rows[0].model in ("asyncio", "gevent") and rows[0].kind == "peer"]
    if not known:
        return Judged(what, SAID, NONE, MISSING)
    counts = {name: [value for row in curves[name] for figure in ("killed", "left_processes")
                     for value in row.by_round(figure).values()] for name in known}  # fmt: skip
    bad = [name for name, values in counts.items() if any(value > 0 for value in values)]
    now = f"{words.listing(bad) if bad else 'none'}, of {len(known)} servers"
    return Judged(what, SAID, now, HOLDS if len(bad) == len(known) else FAILS if not bad else PARTLY)


def tuning(found: Results) -> tuple[str, Ratio | None]:
    """Compares what a sync server gains by the workers that suit it, instead of those that suit an async one."""
    then, curves = f"{past.TABLE[SYNC].workers} against {past.TABLE[UVICORN].workers} workers", stack.curves(found)
    if SYNC not in curves or UVICORN not in curves:
        return then, None
    curve, few = curves[SYNC], stack.best(curves[UVICORN])
    return then, ratio(curve[max(few, stack.best(curve))], curve.get(few))


def order(found: Results) -> Judged:
    """Whether two servers change places if the database is slow: those that are farthest apart at either end."""
    what, number = "The order changes if the database is slow", longest(found)
    known = [curve for curve in stack.delays(found).values() if {0, number} <= curve.keys()]
    if not number or len(known) < 2:
        return Judged(what, OURS, NONE, MISSING)

    def gap(pair: tuple[Curve, Curve]) -> float:
        first, second = pair
        return min(first[0].per_second / second[0].per_second, second[number].per_second / first[number].per_second)

    first, second = max(((one, other) for one in known for other in known), key=gap)
    if gap((first, second)) <= 1:
        return Judged(what, OURS, "no two servers change places", FAILS)
    before, after = ratio(first[0], second[0]), ratio(second[number], first[number])
    names = f"{first[0].candidate} against {second[0].candidate}"
    now = f"{names}: {before} as many answers at 0 ms; the other way round, {after} at {number} ms"
    return Judged(what, OURS, now, HOLDS if HOLDS == judge(before, "more") == judge(after, "more") else OPEN)


ASYNC: tuple[Any, ...] = (
    Claim("No async server gives more answers than the best sync server", "not more", edges("goodput", max, max)),
    Claim("Every async server's P99 is above every sync server's", "more", edges("p99_s", min, max)),
    Claim("The lowest P99 of an async server is above the lowest P99 of a sync server", "more",
          edges("p99_s", min, min)),
    Claim("The same at 600 requests a second", "more", edges("open_600_p99_s", min, min, OURS)),
    Claim("The framework matters: on uWSGI, flask gives fewer answers than bottle", "less", servers(FLASK, BOTTLE)),
    Claim("A server in C matters: with flask, uWSGI gives more answers than gunicorn", "more", servers(FLASK, SYNC)),
    Claim("The same with bottle", "more", servers(BOTTLE, "gunicorn sync, bottle")),
    Claim("gunicorn with flask gives fewer answers than any other sync server", "less", slowest_sync),
    Claim("uvloop is faster than asyncio's own loop, with aiohttp", "more",
          with_equal_workers("gunicorn aiohttp uvloop", "gunicorn aiohttp")),
    Claim("The same for uvicorn, which then also has a parser in C", "more",
          with_equal_workers(UVICORN, "uvicorn asyncio+h11, starlette")),
    misbehaved,
    Claim(f"{SYNC} gives more answers with its own best number of workers than with that of {UVICORN}", "more", tuning),
    Claim(f"Where the database is slowest, {UVICORN} gives more answers than {SYNC}", "more", slow_database),
    order,
)  # fmt: skip
ARTICLES: dict[str, tuple[tuple[Any, ...], str]] = {
    "gil-free": (GIL_FREE, "on 8 cores"),
    "async": (ASYNC, "on 4 cores"),
}
"""The claims, and where the article's own figures are from. A claim about something else than a ratio is a function."""


def judged(name: str, found: Results) -> list[Judged]:
    """Every claim of an article beside a result."""
    return [it.judged(found) if isinstance(it, Claim) else it(found) for it in ARTICLES[name][0]]


def sheet(lines: Iterable[Judged], then: str) -> Sheet:
    """The claims as a table; `then` says where the article's figures are from."""
    head = ["the claim", f"then, {then}", "here", "verdict"]
    return Sheet(head, [[it.what, it.then, it.now, f"**{it.verdict}**"] for it in lines], left=len(head))


def summary(lines: Collection[Judged]) -> str:
    """The number of the article's claims that hold, in a sentence; others count ours and explain the mark."""
    verdicts = [it.verdict for it in lines if it.then != OURS]
    added = len(lines) - len(verdicts)
    holds, fails, partly, missing = (verdicts.count(it) for it in (HOLDS, FAILS, PARTLY, MISSING))
    unsure = sum(it.startswith(OPEN) for it in verdicts)
    against = [it for it in verdicts if it.startswith(AGAINST)]
    parts = [f"{_counted(holds, 'holds', 'hold')} here"]
    parts += [f"{_counted(fails, 'does', 'do')} not"] if fails or not against else []
    parts += [f"{_counted(len(against), 'is', 'are')} {against[0]}"] if against else []
    parts += [f"{_counted(partly, 'holds', 'hold')} in part"] if partly else []
    parts += [f"{_counted(unsure, 'is', 'are')} undecided"] if unsure else []
    parts += [f"{_counted(missing, 'was', 'were')} not measured"] if missing else []
    ours = f" {_counted(added, 'more is', 'more are')} {OURS}." if added else ""
    marked = f" {MARK}: disturbed by other programs, or limited by the load generator."
    marked = marked if any(MARK in it.now for it in lines) else ""
    return f"Of {len(verdicts)} claims of the article, {words.listing(parts)}.{ours}{marked}"


def _counted(number: int, one: str, several: str) -> str:
    return f"{number} {one if number == 1 else several}"


class Claims(Directive):
    """The argument is the name of an article, with that of the result before it: `web-twins:gil-free`."""

    required_arguments = 1

    def build(self) -> list[nodes.Node]:
        file, name = results.split(self.arguments[0])
        if name not in ARTICLES:
            raise Mistake(f"there are no claims {name!r}; there are {', '.join(ARTICLES)}")
        lines = judged(name, results.results(file))
        self.depends_on(results.path(file))
        table = self.markdown(sheet(lines, ARTICLES[name][1]).markdown())
        return [*self.markdown(summary(lines)), nodes.container("", *table, classes=["wide-table"])]


def setup(app: Sphinx) -> None:
    app.add_directive("claims", Claims)
