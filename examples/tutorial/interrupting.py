"""Ctrl-C while two workers wait: which tasks hear of it, in which order, and what is left behind."""

import signal
import threading

from concmodels import SyncModel, load


def main(model: SyncModel) -> None:
    with model.TaskGroup() as group:
        group.spawn(worker, model)
        group.spawn(worker, model)
        model.sleep(0.3)
        print("Ctrl-C", flush=True)
        signal.raise_signal(signal.SIGINT)
        print("this line is never reached")


def worker(model: SyncModel) -> None:
    try:
        model.sleep(60)
    finally:
        print("a worker tidies up\n", end="", flush=True)  # in one piece: two at a time would mix


if __name__ == "__main__":
    model = load("threads")
    try:
        model.run(main, model)
    except KeyboardInterrupt as error:
        print("run raised", type(error).__name__)
    print("threads beside this one:", threading.active_count() - 1)
