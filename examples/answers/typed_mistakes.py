"""Mistakes that a type checker finds before the program runs. `make lint` fails if it finds one of them no more."""

from concmodels import Channel, load

threads, trio = load("threads"), load("trio")


def add(one: int, other: int) -> int:
    """Return the sum."""
    return one + other


def in_threads(numbers: Channel[int]) -> None:
    """Make mistakes in a sync model."""
    numbers.send("ten")  # type: ignore[arg-type]  # the items are int
    with threads.TaskGroup() as group:
        group.spawn(add, 1)  # type: ignore[arg-type]  # an argument is missing
        group.spawn(add(1, 2))  # type: ignore[arg-type]  # the function has been called already
    threads.select(numbers, "stop")  # type: ignore[call-overload]  # no channel


async def in_trio() -> None:
    """Make mistakes in an async model."""
    channel = trio.Channel(1)
    channel.send(1)  # type: ignore[unused-coroutine]  # it is not awaited
    for item in channel:  # type: ignore[attr-defined]  # it needs `async for`
        print(item)


def at_the_start() -> None:
    """Make a mistake where an async model is started."""
    trio.run(print)  # type: ignore[arg-type]  # main has to be an async function
