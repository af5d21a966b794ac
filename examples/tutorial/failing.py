"""Two tasks in a group: one fails while the other waits for an hour."""

from concmodels import load


def main(room):
    ready = room.Channel(0)
    try:
        with room.TaskGroup() as group:
            group.spawn(patient, room, ready)
            group.spawn(clumsy, ready)
    except* ZeroDivisionError as failed:
        print("main: the group is over:", *failed.exceptions)


def patient(room, ready):
    try:
        ready.send("I am about to wait")
        room.sleep(3600)
        print("patient: that was a long hour")
    finally:
        print("patient: I tidy up")


def clumsy(ready):
    ready.receive()
    print("clumsy: I divide by zero")
    print(1 / 0)


if __name__ == "__main__":
    threads = load("threads")
    threads.run(main, threads)
