"""An async generator that is left early is closed late, and cancelled. A channel is left without closing anything."""

import gc
import warnings
from collections.abc import AsyncIterator, Callable

import trio

from concmodels import AsyncModel, load


async def numbers(steps: list[str]) -> AsyncIterator[int]:
    try:
        for number in range(10):
            yield number
            await trio.sleep(0)
    finally:
        steps.append("finally begins")
        await trio.sleep(0)  # something that is to be awaited at the end
        steps.append("finally has ended")


async def first_of_generator(steps: list[str]) -> None:
    async for _ in numbers(steps):
        break
    steps.append("the loop was left")
    gc.collect()
    await trio.sleep(0)


async def first_of_channel(model: AsyncModel) -> None:
    channel = model.Channel(1)
    channel.send_nowait(0)
    async for _ in channel:
        break


def warned(run: Callable[..., object], *args: object) -> list[str]:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        run(*args)
        gc.collect()
    return [warning.category.__name__ for warning in caught]


if __name__ == "__main__":
    model = load("trio")
    steps: list[str] = []
    print("generator:", warned(trio.run, first_of_generator, steps))
    print("its steps:", *steps, sep=" | ")
    print("channel:", warned(model.run, first_of_channel, model))
