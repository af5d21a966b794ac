"""The serve program: a server as an object, a function for Python, and a command with arguments."""

import os
import signal
import sys
from argparse import ArgumentTypeError
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NoReturn

from concmodels import catalog
from concmodels.errors import ModelUnavailable, Terminated, UnknownModel
from concmodels.net import listen
from concmodels.net.addresses import address_text
from concmodels.platform.measuring import raise_descriptor_limit
from concmodels.programs.beside_loop import loops_here
from concmodels.programs.options import Parser, add_trace_option, whole
from concmodels.programs.output.streams import BadInput, quiet_when_closed, say
from concmodels.programs.plan import check_size, check_units
from concmodels.programs.result import BAD_INPUT, count, how_it_stopped
from concmodels.programs.signals import masked, signals_held
from concmodels.programs.tracing import Tracing
from concmodels.serve.service import Service
from concmodels.serve.stop import Stop
from concmodels.serve.tasks import async_serve
from concmodels.serve.tasks import serve as sync_serve
from concmodels.serve.workers import serve_apart

if TYPE_CHECKING:
    from concmodels.catalog import Facts

NAME = "concmodels.serve"
HOST, PORT = "127.0.0.1", 8000
_APART = catalog.names(family="boundary")


class Server:
    """A server that listens from the moment it is made, and answers while `run` runs."""

    def __init__(
        self, model: str = "threads", *, host: str = HOST, port: int = PORT, workers: int | None = None
    ) -> None:
        facts = catalog.facts(model)
        self.name = catalog.name_of(facts)
        self.workers = _checked_workers(facts, self.name, workers)
        if catalog.is_simulated(facts) or catalog.is_distributed(facts):
            raise ModelUnavailable(f"{self.name} can't serve: its tasks can't wait for a socket")
        self._model: Any = catalog.load(model)
        if self.workers is not None:
            thing, units = f"a server with {count(self.workers, 'worker')} of {self.name}", self.workers
            check_units(thing, facts, units, units * facts.descriptors, units * facts.memory, "fewer workers need less")
        self._program = async_serve if facts.is_async else sync_serve
        self._listener = listen(self._model, host, port)
        self._stop = Stop()
        self.address: tuple[str, int] = self._listener.address  # type: ignore[assignment]  # there is a port
        """The host and the port."""

    @property
    def url(self) -> str:
        """The address of its page."""
        return f"http://{address_text(*self.address)}/"

    def run(self) -> None:
        """Serve until `stop` is called or a signal arrives; then end gracefully, within three seconds.

        Raises `KeyboardInterrupt` after Ctrl-C, `Terminated` after SIGTERM or SIGHUP, and `RuntimeError` in a thread
        with an event loop beside which the model can't start its own.
        """
        try:
            _must_have_thread(self.name)
            if self.workers is None:
                self._model.run(self._program, self._model, self._listener, self._stop, Service(self.name))
            else:
                self._model.run(serve_apart, self._model, self._listener, self._stop, self.name, self.workers)
        finally:
            self.close()
        if self._stop.signum is not None:
            _raise(self._stop.signum)

    def stop(self) -> None:
        """Make `run` end. Can be called from any thread, and from a signal handler."""
        self._stop.now()

    def close(self) -> None:
        """Stop listening, if the server has not run. After `run`, there is nothing to close."""
        self._listener.close()
        self._stop.close()


def _must_have_thread(name: str) -> None:
    """Raise `RuntimeError` if an event loop runs in this thread beside which this model can't start its own."""
    facts = catalog.facts(name)
    in_the_way = [it for it in loops_here() if facts.is_async and it in facts.libraries]
    if in_the_way:
        call = {"asyncio": "asyncio.to_thread", "trio": "trio.to_thread.run_sync"}[in_the_way[-1]]
        raise RuntimeError(
            f"{name} can't serve in a thread where an event loop of {in_the_way[-1]} runs already: serve in another "
            f'one, as in `await {call}(serve, "{name}")`, and end it with the `stop` of its server'
        )


def _raise(signum: int) -> NoReturn:
    raise KeyboardInterrupt if signum == signal.SIGINT else Terminated(signum)


def _checked_workers(facts: Facts, name: str, workers: int | None) -> int | None:
    """Return the number of workers; None for a model whose tasks share their memory."""
    if facts.model not in _APART:
        if workers is not None:
            raise ValueError(f"workers are for {' and '.join(_APART)}; {name} serves all connections in one process")
        return None
    if workers is None:
        return os.process_cpu_count() or 1
    check_size("workers", workers)
    return workers


