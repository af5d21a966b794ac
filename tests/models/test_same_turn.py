"""A cancellation by the model's own means, in the very turn in which a partner completes the operation.

The conformance suite says what `Task.cancel` does there (`guarantees/same_turn.py`). Here the cancellation comes from
asyncio, gevent, eventlet, trio and anyio themselves: their timeouts, their groups, their ways to kill.
"""

import asyncio
import threading
import time

import anyio
import eventlet
import pytest
import trio
from eventlet import hubs
from greenlet import getcurrent
from stuck import model_of

from concmodels import catalog, load
from concmodels.errors import WouldBlock
from concmodels.models.tasks.hubs import tasks

if catalog.why_not("gevent") is None:  # its import would switch the GIL on again for all other tests
    import gevent

OPERATIONS = ("receive", "iterate", "send", "select to receive", "select to send")
RECEIVING = ("receive", "iterate", "select to receive")


class Trouble(Exception):
    """What a task fails with."""


async def awaited(model, channel, operation):
    """Do it once, and return what came of it."""
    if operation == "iterate":
        async for item in channel:
            return item
    if operation == "receive":
        return await channel.receive()
    if operation == "send":
        return await channel.send("item") or "item"
    case = channel if operation == "select to receive" else (channel, "item")
    return (await model.select(case, model.Channel(0))).item


def plain(model, channel, operation):
    """The same, sync."""
    if operation == "iterate":
        for item in channel:
            return item
    if operation == "receive":
        return channel.receive()
    if operation == "send":
        return channel.send("item") or "item"
    case = channel if operation == "select to receive" else (channel, "item")
    return model.select(case, model.Channel(0)).item


def partner(channel, operation):
    """Complete this operation of somebody who waits."""
    if operation in RECEIVING:
        channel.send_nowait("item")
    else:
        assert channel.receive_nowait() == "item"


def nobody_waits(channel, operation):
    """Whether nobody is there to complete it with."""
    with pytest.raises(WouldBlock):
        partner(channel, operation)
    return True


def waiters(channel, operation):
    """The queue in which somebody waits to do this."""
    return channel._receivers if operation in RECEIVING else channel._senders


# asyncio.


async def settle():
    """Let every task go as far as it can."""
    for _ in range(5):
        await asyncio.sleep(0)


@pytest.mark.parametrize("operation", OPERATIONS)
@pytest.mark.parametrize("name", ["asyncio", "anyio"])
def test_a_native_task_keeps_what_it_has(name, operation):
    """`create_task`, and a cancel for the loser, is how asyncio's own programs select."""
    model = load(name)

    async def main():
        channel = model.Channel(0)
        task = asyncio.create_task(awaited(model, channel, operation))
        await settle()
        partner(channel, operation)
        assert task.cancel("too late")
        assert await task == "item" and not task.cancelled()

    model.run(main)


@pytest.mark.parametrize("operation", OPERATIONS)
@pytest.mark.parametrize("name", ["asyncio", "anyio"])
def test_a_native_task_that_is_cancelled_first_has_done_nothing(name, operation):
    model = load(name)

    async def main():
        channel = model.Channel(0)
        task = asyncio.create_task(awaited(model, channel, operation))
        await settle()
        task.cancel()
        assert nobody_waits(channel, operation)
        await asyncio.wait([task])
        assert task.cancelled() and nobody_waits(channel, operation)

    model.run(main)


@pytest.mark.parametrize("next_wait", ["asyncio.sleep(0)", "asyncio.sleep", "receive", "send", "select", "a future"])
@pytest.mark.parametrize("name", ["asyncio", "anyio"])
def test_the_cancellation_comes_at_the_next_wait(name, next_wait):
    model, log = load(name), []

    async def wait_on(channel):
        if next_wait == "receive":
            await channel.receive()
        elif next_wait == "send":
            await channel.send("nobody wants this")
        elif next_wait == "select":
            await model.select(channel, timeout=3600)
        elif next_wait == "a future":
            await asyncio.get_running_loop().create_future()
        else:
            await asyncio.sleep(0 if "0" in next_wait else 3600)

    async def task_body(channel):
        log.append(await channel.receive())
        log.append(asyncio.current_task().cancelling())
        try:
            await wait_on(channel)
        except asyncio.CancelledError as error:
            log.append(error.args)
            raise

    async def main():
        channel = model.Channel(0)
        task = asyncio.create_task(task_body(channel))
        await settle()
        channel.send_nowait("item")
        task.cancel("the message")
        await asyncio.wait([task])
        assert task.cancelled() and task.cancelling() == 1

    model.run(main)
    assert log == ["item", 1, ("the message",)]


