"""An async generator that is left early is closed late, and cancelled. A channel is left without closing anything."""

import gc
import warnings

import trio

from concmodels import load


async def numbers(steps):
    try:
        for number in range(10):
            yield number
            await trio.sleep(0)
    finally:
        steps.append("finally begins")
        await trio.sleep(0)  # something that is to be awaited at the end
        steps.append("finally has ended")


async def first_of_generator(steps):
    async for _ in numbers(steps):
        break
    steps.append("the loop was left")
    gc.collect()
    await trio.sleep(0)


async def first_of_channel(model):
    channel = model.Channel(1)
    channel.send_nowait(0)
    async for _ in channel:
        break


def warned(run, *args):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        run(*args)
        gc.collect()
    return [warning.category.__name__ for warning in caught]


if __name__ == "__main__":
    model = load("trio")
    steps = []
    print("generator:", warned(trio.run, first_of_generator, steps))
    print("its steps:", *steps, sep=" | ")
    print("channel:", warned(model.run, first_of_channel, model))
