"""The ways to call the function again and again: a plain loop, the executors of the standard library, asyncio's tasks.

Each makes rounds. A round lasts about as long as it is told, and as many calls as there are workers take at least; it
returns how many calls there were, and what they took. Results are dropped as soon as they come, so that only a few
exist at a time.

Workers in other processes and interpreters import this, so it imports next to nothing at its top.
"""

from concmodels.platform import measuring

TYPE_CHECKING = False
if TYPE_CHECKING:
    from asyncio import Event
    from collections.abc import Callable
    from concurrent.futures import Executor, Future
    from queue import SimpleQueue
    from typing import Any

    type Round = dict[str, float]


def many(function: Callable[..., Any], arguments: tuple[Any, ...], calls: int) -> list[Any]:
    """Call the function so many times, and return the results: a chunk of `map`."""
    return [function(*arguments) for _ in range(calls)]


class Clock:
    """Measures what one round takes of this process, and of the processes that work for it."""

    def __init__(self) -> None:
        self._waits_before = measuring.scheduled("thread-self")
        self._used_before = _used()
        self._before = _now()

    def took(self, calls: int) -> Round:
        """Return the figures of the round."""
        wall, thread, process, children = (now - before for now, before in zip(_now(), self._before, strict=True))
        used, waits = _used(), measuring.scheduled("thread-self")
        figures = {"calls": calls, "wall_s": wall, "thread_s": thread, "process_s": process, "children_s": children}
        if used is not None and self._used_before is not None and waits is not None and self._waits_before is not None:
            figures["cpu_s"] = used[0] - self._used_before[0]
            figures["waited_s"] = used[1] - self._used_before[1]
            figures["thread_waited_s"] = waits[1] - self._waits_before[1]
        return figures

    @property
    def wall_s(self) -> float:
        """The seconds since the beginning of the round."""
        return _now()[0] - self._before[0]


def _now() -> tuple[float, float, float, float]:
    """Return the time, and the processor time of this thread, of this process, and of children that have ended."""
    from os import times
    from time import perf_counter, process_time, thread_time

    return perf_counter(), thread_time(), process_time(), sum(times()[2:4])


def _used() -> tuple[float, float] | None:
    """Return how long the threads of this process and of its workers have run, and waited for a processor."""
    import sys

    pids: list[str | int] = ["self"]
    if "multiprocessing" in sys.modules:
        from multiprocessing import active_children

        pids += [child.pid for child in active_children() if child.pid is not None]
    each = [measuring.scheduled(pid) for pid in pids]
    known = [it for it in each if it is not None]
    return (sum(it[0] for it in known), sum(it[1] for it in known)) if len(known) == len(each) else None


class Loop:
    """One call after another in the main thread."""

    def __init__(self, function: Callable[..., Any], arguments: tuple[Any, ...]) -> None:
        self.function, self.arguments = function, arguments

    def round(self, seconds: float, most_s: float) -> Round:
        """Call the function for so many seconds, at least once."""
        function, arguments, calls, batch = self.function, self.arguments, 0, 1
        clock = Clock()
        while True:
            for _ in range(batch):
                function(*arguments)
            calls += batch
            took = clock.wall_s
            if took >= seconds:
                return clock.took(calls)
            batch = max(1, min(2 * batch, int((seconds - took) / took * calls)))


class Workers:
    """An executor of the standard library: `ahead` calls are under way or wait, and with `chunk` each is several."""

    def __init__(
        self, kind: str, function: Callable[..., Any], arguments: tuple[Any, ...], workers: int, ahead: int, chunk: int
    ) -> None:
        from concurrent import futures

        self._function, self._arguments, self._ahead, self._chunk = function, arguments, ahead, chunk
        self._executor: Executor = getattr(futures, f"{kind}PoolExecutor")(workers)

    def round(self, seconds: float, most_s: float) -> Round:
        """Have the workers call the function for so many seconds, and wait for the last calls until `most_s` is over.

        `unfinished` is the number of calls that had not ended then.
        """
        from queue import Empty, SimpleQueue

        done: SimpleQueue[Future[Any]] = SimpleQueue()
        clock, given, ended = Clock(), 0, 0
        while given < self._ahead:
            self._submit(done)
            given += 1
        while ended < given:
            try:
                done.get(timeout=max(0.0, most_s - clock.wall_s)).result()
            except Empty:
                break
            ended += 1
            if clock.wall_s < seconds:
                self._submit(done)
                given += 1
        return clock.took(ended * self._chunk) | {"unfinished": given - ended}

    def _submit(self, done: SimpleQueue[Future[Any]]) -> None:
        if self._chunk > 1:
            future = self._executor.submit(many, self._function, self._arguments, self._chunk)
        else:
            future = self._executor.submit(self._function, *self._arguments)
        future.add_done_callback(done.put)


def holds_gil(call: Callable[[], object], seconds: float) -> float:
    """Return for which share of its time a call holds the GIL.

    A thread calls again and again, and this one sleeps for moments. Whenever it wakes up it needs the GIL: what a
    moment takes longer than without the other thread is a wait for the GIL. Waits for a processor are known, and don't
    count; so the machine may be busy.
    """
    from threading import Event, Thread

    ready, over = Event(), Event()

    def again() -> None:
        ready.wait()
        while not over.is_set():
            call()

    thread = Thread(target=again)
    thread.start()
    alone = _moment_s(_WARM_UP_MOMENTS, 10.0)
    ready.set()
    beside = _moment_s(None, seconds)
    over.set()
    thread.join()
    return max(0.0, 1 - alone / beside)


_MOMENT_S = 0.0002
_WARM_UP_MOMENTS = 50


def _moment_s(count: int | None, seconds: float) -> float:
    """Return how long it takes to sleep for a moment, without computing and waits for a processor."""
    from time import sleep

    clock, slept = Clock(), 0
    while clock.wall_s < seconds and slept != count:
        sleep(_MOMENT_S)
        slept += 1
    took = clock.took(slept)
    return max(took["wall_s"] - took["thread_s"] - took.get("thread_waited_s", 0.0), slept * _MOMENT_S) / max(slept, 1)


class Tasks:
    """asyncio's tasks in one event loop: one alone, or so many at once."""

    def __init__(self, function: Callable[..., Any], arguments: tuple[Any, ...], workers: int) -> None:
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
        self._function, self._arguments, self._workers = function, arguments, workers

    def round(self, seconds: float, most_s: float) -> Round:
        """Have the tasks call the function for so many seconds, and each once; not longer than `most_s`."""
        return self._runner.run(self._round(seconds, most_s))

    async def _round(self, seconds: float, most_s: float) -> Round:
        import asyncio

        over, clock, idle = asyncio.Event(), Clock(), self._selector.idle_s
        ended: list[int] = [0]
        tasks = [asyncio.ensure_future(self._again(clock, ended, over, seconds)) for _ in range(self._workers)]
        stopping = asyncio.ensure_future(over.wait())
        failed, _ = await asyncio.wait([stopping, *tasks], timeout=most_s, return_when=asyncio.FIRST_COMPLETED)
        figures = clock.took(ended[0]) | {"idle_s": self._selector.idle_s - idle}
        for task in [stopping, *tasks]:
            task.cancel()
        await asyncio.wait([stopping, *tasks])
        for task in failed:
            task.result()
        return figures

    async def _again(self, clock: Clock, ended: list[int], over: Event, seconds: float) -> None:
        while not over.is_set():
            await self._function(*self._arguments)
            ended[0] += 1
            if clock.wall_s >= seconds and ended[0] % self._workers == 0:
                over.set()