def test_a_busy_partner_does_not_put_it_off_for_ever():
    """A partner that is faster in every single turn: the next wait raises all the same."""
    model, received = load("asyncio"), []

    async def receiver(channel):
        while True:
            received.append(await channel.receive())

    async def main():
        channel, loop = model.Channel(0), asyncio.get_running_loop()
        task = asyncio.create_task(receiver(channel))
        await settle()

        def serve():
            if channel._receivers:
                channel.send_nowait("item")
            if not task.done():
                loop.call_soon(serve)

        loop.call_soon(serve)
        loop.call_soon(task.cancel)
        await asyncio.wait([task], timeout=50)
        assert task.cancelled()

    model.run(main)
    assert len(received) <= 2


async def in_one_turn(*acts):
    """Have the loop do these one after the other, before any task runs again."""
    loop = asyncio.get_running_loop()
    for act in acts:
        loop.call_soon(act)
    await settle()


@pytest.mark.parametrize("operation", OPERATIONS)
@pytest.mark.parametrize("name", ["asyncio", "anyio"])
@pytest.mark.parametrize("swallowed", [0, 1], ids=["", "one swallowed before"])
@pytest.mark.parametrize("goes_on", [False, True], ids=["leaves", "goes on"])
def test_asyncio_timeout(name, operation, swallowed, goes_on):
    model, log = load(name), []

    async def task_body(channel, timeouts):
        me = asyncio.current_task()
        for _ in range(swallowed):
            me.cancel()
            with pytest.raises(asyncio.CancelledError):
                await asyncio.sleep(0)
        try:
            async with asyncio.timeout(None) as timeout:
                timeouts.append(timeout)
                log.append(await awaited(model, channel, operation))
                if goes_on:
                    await asyncio.sleep(3600)
        except TimeoutError:
            log.append("too late")
        log.append(me.cancelling())
        await settle()
        log.append("went on")

    async def main():
        channel, timeouts = model.Channel(0), []
        task = asyncio.create_task(task_body(channel, timeouts))
        await settle()
        now = asyncio.get_running_loop().time()
        await in_one_turn(lambda: timeouts[0].reschedule(now - 1), lambda: partner(channel, operation))
        await asyncio.wait([task], timeout=50)
        await task

    model.run(main)
    assert log == ["item", *(["too late"] if goes_on else []), swallowed, "went on"]


@pytest.mark.parametrize("goes_on", [False, True], ids=["leaves", "goes on"])
@pytest.mark.parametrize("name", ["asyncio", "anyio"])
def test_asyncio_task_group(name, goes_on):
    """A child fails, and another one serves the body in the turn in which that is told."""
    model, log = load(name), []

    async def fail():
        raise Trouble

    async def serve(channel):
        channel.send_nowait("item")

    async def main():
        channel = model.Channel(0)
        with pytest.raises(ExceptionGroup) as caught:
            async with asyncio.TaskGroup() as group:
                group.create_task(fail())
                group.create_task(serve(channel))
                log.append(await channel.receive())
                if goes_on:
                    await asyncio.sleep(3600)
                    log.append("not cancelled")
        assert caught.group_contains(Trouble) and asyncio.current_task().cancelling() == 0
        await settle()
        log.append("went on")

    model.run(main)
    assert log == ["item", "went on"]


# gevent and eventlet: an exception that somebody throws in.


GREEN = ("gevent", "eventlet")


def in_one_turn_of_the_hub(name, act):
    """Have the hub do this, and let all others go on."""
    if name == "gevent":
        gevent.get_hub().loop.run_callback(act)
    else:
        hubs.get_hub().schedule_call_global(0, act)


def library(name):
    """The model's own library."""
    return gevent if name == "gevent" else eventlet


@pytest.mark.parametrize("operation", OPERATIONS)
@pytest.mark.parametrize("name", GREEN)
@pytest.mark.parametrize("where", ["leaves", "waits for the hub", "waits for a channel", "waits for a task"])
def test_a_timeout_of_the_library(name, operation, where):
    model, native, log = load(name), library(name), []

    def task_body(channel, parts):
        timeout = native.Timeout(3600)
        try:
            with timeout:
                parts += getcurrent(), timeout
                log.append(plain(model, channel, operation))
                if where == "waits for the hub":
                    native.sleep(3600)
                elif where == "waits for a channel":
                    channel.receive()
                elif where == "waits for a task":
                    with model.TaskGroup() as group:
                        group.spawn(channel.receive).result()
        except native.Timeout as error:
            log.append(error is timeout)
        for _ in range(3):
            native.sleep(0)
        log.append("went on")

    def main():
        channel, parts = model.Channel(0), []
        with model.TaskGroup() as group:
            group.spawn(task_body, channel, parts)
            model.sleep(0.01)
            unit, timeout = parts
            in_one_turn_of_the_hub(name, lambda: (partner(channel, operation), unit.throw(timeout)))

    model.run(main)
    assert log == ["item", *([] if where == "leaves" else [True]), "went on"]


