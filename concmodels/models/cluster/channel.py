"""Channels on Dask's own queues; what one is made of is said in `channel_state.py`.

Each verb is one call in the world's event loop: the task's thread waits for its end, whatever happens.
"""

import math
import uuid

from concmodels.errors import ChannelClosed, WouldBlock
from concmodels.models.cluster.channel_state import NOTHING
from concmodels.models.cluster.rendezvous import Rendezvous
from concmodels.models.cluster.run import (
    EVENTS,
    RECEIVERS,
    SENDERS,
    RunningTask,
    Wait,
    World,
    current,
    dumps,
    running_in,
    unpack_arrived,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any, Self


class Channel(Rendezvous):
    """One end of a channel; all ends are equal, in whatever process they are."""

    def __init__(self, capacity: float = 0, name: str | None = None) -> None:
        if not (capacity == math.inf or (isinstance(capacity, int) and capacity >= 0)):
            raise ValueError(f"a channel's capacity is a whole number from 0, or math.inf, not {capacity!r}")
        self._attach(current().world, uuid.uuid4().hex, capacity, name)
        self.home.ask(self._make())

    def send(self, item: Any, timeout: float | None = None) -> None:
        """Send, waiting for room (on a rendezvous: until it is taken). Raises `ChannelClosed` or `TimeoutError`."""
        running, data = running_in(self.home), dumps(item)
        wait = Wait(running, timeout)
        sending = self._send_offer(data, wait) if self._capacity == 0 else self._send_buffered(data, wait)
        self.home.ask(sending, running)

    def receive(self, timeout: float | None = None) -> Any:
        """Receive, waiting for an item. Raises `ChannelClosed` (closed and drained) or `TimeoutError`."""
        running = running_in(self.home)
        wait = Wait(running, timeout)
        receiving = self._receive_offer(wait) if self._capacity == 0 else self._receive_buffered(wait)
        data = self.home.ask(receiving, running)
        return unpack_arrived(data, "an item of this channel")

    def send_nowait(self, item: Any) -> None:
        """Send without waiting. Raises `WouldBlock` or `ChannelClosed`."""
        running = running_in(self.home)
        if not self.home.ask(self.try_send(dumps(item), running), running):
            raise WouldBlock(f"{self._label()} has no room and nobody waits to receive")

    def receive_nowait(self) -> Any:
        """Receive without waiting. Raises `WouldBlock` or `ChannelClosed`."""
        running = running_in(self.home)
        data = self.home.ask(self.try_receive(running), running)
        if data is NOTHING:
            raise WouldBlock(f"{self._label()} is empty")
        return unpack_arrived(data, "an item of this channel")

    def __iter__(self) -> Iterator[Any]:
        """Receive until the channel is closed and drained."""
        try:
            while True:
                yield self.receive()
        except ChannelClosed:
            return

    def close(self) -> None:
        """Accept nothing more, for all its users. What was accepted stays receivable."""
        running = running_in(self.home)
        with running.cleaning_up():
            self.home.ask(self._close(running), running)

    @property
    def capacity(self) -> float:
        """How many items it holds: 0 is a rendezvous, `math.inf` has no bound."""
        return self._capacity

    @property
    def name(self) -> str | None:
        """The name that the channel was given."""
        return self._name

    @property
    def closed(self) -> bool:
        """Whether `close` was called."""
        return not self._look("open")

    def __len__(self) -> int:
        """The number of items that are held now."""
        return int(self._look("held")) if self._capacity else 0

    def __bool__(self) -> bool:
        return True  # an empty channel is a channel

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        label = f" {self._name!r}" if self._name else ""
        return f"<dask Channel{label} of {self._capacity}>"

    def __reduce__(self) -> tuple[Callable[..., Channel], tuple[Any, ...]]:
        """Pickle a channel as its number; its items stay with the scheduler."""
        if self.home.over:
            raise RuntimeError("this channel belongs to a run that is over")
        return revive, (self.home.run, self.number, self._capacity, self._name)

    # Calls of the event loop.

    async def try_send(self, data: bytes, running: RunningTask) -> bool:
        """Send an item if that needs no waiting; return whether it was sent. Raises `ChannelClosed`."""
        async with self._inside(running) as record:
            return await self._offer(record, data)

    async def try_receive(self, running: RunningTask) -> Any:
        """Take the first item; `NOTHING` if there is none. Raises `ChannelClosed`."""
        async with self._inside(running) as record:
            return await self._take(record)

    async def _send_buffered(self, data: bytes, wait: Wait) -> None:
        while True:
            async with self._inside(wait.running) as record:
                if await self._offer(record, data):
                    return
                if wait.is_over():
                    raise TimeoutError(f"{self._label()} has no room")
                event = await self._wait_for(SENDERS, record)
            await wait.slice(event.wait)

    async def _receive_buffered(self, wait: Wait) -> Any:
        while True:
            async with self._inside(wait.running) as record:
                data = await self._take(record)
                if data is not NOTHING:
                    return data
                if wait.is_over():
                    raise TimeoutError(f"{self._label()} is empty")
                event = await self._wait_for(RECEIVERS, record)
            await wait.slice(event.wait)

    async def _close(self, running: RunningTask) -> None:
        async with self._inside(running) as record:
            if not record["open"]:
                return
            record["open"] = False
            if self._capacity == 0:
                await self._refuse_offers(record)
            for name in EVENTS:
                await self._notify(name, record)

    def _look(self, what: str) -> Any:
        running = running_in(self.home)
        return self.home.ask(self._peek(what, running), running)

    async def _peek(self, what: str, running: RunningTask) -> Any:
        async with self._inside(running) as record:
            return record[what]


def revive(run: str, number: str, capacity: float, name: str | None) -> Channel:
    """Unpickle a channel: return this process's own end of it."""
    home = World.here(run)
    channel = home.channels.get(number)
    if channel is None:
        channel = Channel.__new__(Channel)
        channel._attach(home, number, capacity, name)
    found: Channel = channel
    return found
