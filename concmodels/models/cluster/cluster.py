"""The cluster of a run: an embedded one, which lives as long as the run, or one that is there already.

The embedded cluster is a scheduler and one worker in this very process, which talk to each other in memory: it starts
in 20 ms, where a cluster with two worker processes takes half a second. Each of the two listens for HTTP on a port of
127.0.0.1, where it has no page to show: Dask can't be told not to.
"""

import asyncio
import os
import socket
import threading
import time
import uuid
from concurrent.futures import Future
from contextlib import AsyncExitStack
from tempfile import TemporaryDirectory

import dask
from distributed import Client, Event, Queue, Scheduler, Worker
from distributed.utils import silence_logging_cmgr

from concmodels.errors import ModelUnavailable
from concmodels.models.cluster.run import EVENTS, World
from concmodels.models.memory import leftovers

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

CONNECT_S = 5.0
"""Seconds that a cluster may take to answer, and to have a first worker."""

NO_WORKERS_S = 10.0
"""Seconds without any worker, until the tasks fail: Dask itself would wait for a new one for ever."""

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
            f"nobody answers at {address} ({error}); start a scheduler there, or load plain dask for an embedded one"
        ) from None


class Host:
    """Starts the event loop and the client of a run in a thread of their own, and ends them."""

    def __init__(self, address: str | None) -> None:
        self._address = address
        self._ready: Future[World] = Future()
        self._stop = asyncio.Event()
        self._ended: Future[None] = Future()
        self._world: World | None = None
        self._thread = threading.Thread(target=self._live, name="dask")

    def start(self) -> World:
        """Start the run; return its world. Raises `ModelUnavailable` if the cluster is silent or has no workers."""
        self._thread.start()
        self._world = self._ready.result()
        return self._world

    def unfinished(self) -> list[str]:
        """The names of the tasks that have not ended."""
        return sorted(self._world.unfinished) if self._world else []

    def stop(self) -> None:
        """End the run, and wait for that."""
        if self._ready.exception() is None:  # waits until the start has succeeded or failed
            self._ready.result().loop.call_soon_threadsafe(self._stop.set)
        self._thread.join()
        if self._ended.exception() is not None and self._ready.exception() is None:
            self._ended.result()

    def _live(self) -> None:
        try:
            asyncio.run(self._host())
        except BaseException as error:  # noqa: BLE001 - it is raised in the thread that waits
            if not self._ready.done():
                self._ready.set_exception(error)
            self._ended.set_exception(error)
        else:
            self._ended.set_result(None)

    async def _host(self) -> None:
        async with AsyncExitStack() as stack:
            stack.enter_context(silence_logging_cmgr("ERROR"))
            address = self._address or await _embedded(stack)
            client = await stack.enter_async_context(_client(address))
            await _see_workers(client, address)
            name, embedded = f"concmodels-{uuid.uuid4().hex}", self._address is None
            world = World(name, client, asyncio.get_running_loop(), embedded=embedded)
            self._ready.set_result(world)
            await self._watch(world)
            world.over = True
            await _sweep(world)

    async def _watch(self, world: World) -> None:
        """Wait until `stop` is called; meanwhile look whether the cluster still has workers."""
        since = time.monotonic()
        while not self._stop.is_set():
            if self._address is None or await _has_workers(world.client):
                since = time.monotonic()
            if time.monotonic() - since > NO_WORKERS_S:
                world.no_workers.set()
            await asyncio.wait([asyncio.ensure_future(self._stop.wait())], timeout=1)


def _client(address: str) -> Any:
    return Client(address, asynchronous=True, set_as_default=False, timeout=CONNECT_S)


async def _embedded(stack: AsyncExitStack) -> str:
    """Start the embedded cluster; returns its address."""
    leftovers.sweep()
    folder = stack.enter_context(TemporaryDirectory(prefix=f"concmodels-dask-{leftovers.owner()}-"))
    with dask.config.set(_EMBEDDED | {"temporary-directory": folder}):
        scheduler = await stack.enter_async_context(Scheduler(protocol="inproc://", port=0, **_LOOPBACK))
        threads = min(32, (os.process_cpu_count() or 1) + 4)
        worker = Worker(scheduler.address, nthreads=threads, memory_limit=0, **_LOOPBACK)
        await stack.enter_async_context(worker)
    return str(scheduler.address)


async def _see_workers(client: Any, address: str) -> None:
    """Wait for the first worker, without which a task would wait for ever. Raises `ModelUnavailable`."""
    until = time.monotonic() + CONNECT_S
    while not await _has_workers(client):
        if time.monotonic() > until:
            raise ModelUnavailable(f"the cluster at {address} has no workers; start one: dask worker {address}")
        await asyncio.sleep(0.05)


async def _has_workers(client: Any) -> bool:
    if client.status == "closed":
        return False  # there is not even a scheduler
    try:
        return bool(await client.nthreads())
    except OSError, AttributeError:  # the latter from a client that is just being closed
        return False


async def _sweep(world: World) -> None:
    """Let the scheduler drop what the run's channels were made of."""
    for task in list(world.loop_calls):
        task.cancel()
    if world.client.status != "running":
        return
    for name in await world.all_opened():
        queue = Queue.__new__(Queue)  # without `__init__`, which would open one end more instead of closing one
        queue._client, queue.name, queue.maxsize = world.client, name, 0
        queue.close()
        for waiters in EVENTS:
            await Event(f"{name}-{waiters}", client=world.client).clear()
