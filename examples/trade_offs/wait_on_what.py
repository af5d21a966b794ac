"""Cancel three tasks that do nothing useful: one waits in the model, one waits elsewhere, one computes."""

import threading
import time

from concmodels import SyncModel, load

elsewhere = threading.Event()


def main(model: SyncModel) -> None:
    with model.TaskGroup() as group:
        tasks = [group.spawn(function, model) for function in (waits, waits_elsewhere, computes)]
        model.sleep(0.05)
        start = model.now()
        group.cancel()
        for task in tasks:
            while not task.done():
                time.sleep(0.001)
            print(task.name, "ended at once" if model.now() - start < 0.1 else "ended when it was done")


def waits(model: SyncModel) -> None:
    model.sleep(60)


def waits_elsewhere(model: SyncModel) -> None:
    elsewhere.wait(0.4)


def computes(model: SyncModel) -> None:
    end = model.now() + 0.8
    while model.now() < end:
        pass


if __name__ == "__main__":
    model = load("threads")
    model.run(main, model)
