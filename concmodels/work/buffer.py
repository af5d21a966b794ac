"""One big buffer that many workers read: ten million numbers, summed in slices.

    share   all workers see the same bytes; a task is told where its slice begins and ends
    copy    a task is given a copy of its slice, which is pickled, sent and unpickled across a memory boundary

numpy computes the sums where it can be imported. In a subinterpreter it can't, so Python's own `sum` goes through the
memoryview number by number there. The plain loop computes its sums in the same way, without sharing anything.
"""

from concmodels.work import Option
from concmodels.work import Work as _Work

TYPE_CHECKING = False
if TYPE_CHECKING:
    from array import array
    from collections.abc import Generator, Iterable
    from typing import Any

__all__ = ["Work", "async_sum_copy", "async_sum_shared", "sum_copy", "sum_shared"]

PERIOD = 1009
"""The numbers are 0 to 1008, again and again: these are made quickly, and different slices have different sums."""


def sum_shared(task: tuple[Any, int, int, bool]) -> int:
    """Sum one slice of a shared buffer, with or without numpy."""
    shared, start, stop, with_numpy = task
    if with_numpy:
        return int(shared.array()[start:stop].sum(dtype="int64"))
    with shared.view() as view, view[start:stop] as part:
        return sum(part)


def sum_copy(task: tuple[array[int], bool]) -> int:
    """Sum the numbers of a slice that was copied for this task."""
    numbers, with_numpy = task
    return add(numbers, with_numpy)


def add(numbers: Any, with_numpy: bool) -> int:
    """Sum an array or a memoryview."""
    if not with_numpy:
        return sum(numbers)
    import numpy

    return int(numpy.frombuffer(numbers, numpy.int32).sum(dtype="int64"))


async def async_sum_shared(task: tuple[Any, int, int, bool]) -> int:
    """The async form of `sum_shared`; nothing in it waits."""
    return sum_shared(task)


async def async_sum_copy(task: tuple[array[int], bool]) -> int:
    """The async form of `sum_copy`."""
    return sum_copy(task)


class Work(_Work):
    """Tasks that read one big buffer."""

    name = "buffer"
    options = (
        Option("buffer", "share", "how the workers get the numbers", choices=("share", "copy")),
        Option("numbers", 10_000_000, "how many numbers are summed, 4 bytes each", most=10**9),
    )

    def choose(self) -> None:
        """Choose the function for this way of sharing; in an async model, its async form."""
        from importlib.util import find_spec

        self.with_numpy = self.facts.model != "subinterp" and find_spec("numpy") is not None
        self.way: str = self.sizes["buffer"]
        self.numbers: int = self.sizes["numbers"]
        plain = {"share": sum_shared, "copy": sum_copy}
        awaited = {"share": async_sum_shared, "copy": async_sum_copy}
        self.function = (awaited if self.facts.is_async else plain)[self.way]

    def start(self) -> None:
        """Make the numbers, and share them with all workers if the work says so."""
        from array import array

        self.source = array("i", range(PERIOD)) * -(-self.numbers // PERIOD)
        del self.source[self.numbers :]
        self.shared: Any = self.verbs.share(self.source) if self.way == "share" else None

    def stop(self) -> None:
        """Release the numbers."""
        if self.shared is not None:
            self.shared.release()
        del self.source, self.shared

    def slices(self) -> Iterable[tuple[int, int]]:
        """Yield where the slice of each task begins and ends."""
        for task in range(self.tasks):
            yield task * self.numbers // self.tasks, (task + 1) * self.numbers // self.tasks

    def items(self) -> Iterable[Any]:
        """Return, for each task, the shared buffer and the ends of its slice, or a copy of the slice."""
        if self.way == "share":
            return ((self.shared, start, stop, self.with_numpy) for start, stop in self.slices())
        return ((self.source[start:stop], self.with_numpy) for start, stop in self.slices())

    def expected(self) -> Iterable[int]:
        """Return the sums, computed by a formula."""
        return (_sum_below(stop) - _sum_below(start) for start, stop in self.slices())

    def loop(self) -> Generator[int]:
        """Sum slice after slice of the numbers themselves."""
        numbers = memoryview(self.source)
        for start, stop in self.slices():
            yield add(numbers[start:stop], self.with_numpy)


def _sum_below(count: int) -> int:
    """Return the sum of the first `count` numbers."""
    rounds, rest = divmod(count, PERIOD)
    return rounds * (PERIOD * (PERIOD - 1) // 2) + rest * (rest - 1) // 2
