"""The rows: servers with their frameworks, as data; those of the article of 2020, what has come since, and ours.

Each is told the port to listen at, and how many workers it has. Those that have no workers of their own (daphne, and
our models) are started several times, and nginx gives them requests in turn.
"""

import shlex
import sys
from dataclasses import dataclass

from benchmarks.web.groups import STACK

APPS = "benchmarks.web.stack.apps"
THREADS = 16
"""In each worker of those that have a number of threads."""
_DATABASE = ("web-apps", "web-psycopg", STACK)
_QUIET = "--backlog 2048 --log-level warning"
_ADDRESS = "127.0.0.1:{port}"
_PLACE = "--host 127.0.0.1 --port {port} --workers {workers}"


@dataclass(frozen=True, kw_only=True)
class Row:
    """One server with a framework."""

    name: str
    model: str
    """The model that it belongs to: what one of its tasks is, or its workers where they have no tasks."""
    interface: str
    arguments: str = ""
    """Of Python, as a shell would take them; {port} and {workers} stand for these."""
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
        return [sys.executable, *shlex.split(self.arguments.format(port=port, workers=workers))]


def rows() -> dict[str, Row]:
    """Return all rows by their names, in the order in which they are shown."""
    found = [*of_gunicorn(), *of_uwsgi(), *of_granian(), *of_asgi(), *ours(), *gone()]
    return {row.name: row for row in found}


def of_gunicorn() -> list[Row]:
    """Return gunicorn with its kinds of workers."""
    flask, make = "flask_app:app", "aiohttp_app:make"
    gevent, aiohttp = ("web-gevent", *_DATABASE), ("web-aiohttp", "web-psycopg", STACK)
    return [
        gunicorn("gunicorn sync, flask", "processes", "sync", flask),
        gunicorn("gunicorn sync, bottle", "processes", "sync", "bottle_app:app"),
        gunicorn("gunicorn gthread, flask", "threads", f"gthread --threads {THREADS}", flask, threads=THREADS),
        gunicorn("gunicorn gevent, flask", "gevent", "gevent", flask, gevent),
        gunicorn("gunicorn aiohttp", "asyncio", "aiohttp.GunicornWebWorker", make, aiohttp),
        gunicorn("gunicorn aiohttp uvloop", "asyncio", "aiohttp.GunicornUVLoopWebWorker", make, aiohttp),
    ]


def gunicorn(
    name: str, model: str, worker: str, app: str, needs: tuple[str, ...] = ("web-gunicorn", *_DATABASE),
    threads: int | None = None,
) -> Row:  # fmt: skip
    """Return gunicorn with workers of this class."""
    line = f"-m gunicorn --no-control-socket {_QUIET} --worker-class {worker} --workers {{workers}} --bind {_ADDRESS}"
    interface = "aiohttp" if "aiohttp" in worker else "wsgi"
    arguments = f"{line} {APPS}.{app}"
    return Row(name=name, model=model, interface=interface, arguments=arguments, needs=needs, threads=threads)


def of_uwsgi() -> list[Row]:
    """Return uWSGI, by HTTP and by its own protocol."""
    by_http = [uwsgi(f"pyuwsgi http, {it}", f"{it}_app:app", "http") for it in ("flask", "bottle", "falcon")]
    return [*by_http, uwsgi("pyuwsgi uwsgi, bottle", "bottle_app:app", "uwsgi")]


def uwsgi(name: str, app: str, protocol: str) -> Row:
    """Return uWSGI with a protocol. By HTTP it closes each connection: one that were kept would block its worker."""
    line = f"-c 'import pyuwsgi; pyuwsgi.run()' --module {APPS}.{app} --need-app --master --die-on-term --listen 1024"
    line += f" --disable-logging --processes {{workers}} --{protocol}-socket {_ADDRESS}"
    own = protocol == "uwsgi"
    needs = ("web-uwsgi", *_DATABASE)
    interface = "uwsgi" if own else "wsgi"
    return Row(name=name, model="processes", interface=interface, arguments=line, needs=needs, uwsgi=own)


def of_granian() -> list[Row]:
    """Return granian, for both kinds of applications."""
    line = f"-m granian --http 1 --no-ws {_QUIET} {_PLACE}"
    needs = ("web-granian", *_DATABASE)
    wsgi = f"{line} --interface wsgi --blocking-threads {THREADS} {APPS}.flask_app:app"
    asgi = f"{line} --interface asgi {APPS}.starlette_app:app"
    return [
        Row(
            name="granian wsgi, flask", model="threads", interface="wsgi", arguments=wsgi, needs=needs, threads=THREADS
        ),
        Row(name="granian asgi, starlette", model="asyncio", interface="asgi", arguments=asgi, needs=needs),
    ]


def of_asgi() -> list[Row]:
    """Return the other servers of asyncio."""
    uvicorn = f"-m uvicorn --no-access-log {_QUIET} {_PLACE}"
    uvloop = f"{uvicorn} --loop uvloop --http httptools"
    daphne = "-m daphne --verbosity 0 --bind 127.0.0.1 --port {port}"
    needs = ("web-uvicorn", *_DATABASE)
    return [
        asgi("uvicorn, starlette", uvloop, needs),
        asgi("uvicorn asyncio+h11, starlette", f"{uvicorn} --loop asyncio --http h11", needs),
        asgi("uvicorn, sanic", uvloop, ("web-sanic", "web-psycopg", STACK)),
        asgi("daphne, starlette", daphne, ("web-daphne", *_DATABASE), alone=True),
    ]


def asgi(name: str, line: str, needs: tuple[str, ...], *, alone: bool = False) -> Row:
    """Return a server with the application that the name has after the comma."""
    arguments = f"{line} {APPS}.{name.partition(', ')[2]}_app:app"
    return Row(name=name, model="asyncio", interface="asgi", arguments=arguments, needs=needs, alone=alone)


def ours() -> list[Row]:
    """Return our models, without a framework."""
    return [
        Row(
            name=model, model=model, interface="none", arguments=f"-m {APPS}.ours {model} {{port}}",
            needs=("web-psycopg", STACK), kind="model", alone=True,
        )
        for model in ("threads", "asyncio")
    ]  # fmt: skip


def gone() -> list[Row]:
    """Return what was to be had when the article was written, and is not any more."""
    meinheld = "meinheld 1.0.2 does not build on CPython 3.14 (it pins greenlet 0.4.17); its last release is of 2020"
    reasons = {f"gunicorn meinheld, {it}": ("greenlet", "wsgi", meinheld) for it in ("falcon", "bottle", "flask")}
    reasons["gunicorn eventlet, flask"] = ("eventlet", "wsgi", "gunicorn has had no eventlet worker since 26.0")
    reasons["vibora"] = ("asyncio", "none", "Vibora 0.0.6 has no wheel for CPython 3.14; its last release is of 2018")
    return [
        Row(name=name, model=model, interface=interface, why_not=why)
        for name, (model, interface, why) in reasons.items()
    ]
