"""Several threads take numbers from one iterator: what is handed out twice, what to nobody, and what helps.

    python examples/shared_iterator.py [--threads 4] [--numbers 20000]

`next(iterator)` looks like one step. In an iterator written in Python it is several: count, look whether that was the
last one, hand out. Whenever another thread comes in between, both hand out the same number, and one is lost:

    thread A                       thread B
    self.last += 1     last = 7
                                   self.last += 1     last = 8
    return self.last   8
                                   return self.last   8: twice, and nobody got 7

A generator notices that a thread is already in it, and raises `ValueError: generator already executing`.

With the GIL, threads change places only where the interpreter lets them: at a call, at the end of a loop's body, and
wherever the GIL is given up, as in a read that has to wait. So the race does not show in an iterator written in C (no
such place in it), nor in a Python one made of a few plain operations: they are safe by luck of the implementation,
which no documentation guarantees, and on a free-threaded Python the luck is over.

What helps: a lock around `next`, for any iterator (`Locked`; Python 3.15 has it as `threading.serialize_iterator`), or
a channel: one task has the iterator to itself, and the others receive from the channel.
"""

import argparse
import random
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator

from rich.console import Console
from rich.table import Table

from concmodels import Channel, load

model = load("threads")


def elsewhere() -> None:
    """Stands for any call between two steps, such as a read that finds its bytes there, or has to wait for them."""
    if random.random() < 0.1:
        time.sleep(0)  # gives up the GIL


class Bare:
    """Counts from 1 to `stop`; nothing stands between the counting and the handing out."""

    def __init__(self, stop: int) -> None:
        self.last, self.stop = 0, stop

    def __iter__(self) -> Bare:
        return self

    def __next__(self) -> int:
        self.last += 1
        if self.last > self.stop:
            raise StopIteration
        return self.last


class Chatty(Bare):
    """The same, with a call in between."""

    between = staticmethod(elsewhere)

    def __next__(self) -> int:
        self.last += 1
        self.between()
        if self.last > self.stop:
            raise StopIteration
        return self.last


def generated(stop: int, between: Callable[[], object] = elsewhere) -> Iterator[int]:
    """The same as a generator."""
    for number in range(1, stop + 1):
        between()
        yield number


class Locked[T]:
    """An iterator that several threads may share: only one of them is inside at a time."""

    def __init__(self, iterable: Iterable[T]) -> None:
        self.iterator, self.lock = iter(iterable), threading.Lock()

    def __iter__(self) -> Locked[T]:
        return self

    def __next__(self) -> T:
        with self.lock:
            return next(self.iterator)


def take(source: Iterable[int], start: threading.Barrier) -> tuple[list[int], str | None]:
    """Take numbers until there are no more, or until it goes wrong."""
    taken: list[int] = []
    start.wait()
    try:
        for number in source:
            taken.append(number)
            elsewhere()  # whatever one does with a number
    except ValueError as error:
        return taken, str(error)
    return taken, None


def feed(channel: Channel[int], numbers: Iterable[int]) -> None:
    """The one task that has the iterator."""
    with channel:
        for number in numbers:
            channel.send(number)


def share_out(source: Iterable[int], threads: int, fed_from: Iterable[int] | None = None) -> tuple[list[int], int, str]:
    """Have that many threads take from one source; return all that was taken, how many threads failed, and why."""
    start = threading.Barrier(threads)
    with model.TaskGroup() as group:
        takers = [group.spawn(take, source, start) for _ in range(threads)]
        if fed_from is not None:
            group.spawn(feed, source, fed_from)  # type: ignore[arg-type]  # a source that is fed is a channel
    outcomes = [taker.result() for taker in takers]
    errors = [error for _, error in outcomes if error]
    return [number for taken, _ in outcomes for number in taken], len(errors), "".join(errors[:1])


def forms(numbers: int) -> Iterator[tuple[str, Iterable[int], Iterable[int] | None]]:
    """What is shared, in words; the object; and what feeds it, if it is a channel."""
    yield "iterator written in C", iter(range(1, numbers + 1)), None
    yield "class, nothing in between", Bare(numbers), None
    yield "class, a call in between", Chatty(numbers), None
    yield "generator", generated(numbers), None
    yield "that class, locked", Locked(Chatty(numbers)), None
    yield "that generator, locked", Locked(generated(numbers)), None
    if serialize := getattr(threading, "serialize_iterator", None):  # new in Python 3.15
        yield "that class, serialized", serialize(Chatty(numbers)), None
    yield "that class, behind a channel", model.Channel(100), Chatty(numbers)


def row(taken: list[int], failed: int, why: str, numbers: int) -> list[str]:
    """The figures of one form: how many were taken more than once, how many by nobody, and what was raised."""
    times = Counter(taken)
    twice, lost = sum(count > 1 for count in times.values()), numbers - len(times)
    return [f"{twice:,}", f"{lost:,}", f"{failed} of the threads: {why}" if failed else "none"]


def main(threads: int, numbers: int) -> Table:
    """Try all forms."""
    table = Table("shared by all threads", title=f"{threads} threads take {numbers:,} numbers from one iterator")
    table.add_column("more than\nonce", justify="right")
    table.add_column("to\nnobody", justify="right")
    table.add_column("failed")
    for what, source, fed_from in forms(numbers):
        table.add_row(what, *row(*share_out(source, threads, fed_from), numbers))
    return table


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--threads", type=int, default=4, help="number of threads; default 4")
    parser.add_argument("--numbers", type=int, default=20_000, help="how many numbers they take; default 20,000")
    options = parser.parse_args()
    if options.threads < 1 or options.numbers < 1:
        parser.error("there must be at least one thread and one number")
    sys.setswitchinterval(1e-6)  # let the threads change places as often as they can: a race shows sooner
    Console().print(model.run(main, options.threads, options.numbers))
    print("What these figures mean, and why the first two are safe only by luck, is explained at the top of this file.")