@pytest.mark.parametrize("operation", OPERATIONS)
@pytest.mark.parametrize("name", GREEN)
def test_a_timeout_of_the_library_that_is_first(name, operation):
    model, native, log = load(name), library(name), []

    def task_body(channel):
        with native.Timeout(0.01, False):
            log.append(plain(model, channel, operation))

    def main():
        channel = model.Channel(0)
        with model.TaskGroup() as group:
            group.spawn(task_body, channel).result()
            assert nobody_waits(channel, operation)

    model.run(main)
    assert log == []


def test_a_greenlet_that_is_killed_has_what_it_has():
    model, log = model_of("gevent"), []

    def task_body(channel):
        log.append(channel.receive())
        gevent.sleep(3600)
        log.append("not killed")

    def main():
        channel = model.Channel(0)
        unit = gevent.spawn(task_body, channel)
        gevent.sleep(0)
        unit.kill(block=False)
        channel.send_nowait("item")
        unit.join(50)
        assert unit.dead

    model.run(main)
    assert log == ["item"]


@pytest.mark.parametrize("name", GREEN)
@pytest.mark.parametrize("goes_on", [False, True], ids=["ends", "goes on"])
def test_a_signal_is_raised_at_the_next_wait_or_at_the_end(name, goes_on):
    model, log = load(name), []

    def main():
        channel, me = model.Channel(0), tasks[getcurrent()]

        def serve_and_interrupt():
            channel.send_nowait("item")
            me.guard.pending = True
            me._land()

        in_one_turn_of_the_hub(name, serve_and_interrupt)
        log.append(channel.receive())
        if goes_on:
            channel.receive()
            log.append("not interrupted")

    with pytest.raises(KeyboardInterrupt):
        model.run(main)
    assert log == ["item"]


# trio, and anyio on both of its backends: scopes.


def scope_of(name):
    """A scope of the model's own that can be cancelled."""
    return trio.move_on_after(3600) if name == "trio" else anyio.move_on_after(3600)


@pytest.mark.parametrize("operation", OPERATIONS)
@pytest.mark.parametrize("name", ["trio", "anyio", "anyio:trio"])
@pytest.mark.parametrize("first", ["partner", "scope"])
@pytest.mark.parametrize("goes_on", [False, True], ids=["leaves", "goes on"])
def test_a_scope_of_the_model(name, operation, first, goes_on):
    model, log = load(name), []

    async def task_body(channel, scopes):
        with scope_of(name) as scope:
            scopes.append(scope)
            log.append(await awaited(model, channel, operation))
            if goes_on:
                await model.sleep(3600)
                log.append("not cancelled")
        log.append(scope.cancelled_caught)
        await model.sleep(0)
        log.append("went on")

    async def main():
        channel, scopes = model.Channel(0), []
        async with model.TaskGroup() as group:
            group.spawn(task_body, channel, scopes)
            while not waiters(channel, operation):  # it may have to let others run first
                await model.sleep(0)
            if first == "partner":
                partner(channel, operation)
            scopes[0].cancel()
            if first == "scope":
                assert nobody_waits(channel, operation)

    model.run(main)
    caught = first == "scope" or goes_on
    assert log == [*(["item"] if first == "partner" else []), caught, "went on"]


# Threads: the first claim of a wait decides it, whichever thread runs first.


@pytest.mark.parametrize("operation", OPERATIONS)
@pytest.mark.parametrize("name", ["threads", "rawthreads"])
@pytest.mark.parametrize("first", ["partner", "cancellation"])
def test_threads(name, operation, first):
    model, log = load(name), []

    def task_body(channel):
        log.append(plain(model, channel, operation))
        model.sleep(3600)

    def main():
        channel = model.Channel(0)
        with model.TaskGroup() as group:
            task = group.spawn(task_body, channel)
            queue, end = waiters(channel, operation), time.monotonic() + 50
            while not (queue and task.waiter) and time.monotonic() < end:
                threading.Event().wait(0.001)
            if first == "partner":
                partner(channel, operation)
            task.cancel()
            if first == "cancellation":
                assert nobody_waits(channel, operation)

    model.run(main)
    assert log == (["item"] if first == "partner" else [])
