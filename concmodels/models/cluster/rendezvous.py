"""The rendezvous: a channel that holds nothing, so that `send` returns once the item is taken.

A receiver that finds no offer puts itself into `wanting`; a sender that finds it there hands over its item and moves
it to `granted`. A sender that finds none puts an offer into `items`, with its ticket, and waits until the ticket is
among those `taken`. A task that gives up looks once more, alone inside: what was done for it by then counts, and its
operation succeeds.
"""

import uuid

from concmodels.models.cluster.channel_state import NOTHING, ChannelState
from concmodels.models.cluster.run import Wait

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


class Rendezvous(ChannelState):
    """The two waits of a rendezvous, and its close; they are coroutines of the world's event loop."""

    async def _send_offer(self, data: bytes, wait: Wait) -> None:
        ticket = uuid.uuid4().hex
        async with self._inside(wait.running) as record:
            if await self._offer(record, data):
                return
            if wait.is_over():
                raise TimeoutError(f"{self._label()}: nobody waits to receive")
            event = await self._wait_for(ticket, record)
            await self._put(record, data, ticket)
        try:
            while not await self._was_taken(ticket, wait, event):
                pass
        except BaseException:  # a timeout, a cancellation, Ctrl-C, or the channel was closed
            if not await self._withdraw(ticket, wait):
                raise  # else the item was taken just before: the send has succeeded
        finally:
            await event.clear()

    async def _was_taken(self, ticket: str, wait: Wait, event: Any) -> bool:
        """Wait for one slice, and look whether the offer was taken. Raises what ends the wait."""
        await self._wait_slice(wait, event)
        async with self._inside(wait.running) as record:
            if ticket not in record["taken"]:
                if not record["open"]:
                    self._refuse()
                return False
            record["taken"].remove(ticket)
            return True

    async def _withdraw(self, ticket: str, wait: Wait) -> bool:
        """Take the offer back; return True if it was accepted before."""
        with wait.running.cleaning_up():
            async with self._inside(wait.running) as record:
                if ticket in record["taken"]:
                    record["taken"].remove(ticket)
                    return True
                await self._keep(record, lambda other: other != ticket)
                if ticket in record["waits"]:
                    record["waits"].remove(ticket)
                return False

    async def _keep(self, record: dict[str, Any], wanted: Any) -> list[str]:
        """Leave only those items in the queue whose ticket is wanted; return the tickets of the others."""
        dropped = []
        # Batch: all that lie there at once. The order of those that are put back is kept.
        for ticket, data in await self._items.get(batch=True):
            if wanted(ticket):
                await self._items.put([ticket, data])
            else:
                record["held"] -= 1
                dropped.append(ticket)
        return dropped

    async def _receive_offer(self, wait: Wait) -> bytes:
        me = uuid.uuid4().hex
        async with self._inside(wait.running) as record:
            data = await self._take(record)
            if data is not NOTHING:
                return bytes(data)
            if wait.is_over():
                raise TimeoutError(f"{self._label()} is empty")
            record["wanting"].append(me)
            event = await self._wait_for(me, record)
        try:
            while (data := await self._was_granted(me, wait, event)) is NOTHING:
                pass
            return bytes(data)
        except BaseException:  # as above
            if (data := await self._want_no_more(me, wait)) is NOTHING:
                raise
            return bytes(data)
        finally:
            await event.clear()

    async def _was_granted(self, me: str, wait: Wait, event: Any) -> Any:
        """Wait for one slice, and look whether an item was granted. Raises what ends the wait."""
        await self._wait_slice(wait, event)
        async with self._inside(wait.running) as record:
            if me in record["granted"]:
                record["granted"].remove(me)
                return await self._get(record)
            if not record["open"]:
                self._refuse()
            return NOTHING

    async def _want_no_more(self, me: str, wait: Wait) -> Any:
        """Stop wanting an item; return the one that was granted meanwhile, or `NOTHING`."""
        with wait.running.cleaning_up():
            async with self._inside(wait.running) as record:
                if me in record["granted"]:
                    record["granted"].remove(me)
                    return await self._get(record)
                for row in (record["wanting"], record["waits"]):
                    if me in row:
                        row.remove(me)
                return NOTHING

    async def _wait_slice(self, wait: Wait, event: Any) -> None:
        if wait.is_over():
            raise TimeoutError(f"{self._label()}: nobody came in time")
        await wait.slice(lambda seconds: event.wait(timeout=seconds))

    async def _refuse_offers(self, record: dict[str, Any]) -> None:
        """End all waits and drop all offers, because the channel is closed."""
        waiting = await self._keep(record, lambda ticket: not ticket) + record["wanting"]
        record["wanting"] = []
        for name in waiting:
            await self._notify(name, record)

    def _label(self) -> str:
        return f"channel {self._name!r}" if self._name else "the channel"
