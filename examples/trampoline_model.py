"""Coroutines on an event loop written by hand: a whole model in one file, which the suite grades like any other.

unit          one coroutine per task
scheduler     the trampoline below: a queue of those that can go on, first come, first served; cooperative
message       by reference
parallel      no: one loop, one thread
cancellation  the library's own: where a task waits; if suppressed, it is raised again at every wait
sockets       an event loop on epoll (`waiting/sockets/event_loop.py`), as in the greenlet model

A coroutine that waits yields to the trampoline, which resumes the next one that is ready. CONTRIBUTING.md ("Add a
model") takes this file step by step: python -m concmodels.conformance examples/trampoline_model.py

Limitations: code that computes or blocks stops all tasks, and Ctrl-C is raised only where main waits.
"""

import signal
import time
from collections import deque
from collections.abc import Callable, Coroutine, Generator
from threading import local
from types import coroutine
from typing import Any

from concmodels.errors import ChannelClosed, Selected, TaskCancelled
from concmodels.models.waiting.channel import NOTHING, SingleThreadChannel
from concmodels.models.waiting.select import select_async
from concmodels.models.waiting.timeouts import expired, must_be_seconds, seconds_to_sleep
from concmodels.models.waiting.waiter import CANCELLED, DONE, AsyncEvent, SingleThreadWaiter, wait_async

# isort: split
# Beside the core: signals, deadlocks, sockets, pools.
from concmodels.models.deadlocks.report import DEADLOCK_AFTER, deadlock, patience
from concmodels.models.pools.awaited import AsyncPool
from concmodels.models.sharing import share
from concmodels.models.tasks.group import TaskGroup as _TaskGroup
from concmodels.models.tasks.signals.frames import awaits
from concmodels.models.tasks.task import Cancelled
from concmodels.models.tasks.task import Task as _Task
from concmodels.models.waiting.sockets.event_loop import EventLoop
from concmodels.models.waiting.sockets.waits import READABLE, WRITABLE, SocketWaitSteps, descriptor
from concmodels.models.waiting.yields import yield_every

__all__ = [
    "Cancelled", "Channel", "Pool", "TaskGroup", "notify_closing", "now", "run", "select", "share", "sleep",
    "wait_readable", "wait_writable",
]  # fmt: skip

FACTS = {"raised_again": True, "hop": 1e-5}

now = time.monotonic
_here = local()  # `_here.loop` is the loop of the run in this thread, `_here.task` the task that it resumes


class _Waiter(SingleThreadWaiter):
    """One wait of one task: the task yields, until `wake` puts it into the queue of those that can go on."""

    __slots__ = ("task",)

    def __init__(self, item: Any = None, purpose: Any = None) -> None:
        super().__init__(item, purpose)
        self.task: Task = _here.task

    @staticmethod
    def current() -> Any:
        return _here.task

    async def park(self, timeout: float | None) -> None:
        """Wait until woken, by the timeout too. Raises `Cancelled`, a Ctrl-C or a deadlock."""
        task = self.task
        task.waiter = self  # first: a signal that comes after the look below finds the wait here and claims it
        try:
            if task.must_stop() and self.claim(CANCELLED):
                task.stop()
            if timeout is not None:
                _here.loop.events.wake_at(now() + float(timeout), self)
            await _leave()
        finally:
            task.waiter = self.purpose = None  # the loop may hold this waiter until its moment comes
        if self.outcome == CANCELLED:
            task.stop()

    def wake(self) -> None:
        _here.loop.make_ready(self.task)


@coroutine
def _leave() -> Generator[None]:
    yield  # to the trampoline


async def _let_others_run() -> None:
    """Let the other tasks run, and raise what is to end this one."""
    _here.loop.make_ready(_here.task)
    await _leave()
    _stop_if_cancelled()


def _stop_if_cancelled() -> None:
    if _here.task.must_stop():
        _here.task.stop()


