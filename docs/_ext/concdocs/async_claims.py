"""What an article of 2020 says about sync and async servers, claim by claim, compared with a result."""

from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

from benchmarks.report import words
from benchmarks.result import Results, Row
from benchmarks.web.stack import past
from concdocs import stack
from concdocs.verdicts import (
    ALONE,
    FAILS,
    HOLDS,
    MISSING,
    OPEN,
    OURS,
    PARTLY,
    Claim,
    Ratio,
    claim,
    less,
    more,
    not_more,
    ratio,
)

THEN = "on 4 cores"
SYNC, UVICORN = "gunicorn sync, flask", "uvicorn, starlette"
FLASK, BOTTLE = "pyuwsgi http, flask", "pyuwsgi http, bottle"
SAID = "said, without figures"


class Sides(NamedTuple):
    """The servers of the article that were measured here: the sync ones, and the async ones, which include gevent."""

    sync: list[Row]
    others: list[Row]

    def edges(self, figure: str, of_sync: Callable[..., Row], of_others: Callable[..., Row]) -> Ratio | None:
        """The ratio of the async server with the least or most of a figure to the sync server chosen likewise."""
        rows = [[row for row in side if row.figure(figure) is not None] for side in self]
        if not all(rows):
            return None
        sync, others = (
            pick(side, key=lambda row: row.figure(figure))
            for pick, side in zip((of_sync, of_others), rows, strict=True)
        )
        return ratio(others, sync, figure)


def claims(results: Results) -> list[Claim]:
    """All claims."""
    chosen, then = stack.chosen(results), stack.articles(results)
    here = sides(chosen)
    there = sides({name: then[name] for name in then if name in chosen})
    return [
        *of_speed(here, there),
        *of_frameworks(chosen, then),
        *of_loops(stack.curves(results)),
        of_ends(results),
        of_tuning(stack.curves(results)),
        of_slow(stack.delays(results)),
        of_delays(stack.delays(results)),
    ]


def sides(rows: dict[str, Row]) -> Sides:
    """The servers of the article, divided into the two kinds."""
    known = [row for name, row in rows.items() if name in past.TABLE]
    return Sides(
        [row for row in known if row.model == "processes"], [row for row in known if row.model in ("asyncio", "gevent")]
    )


def of_speed(here: Sides, there: Sides) -> Iterator[Claim]:
    """Which side gives more answers, and which keeps its users waiting."""
    for what, figure, of_sync, of_others, judge in (
        ("No async server gives more answers than the best sync server", "goodput", max, max, not_more),
        ("Every async server's P99 is above every sync server's", "p99_s", max, min, more),
        ("The lowest P99 of an async server is above the lowest P99 of a sync server", "p99_s", min, min, more),
    ):
        both = (it.edges(figure, of_sync, of_others) for it in (there, here))
        yield claim(what, *both, judge)
    for rate in (300, 600):
        now = here.edges(f"open_{rate}_p99_s", min, min)
        yield claim(f"The same at {rate} requests a second", OURS, now, more)


def of_frameworks(chosen: dict[str, Row], then: dict[str, Row]) -> Iterator[Claim]:
    """What the framework does, and what a server in C does."""
    sync = [name for name in past.TABLE if name in chosen and chosen[name].model == "processes" and name != SYNC]
    for what, first, second, judge in (
        ("The framework matters: on uWSGI, flask gives fewer answers than bottle", FLASK, BOTTLE, less),
        ("A server in C matters: with flask, uWSGI gives more answers than gunicorn", FLASK, SYNC, more),
        ("The same with bottle", BOTTLE, "gunicorn sync, bottle", more),
    ):
        both = (ratio(rows.get(first), rows.get(second)) for rows in (then, chosen))
        yield claim(what, *both, judge)
    if sync and SYNC in chosen:
        next_one = min(sync, key=lambda name: chosen[name].per_second)
        then_one = min(sync, key=lambda name: then[name].per_second) if all(it in then for it in sync) else ""
        both = ratio(then.get(SYNC), then.get(then_one)), ratio(chosen[SYNC], chosen[next_one])
        yield claim("gunicorn with flask gives fewer answers than any other sync server", *both, less)


