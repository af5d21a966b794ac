"""Work that waits: requests to a small HTTP server on loopback, which delays each answer.

While one request waits, another worker can make the next one. So TASKS requests on N workers take TASKS / N delays in
every model. The models differ in what a waiting worker costs, and in what its client has to do for that: see
`concmodels.work.clients`.

The server is a process of its own (`concmodels.work.server`), which lives from `start` to `stop`.
"""

from concmodels.work import Option
from concmodels.work import Work as _Work

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Generator, Iterable
    from subprocess import Popen
    from typing import Any

    from concmodels.work.clients import Clients

    type Document = dict[str, int | str]

__all__ = ["Work", "fetch"]

DOCUMENTS = 20

REMOTE = ("boundary", "cluster")
"""The families whose tasks may run in another process or interpreter, which has to find their function by name."""

_clients: Clients | None = None
"""The clients that `fetch` uses in this process or interpreter."""


def fetch(url: str) -> Document:
    """Get a document; the worker may be in another process or interpreter. Raises httpx's exceptions."""
    global _clients
    if _clients is None:
        import atexit

        from concmodels import catalog
        from concmodels.work.clients import Clients, new_client

        _clients = Clients(new_client(catalog.facts("threads"), None))
        atexit.register(_clients.close)
    with _clients.borrowed() as client:
        return parsed(client.get(url))


def parsed(response: Any) -> Document:
    """Return the document in a response. Raises `httpx.HTTPStatusError` if the response is an error."""
    document: Document = response.raise_for_status().json()
    return document


class Work(_Work):
    """Tasks that wait for a server."""

    name = "io"
    needs = ("httpx", "httpcore")
    options = (Option("delay", 100, "milliseconds that the server waits before each answer", least=0, most=30_000),)

    def choose(self) -> None:
        """Choose the function: an async one in an async model, one that can be imported where tasks are remote."""
        self.delay: int = self.sizes["delay"]
        if self.facts.family in REMOTE:
            self.function = fetch
        else:
            self.function = self.fetch_async if self.facts.is_async else self.fetch

    @property
    def descriptors(self) -> int:
        """One connection for each worker in this process."""
        return 0 if self.facts.separate else self.workers

    def start(self) -> None:
        """Start the server. Raises `RuntimeError` if that fails."""
        from concmodels.work.clients import Clients, new_client

        self.clients = Clients(new_client(self.facts, self.verbs))
        self.server = start_server(self.delay)
        try:
            self.url = f"http://127.0.0.1:{port_of(self.server)}/posts/"
        except BaseException:
            stop_server(self.server)
            raise

    def stop(self) -> None:
        """Close the connections and stop the server."""
        try:
            self.clients.close()
            if _clients is not None:
                _clients.close()
        finally:
            stop_server(self.server)

    async def stop_async(self) -> None:
        """The async form of `stop`."""
        try:
            await self.clients.aclose()
        finally:
            stop_server(self.server)

    def fetch(self, url: str) -> Document:
        """Get a document, in a model whose tasks share one memory."""
        return parsed(self.clients.own().get(url))

    async def fetch_async(self, url: str) -> Document:
        """The async form of `fetch`."""
        return parsed(await self.clients.own().get(url))

    def items(self) -> Iterable[str]:
        """Return the addresses of the documents, one after the other, again and again."""
        return (f"{self.url}{1 + task % DOCUMENTS}" for task in range(self.tasks))

    def expected(self) -> Iterable[Document]:
        """Return the documents."""
        from concmodels.work import server

        return (server.DOCUMENTS[1 + task % DOCUMENTS] for task in range(self.tasks))

    def loop(self) -> Generator[Document]:
        """Make one request after the other with a blocking client, in all models."""
        import httpx

        from concmodels.work.clients import PLAIN

        with httpx.Client(**PLAIN) as client:
            for url in self.items():
                yield parsed(client.get(url))


def start_server(delay: int) -> Popen[bytes]:
    """Start the process of the server, which answers after `delay` milliseconds.

    It ends when its standard input is closed, for example because this process dies.
    """
    import subprocess
    import sys
    from pathlib import Path

    command = [sys.executable, "-I", "-S", str(Path(__file__).with_name("server.py")), str(delay)]
    return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)


def port_of(server: Popen[bytes]) -> int:
    """Wait until the server listens; return its port. Raises `RuntimeError` if it did not start."""
    assert server.stdout is not None
    line = server.stdout.readline()
    if not line:
        raise RuntimeError("the HTTP server that the requests are for did not start; its own message is above")
    return int(line)


def stop_server(server: Popen[bytes]) -> None:
    """Kill the server: no request needs it any more."""
    server.kill()
    with server:  # closes the pipes, and waits until it has ended
        pass
