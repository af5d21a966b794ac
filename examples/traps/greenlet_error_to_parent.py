"""What a greenlet raises comes out in its parent, and not where another one switched to it."""

from greenlet import getcurrent, greenlet


def worker() -> None:
    raise ValueError("no such file")


def caller(worker_unit: greenlet) -> None:
    try:
        worker_unit.switch()
    except ValueError:
        print("caught by the one that switched to it")


if __name__ == "__main__":
    print("the worker's parent is main:", (unit := greenlet(worker)).parent is getcurrent())
    try:
        greenlet(caller).switch(unit)
    except ValueError as error:
        print("caught in main:", error)
