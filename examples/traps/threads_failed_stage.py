"""A stage of a pipeline fails. Do the other stages learn of it?"""

import queue
import threading

from concmodels import SyncModel, load


def square(numbers: object, squares: object) -> None:
    raise OSError("the disk is full")


def by_hand() -> None:
    threading.excepthook = lambda failure: None  # it would print a traceback, and that is all
    numbers, squares = queue.Queue[int](2), queue.Queue[int](2)
    threading.Thread(target=square, args=(numbers, squares)).start()
    try:
        for number in range(10):
            numbers.put(number, timeout=0.2)
        print("by hand: all are sent")
    except queue.Full:
        print("by hand: without the timeout, `put` would wait for ever")


def in_the_model(model: SyncModel) -> None:
    numbers, squares = model.Channel(2), model.Channel(2)
    try:
        with model.TaskGroup() as group:
            group.spawn(square, numbers, squares)
            for number in range(10):
                numbers.send(number)
    except* OSError as errors:
        print("the model:", *errors.exceptions)


if __name__ == "__main__":
    by_hand()
    model = load("threads")
    model.run(in_the_model, model)
