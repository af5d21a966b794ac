"""One greenlet that computes, or calls what blocks, keeps all others waiting: nothing takes the processor away."""

import time

from concmodels import SyncModel, load


def main(model: SyncModel) -> None:
    with model.TaskGroup() as group:
        ticks: list[float] = []
        ticker = group.spawn(tick, model, ticks)
        model.sleep(0.1)
        print("ticks during the model's sleep:", "some" if ticks else "none")
        before = len(ticks)
        time.sleep(0.1)
        print("ticks during time.sleep:", "some" if len(ticks) > before else "none")
        ticker.cancel()


def tick(model: SyncModel, ticks: list[float]) -> None:
    while True:
        model.sleep(0.01)
        ticks.append(model.now())


if __name__ == "__main__":
    model = load("greenlet")
    model.run(main, model)
