"""Web services: every model as a server (`concmodels.serve`), servers written by hand, and those of others.

    json, io     as many answers as it can give: of a small JSON text; of a page that sleeps for 10 ms
    tail         400 requests a second, one in a hundred of which computes: what becomes of the others
    rate-1000 ...  so many requests a second: the knee is where the answers begin to take longer
    idle         10,000 connections that wait: the memory of each, and how long the others take
    slow         200 clients that send a byte each tenth of a second: how long the others take
    tls          as json, over TLS and without it, and on uvloop's event loop; the handshakes do not count
    broadcast    a message to 1,000 connections, as services with WebSockets send them: how long until all have it
    stop         SIGTERM under load: how long the end takes, and how many requests it costs
    granian, threads-1 ..., granian-shares
                 an article's tables, measured again (`benchmarks.suites.web_granian`)
    workers-1 ... behind nginx and with a database: servers with frameworks, by the number of their workers
    delay-0 ...  the same with a database that takes its time; both are described in `benchmarks.web.stack.cells`

It takes 75 minutes, and has to be named: `python -m benchmarks run web`.
"""

from collections.abc import Iterable, Iterator
from typing import Any

from benchmarks import twins
from benchmarks.cell import Candidate
from benchmarks.rounds import ENOUGH
from benchmarks.suites import web_granian
from benchmarks.suites.sizes import MODELS
from benchmarks.web.servers import BROADCAST, Entry, servers
from benchmarks.web.stack import cells

JSON, IO = "/json", "/io?ms=10"
HEAVY, SHARE = "/cpu?n=27", 0.01
"""It computes for about 25 ms."""
RATES = (1000, 4000, 16_000, 32_000)
KNEES = ("threads", "subinterp", "gevent", "asyncio", "trio")
BY_HAND = ("baseline threads", "baseline gevent", "baseline asyncio", "baseline trio", "baseline epoll")
RAW = ("uvicorn, raw", "granian asgi, raw", "granian wsgi, raw")
"""The last one has eight threads, which only shows where each answer takes a while."""
SOME = ("threads", "asyncio", "gevent", "trio", "uvicorn, raw", "granian asgi, raw")
"""What is slowed down and stopped, beside gunicorn, where slow clients are a known problem."""
OVER_TLS, UVLOOP = ("asyncio", "uvicorn, raw"), "asyncio on uvloop"
GUNICORN = ("gunicorn sync, raw", "gunicorn gthread, raw")
OVERHEAD_S, QUICK_OVERHEAD_S = 3.0, 1.3
"""For a candidate's worker, and the start and the end of its server."""
MESSAGES_PER_S = 40
"""Of those that go to a thousand connections."""
OPENING_S = 6.0
"""For ten thousand connections, which also have to be closed."""
RANKED = ("json", "tail", "tls", "broadcast")
"""The cells whose servers are ranked, in as many rounds as that takes; of the others each is told by itself."""
THRICE = ("idle",)
"""What is told of these is memory, which is nearly the same in every round."""


def candidates(quick: bool) -> list[Candidate]:
    """Return all candidates; if `quick`, with a third of a second each."""
    return [
        *capacities(quick),
        *tails(quick),
        *knees(quick),
        *idle(quick),
        *slow(quick),
        *stops(quick),
        *secrets(quick),
        *broadcasts(quick),
        *web_granian.candidates(quick),
        *cells.candidates(quick),
    ]


def capacities(quick: bool) -> Iterator[Candidate]:
    """Yield the candidates whose answers are counted."""
    times = {"seconds": 0.3, "warmup_s": 0} if quick else {"seconds": 2, "warmup_s": 0.5}
    for cell, path in {"json": JSON, "io": IO}.items():
        others = (*BY_HAND, *RAW[:2]) if cell == "json" else () if quick else RAW
        for name in (*(KNEES if quick and cell == "io" else MODELS), *others):
            yield one(cell, name, "calls:closed", "request", {"path": path, "connections": 64, **times})


def tails(quick: bool) -> Iterator[Candidate]:
    """Yield the candidates that compute now and then; P99 needs a thousand answers."""
    times = {"seconds": 0.3, "warmup_s": 0} if quick else {"seconds": 2.8, "warmup_s": 0.5}
    sizes = {"path": JSON, "heavy": HEAVY, "share": SHARE, "connections": 128, "rate": 400, **times}
    for name in KNEES if quick else (*MODELS, *RAW[:2]):
        yield one("tail", name, "calls:tail", "answer at P99", sizes)


