"""The cells: every row with one worker, with two ..., and some with a database that takes its time.

workers-1 ...   so many workers: how many answers 100 users get who ask all the time, and how long those take who
                come at random, 600 a second
delay-0 ...     so many milliseconds for each query, each row with the workers that it is run with
article-2020    the figures of the article, as they are there; nothing is measured
"""

import os
from collections.abc import Iterator
from typing import Any

from benchmarks.cell import Candidate
from benchmarks.rounds import ENOUGH
from benchmarks.web.stack import past
from benchmarks.web.stack.rows import Row, rows

CONNECTIONS = 100
TO_PGBOUNCER = 64
"""Connections of all workers of a row together."""
POOL = 20
"""PgBouncer's, to PostgreSQL."""
RATES = (600,)
LEAST_ANSWERS = 1050
"""At a rate; at random moments these are hardly ever less than the thousand that P99 needs."""
MOST_SYNC, MOST_THREADS, MOST_ASYNC = 8, 4, 2
ROUNDS, ROUNDS_OF_MANY = ENOUGH, 3
"""With one worker or two, and with more: the further points of a curve."""
ONE_MORE = "uvicorn, starlette"
"""It gets four workers too, which shows what more than there are processors bring."""
DELAYS_MS = (0, 20)
DELAYED = {
    "gunicorn sync, flask": 8,
    "gunicorn gthread, flask": 2,
    "gunicorn gevent, flask": 2,
    "uvicorn, starlette": 2,
    "threads": 1,
    "asyncio": 1,
}
"""The rows with a slow database, and their workers."""
OVERHEAD_S, QUICK_OVERHEAD_S, NOTHING_S = 2.2, 1.5, 0.35
"""For a worker, and the start and the end of the stack and the server; for a worker that measures nothing."""


def candidates(quick: bool) -> Iterator[Candidate]:
    """Yield all candidates; if `quick`, each row with one worker for a fifth of a second, and one of them at a rate."""
    yield from curves(quick)
    if not quick:
        yield from delays()
        yield from past.candidates()


def curves(quick: bool) -> Iterator[Candidate]:
    """Yield every row with each of its numbers of workers."""
    found = rows().values()
    most = 1 if quick else max(MOST_SYNC, 4 * (os.process_cpu_count() or 1))
    for workers in powers_of_two(most):
        rounds = ROUNDS if workers <= MOST_ASYNC else ROUNDS_OF_MANY
        for row in found:
            if workers <= most_workers(row, most):
                rates = RATES if not quick or row.name == ONE_MORE else ()
                yield one(f"workers-{workers}", row, workers, quick, rounds=rounds, rates=rates)


def powers_of_two(most: int) -> Iterator[int]:
    """Yield 1, 2, 4 ... up to this number."""
    number = 1
    while number <= most:
        yield number
        number *= 2


def most_workers(row: Row, most: int) -> int:
    """Return how many workers this row gets; what can't be had is said once."""
    if row.why_not:
        return 1
    if row.name == ONE_MORE:
        return min(most, 2 * MOST_ASYNC)
    if row.threads:
        return min(most, MOST_THREADS)
    return most if row.model == "processes" else MOST_ASYNC


def delays() -> Iterator[Candidate]:
    """Yield some rows with a database that takes its time, and as many connections to it as they have."""
    for delay_ms in DELAYS_MS:
        for name, workers in DELAYED.items():
            sizes = {"delay_ms": delay_ms, "pool": TO_PGBOUNCER}
            yield one(f"delay-{delay_ms}", rows()[name], workers, False, **sizes)


def one(cell: str, row: Row, workers: int, quick: bool, *, rounds: int = ROUNDS, **more: Any) -> Candidate:
    """Return one candidate."""
    times = {"seconds": 0.2, "warmup_s": 0} if quick else {"seconds": 1.5, "warmup_s": 0.5}
    sizes = {"workers": workers, "connections": CONNECTIONS, "to_pgbouncer": TO_PGBOUNCER, "pool": POOL, "delay_ms": 0}
    sizes |= times | more
    server, _, framework = row.name.partition(", ")
    about = {"endpoint": "/row", "rate": "closed", "nginx": True, "interface": row.interface, "server": server}
    about |= {"framework": framework} if framework else {}
    about |= {"threads": row.threads} if row.threads else {}
    about |= {"rates": ", ".join(map(str, more["rates"])) or "none"} if "rates" in more else {}
    return Candidate(
        f"web/{cell}/{row.name}",
        "benchmarks.web.stack.calls:closed",
        kind=row.kind,
        model=row.model,
        step="request",
        steps=1,
        sizes={"server": row.name, **sizes},
        parameters=sizes | about,
        needs=row.needs,
        rounds=rounds,
    )


def has(candidate: Candidate) -> bool:
    """Return whether this candidate is one of these here."""
    return candidate.call.startswith("benchmarks.web.stack.")


def seconds_of(candidate: Candidate, quick: bool) -> float:
    """Return about how long one measurement takes, with the start and the end of the stack."""
    if not candidate.needs:
        return NOTHING_S
    sizes = candidate.sizes
    at_rates = sum(seconds_at(rate, sizes["seconds"]) for rate in sizes.get("rates", ()))
    return float(sizes["warmup_s"] + sizes["seconds"] + at_rates + (QUICK_OVERHEAD_S if quick else OVERHEAD_S))


def seconds_at(rate: int, seconds: float) -> float:
    """Return how long there is load at this rate: P99 needs a thousand answers, but for a quick run."""
    return seconds if seconds < 1 else max(seconds, LEAST_ANSWERS / rate)
