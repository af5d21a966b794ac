"""A group cancels the other tasks when one fails, waits for them, and raises a group of errors."""

from concmodels import Channel, load

model = load("threads")


def patient(ready: Channel[None]) -> None:
    try:
        ready.send(None)
        model.sleep(60)
    finally:
        print("tidied up")


def clumsy(ready: Channel[None]) -> None:
    ready.receive()
    raise OSError("disk full")


def main() -> None:
    ready = model.Channel()
    try:
        with model.TaskGroup() as group:
            group.spawn(patient, ready)
            group.spawn(clumsy, ready)
    except* OSError as failed:
        print("failed:", *failed.exceptions)


if __name__ == "__main__":
    model.run(main)
