"""The tasks of `concmodels.csp`.

`with source, out` closes both channels at the end. So the reader learns that nothing more comes, and what feeds the
source that nothing more is read.
"""

from types import CoroutineType
from typing import Any

from concmodels.errors import ChannelClosed, WouldBlock


async def generate(items: Any, out: Any) -> None:
    """Send all items."""
    with out:
        for item in items:
            if not await _accepted(out, item):
                return


async def convert(source: Any, function: Any, out: Any) -> None:
    """Send what the function returns for each item."""
    with source, out:
        async for item in source:
            if not await _accepted(out, await _value(function(item))):
                return


async def choose(source: Any, predicate: Any, out: Any) -> None:
    """Send the items for which the predicate is true."""
    with source, out:
        async for item in source:
            if await _value(predicate(item)) and not await _accepted(out, item):
                return


async def give_first(source: Any, count: Any, out: Any) -> None:
    """Send the first items, and take no more than these."""
    with source, out:
        for _ in range(count):
            try:
                item = await source.receive()
            except ChannelClosed:
                return
            if not await _accepted(out, item):
                return


async def collect(source: Any, model: Any, size: Any, within: Any, out: Any) -> None:
    """Send lists of items."""
    with source, out:
        while items := await _next_batch(source, model, size, within):
            if not await _accepted(out, items):
                return


async def give_in_time(source: Any, seconds: Any, out: Any) -> None:
    """Send the items until none has come for this number of seconds."""
    with source, out:
        while True:
            try:
                item = await source.receive(seconds)
            except ChannelClosed, TimeoutError:
                return
            if not await _accepted(out, item):
                return


async def give_until(source: Any, model: Any, quit: Any, out: Any) -> None:
    """Send the items until the other channel says that it is enough."""
    with source, out:
        while True:
            came = await model.select(quit, source, priority=True)
            if came.channel is quit or came.closed:
                return
            left = await model.select(quit, (out, came.item), priority=True)
            if left.channel is quit or left.closed:
                return


async def copy(source: Any, out: Any, others: Any) -> None:
    """Send the items of one of several sources. `others` has an item for each copying task that is not the last."""
    try:
        with source:
            async for item in source:
                if not await _accepted(out, item):
                    return
    finally:
        try:
            others.receive_nowait()
        except WouldBlock:
            out.close()


async def deal(source: Any, model: Any, outs: Any) -> None:
    """Send each item to one of the channels."""
    try:
        with source:
            async for item in source:
                if not await _dealt(model, outs, item):
                    return
    finally:
        _close(outs)


async def double(source: Any, model: Any, outs: Any) -> None:
    """Send each item to all channels."""
    await _given_to_each(source, outs, _accepted)


async def announce(source: Any, model: Any, outs: Any) -> None:
    """Send each item to the channels that are not full."""
    await _given_to_each(source, outs, _announced)


async def _given_to_each(source: Any, outs: Any, give: Any) -> None:
    """Give each item to each channel, without those that are closed, and end when none is left."""
    try:
        with source:
            async for item in source:
                outs = [out for out in outs if await give(out, item)]
                if not outs:
                    return
    finally:
        _close(outs)


async def _accepted(out: Any, item: Any) -> bool:
    """Send the item; return false if the channel is closed, because its reader has left."""
    try:
        await out.send(item)
    except ChannelClosed:
        return False
    return True


async def _value(result: Any) -> Any:
    """Return what a function returned, and await it if it is a coroutine function."""
    return await result if isinstance(result, CoroutineType) else result


async def _next_batch(source: Any, model: Any, size: Any, within: Any) -> list[Any]:
    """Receive the items of a batch: all, or those that came in time or before the end."""
    items: list[Any] = []
    limit = None
    while len(items) < size:
        try:
            item = await source.receive(None if limit is None else limit - model.now())
        except ChannelClosed, TimeoutError:
            break
        items.append(item)
        if within is not None and limit is None:
            limit = model.now() + within
    return items


async def _dealt(model: Any, outs: Any, item: Any) -> bool:
    """Send the item to one of the channels, and forget those that are closed; return false if none is left."""
    while outs:
        done = await model.select(*[(out, item) for out in outs])
        if not done.closed:
            return True
        outs.remove(done.channel)
    return False


async def _announced(out: Any, item: Any) -> bool:
    """Send the item unless the channel is full; return false if it is closed."""
    try:
        out.send_nowait(item)
    except WouldBlock:
        return True
    except ChannelClosed:
        return False
    return True


def _close(outs: Any) -> None:
    for out in outs:
        out.close()
