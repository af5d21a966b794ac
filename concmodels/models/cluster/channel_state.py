"""What a channel is made of at the scheduler, and how a task is alone with it.

    items   a Queue: the items, pickled, in the order in which they were sent
    gate    a Queue with one record in it, the state of the channel. Who takes it is alone inside until he puts it back
    bells   Events: one for all who wait to receive, one for all who wait to send; on a rendezvous each has his own

So every step is done alone, and waiting consumes nothing: who finds nothing to do says in the record that he waits,
puts it back, and waits for a bell. To send an item takes three messages to the scheduler, and to receive it too.

    open     whether the channel is open
    held     how many items lie in `items`
    waits    the bells that somebody may be waiting for
    wanting, granted, taken     see `rendezvous.py`
"""

import asyncio
from contextlib import asynccontextmanager

from distributed import Event, Queue

from concmodels.errors import ChannelClosed
from concmodels.models.cluster.run import BELLS, LONGEST_S, Unit, World

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from typing import Any, NoReturn

NOTHING: Any = object()


class Gated:
    """One end, and the steps that never wait; they are coroutines of the world's event loop."""

    def _attach(self, home: World, number: str, capacity: float, name: str | None) -> None:
        self.home, self.number = home, number
        self._capacity, self._name = capacity, name
        self._gate: Any = None
        self._items: Any = None
        self._opening = asyncio.Lock()
        home.channels[number] = self

    async def _open(self) -> None:
        """Open its queues, the first time that this process needs them."""
        async with self._opening:
            if self._gate is None:
                self._items = await self._queue("items")
                self._gate = await self._queue("gate")

    async def _queue(self, what: str) -> Any:
        queue = await Queue(f"{self.home.run}-{self.number}-{what}", client=self.home.client)
        await self.home.opened(queue.name)
        return queue

    async def _make(self) -> None:
        await self._open()
        fresh: dict[str, Any] = {"open": True, "held": 0, "waits": [], "wanting": [], "granted": [], "taken": []}
        await self._gate.put(fresh)

    def _bell(self, who: str) -> Any:
        return Event(f"{self.home.run}-{self.number}-gate-{who}", client=self.home.client)

    @asynccontextmanager
    async def _inside(self, unit: Unit) -> AsyncIterator[dict[str, Any]]:
        """Be alone inside. Raises as `Unit.check` while another one is there for long: he may have been killed."""
        if self._gate is None:
            await self._open()
        await unit.take_turn()
        coming = asyncio.ensure_future(self._gate.get())
        while not (await asyncio.wait([coming], timeout=LONGEST_S))[0]:
            try:
                await unit.check()
            except BaseException:
                self.home.begin(self._put_back(coming))
                raise
        record = _thawed(coming.result())
        try:
            yield record
        finally:
            await self._gate.put(record)

    async def _put_back(self, coming: asyncio.Future[Any]) -> None:
        """The record comes too late for us: it goes back to where it belongs."""
        await self._gate.put(await coming)

    # Inside.

    async def _wait_for(self, bell: str, record: dict[str, Any]) -> Any:
        """Be rung from now on."""
        if bell not in record["waits"]:
            record["waits"].append(bell)
        ring = self._bell(bell)
        await ring.clear()
        return ring

    async def _ring(self, bell: str, record: dict[str, Any]) -> None:
        if bell in record["waits"]:
            record["waits"].remove(bell)
            await self._bell(bell).set()

    async def _put(self, record: dict[str, Any], data: bytes, ticket: str = "") -> None:
        await self._items.put([ticket, data])
        record["held"] += 1

    async def _get(self, record: dict[str, Any]) -> bytes:
        """Take the first item; who offered it hears of that."""
        ticket, data = await self._items.get()
        record["held"] -= 1
        if ticket:
            record["taken"].append(ticket)
            await self._ring(ticket, record)
        return bytes(data)

    async def _take(self, record: dict[str, Any]) -> Any:
        """Take the first item that is not guaranteed to another; `NOTHING` if there is none."""
        if record["held"] > len(record["granted"]):
            data = await self._get(record)
            await self._ring(BELLS[1], record)
            return data
        if not record["open"]:
            self._refuse()
        return NOTHING

    async def _offer(self, record: dict[str, Any], data: bytes) -> bool:
        """Send it, if there is room or, on a rendezvous, somebody who waits for it."""
        if not record["open"]:
            self._refuse()
        if self._capacity == 0:
            return await self._grant(record, data)
        if record["held"] >= self._capacity:
            return False
        await self._put(record, data)
        await self._ring(BELLS[0], record)
        return True

    async def _grant(self, record: dict[str, Any], data: bytes) -> bool:
        if not record["wanting"]:
            return False
        receiver = record["wanting"].pop(0)
        record["granted"].append(receiver)
        await self._put(record, data)
        await self._ring(receiver, record)
        return True

    def _refuse(self) -> NoReturn:
        raise ChannelClosed(f"channel {self._name!r} is closed" if self._name else "the channel is closed")


def _thawed(record: dict[str, Any]) -> dict[str, Any]:
    """The record as it was put: on a journey, lists turn into tuples."""
    return {key: list(value) if isinstance(value, tuple) else value for key, value in record.items()}
