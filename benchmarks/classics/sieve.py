"""The sieve: a generator of numbers and, behind it, a growing chain of filters, one for each prime that was found.

    2, 3, 4 ... --> not by 2 --> not by 3 --> not by 5 --> ... --> the caller

What comes through is the next prime, and it gets a filter. What is measured is a long pipeline of rendezvous channels
which grows while it works; starting the filters is part of that.
"""

from itertools import count, islice
from time import perf_counter

from benchmarks.classics import Wrong

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from concmodels.contract import AsyncChannel, Channel

SIZE = "primes"
SIZES = {"light": 150, "threads": 50, "boundary": 10, "tiny": 3}
STEP = "a number that a filter looks at"


def tasks(size: int) -> int:
    """Return the number of tasks: the generator and the filters; the last prime needs none."""
    return size


def steps(size: int) -> int:
    """Return how often a filter looks at a number: each number is looked at up to the first filter that divides it."""
    found = list(islice(primes(), size))
    looks = 0
    for number in range(2, found[-1] + 1):
        looks += next(at for at, prime in enumerate(found, 1) if number % prime == 0)
    return looks


def primes() -> Iterator[int]:
    """Return all primes, computed in one task."""
    found: list[int] = []
    for number in count(2):
        if all(number % prime for prime in found):
            found.append(number)
            yield number


def generate(outbox: Channel[int]) -> None:
    """Send all numbers from 2 on, until cancelled."""
    for number in count(2):
        outbox.send(number)


def sift(prime: int, inbox: Channel[int], outbox: Channel[int]) -> None:
    """Forward the numbers that this prime does not divide, until cancelled."""
    for number in inbox:
        if number % prime:
            outbox.send(number)


def main(model: Any, size: int) -> float:
    """Return the seconds from the first prime to the last one."""
    chain = [model.Channel(0, f"link {number}") for number in range(size)]
    found = []
    with model.TaskGroup() as group:
        group.spawn(generate, chain[0])
        found.append(chain[0].receive())
        started = perf_counter()
        for inbox, outbox in zip(chain, chain[1:], strict=False):
            group.spawn(sift, found[-1], inbox, outbox)
            found.append(outbox.receive())
        took = perf_counter() - started
        group.cancel()
    if found != list(islice(primes(), size)):
        raise Wrong(f"these are not the first {size:,} primes: {found}")
    return took


async def async_generate(outbox: AsyncChannel[int]) -> None:
    """The async form of `generate`."""
    for number in count(2):
        await outbox.send(number)


async def async_sift(prime: int, inbox: AsyncChannel[int], outbox: AsyncChannel[int]) -> None:
    """The async form of `sift`."""
    async for number in inbox:
        if number % prime:
            await outbox.send(number)


async def async_main(model: Any, size: int) -> float:
    """The async form of `main`."""
    chain = [model.Channel(0, f"link {number}") for number in range(size)]
    found = []
    async with model.TaskGroup() as group:
        group.spawn(async_generate, chain[0])
        found.append(await chain[0].receive())
        started = perf_counter()
        for inbox, outbox in zip(chain, chain[1:], strict=False):
            group.spawn(async_sift, found[-1], inbox, outbox)
            found.append(await outbox.receive())
        took = perf_counter() - started
        group.cancel()
    if found != list(islice(primes(), size)):
        raise Wrong(f"these are not the first {size:,} primes: {found}")
    return took
