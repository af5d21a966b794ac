"""Ctrl-C in a nursery comes out as a group of exceptions: `except KeyboardInterrupt` does not see it."""

import signal
from collections.abc import Callable

import trio

from concmodels import AsyncModel, load


async def in_trio() -> None:
    async with trio.open_nursery():
        signal.raise_signal(signal.SIGINT)
        await trio.sleep(1)


async def in_the_model(model: AsyncModel) -> None:
    async with model.TaskGroup():
        signal.raise_signal(signal.SIGINT)
        await model.sleep(1)


def outcome(run: Callable[..., object], *args: object) -> object:
    try:
        return run(*args)
    except BaseException as error:  # noqa: BLE001 - to show what it is
        return repr(error)


if __name__ == "__main__":
    print("trio:", outcome(trio.run, in_trio))
    model = load("trio")
    print("the model:", outcome(model.run, in_the_model, model))
