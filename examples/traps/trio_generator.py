"""An async generator that is left early is not closed: trio can only warn. A channel needs no closing for that."""

import gc
import warnings

import trio

from concmodels import load


async def numbers():
    try:
        for number in range(10):
            yield number
            await trio.sleep(0)
    finally:
        await trio.sleep(0)  # something that is to be awaited at the end


async def first_of_generator():
    async for _ in numbers():
        break


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
    print("generator:", warned(trio.run, first_of_generator))
    print("channel:", warned(model.run, first_of_channel, model))
