"""The article on web services without the GIL: Granian with FastAPI and with Flask, by workers and threads.

    granian        ASGI, and WSGI with 64 threads; one worker, and two
    threads-1 ...  WSGI with one worker and so many threads
    granian-shares WSGI: workers times threads

128 connections per worker in a closed loop, as there. `--python 3.14 --python 3.14t` measures the twins side by side.
"""

from collections.abc import Iterator
from typing import Any

from benchmarks.cell import Candidate
from benchmarks.web import past
from benchmarks.web.past import Past
from benchmarks.web.servers import article

ENDPOINTS = ("/json", "/io")
WORKERS, THREADS = (1, 2), (1, 8, 32, 128)
DEFAULT_THREADS = 64
SHARES = ((1, 2), (2, 1), (1, 4), (4, 1), (2, 2))
"""Workers and threads."""
CONNECTIONS = 128
"""For each worker; for all of them together where workers are held against threads."""


def candidates(quick: bool) -> list[Candidate]:
    """Return all candidates with the article's own figures; if `quick`, four of them and no figures."""
    if quick:
        return [now("granian", *it, quick) for it in granian() if it[1] == 1]
    return [*measured(), *quoted()]


def granian() -> Iterator[tuple[str, int, int | None, str]]:
    """Yield interface, workers, threads and endpoint of the first table."""
    for interface, threads in (("asgi", None), ("wsgi", DEFAULT_THREADS)):
        for workers in WORKERS:
            for endpoint in ENDPOINTS:
                yield interface, workers, threads, endpoint


def measured() -> Iterator[Candidate]:
    """Yield what is measured."""
    for it in granian():
        yield now("granian", *it)
    for threads in THREADS:
        for endpoint in ENDPOINTS:
            yield now(f"threads-{threads}", "wsgi", 1, threads, endpoint)
    for workers, threads in SHARES:
        yield now("granian-shares", "wsgi", workers, threads, "/json")


def quoted() -> Iterator[Candidate]:
    """Yield what the article says."""
    for it in (*past.ASGI, *past.WSGI):
        yield then("granian", it)
    for it in past.THREADS:
        yield then(f"threads-{it.threads}", it)
    for it in past.SHARES:
        yield then("granian-shares", it)


def now(cell: str, interface: str, workers: int, threads: int | None, endpoint: str, quick: bool = False) -> Candidate:
    """Return a candidate that is measured."""
    server = article(interface, workers, threads)
    times = {"seconds": 0.3, "warmup_s": 0} if quick else {"seconds": 2.5, "warmup_s": 1}
    its = parameters(cell, interface, workers, threads, endpoint)
    return Candidate(
        f"web/{cell}/{name(cell, interface, workers, threads, endpoint)}",
        "benchmarks.web.calls:closed",
        kind="peer",
        model=server.model,
        step="request",
        steps=1,
        sizes={"server": server.name, "path": endpoint, "connections": its["connections"], **times},
        parameters=its | times,
        needs=server.needs,
    )


def then(cell: str, it: Past) -> Candidate:
    """Return a figure of the article. It is of one Python, and has the name of that."""
    where = (it.interface, it.workers, it.threads, it.endpoint)
    figures = {"goodput": it.per_second, "mean_s": it.mean_ms / 1e3, "max_s": it.max_ms and it.max_ms / 1e3}
    figures |= {"server_cores": it.cores, "memory_bytes": it.memory_mb and it.memory_mb * 1e6}
    return Candidate(
        f"web/{cell}/{name(cell, *where)} on {it.python}",
        "benchmarks.web.past:quoted",
        kind="past",
        model=article(it.interface, it.workers, it.threads).model,
        step="request",
        steps=1,
        sizes={"seconds": 1 / it.per_second, **figures},
        parameters=parameters(cell, *where) | {"seconds": 30, "python": it.python, "cores": 8},
        rounds=1,
    )


def name(cell: str, interface: str, workers: int, threads: int | None, endpoint: str) -> str:
    """Return the name of a candidate. What changes in a sweep is in the name of its cell alone."""
    both = f"W{workers} T{threads}" if cell == "granian-shares" else f"W{workers}"
    return f"{interface} {both} {endpoint}"


def parameters(cell: str, interface: str, workers: int, threads: int | None, endpoint: str) -> dict[str, Any]:
    """Return what the result says of a candidate."""
    connections = CONNECTIONS if cell == "granian-shares" else CONNECTIONS * workers
    found = {"endpoint": endpoint, "connections": connections, "loop": "closed"}
    found |= {"server": "granian", "framework": "fastapi" if interface == "asgi" else "flask", "interface": interface}
    return found | {"workers": workers} | ({"threads": threads} if threads else {})
