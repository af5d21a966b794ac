"""A group cancels the other tasks when one fails, waits for them, and raises a group of errors."""

from concmodels import load


def patient(model, ready):
    try:
        ready.send(None)
        model.sleep(60)
    finally:
        print("tidied up")


def clumsy(ready):
    ready.receive()
    raise OSError("disk full")


def main(model):
    ready = model.Channel()
    try:
        with model.TaskGroup() as group:
            group.spawn(patient, model, ready)
            group.spawn(clumsy, ready)
    except* OSError as failed:
        print("failed:", *failed.exceptions)


if __name__ == "__main__":
    model = load("threads")
    model.run(main, model)
