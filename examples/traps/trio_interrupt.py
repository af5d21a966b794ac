"""Ctrl-C in a nursery comes out as a group of exceptions: `except KeyboardInterrupt` does not see it."""

import signal

import trio

from concmodels import load


async def in_trio():
    async with trio.open_nursery():
        signal.raise_signal(signal.SIGINT)
        await trio.sleep(1)


async def in_the_model(model):
    async with model.TaskGroup():
        signal.raise_signal(signal.SIGINT)
        await model.sleep(1)


def outcome(run, *args):
    try:
        run(*args)
    except BaseException as error:  # noqa: BLE001 - to show what it is
        return repr(error)


if __name__ == "__main__":
    print("trio:", outcome(trio.run, in_trio))
    model = load("trio")
    print("the model:", outcome(model.run, in_the_model, model))
