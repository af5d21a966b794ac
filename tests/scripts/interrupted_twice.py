"""Programs to interrupt twice: in a clean-up, or after one that was handled.

`python interrupted_twice.py MODEL MAIN TASK`, the last two by their names below. The programs are written for the async
models; without `async` and `await` they are those of the others.
"""

import sys
from contextlib import suppress

from concmodels import load


def say(text):
    """Tell the test that main, or a task, has come so far."""
    print(text, flush=True)


def handle():
    """Main has caught an interrupt. On asyncio it was a cancellation: a task that swallows one has to say so."""
    say("handled")
    if sys.argv[1] in ("asyncio", "anyio"):
        import asyncio  # only here: it takes longer than Python's own start

        asyncio.current_task().uncancel()


async def sleep_long(ready):
    """A task that ends when it is told to."""
    await ready.send("at work")
    await model.sleep(3600)


async def refuse_to_end(ready):
    """A task that waits, and goes on whatever that wait ends with."""
    await ready.send("at work")
    first = True
    while True:
        with suppress(BaseException):  # which came in the lines below the inner one
            while True:
                try:
                    await model.sleep(0.01)
                except BaseException:  # noqa: BLE001 - nothing is to end this task
                    if first:
                        first = False
                        say("refused")


async def compute(ready):
    """A task that never waits."""
    await ready.send("at work")
    say("computing")
    while True:
        pass


async def wait_long(where):
    """Wait, after having said so."""
    say(where)
    await model.sleep(3600)


async def leaves_a_group(task):
    """Main waits for the end of a group."""
    ready = model.Channel(1)
    async with model.TaskGroup() as group:
        group.spawn(task, ready, name="stubborn")
        await ready.receive()
        say("ready")


async def fails_in_a_group(task):
    """The body of a group fails, and main waits for its end."""
    ready = model.Channel(1)
    async with model.TaskGroup() as group:
        group.spawn(task, ready, name="stubborn")
        await ready.receive()
        raise LookupError("in the body")


async def leaves_a_computing_task(task):
    """Main waits for the end of a group; one of its tasks computes, and that is what a signal may strike."""
    ready = model.Channel(1)
    async with model.TaskGroup() as group:
        group.spawn(task, ready, name="stubborn")
        await ready.receive()
        group.spawn(compute, ready, name="computing")
        await ready.receive()


async def fails_after_an_interrupt(task):
    """Main has handled a Ctrl-C; then the body of a group fails, and main waits for its end."""
    try:
        await wait_long("ready")
    except KeyboardInterrupt, model.Cancelled:
        handle()
    ready = model.Channel(1)
    async with model.TaskGroup() as group:
        group.spawn(task, ready, name="stubborn")
        await ready.receive()
        raise LookupError("in the body")


async def waits_for_a_pool(task):
    """Main waits for the result of a pool's task."""
    ready = model.Channel(1)
    async with model.Pool(1) as pool:
        call = await pool.submit(task, ready)
        await ready.receive()
        say("ready")
        await call.result()


async def cleans_up_in_a_group(task):
    """Main has a clean-up of its own, in a group, and that takes long."""
    ready = model.Channel(1)
    try:
        async with model.TaskGroup() as group:
            group.spawn(task, ready, name="stubborn")
            await ready.receive()
            try:
                await wait_long("ready")
            finally:
                await wait_long("cleaning up")
    finally:
        say("left")


async def cleans_up_in_a_pool(task):
    """Main has a clean-up of its own, in a pool, and that takes long."""
    ready = model.Channel(1)
    try:
        async with model.Pool(1) as pool:
            call = await pool.submit(task, ready)
            await ready.receive()
            try:
                say("ready")
                await call.result()
            finally:
                await wait_long("cleaning up")
    finally:
        say("left")


async def cleans_up_shortly(task):
    """Main waits in its clean-up, but not for long."""
    ready = model.Channel(1)
    async with model.Pool(2) as pool:
        call = await pool.submit(task, ready)
        await ready.receive()
        try:
            await call.result()
        finally:
            await model.sleep(0.05)
            say("cleaned up")


async def goes_on(task):
    """Main handles each Ctrl-C outside of its group, and goes on."""
    for _ in range(3):
        ready = model.Channel(1)
        try:
            async with model.TaskGroup() as group:
                group.spawn(task, ready)
                await ready.receive()
                await wait_long("ready")
        except KeyboardInterrupt, model.Cancelled:
            handle()
        await model.sleep(0.001)
    say("to the end")


async def goes_on_in_a_group(task):
    """Main handles each Ctrl-C in its group, which goes on too."""
    ready = model.Channel(1)
    async with model.TaskGroup() as group:
        group.spawn(task, ready)
        await ready.receive()
        for _ in range(3):
            try:
                await wait_long("ready")
            except KeyboardInterrupt, model.Cancelled:
                handle()
            await model.sleep(0.001)
        group.cancel()
    say("to the end")


model = load(sys.argv[1])

if __name__ == "__main__":
    model.run(globals()[sys.argv[2]], globals()[sys.argv[3]])
