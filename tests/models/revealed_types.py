"""What type checkers know of a program: `make lint` has mypy check each `assert_type`. The test runs the functions."""

from typing import Any, assert_type

from concmodels import (
    AsyncChannel,
    AsyncSimulatedModel,
    AsyncTask,
    BoundaryModel,
    Channel,
    Selected,
    SimulatedModel,
    SyncModel,
    Task,
    load,
)
from concmodels.net import AsyncListener, AsyncStream, Listener, Stream, connect, listen

threads, trio = load("threads"), load("trio")


def double(number: int) -> int:
    """Return a number that is twice as large."""
    return 2 * number


def sync() -> None:
    """Look at the types of a sync model."""
    numbers: Channel[int] = threads.Channel(9)
    words: Channel[str] = threads.Channel(9)
    ready: Channel[bool] = threads.Channel(9)
    bytes_: Channel[bytes] = threads.Channel(9)
    numbers.send(1)
    assert_type(threads.select(numbers), Selected[int])
    assert_type(threads.select((words, "a")).item, str)
    assert_type(threads.select(numbers, (words, "b")), Selected[int | str])
    assert_type(threads.select(words, numbers, (ready, True), timeout=1).item, str | int | bool)
    assert_type(
        threads.select(words, numbers, ready, (bytes_, b"c"), priority=True), Selected[str | int | bool | bytes]
    )
    words.send("d")
    assert_type(threads.select(*[words]), Selected[str])
    with threads.TaskGroup() as group:
        assert_type(group.spawn(double, 4), Task[int])
        assert_type(group.spawn(double, 4).result(), int)
    with listen(threads, "127.0.0.1", 0) as listener, connect(threads, *listener.address) as client:
        assert_type(listener, Listener)
        assert_type(client, Stream)
        assert_type(listener.accept(), Stream).close()


async def awaited() -> None:
    """Look at the types of an async model."""
    numbers: AsyncChannel[int] = trio.Channel(9)
    words: AsyncChannel[str] = trio.Channel(9)
    assert_type(await trio.select((numbers, 1), words), Selected[int | str])
    assert_type((await trio.select(*[numbers])).item, int)
    async with trio.TaskGroup() as group:
        assert_type(group.spawn(numbers.send, 5), AsyncTask[None])
    with listen(trio, "127.0.0.1", 0) as listener, await connect(trio, *listener.address) as client:
        assert_type(listener, AsyncListener)
        assert_type(client, AsyncStream)
        assert_type(await listener.accept(), AsyncStream).close()


def of_models() -> None:
    """Look at the options of `run`, which some models have more of."""
    sim, sim_async, processes = load("sim"), load("sim:async"), load("processes")
    assert_type(sim, SimulatedModel)
    assert_type(sim_async, AsyncSimulatedModel)
    assert_type(processes, BoundaryModel)
    assert_type(threads, SyncModel)
    assert_type(sim.run(double, 2, seed=7), int)
    assert_type(sim.run(double, 2, schedule="-"), int)
    assert_type(sim_async.run(sim_async.sleep, 1, seed=7), None)
    assert_type(processes.run(double, 2, channel_bytes=1 << 20), int)


def unknown(name: str) -> Any:
    """Return a result of which nothing is known before the program runs."""
    return load(name).run(double, 2)


async def halve(number: int) -> int:
    """Return half of a number."""
    return number // 2


def unknown_and_async(name: str) -> int:
    """Return the result of an async `main`; whether the model is async is not known before the program runs."""
    return assert_type(load(name).run(halve, 2), int)