def serve(
    model: str = "threads",
    *,
    host: str = HOST,
    port: int = PORT,
    workers: int | None = None,
    started: Callable[[Server], object] | None = None,
) -> None:
    """Serve a small HTTP service on this model, until it is stopped.

    When the `Server` listens, `started` is called with it. Its `address` contains the port (if `port` is 0, the system
    chooses one), and its `stop` ends the service, from any thread. `workers` is only for processes and subinterp, and
    by default the number of CPUs. In the main thread, Ctrl-C, SIGTERM and SIGHUP also end the service, and this
    function then raises what `run` raises after them.

    The service ends gracefully: it accepts no more connections, closes those that wait for a request, lets requests
    that are being answered finish within two seconds, and cancels the rest.

    Raises `UnknownModel`, `ModelUnavailable`, `ValueError` for an invalid port or number of workers, `OSError` if it
    can't listen at the address, and `RuntimeError` in a thread with an event loop beside which the model can't start
    its own: call it in another thread, as in `await asyncio.to_thread(serve, "asyncio")`.

        >>> from threading import Thread
        >>> from urllib.request import urlopen
        >>> from concmodels.serve import serve
        >>> def ask(server):
        ...     with urlopen(f"{server.url}echo?good%20day") as answer:
        ...         print(answer.read())
        ...     server.stop()
        >>> serve("threads", port=0, started=lambda server: Thread(target=ask, args=(server,)).start())
        b'good day'
    """
    server = Server(model, host=host, port=port, workers=workers)
    try:
        _must_have_thread(server.name)
        if started is not None:
            started(server)
    except BaseException:
        server.close()
        raise
    server.run()


def command(arguments: list[str] | None = None) -> int:
    """Serve as the command line says; return the exit status. Raises nothing except `SystemExit(0)` after `--help`."""
    try:
        options = _parser().parse_args(arguments)
        tracing = Tracing(NAME, options.trace, sys.argv[1:] if arguments is None else arguments)
        with signals_held(), tracing:
            server = _server(options.model, options.host, options.port, options.workers)
            with quiet_when_closed():
                print(f"{server.name} serves at {server.url} until Ctrl-C", flush=True)
            with masked(signal.SIG_UNBLOCK):
                server.run()
        return tracing.status
    except (BadInput, UnknownModel, ModelUnavailable) as error:
        say(NAME, str(error))
        return BAD_INPUT
    except (KeyboardInterrupt, Terminated) as interrupt:
        status, how = how_it_stopped(interrupt)
        say(NAME, how)
        return status


def _parser() -> Parser:
    parser = Parser(
        prog=f"python -m {NAME}",
        description="Serve a small HTTP service, with a task for each connection: / (what it runs on), /json, "
        "/io?ms=10 (sleeps), /cpu?n=16 (computes) and /echo. This is an example of concurrency, not a web server for "
        "production. Ctrl-C or SIGTERM ends it; requests that are being answered have two seconds to finish. Exit "
        "status: 2 bad input, 130 Ctrl-C, 143 SIGTERM, 129 SIGHUP.",
        allow_abbrev=False,
    )
    add = parser.add_argument
    add("--model", metavar="NAME[:VARIANT]", default="threads", help="default threads")
    add("--port", metavar="N", type=_port, default=PORT, help=f"default {PORT}; 0: a free port")
    add("--host", metavar="ADDRESS", default=HOST, help=f"default {HOST}, which only this machine can reach")
    add("--workers", metavar="N", type=whole(),
        help="number of workers, only for processes and subinterp; default: as many as CPUs")  # fmt: skip
    add_trace_option(parser)
    return parser


def _port(text: str) -> int:
    port: int = whole()(text)
    if not 0 <= port <= 65535:
        raise ArgumentTypeError(f"a port is a whole number from 0 to 65535, not {text}")
    return port


def _server(model: str, host: str, port: int, workers: int | None) -> Server:
    """Return the server, with as many descriptors as this process may have. Raises `BadInput`."""
    raise_descriptor_limit()
    try:
        return Server(model, host=host, port=port, workers=workers)
    except OSError as error:
        advice = {13: "; ports below 1024 need privileges", 98: "; choose another one by --port"}
        raise BadInput(f"{error.strerror}{advice.get(error.errno or 0, '')}") from None
    except UnknownModel:
        raise
    except ValueError as error:
        raise BadInput(str(error)) from None