class Channel(SingleThreadChannel):
    """A channel between the tasks of one loop. The verbs are, word for word, those of asyncio, trio and anyio."""

    _new_waiter = _Waiter
    _yields = yield_every()
    _let_others_run = staticmethod(_let_others_run)

    async def send(self, item: Any, timeout: float | None = None) -> None:
        if next(self._yields):
            await self._checkpoint()
        buffer = self._buffer
        if len(buffer) < self._room:  # there is room: the fast path (0 while a receiver waits, and once closed)
            buffer.append(item)
        elif not self._offer(item):
            await self._wait_for_partner(item, self._senders, timeout)

    async def receive(self, timeout: float | None = None) -> Any:
        if next(self._yields):
            await self._checkpoint()
        item = self._take()
        return await self._wait_for_partner(None, self._receivers, timeout) if item is NOTHING else item

    def __aiter__(self) -> Channel:
        return self

    async def __anext__(self) -> Any:
        if next(self._yields):
            await self._checkpoint()
        if self._buffer and not self._senders:
            return self._buffer.popleft()
        try:
            item = self._take()
            return await self._wait_for_partner(None, self._receivers, None) if item is NOTHING else item
        except ChannelClosed:
            raise StopAsyncIteration from None

    async def _wait_for_partner(self, item: Any, queue: deque[Any], timeout: float | None) -> Any:
        if timeout is not None and expired(timeout):
            raise self._no_waiting(queue)
        waiter = self._new_waiter(item, self)
        self._queue(waiter, queue)
        try:
            await waiter.park(timeout)
        except BaseException as error:
            if self._withdraw(waiter, queue):
                raise
            waiter.postpone(error)  # a partner was first, so the operation is done: see `Waiter.postpone`
        self._yields.__setstate__(0)  # it was another's turn: the count begins anew
        if waiter.outcome != DONE:
            self._settle(waiter, queue)  # raises `ChannelClosed` or `TimeoutError`
        return waiter.item


async def select(*cases: Any, timeout: float | None = None, priority: bool = False) -> Selected:
    return await select_async(Channel, cases, timeout, priority)


class Task(_Task):
    """The handle of a coroutine. How it is cancelled is as among threads and greenlets: see `tasks/task.py`."""

    async def run(self) -> None:  # type: ignore[override]  # awaited
        """The body of the task: call the function, keep the outcome, tell the group."""
        try:
            self._value = await self._function(*self._args)
        except BaseException as error:  # noqa: BLE001 - whatever it is, it is the task's outcome
            self._error = error
        self.end()

    async def result(self: Any, timeout: float | None = None) -> Any:
        await self._ended.wait(timeout, self)
        _stop_if_cancelled()  # a caller that is cancelled too learns of that, and not of the other's end
        if isinstance(self._error, Cancelled):
            raise TaskCancelled(f"task {self.name!r} was cancelled")
        if self._error is not None:
            raise self._error
        return self._value


class TaskGroup(_TaskGroup):
    """Coroutines that end together."""

    waiter_type = _Waiter
    task_type = Task

    def new_event(self) -> AsyncEvent:
        return AsyncEvent(_Waiter)

    async def __aenter__(self) -> TaskGroup:
        return self.__enter__()

    async def __aexit__(self: Any, kind: object, error: BaseException | None, trace: object) -> bool:
        owner, outer = self._owner, None
        if error is not None:
            self._failed(error)
        if owner.must_stop():
            self.cancel()
        owner.scopes.remove(self)  # from here on its own cancellation is no reason to stop waiting
        self._leaving = True
        while self._tasks:
            try:
                await self._empty.wait(None, self)
            except BaseException as struck:  # noqa: BLE001 - it leaves once the tasks have ended
                outer = struck if isinstance(struck, Cancelled) else None
                self._failed(struck)
                self.cancel()
                owner.shielded = True
        await self._end_watch()
        owner.shielded = False
        self._failures.raise_all(self._limit.error() if outer is None else None)
        if outer is not None:
            raise outer
        _stop_if_cancelled()  # leaving is a checkpoint, also if all tasks have ended
        return isinstance(error, Cancelled)

    async def _wait_for_limit(self: Any) -> None:  # type: ignore[override]  # awaited
        try:
            await self._over.wait(self._limit.seconds)
        except TimeoutError:
            if self._limit.strike():
                self.cancel()

    async def _end_watch(self: Any) -> None:  # type: ignore[override]  # awaited
        if self._watch is not None:
            self._over.set()
            self._owner.shielded = True
            await self._watch.wait()

    def spawn(self, function: Callable[..., Any], *args: Any, name: str | None = None) -> Task:
        if not self._entered or (self._leaving and not self._tasks):
            raise RuntimeError("this group is not open: spawn inside its `async with`")
        task = Task(self, function, args, name)
        self._tasks[task] = None
        task.scopes.append(self)
        self.start(task)
        return task

    def start(self, task: Any) -> None:
        _here.loop.start(task, task.run())


