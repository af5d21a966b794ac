"""What Go has, and what it is in a task of an event loop: with this library on asyncio or trio, and with asyncio alone.

A function with the parameter `model` is this library's; its docstring has Go's code and what differs. The one with
`_alone` in its name does the same with the standard library's asyncio.
"""

import asyncio
from typing import Any

from concmodels import AsyncChannel, AsyncModel, load
from concmodels.errors import ChannelClosed, WouldBlock


async def start(model: AsyncModel) -> object:
    """go double(21, results)

    asyncio's loop has only weak references to tasks: keep each in a group or a variable, or it may vanish.
    """
    results = model.Channel(1)
    async with model.TaskGroup() as group:
        group.spawn(double, 21, results)
    return await results.receive()


async def start_alone() -> object:
    results = asyncio.Queue[int](1)
    async with asyncio.TaskGroup() as group:
        group.create_task(put_double(21, results))
    return await results.get()


async def double(number: int, results: AsyncChannel[int]) -> None:
    await results.send(2 * number)


async def put_double(number: int, results: asyncio.Queue[int]) -> None:
    await results.put(2 * number)


async def make(model: AsyncModel) -> list[float]:
    """make(chan int)
    make(chan int, 8)

    In asyncio, a queue of size 0 has no bound, and there is no rendezvous: the smallest queue holds one item.
    """
    kinds = model.Channel(), model.Channel(8)
    return [channel.capacity for channel in kinds]


async def make_alone() -> list[float]:
    kinds = asyncio.Queue[int](), asyncio.Queue[int](8)
    return [queue.maxsize for queue in kinds]


async def send_and_receive(model: AsyncModel) -> object:
    """ch <- 1
    v := <-ch

    Each of these waits lets other tasks run.
    """
    channel = model.Channel(1)
    await channel.send(1)
    return await channel.receive()


async def send_and_receive_alone() -> object:
    queue = asyncio.Queue[int](1)
    await queue.put(1)
    return await queue.get()


async def iterate(model: AsyncModel) -> list[int]:
    """close(ch)
    for v := range ch { ... }

    A queue can't be iterated over. Its `shutdown` is new in Python 3.13.
    """
    channel = filled(model, [1, 2])
    channel.close()
    return [item async for item in channel]


async def iterate_alone() -> list[int]:
    queue, items = filled_queue([1, 2]), list[int]()
    queue.shutdown()
    while True:
        try:
            items.append(await queue.get())
        except asyncio.QueueShutDown:
            return items


def filled(model: AsyncModel, items: list[int]) -> AsyncChannel[int]:
    channel = model.Channel(len(items))
    for item in items:
        channel.send_nowait(item)
    return channel


def filled_queue(items: list[int]) -> asyncio.Queue[int]:
    queue = asyncio.Queue[int](len(items))
    for item in items:
        queue.put_nowait(item)
    return queue


async def receive_from_a_closed_one(model: AsyncModel) -> object:
    """v, ok := <-ch

    In both, an exception says that it is closed.
    """
    channel = model.Channel()
    channel.close()
    try:
        return await channel.receive()
    except ChannelClosed:
        return "closed"


async def receive_from_a_closed_one_alone() -> object:
    queue = asyncio.Queue[int]()
    queue.shutdown()
    try:
        return await queue.get()
    except asyncio.QueueShutDown:
        return "closed"


async def select(model: AsyncModel) -> list[int]:
    """select {
    case v := <-a: ...
    case v := <-b: ...
    }

    asyncio has no `select`. If both queues have an item, `wait` returns with both taken, so look at all that are done.
    """
    a, b = filled(model, [1]), model.Channel()
    came = await model.select(a, b)
    return [came.item]


async def select_alone() -> list[int]:
    a, b = filled_queue([1]), asyncio.Queue[int]()
    async with asyncio.TaskGroup() as group:
        gets = [group.create_task(it.get()) for it in (a, b)]
        done, late = await asyncio.wait(gets, return_when=asyncio.FIRST_COMPLETED)
        for get in late:
            get.cancel()
    return [get.result() for get in done]


