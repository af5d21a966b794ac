"""The cluster of a run: an embedded one, which lives as long as the run, or one that is there already.

The embedded cluster is a scheduler and one worker in this very process, which talk to each other in memory: it starts
in 20 ms, where a cluster with two worker processes takes half a second. Each of the two listens for HTTP on a port of
127.0.0.1, where it has no page to show: Dask can't be told not to.
"""

import asyncio
import os
import socket
import time
from concurrent.futures import Future, ThreadPoolExecutor, as_completed
from contextlib import AsyncExitStack, suppress
from tempfile import TemporaryDirectory

import dask
from distributed import Client, Scheduler, Worker
from distributed.comm.addressing import get_address_host, parse_address
from distributed.comm.core import listen
from distributed.utils import silence_logging_cmgr

from concmodels.errors import ModelUnavailable
from concmodels.models.cluster.board import Board
from concmodels.models.cluster.link import CONNECT_S, new_number
from concmodels.models.memory.lives import leftovers

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from concmodels.errors import Deadlock
    from concmodels.models.cluster.tasks import Tasks

NO_WORKERS_S = 10.0
"""The seconds without any worker after which the tasks fail: Dask itself would wait for a new one for ever."""

_EMBEDDED = {
    "distributed.scheduler.allowed-failures": 0,  # a task is begun once
    "distributed.scheduler.http.routes": [],
    "distributed.worker.http.routes": [],
    "distributed.worker.profile.enabled": False,  # a thread that would stay
}
_LOOPBACK: dict[str, Any] = {"dashboard": False, "dashboard_address": "127.0.0.1:0"}


def check_reachable(address: str) -> None:
    """Check that a scheduler listens at this address. Raises `ModelUnavailable`."""
    host, _, port = address.partition("://")[2].rpartition(":")
    try:
        socket.create_connection((host.strip("[]"), int(port)), timeout=CONNECT_S).close()
    except OSError as error:
        raise ModelUnavailable(
            f"no scheduler answers at {address} ({error}); start one there, or load plain dask for an embedded one"
        ) from None


class Host:
    """Starts the event loop, the client and the board of a run in a thread of their own, and ends them.

    `Channel` and `select` are those of the model that the board uses.
    """

    def __init__(self, address: str | None, Channel: Any, select: Any) -> None:
        self._address = address
        self._native = Channel, select
        self._ready: Future[Any] = Future()  # of the board
        self._stop = asyncio.Event()
        self._board: Board | None = None
        self._thread = ThreadPoolExecutor(1, "dask")

    def start(self, deadlock_after: float | None, find: Callable[[Deadlock], Deadlock]) -> Board:
        """Start the run; return its board. Raises `ModelUnavailable` if the cluster is silent or has no workers.

        `find` is told of a deadlock.
        """
        self._ended: Future[Any] = self._thread.submit(asyncio.run, self._live(deadlock_after, find))
        next(as_completed([self._ready, self._ended])).result()  # a run that ends before it is ready has failed
        board: Board = self._ready.result()
        self._board = board
        return board

    def unfinished(self) -> list[str]:
        """Return the names of the tasks that have not ended."""
        return self._board.tasks.unfinished() if self._board else []

    def interrupt(self) -> None:
        """Wake main for Ctrl-C, if it waits. Called in a signal handler."""
        if self._board is not None and self._board.over is None:
            with suppress(RuntimeError):  # the loop has just been closed: main no longer waits
                self._board.loop.call_soon_threadsafe(self._board.interrupt)

    def stop(self) -> None:
        """End the run, and wait for that."""
        next(as_completed([self._ready, self._ended]))  # also if `start` was interrupted
        if self._ready.done():
            self._ready.result().loop.call_soon_threadsafe(self._stop.set)
        self._thread.shutdown()
        if self._ready.done():
            self._ended.result()

    async def _live(self, deadlock_after: float | None, find: Callable[[Deadlock], Deadlock]) -> None:
        async with AsyncExitStack() as stack:
            stack.enter_context(silence_logging_cmgr("ERROR"))
            address = self._address or await _embedded(stack)
            client = await stack.enter_async_context(_client(address))
            client.scheduler_comm.interval = 0  # otherwise it gathers what is submitted for 10 ms
            await _see_workers(client, address)
            board = Board(new_number(), client, *self._native, embedded=self._address is None)
            looks = [] if deadlock_after is None else [board.tasks.look_for_deadlocks(deadlock_after, find)]
            if not board.embedded:
                listener = await stack.enter_async_context(_listener(board))
                board.tasks.address = reachable_at(listener)
                looks.append(_watch(board.tasks))
            looking = [asyncio.ensure_future(look) for look in looks]
            self._ready.set_result(board)
            await self._stop.wait()
            for look in looking:
                look.cancel()
            await board.close()


async def _watch(tasks: Tasks) -> None:
    """Look every second whether the cluster still has workers."""
    since = time.monotonic()
    while True:
        if await _has_workers(tasks.client):
            since = time.monotonic()
        if time.monotonic() - since > NO_WORKERS_S:
            tasks.lose_all("the cluster has no workers any more, so the task can't be done")
        await asyncio.sleep(1)


def _client(address: str) -> Any:
    return Client(address, asynchronous=True, set_as_default=False, timeout=CONNECT_S)


def _listener(board: Board) -> Any:
    """Listen for the workers' processes, at the address that the scheduler sees, and with the client's TLS."""
    here = board.tasks.client.scheduler_comm.comm.local_address
    where = f"{parse_address(here)[0]}://{get_address_host(here)}:0"
    return listen(where, board.serve, **board.tasks.client.security.get_listen_args("client"))


def reachable_at(listener: Any) -> str:
    """Return the address that the workers are told."""
    return str(listener.contact_address)


async def _embedded(stack: AsyncExitStack) -> str:
    """Start the embedded cluster; return its address."""
    leftovers.sweep(again=False)
    folder = stack.enter_context(TemporaryDirectory(prefix=f"concmodels-dask-{leftovers.owner()}-"))
    with dask.config.set(_EMBEDDED | {"temporary-directory": folder}):
        scheduler = await stack.enter_async_context(Scheduler(protocol="inproc://", port=0, **_LOOPBACK))
        threads = min(32, (os.process_cpu_count() or 1) + 4)
        worker = Worker(scheduler.address, nthreads=threads, memory_limit=0, **_LOOPBACK)
        await stack.enter_async_context(worker)
    return str(scheduler.address)


async def _see_workers(client: Any, address: str) -> None:
    """Wait for the first worker, without which a task would wait for ever. Raises `ModelUnavailable`."""
    try:
        await client.wait_for_workers(1, timeout=CONNECT_S)
    except TimeoutError:
        raise ModelUnavailable(f"the cluster at {address} has no workers; start one: dask worker {address}") from None


async def _has_workers(client: Any) -> bool:
    if client.status == "closed":
        return False  # there is not even a scheduler
    try:
        return bool(await client.nthreads())
    except OSError, AttributeError:  # the latter from a client that is just being closed
        return False
