"""The rows: servers with their frameworks, as data; those of the article of 2020, what has come since, and ours.

Each is told the port to listen at, and how many workers it has. Those that have no workers of their own (daphne, and
our models) are started several times, and nginx gives them requests in turn.
"""

import sys
from dataclasses import dataclass

from benchmarks.web.groups import STACK

APPS = "benchmarks.web.stack.apps"
BACKLOG = "2048"
THREADS = 16
"""In each worker of those that have a number of threads."""
_DATABASE = ("web-apps", "web-psycopg", STACK)
_ADDRESS = "127.0.0.1:{port}"
_HOST_PORT_WORKERS = ("--host", "127.0.0.1", "--port", "{port}", "--workers", "{workers}")
_QUIET = ("--log-level", "warning")
_THREADS = (str(THREADS),)


@dataclass(frozen=True, kw_only=True)
class Row:
    """One server with a framework."""

    name: str
    model: str
    """The model that it belongs to: what one of its tasks is, or its workers where they have no tasks."""
    interface: str
    arguments: tuple[str, ...] = ()
    """Of Python; {port} and {workers} stand for these."""
    needs: tuple[str, ...] = ()
    kind: str = "peer"
    threads: int | None = None
    """In each worker, where their number is bounded."""
    uwsgi: bool = False
    """Whether it speaks uWSGI's own protocol, which nginx knows, and no HTTP."""
    alone: bool = False
    """Whether it has no workers: then as many are started as there are to be workers."""
    why_not: str = ""
    """Why it can't be had any more."""

    def command(self, port: int, workers: int) -> list[str]:
        """Return the command that starts it."""
        return [sys.executable, *(it.format(port=port, workers=workers) for it in self.arguments)]


def rows() -> dict[str, Row]:
    """Return all rows by their names, in the order in which they are shown."""
    found = [*of_gunicorn(), *of_uwsgi(), *of_granian(), *of_asgi(), *ours(), *gone()]
    return {row.name: row for row in found}


def of_gunicorn() -> list[Row]:
    """Return gunicorn with its kinds of workers."""
    sync = [
        gunicorn(f"gunicorn sync, {it}", "processes", "sync", f"{it}_app:app") for it in ("flask", "bottle", "falcon")
    ]
    gthread = gunicorn(
        "gunicorn gthread, flask", "threads", "gthread", "flask_app:app", "--threads", *_THREADS, threads=THREADS
    )
    gevent = gunicorn("gunicorn gevent, flask", "gevent", "gevent", "flask_app:app", needs=("web-gevent", *_DATABASE))
    aiohttp = [
        gunicorn(name, "asyncio", f"aiohttp.{worker}", "aiohttp_app:make", needs=("web-aiohttp", "web-psycopg", STACK))
        for name, worker in {
            "gunicorn aiohttp": "GunicornWebWorker",
            "gunicorn aiohttp uvloop": "GunicornUVLoopWebWorker",
        }.items()
    ]
    return [*sync, gthread, gevent, *aiohttp]


def gunicorn(
    name: str, model: str, worker: str, app: str, *options: str,
    needs: tuple[str, ...] = ("web-gunicorn", *_DATABASE), threads: int | None = None,
) -> Row:  # fmt: skip
    """Return gunicorn with workers of this class."""
    line: tuple[str, ...] = (
        "-m",
        "gunicorn",
        "--worker-class",
        worker,
        "--backlog",
        BACKLOG,
        *_QUIET,
        "--no-control-socket",
    )
    line += ("--workers", "{workers}", "--bind", _ADDRESS, *options, f"{APPS}.{app}")
    interface = "aiohttp" if "aiohttp" in worker else "wsgi"
    return Row(name=name, model=model, interface=interface, arguments=line, needs=needs, threads=threads)


def of_uwsgi() -> list[Row]:
    """Return uWSGI, by HTTP and by its own protocol."""
    by_http = [uwsgi(f"pyuwsgi http, {it}", f"{it}_app:app", "--http-socket") for it in ("flask", "bottle", "falcon")]
    return [*by_http, uwsgi("pyuwsgi uwsgi, bottle", "bottle_app:app", "--uwsgi-socket")]


