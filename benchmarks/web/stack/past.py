"""The figures of the article of 2020, "Async Python is not faster" (Cal Paterson): citations, measured by nobody here.

Four virtual processors, and another machine for the load (`ab -c 100 -n 100000`, a new connection for each request):
each row with the number of workers that suited it best, and the milliseconds below which half, and 99 of 100 answers
came. Three queries for a request in sync rows, one in async ones.
"""

from collections.abc import Iterator
from typing import NamedTuple

from benchmarks.cell import Candidate
from benchmarks.web.stack.rows import rows

CELL = "article-2020"


class Figures(NamedTuple):
    """A row of the article's table."""

    workers: int
    p50_ms: int
    p99_ms: int
    per_second: int


TABLE = {
    "gunicorn meinheld, falcon": Figures(16, 17, 31, 5589),
    "gunicorn meinheld, bottle": Figures(16, 17, 32, 5780),
    "pyuwsgi http, bottle": Figures(16, 18, 32, 5497),
    "pyuwsgi http, flask": Figures(16, 22, 33, 4431),
    "gunicorn meinheld, flask": Figures(16, 21, 35, 4510),
    "pyuwsgi uwsgi, bottle": Figures(16, 18, 36, 5281),
    "pyuwsgi http, falcon": Figures(16, 18, 37, 5415),
    "gunicorn sync, flask": Figures(14, 28, 42, 3473),
    "uvicorn, starlette": Figures(5, 16, 75, 4952),
    "gunicorn aiohttp": Figures(5, 19, 76, 4501),
    "uvicorn, sanic": Figures(5, 17, 85, 4687),
    "gunicorn gevent, flask": Figures(12, 24, 136, 3077),
    "daphne, starlette": Figures(5, 20, 364, 2678),
}
"""In the article's order, by P99; what it calls uWSGI is pyuwsgi here."""


def candidates() -> Iterator[Candidate]:
    """Yield the figures as candidates."""
    known = rows()
    for name, found in TABLE.items():
        yield Candidate(
            f"web/{CELL}/{name}",
            "benchmarks.web.past:quoted",
            kind="past",
            model=known[name].model,
            step="request",
            steps=1,
            sizes=figures(found),
            parameters={"server": name, "workers": found.workers, "connections": 100, "rate": "closed", "cpus": 4},
            rounds=1,
        )


def figures(found: Figures) -> dict[str, float]:
    """Return them as a result has them."""
    per_answer = 1 / found.per_second
    latencies = {"p50_s": found.p50_ms / 1000, "p99_s": found.p99_ms / 1000}
    return {"seconds": per_answer, "goodput": float(found.per_second), **latencies}