def of_loops(curves: dict[str, stack.Curve]) -> Iterator[Claim]:
    """What uvloop does."""
    for what, first, second in (
        ("uvloop is faster than asyncio's own loop, with aiohttp", "gunicorn aiohttp uvloop", "gunicorn aiohttp"),
        ("The same for uvicorn, which then also has a parser in C", UVICORN, "uvicorn asyncio+h11, starlette"),
    ):
        both = sorted(curves.get(first, {}).keys() & curves.get(second, {}).keys())
        now = ratio(curves[first][both[0]], curves[second][both[0]]) if both else None
        yield claim(what, SAID, now, more)


def of_ends(results: Results) -> Claim:
    """Whether servers had to be killed, or left something behind."""
    what = "Every async framework misbehaved: it hung, or left processes behind"
    curves = stack.curves(results)
    known = [name for name, curve in curves.items() if next(iter(curve.values())).model in ("asyncio", "gevent")]
    known = [name for name in known if next(iter(curves[name].values())).kind == "peer"]
    if not known:
        return Claim(what, SAID, "—", MISSING)
    bad = [name for name in known if any(misbehaved(row) for row in curves[name].values())]
    now = f"{words.listing(bad) if bad else 'none'}, of {len(known)} servers"
    return Claim(what, SAID, now, HOLDS if len(bad) == len(known) else FAILS if not bad else PARTLY)


def misbehaved(row: Row) -> bool:
    """Whether a server had to be killed in some round, or left processes behind."""
    return any(value > 0 for name in ("killed", "left_processes") for value in row.by_round(name).values())


def of_tuning(curves: dict[str, stack.Curve]) -> Claim:
    """Whether sync servers are better off with more workers."""
    what = f"A sync server needs more workers than an async one ({SYNC} against {UVICORN})"
    then = f"{past.TABLE[SYNC].workers} against {past.TABLE[UVICORN].workers}"
    if SYNC not in curves or UVICORN not in curves:
        return Claim(what, then, "—", MISSING)
    many, few = stack.best(curves[SYNC]), stack.best(curves[UVICORN])
    verdict = HOLDS if many > few else FAILS if many < few else f"{OPEN}: both numbers are the same"
    return Claim(what, then, f"{many} against {few}", verdict)


def of_slow(delays: dict[str, stack.Curve]) -> Claim:
    """Whether the servers that wait for many queries at once are ahead if the database is slow."""
    number = slowest(delays)
    what = f"With {number} ms for a query, {UVICORN} gives more answers than {SYNC}"
    async_, sync = (delays.get(name, {}).get(number) for name in (UVICORN, SYNC))
    return claim(what, OURS, ratio(async_, sync), more)


def slowest(delays: dict[str, stack.Curve]) -> int:
    """The longest time of a query, in milliseconds; 0 if there is none."""
    return max((it for curve in delays.values() for it in curve), default=0)


def of_delays(delays: dict[str, stack.Curve]) -> Claim:
    """Whether the order changes if the database is slow."""
    what = "The order changes if the database is slow"
    number = slowest(delays)
    known = {name: curve for name, curve in delays.items() if {0, number} <= curve.keys()}
    if not number or len(known) < 2:
        return Claim(what, OURS, "—", MISSING)
    swapped = max(pairs(known.values(), number), key=lambda pair: gap(pair, number), default=None)
    if swapped is None:
        return Claim(what, OURS, "no two servers change places", FAILS)
    first, second = swapped
    before, after = ratio(first[0], second[0]), ratio(second[number], first[number])
    names = f"{first[0].candidate} against {second[0].candidate}"
    now = f"{names}: {before} as many answers at 0 ms; the other way round, {after} at {number} ms"
    return Claim(what, OURS, now, HOLDS if HOLDS == more(before) == more(after) else ALONE)


def pairs(curves: Iterable[stack.Curve], number: int) -> list[tuple[stack.Curve, stack.Curve]]:
    """The pairs of which the first gives more answers without a delay, and the second with it."""
    known = list(curves)
    return [
        (one, other)
        for one in known
        for other in known
        if one[0].per_second > other[0].per_second and one[number].per_second < other[number].per_second
    ]


def gap(pair: tuple[stack.Curve, stack.Curve], number: int) -> float:
    """How far apart the two are where they are nearer to each other."""
    first, second = pair
    return min(first[0].per_second / second[0].per_second, second[number].per_second / first[number].per_second)
