"""Ctrl-C while two workers wait: which tasks hear of it, in which order, and what is left behind."""

import signal
import threading

from concmodels import AsyncModel, load


async def main(model: AsyncModel) -> None:
    async with model.TaskGroup() as group:
        group.spawn(worker, model)
        group.spawn(worker, model)
        await model.sleep(0.3)
        print("Ctrl-C", flush=True)
        signal.raise_signal(signal.SIGINT)
        print("this line is never reached")


async def worker(model: AsyncModel) -> None:
    try:
        await model.sleep(60)
    finally:
        print("a worker tidies up\n", end="", flush=True)  # in one piece: two at a time would mix


if __name__ == "__main__":
    model = load("trio")
    try:
        model.run(main, model)
    except KeyboardInterrupt as error:
        print("run raised", type(error).__name__)
    print("threads beside this one:", threading.active_count() - 1)
