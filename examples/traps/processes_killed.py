"""A process that is killed may have held a lock. So its whole run ends; in a pool only its task fails."""

import os
import signal

from concmodels import SyncModel, load
from concmodels.errors import TaskDied, WorkerDied


def die() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def lonely(model: SyncModel) -> None:
    with model.TaskGroup() as group:
        group.spawn(die, name="victim")


def pooled(model: SyncModel) -> None:
    with model.Pool(2) as pool:
        doomed = pool.submit(die)
        try:
            doomed.result()
        except WorkerDied as error:
            print("in a pool:", type(error).__name__)
        print("and the pool goes on:", pool.submit(pow, 2, 10).result())


if __name__ == "__main__":
    model = load("processes")
    try:
        model.run(lonely, model)
    except* TaskDied as group:
        print("in a group:", *(type(error).__name__ for error in group.exceptions))
    model.run(pooled, model)
