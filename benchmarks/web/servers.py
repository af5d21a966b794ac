"""The servers that are measured, as data: what each is, what it needs, and how it is started."""

import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

from benchmarks.suites.sizes import BOUNDARY, MODELS

APPS = "benchmarks.web.apps"
APART = BOUNDARY
"""The models whose server has workers, each with a memory of its own; they get two, whatever the machine has."""
WORKERS = 2
BACKLOG = 16_384
"""Of connections, for those of others: granian's default refuses some of ten thousand."""

type Command = Callable[[int], list[str]]
"""Returns the command for a port."""


@dataclass(frozen=True)
class Entry:
    """One server."""

    name: str
    kind: str
    model: str
    """The model that it belongs to: what one of its tasks is."""
    command: Command
    needs: tuple[str, ...] = ()
    interface: str = "none"
    framework: str = "none"
    workers: int = 1
    threads: int | None = None
    """Where their number is bounded."""
    tls: bool = False
    """Whether it speaks TLS: then the command has the options for its certificate after it."""


def servers() -> dict[str, Entry]:
    """Return all servers by their names."""
    found = [*map(ours, MODELS), *map(by_hand, BY_HAND), *others(), *articles()]
    found += [*map(over_tls, TLS), *map(broadcasting, BROADCAST), *on_uvloop()]
    uvicorn = next(it for it in found if it.name == "uvicorn, raw")
    found.append(replace(uvicorn, name="uvicorn, raw, TLS", needs=(*uvicorn.needs, "web-tls"), tls=True))
    return {it.name: it for it in found}


def ours(model: str) -> Entry:
    """Return `concmodels.serve` on a model."""
    apart = model in APART
    workers = ["--workers", str(WORKERS)] if apart else []
    command = ["-m", "concmodels.serve", "--model", model, *workers]
    return Entry(model, "model", model, python(*command, "--port"), workers=WORKERS if apart else 1)


TLS = ("threads", "asyncio")
BROADCAST = ("threads", "asyncio", "gevent")
ON_UVLOOP = "benchmarks.web.on_uvloop"


def over_tls(model: str) -> Entry:
    """Return `concmodels.serve` over TLS."""
    command = python("-m", "benchmarks.web.over_tls", model)
    return Entry(f"{model}, TLS", "model", model, command, ("web-tls",), tls=True)


def broadcasting(model: str) -> Entry:
    """Return the server that sends to all who listen."""
    return Entry(f"{model}, broadcast", "model", model, python("-m", "benchmarks.web.broadcasting", model))


def on_uvloop() -> Iterator[Entry]:
    """Yield the servers of asyncio on another event loop."""
    serve = python("-m", ON_UVLOOP, "concmodels.serve", "--model", "asyncio", "--port")
    tell = python("-m", ON_UVLOOP, "benchmarks.web.broadcasting", "asyncio")
    for name, command in {"asyncio on uvloop": serve, "asyncio on uvloop, broadcast": tell}.items():
        yield Entry(name, "model", "asyncio", command, ("web-uvloop",))


BY_HAND = {"threads": "threads", "gevent": "gevent_", "asyncio": "asyncio_", "trio": "trio_", "epoll": "epoll"}
"""The servers written by hand, and their modules in `benchmarks.web.by_hand`."""


def by_hand(name: str) -> Entry:
    """Return a server written by hand; that with epoll is held against greenlet, whose loop is one too."""
    model = "greenlet" if name == "epoll" else name
    return Entry(f"baseline {name}", "baseline", model, python("-m", f"benchmarks.web.by_hand.{BY_HAND[name]}"))


def others() -> list[Entry]:
    """Return the servers of others with a bare application: what they cost, without any framework."""
    wsgi, asgi = f"{APPS}.raw_wsgi:app", f"{APPS}.raw_asgi:app"
    uvicorn = ("-m", "uvicorn", "--host", "127.0.0.1", "--log-level", "warning", "--no-access-log", "--lifespan", "off")
    uvicorn += ("--loop", "uvloop", "--http", "httptools", "--timeout-keep-alive", "600", "--backlog", str(BACKLOG))
    return [
        Entry("uvicorn, raw", "peer", "asyncio", python(*uvicorn, asgi, "--port"), ("web-uvicorn",), "asgi"),
        granian("granian asgi, raw", "asginl", asgi, "--backlog", str(BACKLOG)),
        granian("granian wsgi, raw", "wsgi", wsgi, "--backlog", str(BACKLOG), threads=8),
        gunicorn("gunicorn sync, raw", "sync", "processes", workers=4),
        gunicorn("gunicorn gthread, raw", "gthread", "threads", threads=64),
    ]


def granian(name: str, interface: str, app: str, *options: str, workers: int = 1, threads: int | None = None) -> Entry:
    """Return granian with an application; `threads` are for WSGI."""
    line = ["-m", "granian", "--interface", interface, "--host", "127.0.0.1", "--log-level", "warning", "--no-ws"]
    line += ["--http", "1", "--workers", str(workers), *options]
    line += ["--loop", "asyncio"] if threads is None else ["--blocking-threads", str(threads)]
    model = "asyncio" if threads is None else "threads"
    what = "asgi" if threads is None else "wsgi"
    return Entry(name, "peer", model, python(*line, app, "--port"), ("web-granian",), what, workers, threads)


def articles() -> Iterator[Entry]:
    """Yield the servers of the article on web services without the GIL."""
    yield from (article("asgi", workers, None) for workers in (1, 2))
    for workers, threads in (
        (1, 1),
        (1, 8),
        (1, 32),
        (1, 64),
        (1, 128),
        (2, 64),
        (1, 2),
        (2, 1),
        (1, 4),
        (4, 1),
        (2, 2),
    ):
        yield article("wsgi", workers, threads)


def article(interface: str, workers: int, threads: int | None) -> Entry:
    """Return granian as that article started it: FastAPI on ASGI, Flask on WSGI."""
    framework = "fastapi" if interface == "asgi" else "flask"
    name = f"granian {interface}, {framework}, workers {workers}" + (f", threads {threads}" if threads else "")
    found = granian(name, interface, f"{APPS}.{interface}_{framework}:app", workers=workers, threads=threads)
    return replace(found, needs=("web-granian", "web-apps"), framework=framework)


def gunicorn(name: str, worker: str, model: str, *, workers: int = 1, threads: int | None = None) -> Entry:
    """Return gunicorn with the bare application and workers of this class."""
    options = ["--worker-class", worker, "--workers", str(workers), "--log-level", "warning", "--no-control-socket"]
    options += ["--threads", str(threads)] if threads else []

    def command(port: int) -> list[str]:
        app = f"{APPS}.raw_wsgi:app"
        return [sys.executable, "-m", "gunicorn", *options, "--bind", f"127.0.0.1:{port}", app]

    return Entry(name, "peer", model, command, ("web-gunicorn",), "wsgi", workers, threads)


def python(*arguments: str) -> Command:
    """Return a command of this Python whose last argument is the port."""
    return lambda port: [sys.executable, *arguments, str(port)]
