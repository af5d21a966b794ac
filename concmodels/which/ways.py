"""The ways to call the function again and again: a plain loop, the executors of the standard library, asyncio's tasks.

Each makes rounds. A round lasts about as long as it is told, and as many calls as there are workers take at least; it
returns how many calls there were, and what they took. Results are dropped as soon as they come, so that only a few
exist at a time.

Workers in other processes and interpreters import this, so it imports next to nothing at its top.
"""

from concmodels.platform import measuring

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from concurrent.futures import Executor, Future
    from queue import SimpleQueue
    from typing import Any

    type Clocks = dict[str, float]


def many(function: Callable[..., Any], arguments: tuple[Any, ...], calls: int) -> list[Any]:
    """Call the function so many times, and return the results."""
    return [function(*arguments) for _ in range(calls)]


def clocks() -> Clocks:
    """Return the time, and the processor time of this thread, of this process, and of children that have ended.

    Where the system tells, there is also how long all threads have run, those of workers in other processes among them,
    how long this thread has waited for a processor, and how long the machine's processors were busy.
    """
    import sys
    from os import times
    from time import perf_counter, process_time, thread_time

    now = {"wall_s": perf_counter(), "thread_s": thread_time(), "process_s": process_time()}
    now["children_s"] = sum(times()[2:4])
    if (busy_s := measuring.busy()) is not None:
        now["busy_s"] = busy_s
    pids: list[Any] = ["thread-self", "self"]
    if "multiprocessing" in sys.modules:
        from multiprocessing import active_children

        pids += [child.pid for child in active_children()]
    told = [it for it in map(measuring.scheduled, pids) if it is not None]
    if len(told) == len(pids):
        now["thread_waited_s"] = told[0][1]
        now["cpu_s"] = sum(ran for ran, _ in told[1:])
    return now


def since(began: Clocks, calls: float) -> Clocks:
    """Return the figures of a round with so many calls that has begun at that time."""
    return {"calls": calls} | {name: now - began[name] for name, now in clocks().items() if name in began}


def elapsed(began: Clocks) -> float:
    """Return the seconds since then."""
    from time import perf_counter

    return perf_counter() - began["wall_s"]


class Loop:
    """One call after another in the main thread."""

    def __init__(self, function: Callable[..., Any], arguments: tuple[Any, ...], _: dict[str, Any]) -> None:
        self.function, self.arguments = function, arguments

    def round(self, seconds: float, most_s: float) -> Clocks:
        """Call the function for so many seconds, at least once."""
        function, arguments, calls, batch = self.function, self.arguments, 0, 1
        began = clocks()
        while True:
            for _ in range(batch):
                function(*arguments)
            calls += batch
            took = elapsed(began)
            if took >= seconds:
                return since(began, calls)
            batch = max(1, min(2 * batch, int((seconds - took) / took * calls)))


class Workers:
    """An executor of the standard library: `ahead` calls are under way or wait, and with `chunk` each is several."""

    def __init__(self, function: Callable[..., Any], arguments: tuple[Any, ...], order: dict[str, Any]) -> None:
        from concurrent import futures

        self._ahead, self._chunk = order["ahead"], order["chunk"]
        self._call = (many, function, arguments, self._chunk) if self._chunk > 1 else (function, *arguments)
        self._executor: Executor = getattr(futures, f"{order['kind']}PoolExecutor")(order["workers"])

    def round(self, seconds: float, most_s: float) -> Clocks:
        """Have the workers call the function for so many seconds, and wait for the last calls until `most_s` is over.

        `unfinished` is the number of calls that had not ended then.
        """
        from queue import Empty, SimpleQueue

        done: SimpleQueue[Future[Any]] = SimpleQueue()
        began, given, ended = clocks(), 0, 0
        while given < self._ahead or ended < given:
            if given < self._ahead + ended and (given < self._ahead or elapsed(began) < seconds):
                self._executor.submit(*self._call).add_done_callback(done.put)
                given += 1
                continue
            try:
                done.get(timeout=max(0.0, most_s - elapsed(began))).result()
            except Empty:
                break
            ended += 1
        return since(began, ended * self._chunk) | {"unfinished": given - ended}


def holds_gil(call: Callable[[], object], seconds: float) -> float:
    """Return for which share of its time a call holds the GIL.

    A thread calls again and again, and this one sleeps for moments. Whenever it wakes up it needs the GIL: what a
    moment takes longer than without the other thread is a wait for the GIL. Waits for a processor are known, and don't
    count; so the machine may be busy.
    """
    from threading import Event, Thread

    over = Event()

    def again() -> None:
        while not over.is_set():
            call()

    alone = _moment_s(seconds / 10)
    thread = Thread(target=again)
    thread.start()
    beside = _moment_s(seconds)
    over.set()
    thread.join()
    return max(0.0, 1 - alone / beside)


def _moment_s(seconds: float) -> float:
    """Return how long it takes to sleep for a moment, without computing and waits for a processor."""
    from time import sleep

    began, moment_s, slept = clocks(), 0.0002, 0
    while slept < 10 or elapsed(began) < seconds:
        sleep(moment_s)
        slept += 1
    took = since(began, slept)
    return max((took["wall_s"] - took["thread_s"] - took.get("thread_waited_s", 0.0)) / slept, moment_s)


class Tasks:
    """asyncio's tasks in one event loop: one alone, or so many at once."""

    def __init__(self, function: Callable[..., Any], arguments: tuple[Any, ...], order: dict[str, Any]) -> None:
        import asyncio
        import selectors
        from time import perf_counter

        class Selector(selectors.DefaultSelector):
            """Counts how long the loop had nothing to do."""

            idle_s = 0.0

            def select(self, timeout: float | None = None) -> Any:
                began = perf_counter()
                try:
                    return super().select(timeout)
                finally:
                    self.idle_s += perf_counter() - began

        self._selector = Selector()
        self._runner = asyncio.Runner(loop_factory=lambda: asyncio.SelectorEventLoop(self._selector))
        self._function, self._arguments, self._workers = function, arguments, order["workers"]

    def round(self, seconds: float, most_s: float) -> Clocks:
        """Have the tasks call the function for so many seconds, and each once; not longer than `most_s`."""
        return self._runner.run(self._round(seconds, most_s))

    async def _round(self, seconds: float, most_s: float) -> Clocks:
        import asyncio

        over, began, idle_s, calls = asyncio.Event(), clocks(), self._selector.idle_s, 0

        async def again() -> None:
            nonlocal calls
            while not over.is_set():
                await self._function(*self._arguments)
                calls += 1
                if elapsed(began) >= seconds and calls % self._workers == 0:
                    over.set()

        coroutines = (over.wait(), *(again() for _ in range(self._workers)))
        tasks = list(map(asyncio.ensure_future, coroutines))
        ended, _ = await asyncio.wait(tasks, timeout=most_s, return_when=asyncio.FIRST_COMPLETED)
        figures = since(began, calls) | {"idle_s": self._selector.idle_s - idle_s}
        for task in tasks:
            task.cancel()
        await asyncio.wait(tasks)
        for task in ended:
            task.result()
        return figures
