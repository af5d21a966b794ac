"""The ways to call the function again and again: a plain loop, the executors of the standard library, asyncio's tasks.

Each makes rounds. A round lasts about as long as it is told, and as many calls as there are workers take at least; it
returns how many calls there were, and what they took. Results are dropped as soon as they come, so that only a few
exist at a time.

Workers in other processes and interpreters import this, so it imports next to nothing at its top.
"""

import contextlib
import sys
from os import times
from time import perf_counter, process_time, sleep, thread_time

from concmodels.platform import measuring

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from concurrent.futures import Executor
    from typing import Any

    type Clocks = dict[str, float]

_BREAK_S = 0.0002
"""A thread that waits for the GIL gets it meanwhile."""
_INTERVAL_S = 10.0
"""So long a thread waits for the GIL until it asks for it."""


def many(function: Callable[..., Any], arguments: tuple[Any, ...], calls: int, _: object = None) -> list[Any]:
    """Call the function so many times, and return the results."""
    return [function(*arguments) for _ in range(calls)]


def clocks() -> Clocks:
    """Return the time, and the processor time of this thread, of this process, and of children that have ended.

    Where the system tells, `cpu_s` is how long all threads have run, those of workers in other processes among them,
    `thread_waited_s` how long this thread has waited for a processor that something else had, and `busy_s` how long all
    processors of the machine were busy, together.
    """
    now = {"children_s": sum(times()[2:4])}
    if (busy_s := measuring.busy()) is not None:
        now["busy_s"] = busy_s
    pids: list[Any] = ["self"]
    if "multiprocessing" in sys.modules:
        from multiprocessing import active_children

        pids += [child.pid for child in active_children()]
    told = [it for it in map(measuring.scheduled, [*pids, "thread-self"]) if it is not None]
    if len(told) > len(pids):
        now["cpu_s"] = sum(ran for ran, _ in told[:-1])
        now["thread_waited_s"] = told[-1][1]
    # Last, and at once: to read a file is to let go of the GIL, and may be to wait for it.
    return now | {"thread_s": thread_time(), "process_s": process_time(), "wall_s": perf_counter()}


def since(began: Clocks, calls: float) -> Clocks:
    """Return the figures of a round with so many calls that has begun at that time."""
    return {"calls": calls} | {name: now - began[name] for name, now in clocks().items() if name in began}


def elapsed(began: Clocks) -> float:
    """Return the seconds since then."""
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
        from functools import partial

        self._ahead, self._chunk = order["ahead"], order["chunk"]
        self._call = partial(many, function, arguments, self._chunk)
        self._executor: Executor = getattr(futures, f"{order['kind']}PoolExecutor")(order["workers"])

    def round(self, seconds: float, most_s: float) -> Clocks:
        """Have the workers call the function for so many seconds, and wait for the last calls until `most_s` is over.

        `unfinished` is the number of calls that had not ended then.
        """
        began, given, ended = clocks(), 0, 0

        def more() -> Iterator[None]:
            nonlocal given
            while given < self._ahead or elapsed(began) < seconds:
                given += 1
                yield

        with contextlib.suppress(TimeoutError):
            for _ in self._executor.map(self._call, more(), timeout=most_s, buffersize=self._ahead):
                ended += 1
        return since(began, ended * self._chunk) | {"unfinished": (given - ended) * self._chunk}


def holds_gil(call: Callable[[], object], seconds: float) -> float:
    """Return for which share of its time a call holds the GIL.

    A thread calls again and again, and lets go of the GIL after each call, but not because another thread asks for it.
    This one computes beside it, nearly always without the GIL. If it never has the GIL during a call, the call holds it
    all the time. Else the share is the time that the other one runs while this one waits, and for no processor. So the
    machine may be busy. Raises what the call raises.
    """
    from concurrent.futures import ThreadPoolExecutor
    from threading import Event
    from zlib import crc32

    over, data, interval = Event(), bytes(1 << 17), sys.getswitchinterval()
    during, looks, ran, held = False, [0, 0], 0.0, 0.0

    def again() -> None:
        nonlocal during
        while not over.is_set():
            during = True
            call()
            during = False
            sleep(_BREAK_S)

    sys.setswitchinterval(_INTERVAL_S)
    try:
        with ThreadPoolExecutor(1) as thread:
            ended, began = thread.submit(again), perf_counter()
            last = _moment()
            while (took := perf_counter() - began) < seconds or ran < seconds / 2 and took < 8 * seconds:
                crc32(data)
                looks[during] += 1
                now = _moment()
                waited, computed, both, passed = (after - before for before, after in zip(last, now, strict=True))
                ran += both - computed
                held += max(0.0, min(both - computed, passed - computed - waited))
                last = now
            over.set()
    finally:
        sys.setswitchinterval(interval)
    ended.result()
    if looks[True] <= 0.02 * sum(looks):
        return 1.0
    return min(1.0, held / ran) if ran else 0.0


def _moment() -> tuple[float, float, float, float]:
    """Return how long this thread has waited for a processor, what it and all threads computed, and the time."""
    before = None
    while True:
        now = thread_time(), process_time(), perf_counter()
        told = measuring.scheduled("thread-self")  # to read a file is to let go of the GIL
        waited = told[1] if told else 0.0
        if waited == before:  # it had a processor meanwhile
            return waited, *now
        before = waited


class Tasks:
    """asyncio's tasks in one event loop: one alone, or so many at once."""

    def __init__(self, function: Callable[..., Any], arguments: tuple[Any, ...], order: dict[str, Any]) -> None:
        import asyncio
        import selectors

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
        """Have the tasks call the function for so many seconds, at least once; not longer than `most_s`."""
        return self._runner.run(self._round(seconds, most_s))

    async def _round(self, seconds: float, most_s: float) -> Clocks:
        import asyncio

        began, idle_s, ended = clocks(), self._selector.idle_s, 0

        async def again() -> None:
            nonlocal ended
            while not ended or elapsed(began) < seconds:
                await self._function(*self._arguments)
                ended += 1

        tasks = [asyncio.ensure_future(again()) for _ in range(self._workers)]
        await asyncio.wait(tasks, timeout=most_s, return_when=asyncio.FIRST_EXCEPTION)
        figures = since(began, ended) | {"idle_s": self._selector.idle_s - idle_s}
        cancelled = [task for task in tasks if task.cancel()]
        if cancelled:  # they may have something to clean up, which is not part of the next round
            await asyncio.wait(cancelled, timeout=min(most_s, 1.0))
        for task in tasks:
            if task not in cancelled:
                task.result()
        return figures
