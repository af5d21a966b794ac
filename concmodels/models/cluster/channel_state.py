"""What a channel is made of at the scheduler, and how a task is alone with it.

    items   a Queue: the items, pickled, in the order in which they were sent
    state   a Queue with one record in it. The task that takes the record is alone inside until it puts it back
    events  one for all tasks that wait to receive, one for all that wait to send; on a rendezvous each task has its own

So every step is done alone, and waiting consumes nothing: a task that finds nothing to do says in the record that it
waits, puts the record back, and waits for an event. To send an item takes three messages to the scheduler, and to
receive it too.

The record:

    open     whether the channel is open
    held     how many items lie in `items`
    waits    the names of the events that some task may be waiting for
    wanting, granted, taken     see `rendezvous.py`
"""

import asyncio
from contextlib import asynccontextmanager

from distributed import Event, Queue

from concmodels.errors import ChannelClosed
from concmodels.models.cluster.run import LONGEST_S, RECEIVERS, SENDERS, RunningTask, World

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from typing import Any, NoReturn

NOTHING: Any = object()


class ChannelState:
    """One end of a channel, and the steps that never wait; they are coroutines of the world's event loop."""

    def _attach(self, home: World, number: str, capacity: float, name: str | None) -> None:
        self.home, self.number = home, number
        self._capacity, self._name = capacity, name
        self._state: Any = None
        self._items: Any = None
        self._opening = asyncio.Lock()
        home.channels[number] = self

    async def _open(self) -> None:
        """Open the queues of the channel, the first time that this process needs them."""
        async with self._opening:
            if self._state is None:
                self._items = await self._queue("items")
                self._state = await self._queue("state")

    async def _queue(self, what: str) -> Any:
        queue = await Queue(f"{self.home.run}-{self.number}-{what}", client=self.home.client)
        await self.home.opened(queue.name)
        return queue

    async def _make(self) -> None:
        await self._open()
        fresh: dict[str, Any] = {"open": True, "held": 0, "waits": [], "wanting": [], "granted": [], "taken": []}
        await self._state.put(fresh)

    def _event(self, name: str) -> Any:
        return Event(f"{self.home.run}-{self.number}-state-{name}", client=self.home.client)

    @asynccontextmanager
    async def _inside(self, running: RunningTask) -> AsyncIterator[dict[str, Any]]:
        """Be alone inside.

        Raises as `RunningTask.check` while another task is inside for long: that one may have been killed.
        """
        if self._state is None:
            await self._open()
        await running.take_turn()
        # The `get` runs as a task of its own, which is never cancelled: the scheduler may have handed out the record by
        # then, and the record would be lost with the answer. Without the record, nobody could use the channel any more.
        coming = asyncio.ensure_future(self._state.get())
        while not (await asyncio.wait([coming], timeout=LONGEST_S))[0]:
            try:
                await running.check()
            except BaseException:
                self.home.begin(self._put_back(coming))
                raise
        record = _thawed(coming.result())
        try:
            yield record
        finally:
            await self._state.put(record)

    async def _put_back(self, coming: asyncio.Future[Any]) -> None:
        """Put the record back that comes too late, after this task has stopped waiting for it."""
        await self._state.put(await coming)

    # Inside.

    async def _wait_for(self, name: str, record: dict[str, Any]) -> Any:
        """Say in the record that a task waits for this event; return the event, cleared.

        It is cleared while the record is held, and set only by a task that holds the record: so no set is lost.
        """
        if name not in record["waits"]:
            record["waits"].append(name)
        event = self._event(name)
        await event.clear()
        return event

    async def _notify(self, name: str, record: dict[str, Any]) -> None:
        """Set this event, if the record says that a task may be waiting for it."""
        if name in record["waits"]:
            record["waits"].remove(name)
            await self._event(name).set()

    async def _put(self, record: dict[str, Any], data: bytes, ticket: str = "") -> None:
        await self._items.put([ticket, data])
        record["held"] += 1

    async def _get(self, record: dict[str, Any]) -> bytes:
        """Take the first item; if a task of a rendezvous offered it, tell that one."""
        ticket, data = await self._items.get()
        record["held"] -= 1
        if ticket:
            record["taken"].append(ticket)
            await self._notify(ticket, record)
        return bytes(data)

    async def _take(self, record: dict[str, Any]) -> Any:
        """Take the first item that is not granted to another task; `NOTHING` if there is none."""
        if record["held"] > len(record["granted"]):
            data = await self._get(record)
            await self._notify(SENDERS, record)
            return data
        if not record["open"]:
            self._refuse()
        return NOTHING

    async def _offer(self, record: dict[str, Any], data: bytes) -> bool:
        """Send an item if there is room or, on a rendezvous, a task that waits for one. Returns whether it was sent."""
        if not record["open"]:
            self._refuse()
        if self._capacity == 0:
            return await self._let_in(record, data)
        if record["held"] >= self._capacity:
            return False
        await self._put(record, data)
        await self._notify(RECEIVERS, record)
        return True

    async def _let_in(self, record: dict[str, Any], data: bytes) -> bool:
        if not record["wanting"]:
            return False
        receiver = record["wanting"].pop(0)
        record["granted"].append(receiver)
        await self._put(record, data)
        await self._notify(receiver, record)
        return True

    def _refuse(self) -> NoReturn:
        raise ChannelClosed(f"channel {self._name!r} is closed" if self._name else "the channel is closed")


def _thawed(record: dict[str, Any]) -> dict[str, Any]:
    """The record as it was put: on its way to the scheduler and back, lists turn into tuples."""
    return {key: list(value) if isinstance(value, tuple) else value for key, value in record.items()}
