"""A deadlock is reported. Beside a thread that the run did not start it is not: that thread might still send."""

import threading

from concmodels import SyncModel, load
from concmodels.errors import Deadlock


def main(model: SyncModel) -> None:
    channel = model.Channel(0, "answers")
    try:
        channel.receive(timeout=None if threading.active_count() == 1 else 0.5)
    except TimeoutError:
        print("beside a foreign thread: nobody says so, only the timeout ended it")


if __name__ == "__main__":
    model = load("threads")
    try:
        model.run(main, model, deadlock_after=0.2)
    except Deadlock as error:
        print("alone:", error)
    done = threading.Event()
    foreign = threading.Thread(target=done.wait)
    foreign.start()
    model.run(main, model, deadlock_after=0.2)
    done.set()
    foreign.join()
