"""The units themselves, without this library: what a model's units are held against. As in `benchmarks.units`."""

from typing import TYPE_CHECKING, Any

from benchmarks.units import UnitTimer

if TYPE_CHECKING:
    from benchmarks.units import Took


def threads(units: int) -> Took:
    """`threading.Thread`s that wait for a lock."""
    import threading

    here, go = threading.Semaphore(0), threading.Event()

    def wait() -> None:
        here.release()
        go.wait()

    timer = UnitTimer(units)
    started = [threading.Thread(target=wait) for _ in range(units)]
    for thread in started:
        thread.start()
    for _ in started:
        here.acquire()
    timer.all_run()
    go.set()
    for thread in started:
        thread.join()
    return timer.took()


def processes(units: int) -> Took:
    """`multiprocessing.Process`es of a forkserver that wait for a semaphore."""
    import multiprocessing

    context = multiprocessing.get_context("forkserver")
    here, go = context.Semaphore(0), context.Semaphore(0)
    timer = UnitTimer(units)
    started = [context.Process(target=wait, args=(here, go)) for _ in range(units)]
    for process in started:
        process.start()
    for _ in started:
        here.acquire()
    timer.all_run()
    for _ in started:
        go.release()
    for process in started:
        process.join()
    return timer.took()


def wait(here: Any, go: Any) -> None:
    """Wait: the function of a bare process."""
    here.release()
    go.acquire()


def interpreters(units: int) -> Took:
    """`concurrent.interpreters.create()`, half of them in each of two threads; nothing runs in them."""
    import threading
    from concurrent import interpreters

    from benchmarks.calls import not_without

    not_without("subinterp")
    created: list[Any] = []

    def create(count: int) -> None:
        for _ in range(count):
            created.append(interpreters.create())

    timer = UnitTimer(units)
    halves = [threading.Thread(target=create, args=(count,)) for count in (units // 2, units - units // 2)]
    for thread in halves:
        thread.start()
    for thread in halves:
        thread.join()
    timer.all_run()
    for interpreter in created:
        interpreter.close()
    return timer.took()


def asyncio(units: int) -> Took:
    """`asyncio` tasks that wait for an event."""
    import asyncio

    async def main() -> Took:
        here, go = asyncio.Semaphore(0), asyncio.Event()

        async def wait() -> None:
            here.release()
            await go.wait()

        timer = UnitTimer(units)
        async with asyncio.TaskGroup() as group:
            for _ in range(units):
                group.create_task(wait())
            for _ in range(units):
                await here.acquire()
            timer.all_run()
            go.set()
        return timer.took()

    return asyncio.run(main())