def knees(quick: bool) -> Iterator[Candidate]:
    """Yield the candidates that get more and more requests a second."""
    times = {"seconds": 0.3, "warmup_s": 0} if quick else {"seconds": 2, "warmup_s": 0.5}
    for rate in RATES[:1] if quick else RATES:
        for name in KNEES:
            sizes = {"path": JSON, "connections": 64, "rate": rate, **times}
            yield one(f"rate-{rate}", name, "calls:at_rate", "answer at P99", sizes)


def idle(quick: bool) -> Iterator[Candidate]:
    """Yield the candidates with connections that wait."""
    number, seconds = (500, 0.3) if quick else (10_000, 3.5)
    sizes = {"path": JSON, "idle": number, "connections": 16, "rate": 300, "seconds": seconds}
    for name in KNEES[::3] if quick else (*MODELS, "baseline threads", "uvicorn, raw", "granian asgi, raw"):
        yield one("idle", name, "idle:idle", "connection", sizes, number)


def slow(quick: bool) -> Iterator[Candidate]:
    """Yield the candidates with slow clients."""
    number, seconds = (20, 0.3) if quick else (200, 3)
    sizes = {"path": JSON, "slow": number, "connections": 32, "rate": 400, "seconds": seconds}
    for name in SOME[:2] if quick else (*SOME, *GUNICORN):
        yield one("slow", name, "slow:slow", "answer at P99", sizes)


def stops(quick: bool) -> Iterator[Candidate]:
    """Yield the candidates that are to end while they are busy."""
    sizes = {"path": IO, "connections": 64, "rate": 300, "seconds": 1 if quick else 2}
    for name in SOME[:2] if quick else (*SOME, *GUNICORN):
        yield one("stop", name, "stop:stop", "end", sizes)


def secrets(quick: bool) -> Iterator[Candidate]:
    """Yield the candidates over TLS, each beside the same without it, and asyncio beside itself on uvloop."""
    times = {"seconds": 0.3, "warmup_s": 0} if quick else {"seconds": 2, "warmup_s": 0.5}
    for name in ("asyncio",) if quick else (*OVER_TLS, *(f"{name}, TLS" for name in OVER_TLS), UVLOOP):
        yield one("tls", name, "calls:closed", "request", {"path": JSON, "connections": 64, **times})


def broadcasts(quick: bool) -> Iterator[Candidate]:
    """Yield the candidates that send one message to many connections."""
    listeners, messages = (50, 5) if quick else (1000, 100)
    for name in BROADCAST[:2] if quick else (*BROADCAST, UVLOOP):
        sizes = {"listeners": listeners, "messages": messages, "size": 128}
        yield one("broadcast", f"{name}, broadcast", "broadcast:broadcast", "message", sizes, messages)


def one(cell: str, name: str, call: str, step: str, sizes: dict[str, Any], steps: int = 1) -> Candidate:
    """Return one candidate: the server of this name, under this load."""
    server = servers()[name]
    return Candidate(
        f"web/{cell}/{name}",
        f"benchmarks.web.{call}",
        kind=server.kind,
        model=server.model,
        step=step,
        steps=steps,
        sizes={"server": name, **sizes},
        parameters=parameters(server, sizes),
        needs=server.needs,
        rounds=ENOUGH if cell in RANKED else 3 if cell in THRICE else 2,
    )


def parameters(server: Entry, sizes: dict[str, Any]) -> dict[str, Any]:
    """Return what the result says of a candidate."""
    load = {("endpoint" if name == "path" else name): value for name, value in sizes.items()}
    about = {"interface": server.interface, "workers": server.workers}
    return (
        {"loop": "open" if "rate" in load else "closed"}
        | load
        | about
        | ({"threads": server.threads} if server.threads else {})
    )


def seconds(found: Iterable[Candidate], quick: bool) -> float:
    """Return about how long these take, without what has to be installed."""
    return sum(seconds_of(it, quick) * (1 if quick else it.rounds or ENOUGH) for it in found if it.kind != "past")


def seconds_of(it: Candidate, quick: bool) -> float:
    """Return about how long one measurement takes."""
    return cells.seconds_of(it, quick) if cells.has(it) else loaded_s(it) + (QUICK_OVERHEAD_S if quick else OVERHEAD_S)


def loaded_s(it: Candidate) -> float:
    """Return the seconds for which there is load."""
    once = float(it.sizes.get("seconds", it.sizes.get("messages", 0) / MESSAGES_PER_S) + it.sizes.get("warmup_s", 0))
    return once * (2 if it.cell == "tail" else 1) + OPENING_S * it.sizes.get("idle", 0) / 10_000


def duration(quick: bool) -> str:
    """Return in words how long a run of the whole suite takes."""
    took = seconds([it for it in candidates(quick) if quick or not twins.only(it)], quick)
    return f"{took:.0f} seconds" if quick else f"{took / 60:.0f} minutes"
