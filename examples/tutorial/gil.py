"""One worker computes, the other wants to tick every millisecond. Does it?"""

import sys
import time

from concmodels import Channel, SyncModel, load


def main(model: SyncModel) -> None:
    ready, stop = model.Channel(1), model.Channel(1)
    with model.TaskGroup() as group:
        clock = group.spawn(tick, ready, stop)
        ready.receive()
        began, ended = group.spawn(compute).result()
        stop.send("enough")
    ticks = sum(began < moment < ended for moment in clock.result())
    print("the clock", "went on" if ticks > 3 else "stood still")


def tick(ready: Channel[str], stop: Channel[str]) -> list[float]:
    ready.send("ready")
    moments: list[float] = []
    while True:
        try:
            stop.receive(timeout=0.001)
            return moments
        except TimeoutError:
            moments.append(time.monotonic())


def compute() -> tuple[float, float]:
    began = time.monotonic()
    sum(range(10_000_000))  # for the interpreter, one step
    return began, time.monotonic()


if __name__ == "__main__":
    print("the GIL is", "on" if sys._is_gil_enabled() else "off")
    for name in "threads", "processes", "subinterp":
        model = load(name)
        print(f"{name}: ", end="", flush=True)
        model.run(main, model)
