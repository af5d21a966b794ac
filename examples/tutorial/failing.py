"""Two tasks in a group: one fails while the other waits for an hour."""

from concmodels import Channel, SyncModel, load


def main(model: SyncModel) -> None:
    ready = model.Channel(0)
    try:
        with model.TaskGroup() as group:
            group.spawn(patient, model, ready)
            group.spawn(clumsy, ready)
    except* ZeroDivisionError as failed:
        print("main: the group is over:", *failed.exceptions)


def patient(model: SyncModel, ready: Channel[str]) -> None:
    try:
        ready.send("I am about to wait")
        model.sleep(3600)
        print("patient: that was a long hour")
    finally:
        print("patient: I tidy up")


def clumsy(ready: Channel[str]) -> None:
    ready.receive()
    print("clumsy: I divide by zero")
    print(1 / 0)


if __name__ == "__main__":
    model = load("threads")
    model.run(main, model)
