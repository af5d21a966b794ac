"""What Go has, and what it is here: a function for each, whose docstring has Go's code and what differs."""

import math
from threading import Lock
from typing import Any

from concmodels import Channel, SyncModel, csp, load
from concmodels.errors import ChannelClosed, WouldBlock


def start(model: SyncModel) -> object:
    """go double(21, results)

    A group waits for its tasks. When one fails, the others are cancelled; a goroutine runs on.
    """
    results = model.Channel(1)
    with model.TaskGroup() as group:
        group.spawn(double, 21, results)
    return results.receive()


def double(number: int, results: Channel[int]) -> None:
    results.send(2 * number)


def make(model: SyncModel) -> tuple[Channel[int], ...]:
    """make(chan int)
    make(chan int, 8)

    A third kind has no bound. Items may be of any type.
    """
    return model.Channel(), model.Channel(8), model.Channel(math.inf)


def send_and_receive(model: SyncModel) -> object:
    """ch <- 1
    v := <-ch

    Both take a `timeout`, in seconds.
    """
    channel = model.Channel(1)
    channel.send(1)
    return channel.receive(timeout=5)


def iterate(model: SyncModel) -> list[int]:
    """close(ch)
    for v := range ch { ... }

    The same. A second `close` does nothing, where Go panics.
    """
    channel = filled(model, [1, 2])
    channel.close()
    channel.close()
    return list(channel)


def filled(model: SyncModel, items: list[int]) -> Channel[int]:
    channel = model.Channel(len(items))
    for item in items:
        channel.send(item)
    return channel


def receive_from_a_closed_one(model: SyncModel) -> object:
    """v, ok := <-ch

    There is no zero value: `receive` raises.
    """
    channel = model.Channel()
    channel.close()
    try:
        return channel.receive()
    except ChannelClosed:
        return "closed"


def select(model: SyncModel) -> object:
    """select {
    case v := <-a: ...
    case b <- 2: ...
    }

    `came` says which one it was. If several are ready, one is chosen at random, as in Go.
    """
    a, b = filled(model, [1]), model.Channel()
    came = model.select(a, (b, 2))
    return came.item if came.channel is a else "sent"


def select_with_default(model: SyncModel) -> object:
    """select {
    case v := <-ch: ...
    default: ...
    }

    Several cases: `model.select(..., timeout=0)` raises `TimeoutError`.
    """
    channel = model.Channel()
    try:
        return channel.receive_nowait()
    except WouldBlock:
        return "nothing yet"


def wait_no_longer(model: SyncModel) -> object:
    """case <-time.After(time.Second): ...

    A timeout needs no timer and no channel of its own.
    """
    a, b = model.Channel(), model.Channel()
    try:
        return model.select(a, b, timeout=0.01)
    except TimeoutError:
        return "too late"


def leave_out_a_case(model: SyncModel) -> list[int]:
    """ch = nil // its case is never ready

    The cases are arguments: pass those that count.
    """
    open_ones, items = [filled(model, [1]), filled(model, [2])], list[int]()
    while open_ones:
        came = model.select(*open_ones)
        items.append(came.item)
        open_ones.remove(came.channel)
    return sorted(items)


def wait_for_all(model: SyncModel) -> list[int]:
    """g, ctx := errgroup.WithContext(ctx)
    g.Go(f)
    err := g.Wait()

    Of a `WaitGroup` too: the end of the block waits. All failures leave it, in an `ExceptionGroup`.
    """
    with model.TaskGroup() as group:
        squares = [group.spawn(pow, number, 2) for number in range(4)]
    return [task.result() for task in squares]


def limit_the_time(model: SyncModel) -> Any:
    """ctx, cancel := context.WithTimeout(
        ctx, time.Second)

    No context is passed on: what the group's tasks wait for is cancelled.
    """
    try:
        with model.TaskGroup(timeout=0.01) as group:
            group.spawn(model.sleep, 60)
    except TimeoutError:
        return "too late"


def cancel(model: SyncModel) -> bool:
    """cancel()
    <-ctx.Done() // in the goroutine

    `Cancelled` is raised where the task waits. One that only computes isn't cancelled, in Go neither.
    """
    with model.TaskGroup() as group:
        task = group.spawn(model.sleep, 60)
        group.cancel()
    return task.cancelled()


def exclude_each_other(model: SyncModel) -> int:
    """var mu sync.Mutex
    mu.Lock()
    defer mu.Unlock()

    On threads. Where tasks take turns, nothing runs between two lines that don't wait.
    """
    mutex, total = Lock(), 0
    with mutex:
        total += 1
    return total


def count_permits(model: SyncModel) -> int:
    """sem := make(chan struct{}, 2)
    sem <- struct{}{}
    defer func() { <-sem }()

    Or a `model.Pool(2)`, which runs so many calls at a time.
    """
    permits = model.Channel(2)
    permits.send(None)
    try:
        return len(permits)
    finally:
        permits.receive()


def generate(model: SyncModel) -> list[int]:
    """func gen() <-chan int {
        ch := make(chan int)
        go func() { ... }()
        return ch
    }

    `concmodels.csp` has the usual stages; they end when the reader leaves.
    """
    with model.TaskGroup() as group:
        numbers = csp.generator(model, group, range(10**9))
        squares = csp.map_(model, group, square, numbers)
        return list(csp.take(model, group, 3, squares))


def square(number: int) -> int:
    return number * number


def fan_in(model: SyncModel) -> list[int]:
    """func merge(
        cs ...<-chan int) <-chan int

    Its end is closed when all sources are.
    """
    with model.TaskGroup() as group:
        sources = [csp.generator(model, group, [number]) for number in (1, 2)]
        return sorted(csp.merge(model, group, *sources))


def recover(model: SyncModel) -> str:
    """defer func() {
        if r := recover(); r != nil { ... }
    }()

    An exception is one of the group, and can be handled around it.
    """
    try:
        with model.TaskGroup() as group:
            group.spawn(int, "x")
    except* ValueError:
        result = "recovered"
    return result


if __name__ == "__main__":
    threads = load("threads")
    print(threads.run(generate, threads))