class Pool(AsyncPool):
    """Workers that are tasks."""

    Channel = Channel
    TaskGroup = TaskGroup
    here = staticmethod(_Waiter.current)
    cancelled_type = staticmethod(lambda: Cancelled)
    is_cancelled = staticmethod(lambda: _here.task.must_stop())  # and not only something that it awaited


class Loop:
    """The trampoline: it resumes the coroutines that can go on, one after the other."""

    def __init__(self, finds_deadlocks: bool) -> None:
        self._finds_deadlocks = finds_deadlocks
        self._coroutines: dict[Task, Coroutine[Any, Any, Any]] = {}
        self._ready: deque[Task] = deque()
        self.events = EventLoop(self._ready)

    def start(self, task: Task, coroutine: Coroutine[Any, Any, Any]) -> None:
        self._coroutines[task] = coroutine
        self._ready.append(task)

    def make_ready(self, task: Task) -> None:
        """Let this task go on when its turn comes. A signal handler may call it."""
        self._ready.append(task)
        if self.events.asleep:
            self.events.wake()

    def run(self, main: Task) -> Any:
        """Resume coroutines until that of main has ended; return its result, or raise what it raised."""
        while True:
            if self._ready:
                task = _here.task = self._ready.popleft()
                try:
                    self._coroutines[task].send(None)
                except StopIteration as end:
                    del self._coroutines[task]
                    if task is main:
                        return end.value
                if now() >= self.events.look_at:
                    self.events.look()
            elif self.events.has_waits() or not self._finds_deadlocks:
                self.events.sleep(0.1)  # not for ever: a signal may come just before
            else:
                self._find_deadlock(main)

    def _find_deadlock(self, main: Task) -> None:
        error = deadlock((task.name, task.waiter, awaits(it)) for task, it in self._coroutines.items())
        main.abort(error)
        if not self._ready:  # main is busy ending the others
            raise error


def run(main: Callable[..., Any], *args: Any, deadlock_after: float | None = DEADLOCK_AFTER) -> Any:
    """Run `main(*args)` on a new loop. A deadlock is found at once, unless `deadlock_after` is None."""
    if getattr(_here, "loop", None) is not None:
        raise RuntimeError("run was called inside a run: await the function instead")
    loop, task = Loop(patience(deadlock_after) is not None), Task(None, main, args, "main")
    loop.start(task, main(*args))
    _here.loop = loop
    try:
        old = signal.signal(signal.SIGINT, lambda *_: task.abort(KeyboardInterrupt()))
    except ValueError:
        old = None  # another thread than the main one
    try:
        return loop.run(task)
    finally:
        if old is not None:
            signal.signal(signal.SIGINT, old)
        _here.loop = None
        loop.events.close()


async def sleep(seconds: float) -> None:
    seconds = seconds_to_sleep(seconds)
    await (wait_async(_Waiter(), seconds) if seconds else _let_others_run())


class _SocketWaiter(SocketWaitSteps, _Waiter):
    """One wait of one task for a socket: the event loop claims it when the socket is ready."""

    __slots__ = ("direction", "key", "number", "socket")

    outside = True
    purpose = waiter = property(lambda self: self, lambda self, _: None)

    def __init__(self, socket: Any, direction: str) -> None:
        super().__init__()
        self.socket, self.number, self.direction = socket, descriptor(socket), direction
        self.key = self.number, direction

    def is_over(self) -> bool:
        return not self.waits() or self.task.must_stop()


async def _wait_for_socket(waiter: _SocketWaiter, timeout: float | None) -> None:
    timeout = None if timeout is None else must_be_seconds(timeout)
    events = _here.loop.events
    events.begin(waiter)
    try:
        await waiter.park(timeout)
    finally:
        waiter.claim(CANCELLED)  # unless something else has ended the wait
        events.end(waiter)
    if waiter.outcome != DONE:
        waiter.settle()


async def wait_readable(socket: Any, timeout: float | None = None) -> None:
    await _wait_for_socket(_SocketWaiter(socket, READABLE), timeout)


async def wait_writable(socket: Any, timeout: float | None = None) -> None:
    await _wait_for_socket(_SocketWaiter(socket, WRITABLE), timeout)


def notify_closing(socket: Any) -> None:
    if getattr(_here, "loop", None) is not None:
        _here.loop.events.notify_closing(socket)
