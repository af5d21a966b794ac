"""How late does a task wake up, while one other computes for 20 ms at a time, and while several do?"""

from concmodels import Channel, SyncModel, load

TICKS, TICK, COMPUTES = 30, 0.002, 0.02


def main(model: SyncModel, computing: int) -> list[float]:
    stop = model.Channel()
    with model.TaskGroup() as group:
        for _ in range(computing):
            group.spawn(compute, model, stop)
        ticker = group.spawn(tick, model, stop)
        return ticker.result()


def tick(model: SyncModel, stop: Channel[None]) -> list[float]:
    late: list[float] = []
    with stop:
        for _ in range(TICKS):
            due = model.now() + TICK
            model.sleep(TICK)
            late.append(model.now() - due)
    return late


def compute(model: SyncModel, stop: Channel[None]) -> None:
    while not stop.closed:
        end = model.now() + COMPUTES
        while model.now() < end:
            pass
        model.sleep(0.001)


def show(name: str, computing: int) -> None:
    model = load(name)
    late = sorted(1000 * seconds for seconds in model.run(main, model, computing))
    print(f"{name:9}  {computing} computing:  median lateness {late[TICKS // 2]:.1f} ms")


if __name__ == "__main__":
    for name in ("greenlet", "threads", "subinterp", "processes"):
        show(name, 1)
    print()
    for computing in (2, 4, 8):
        show("threads", computing)
