"""Waiting: requests to a small HTTP server on loopback, which takes its time over each answer.

While one request waits, another worker can make the next: so TASKS requests on N workers take TASKS / N delays in every
model. What differs is what a waiting worker costs, and what its client has to do: see `concmodels.work.clients`.

The server is a process of its own (`concmodels.work.server`) and lives from `start` to `stop`.
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

AWAY = ("processes", "subinterp", "dask")
"""The models whose tasks may run elsewhere: their function has to be found by name there."""

_clients: Clients | None = None
"""Those of the workers that `fetch` works for in this process or interpreter."""


def fetch(url: str) -> Document:
    """Get a document, in a worker that may be elsewhere. Raises httpx's exceptions."""
    global _clients
    if _clients is None:
        import atexit

        from concmodels.work.clients import Clients, new_client

        _clients = Clients(new_client("threads", None))
        atexit.register(_clients.close)
    with _clients.borrowed() as client:
        return parsed(client.get(url))


def parsed(response: Any) -> Document:
    """The document of a response. Raises `httpx.HTTPStatusError` for one that is none."""
    document: Document = response.raise_for_status().json()
    return document


class Work(_Work):
    """Tasks that wait for a server."""

    name = "io"
    needs = ("httpx", "httpcore")
    options = (Option("delay", 100, "milliseconds that the server takes over each answer", least=0, most=30_000),)

    def choose(self) -> None:
        """A function, sync or async as the model is; children are given one that they can import."""
        self.delay: int = self.sizes["delay"]
        if self.facts.model in AWAY:
            self.function = fetch
        else:
            self.function = self.fetch_async if self.facts.is_async else self.fetch

    @property
    def descriptors(self) -> int:
        """A connection for each worker in this process; the server's process needs no more than that either."""
        return 0 if self.facts.separate else self.workers

    def start(self) -> None:
        """Start the server. Raises `RuntimeError` if it does not come up."""
        from concmodels.work.clients import Clients, new_client

        self.clients = Clients(new_client(self.facts.model, self.verbs))
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
        """Get a document, in a model of one process."""
        return parsed(self.clients.own().get(url))

    async def fetch_async(self, url: str) -> Document:
        """The async form of `fetch`."""
        return parsed(await self.clients.own().get(url))

    def items(self) -> Iterable[str]:
        """Addresses: one document after the other, again and again."""
        return (f"{self.url}{1 + task % DOCUMENTS}" for task in range(self.tasks))

    def expected(self) -> Iterable[Document]:
        """The documents."""
        from concmodels.work import server

        return (server.DOCUMENTS[1 + task % DOCUMENTS] for task in range(self.tasks))

    def loop(self) -> Generator[Document]:
        """One request after the other, by a blocking client in any model."""
        import httpx

        from concmodels.work.clients import PLAIN

        with httpx.Client(**PLAIN) as client:
            for url in self.items():
                yield parsed(client.get(url))


def start_server(delay: int) -> Popen[bytes]:
    """Start the server's process. It ends when our end of its standard input does, however that comes about."""
    import subprocess
    import sys
    from pathlib import Path

    command = [sys.executable, "-I", "-S", str(Path(__file__).with_name("server.py")), str(delay)]
    return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)


def port_of(server: Popen[bytes]) -> int:
    """Wait until it listens."""
    assert server.stdout is not None
    line = server.stdout.readline()
    if not line:
        raise RuntimeError("the HTTP server that the requests are for did not start; its own message stands above")
    return int(line)


def stop_server(server: Popen[bytes]) -> None:
    """Stop it at once: nobody waits for it any more."""
    server.kill()
    with server:  # closes the pipes, and waits until it has ended
        pass
