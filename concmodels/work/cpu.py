"""Work that computes. Under the GIL, such tasks run at the same time only in several interpreters.

    factorial   the product of one slice of 1 x 2 x 3 x ... per task, multiplied in a plain loop
    fibonacci   a Fibonacci number by plain recursion, which consists of calls
    sort        bubble sort, which consists of comparisons and changes of a list

In an async model such a task blocks the event loop: nothing else runs there until it returns. This work shows that.

The result of a task is always small, so that sending it back costs the same in every kind. The expected results are
computed by faster ways.
"""

from concmodels.work import Option
from concmodels.work import Work as _Work

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

__all__ = [
    "Work",
    "async_factorial",
    "async_fibonacci",
    "async_sort",
    "bubble",
    "factorial",
    "fibonacci",
    "fib",
    "sort",
]

PRIME = 2**61 - 1
SIZES = {"factorial": 5000, "fibonacci": 24, "sort": 400}
"""The default size of each kind, which takes a few milliseconds."""
LARGEST = {"factorial": 10**6, "fibonacci": 40, "sort": 10**5}
"""The largest size of each kind, which takes minutes to hours: a larger one is taken for a typing error."""


def factorial(part: tuple[int, int]) -> int:
    """Multiply the numbers from `start` to `stop`, the latter excluded; return the product modulo a prime."""
    start, stop = part
    fact = 1
    for i in range(start, stop):
        fact *= i
    return fact % PRIME


def fibonacci(n: int) -> int:
    """Return the n-th Fibonacci number."""
    return fib(n)


def fib(n: int) -> int:
    """Compute the n-th Fibonacci number by recursion."""
    return n if n < 2 else fib(n - 1) + fib(n - 2)


def sort(task: tuple[int, int]) -> int:
    """Sort `size` pseudo-random numbers made from `seed`; return a checksum of their order."""
    return checksum(bubble(shuffled(*task)))


def bubble(numbers: list[int]) -> list[int]:
    """Sort this list in place by swapping neighbours, and return it."""
    for end in range(len(numbers) - 1, 0, -1):
        for i in range(end):
            if numbers[i] > numbers[i + 1]:
                numbers[i], numbers[i + 1] = numbers[i + 1], numbers[i]
    return numbers


def shuffled(seed: int, size: int) -> list[int]:
    """Return `size` pseudo-random numbers, which are the same for the same seed in every process."""
    number, numbers = seed, []
    for _ in range(size):
        number = (number * 1103515245 + 12345) % 2**31
        numbers.append(number >> 8)
    return numbers


def checksum(numbers: list[int]) -> int:
    """Return a sum that changes when two of the numbers change places."""
    return sum(place * number for place, number in enumerate(numbers, 1))


async def async_factorial(part: tuple[int, int]) -> int:
    """The async form of `factorial`; nothing in it waits."""
    return factorial(part)


async def async_fibonacci(n: int) -> int:
    """The async form of `fibonacci`."""
    return fib(n)


async def async_sort(task: tuple[int, int]) -> int:
    """The async form of `sort`."""
    return sort(task)


PLAIN = {"factorial": factorial, "fibonacci": fibonacci, "sort": sort}
ASYNC = {"factorial": async_factorial, "fibonacci": async_fibonacci, "sort": async_sort}


class Work(_Work):
    """Tasks that compute."""

    name = "cpu"
    options = (
        Option("kind", "factorial", "what is computed", choices=tuple(SIZES)),
        Option(
            "size",
            None,
            "size of a task: how many numbers to multiply (5000) or to sort (400), or which Fibonacci number (24)",
        ),
    )

    def choose(self) -> None:
        """Choose the function for this kind of computation; in an async model, its async form.

        Raises `ValueError` if the tasks would be too large.
        """
        self.kind: str = self.sizes["kind"]
        self.size: int = self.sizes["size"] or SIZES[self.kind]
        if self.size > LARGEST[self.kind]:
            raise ValueError(f"size must be at most {LARGEST[self.kind]} for {self.kind}, not {self.size}")
        self.function = (ASYNC if self.facts.is_async else PLAIN)[self.kind]

    def items(self) -> Iterable[Any]:
        """Return, for each task, the ends of a slice, a number, or a seed and a number."""
        if self.kind == "factorial":
            return ((first, first + self.size) for first in range(1, self.tasks * self.size + 1, self.size))
        if self.kind == "sort":
            return ((seed, self.size) for seed in range(self.tasks))
        return (self.size for _ in range(self.tasks))

    def expected(self) -> Iterable[int]:
        """Return the results, computed by `math.perm`, a loop or `sorted`."""
        import math

        if self.kind == "factorial":
            return (math.perm(stop - 1, stop - start) % PRIME for start, stop in self.items())
        if self.kind == "sort":
            return (checksum(sorted(shuffled(*task))) for task in self.items())
        before, number = 0, 1
        for _ in range(self.size - 1):
            before, number = number, before + number
        return (number for _ in range(self.tasks))

    def plain(self) -> Any:
        """Return the sync function, which the plain loop uses in all models."""
        return PLAIN[self.kind]