async def select_with_default(model: AsyncModel) -> object:
    """select {
    case v := <-ch: ...
    default: ...
    }

    Nothing is awaited, so no other task runs meanwhile.
    """
    channel = model.Channel()
    try:
        return channel.receive_nowait()
    except WouldBlock:
        return "nothing yet"


async def select_with_default_alone() -> object:
    queue = asyncio.Queue[int]()
    try:
        return queue.get_nowait()
    except asyncio.QueueEmpty:
        return "nothing yet"


async def wait_no_longer(model: AsyncModel) -> object:
    """select {
    case v := <-ch: ...
    case <-time.After(time.Second): ...
    }

    `asyncio.timeout` is for any awaits in its block. It cancels them, and then raises `TimeoutError`.
    """
    channel = model.Channel()
    try:
        return await channel.receive(timeout=0.01)
    except TimeoutError:
        return "too late"


async def wait_no_longer_alone() -> object:
    queue = asyncio.Queue[int]()
    try:
        async with asyncio.timeout(0.01):
            return await queue.get()
    except TimeoutError:
        return "too late"


async def wait_for_all(model: AsyncModel) -> list[int]:
    """g, ctx := errgroup.WithContext(ctx)
    g.Go(f)
    err := g.Wait()

    In both, the end of the block waits, a failure cancels the others, and failures leave it in an `ExceptionGroup`.
    """
    async with model.TaskGroup() as group:
        squares = [group.spawn(square, number) for number in range(4)]
    return [await task.result() for task in squares]


async def wait_for_all_alone() -> list[int]:
    async with asyncio.TaskGroup() as group:
        squares = [group.create_task(square(number)) for number in range(4)]
    return [task.result() for task in squares]


async def square(number: int) -> int:
    return number * number


async def limit_the_time(model: AsyncModel) -> Any:
    """ctx, cancel := context.WithTimeout(
        ctx, time.Second)

    `asyncio.timeout` goes around the group.
    """
    try:
        async with model.TaskGroup(timeout=0.01) as group:
            group.spawn(model.sleep, 60)
    except TimeoutError:
        return "too late"


async def limit_the_time_alone() -> Any:
    try:
        async with asyncio.timeout(0.01), asyncio.TaskGroup() as group:
            group.create_task(asyncio.sleep(60))
    except TimeoutError:
        return "too late"


async def cancel(model: AsyncModel) -> bool:
    """cancel()
    <-ctx.Done() // in the goroutine

    In Python 3.14, asyncio's own group has no `cancel`: cancel its tasks.
    """
    async with model.TaskGroup() as group:
        task = group.spawn(model.sleep, 60)
        group.cancel()
    return task.cancelled()


async def cancel_alone() -> bool:
    async with asyncio.TaskGroup() as group:
        task = group.create_task(asyncio.sleep(60))
        task.cancel()
    return task.cancelled()


async def exclude_each_other(model: AsyncModel) -> int:
    """var mu sync.Mutex
    mu.Lock()
    defer mu.Unlock()

    Needed only around an `await`: between two of them, no other task of the loop runs.
    """
    mutex, counts = model.Channel(1), [0]
    await mutex.send(None)
    try:
        before = counts[0]
        await model.sleep(0)
        counts[0] = before + 1
    finally:
        mutex.receive_nowait()
    return counts[0]


async def exclude_each_other_alone() -> int:
    mutex, counts = asyncio.Lock(), [0]
    async with mutex:
        before = counts[0]
        await asyncio.sleep(0)
        counts[0] = before + 1
    return counts[0]


async def count_permits(model: AsyncModel) -> int:
    """sem := make(chan struct{}, 2)
    sem <- struct{}{}
    defer func() { <-sem }()

    Or `model.Pool(2)`, which runs so many calls at a time; asyncio has no pool of tasks.
    """
    permits = model.Channel(2)
    await permits.send(None)
    try:
        return await square(3)
    finally:
        permits.receive_nowait()


async def count_permits_alone() -> int:
    permits = asyncio.Semaphore(2)
    async with permits:
        return await square(3)


if __name__ == "__main__":
    trio = load("trio")
    print(trio.run(wait_for_all, trio))
