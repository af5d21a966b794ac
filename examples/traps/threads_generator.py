"""One thread is inside a generator; another one asks the same generator for its next value."""

import threading
from collections.abc import Iterator


def numbers(entered: threading.Event, go_on: threading.Event) -> Iterator[int]:
    entered.set()
    go_on.wait()  # stands for a read from a file or a socket
    yield 1


def main() -> None:
    entered, go_on = threading.Event(), threading.Event()
    shared = numbers(entered, go_on)
    taken: list[int] = []
    first = threading.Thread(target=lambda: taken.append(next(shared)))
    first.start()
    entered.wait()
    try:
        next(shared)
    except ValueError as error:
        print("the second thread:", repr(error))
    go_on.set()
    first.join()
    print("the first thread:", taken)


if __name__ == "__main__":
    main()
