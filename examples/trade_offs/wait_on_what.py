"""Cancel three tasks that do nothing useful: one waits in the room, one waits elsewhere, one computes."""

import threading
import time

from concmodels import load

elsewhere = threading.Event()


def main(room):
    with room.TaskGroup() as group:
        tasks = [group.spawn(function, room) for function in (waits, waits_elsewhere, computes)]
        room.sleep(0.05)
        start = room.now()
        group.cancel()
        for task in tasks:
            while not task.done():
                time.sleep(0.001)
            print(task.name, "ended at once" if room.now() - start < 0.1 else "ended when it was done")


def waits(room):
    room.sleep(60)


def waits_elsewhere(room):
    elsewhere.wait(0.4)


def computes(room):
    end = room.now() + 0.8
    while room.now() < end:
        pass


if __name__ == "__main__":
    threads = load("threads")
    threads.run(main, threads)