def uwsgi(name: str, app: str, protocol: str) -> Row:
    """Return uWSGI with a protocol. By HTTP it closes each connection: one that were kept would block its worker."""
    line: tuple[str, ...] = (
        "-c",
        "import pyuwsgi; pyuwsgi.run()",
        "--module",
        f"{APPS}.{app}",
        "--master",
        "--die-on-term",
    )
    line += ("--disable-logging", "--need-app", "--listen", "1024", "--processes", "{workers}", protocol, _ADDRESS)
    own = protocol == "--uwsgi-socket"
    interface = "uwsgi" if own else "wsgi"
    needs = ("web-uwsgi", *_DATABASE)
    return Row(name=name, model="processes", interface=interface, arguments=line, needs=needs, uwsgi=own)


def of_granian() -> list[Row]:
    """Return granian, for both kinds of applications."""
    line = ("-m", "granian", "--http", "1", "--no-ws", "--backlog", BACKLOG, *_QUIET, *_HOST_PORT_WORKERS)
    needs = ("web-granian", *_DATABASE)
    wsgi = ("--interface", "wsgi", "--blocking-threads", *_THREADS, f"{APPS}.flask_app:app")
    asgi = ("--interface", "asgi", f"{APPS}.starlette_app:app")
    return [
        Row(
            name="granian wsgi, flask", model="threads", interface="wsgi", arguments=line + wsgi, needs=needs,
            threads=THREADS,
        ),
        Row(name="granian asgi, starlette", model="asyncio", interface="asgi", arguments=line + asgi, needs=needs),
    ]  # fmt: skip


def of_asgi() -> list[Row]:
    """Return the other servers of asyncio."""
    uvicorn = ("-m", "uvicorn", "--no-access-log", "--backlog", BACKLOG, *_QUIET, *_HOST_PORT_WORKERS)
    fast, slow = ("--loop", "uvloop", "--http", "httptools"), ("--loop", "asyncio", "--http", "h11")
    hypercorn = ("-m", "hypercorn", "--backlog", BACKLOG, *_QUIET, "--workers", "{workers}", "--bind", _ADDRESS)
    daphne = ("-m", "daphne", "--verbosity", "0", "--bind", "127.0.0.1", "--port", "{port}")
    needs = ("web-uvicorn", *_DATABASE)
    return [
        asgi("uvicorn, starlette", (*uvicorn, *fast), needs),
        asgi("uvicorn asyncio+h11, starlette", (*uvicorn, *slow), needs),
        asgi("uvicorn, sanic", (*uvicorn, *fast), ("web-sanic", "web-psycopg", STACK)),
        asgi("hypercorn, starlette", hypercorn, ("web-hypercorn", *_DATABASE)),
        asgi("daphne, starlette", daphne, ("web-daphne", *_DATABASE), alone=True),
    ]


def asgi(name: str, line: tuple[str, ...], needs: tuple[str, ...], *, alone: bool = False) -> Row:
    """Return a server with the application that the name has after the comma."""
    app = f"{APPS}.{name.partition(', ')[2]}_app:app"
    return Row(name=name, model="asyncio", interface="asgi", arguments=(*line, app), needs=needs, alone=alone)


def ours() -> list[Row]:
    """Return our models, without a framework."""
    return [
        Row(
            name=model, model=model, interface="none", arguments=("-m", f"{APPS}.ours", model, "{port}"),
            needs=("web-psycopg", STACK), kind="model", alone=True,
        )
        for model in ("threads", "asyncio")
    ]  # fmt: skip


def gone() -> list[Row]:
    """Return what the article had and nobody can have any more."""
    meinheld = "meinheld 1.0.2 does not build on CPython 3.14 (it pins greenlet 0.4.17); its last release is of 2020"
    reasons = {f"gunicorn meinheld, {it}": ("greenlet", "wsgi", meinheld) for it in ("falcon", "bottle", "flask")}
    reasons["gunicorn eventlet, flask"] = ("eventlet", "wsgi", "gunicorn has had no eventlet worker since 26.0")
    reasons["vibora"] = ("asyncio", "none", "Vibora 0.0.6 has no wheel for CPython 3.14; its last release is of 2018")
    return [
        Row(name=name, model=model, interface=interface, why_not=why)
        for name, (model, interface, why) in reasons.items()
    ]
