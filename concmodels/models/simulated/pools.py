"""The pools of a simulated world: what their tasks tell each other, as steps and keys.

A pool is a channel and a group (`pools/`), and these announce themselves. The rest is here, once for pools of plain
functions and of coroutines:

    the workers        which have ended, which wait, why the pool takes nothing more: under the key of their inbox
    ("future", ...)    one call of `submit`: to end it, to cancel it and to ask for it are steps
    ("map", ...)       the results of one `map`
"""

from weakref import WeakKeyDictionary

from concmodels.models.pools.awaited_results import Handle
from concmodels.models.pools.awaited_workers import AsyncWorkers
from concmodels.models.pools.future import Future, NoLock
from concmodels.models.pools.inbox import Inbox
from concmodels.models.pools.results import Results
from concmodels.models.pools.worker_waits import WorkerWaits
from concmodels.models.pools.workers import Workers
from concmodels.models.simulated.world import current, new_key, touch

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from concmodels.models.simulated.steps import Key
    from concmodels.models.simulated.world import World
    from concmodels.models.waiting.waiter import Waiter

_ALL: Key = ("channel", ())
"""The pools of the run, in the order in which they were made."""

_futures: WeakKeyDictionary[World, list[Key]] = WeakKeyDictionary()
"""The keys of the futures of a run, in the order in which they were made."""


class _Lock(NoLock):
    """Locks nothing, and notes what it would protect: what the standard library's code does to futures."""

    def __init__(self) -> None:
        self._key = new_key("future")

    def acquire(self) -> bool:
        """As `NoLock.acquire`."""
        touch(self._key, True)
        return True

    def __enter__(self) -> None:
        touch(self._key, True)


class _Inbox(Inbox):
    """An inbox that notes each access to the reason why it takes nothing more."""

    def __init__(self, channel: Any, key: Key) -> None:
        self._key = key
        super().__init__(channel)

    @property
    def _broken(self) -> BaseException | None:  # an attribute elsewhere
        touch(self._key, False)
        return self._reason

    @_broken.setter
    def _broken(self, error: BaseException | None) -> None:
        touch(self._key, True)
        self._reason = error


class _Waits(WorkerWaits):
    """The waits of the workers, each of which matters to the one that begins to wait last."""

    def __init__(self, size: int, key: Key) -> None:
        super().__init__(size)
        self._key = key

    def begin(self, worker: Any, waiter: Waiter) -> None:
        """As `WorkerWaits.begin`."""
        touch(self._key, True)
        for it in self._waiting:
            touch(it.runner.key, False)  # whether its wait was claimed
        super().begin(worker, waiter)

    def end(self, worker: Any) -> None:
        """As `WorkerWaits.end`."""
        touch(self._key, True)
        super().end(worker)


class SimulatedWorkers(Workers):
    """The workers of a pool of plain functions."""

    def __init__(self, *args: Any) -> None:
        super().__init__(*args)
        self.key: Key = self.channel.key
        self.inbox = _Inbox(self.channel, self.key)
        self.new_lock = _Lock
        self._waits = _Waits(self.size, self.key)

    def start(self) -> None:
        """As `Workers.start`."""
        touch(_ALL, True)
        super().start()

    def _worker_ended(self) -> None:
        touch(self.key, True)
        super()._worker_ended()

    def all_ended(self) -> bool:
        """As `Workers.all_ended`."""
        touch(self.key, False)
        return super().all_ended()

    def join(self) -> None:
        """As `Workers.join`. Which task is the first to join, and that its wait is over, both matter to the others."""
        touch(self.key, True)
        try:
            super().join()
        finally:
            touch(self.key, True)
            touch(_ALL, True)


class SimulatedAsyncWorkers(AsyncWorkers):
    """The workers of a pool of coroutines."""

    def __init__(self, *args: Any) -> None:
        super().__init__(*args)
        self.key: Key = self.channel.key
        self.inbox = _Inbox(self.channel, self.key)
        self._waits = _Waits(self.size, self.key)
        self.checkpoint = _before_the_next_result

    def _worker_ended(self) -> None:
        touch(self.key, True)
        super()._worker_ended()

    async def join(self) -> None:
        """As `AsyncWorkers.join`."""
        touch(self.key, False)
        await super().join()


async def _before_the_next_result() -> None:
    """Stop before a step that takes a result of a map; raise the cancellation of the calling task, if any."""
    world = current()
    if world is not None:
        world.point("take a result of", (), "a map")
        task = world.running.task
        if task.must_stop():
            task.stop()


class _Call:
    """The steps that futures and handles have in common; their own classes say what they do."""

    name: str

    def __init__(self, workers: Any, function: Callable[..., Any]) -> None:
        self._key = new_key("future")
        super().__init__(workers, function)  # type: ignore[call-arg]

    def _stop(self, kind: str, changes: bool) -> None:
        """Stop before a step that asks for the call or changes it."""
        world = current()
        if world is not None:
            world.point(kind, ((self._key, changes),), self)

    def begin(self, position: int = 0) -> bool:
        """As in the other models. It belongs to the step that has received the job: until then it lay in the inbox."""
        touch(self._key, True)
        begun: bool = super().begin(position)  # type: ignore[misc]
        return begun

    def put(self, position: int, value: Any) -> None:
        """As in the other models, and a step: between begin and end of the call others may ask for it."""
        self._stop("end", True)
        super().put(position, value)  # type: ignore[misc]

    def fail(self, position: int, error: BaseException) -> None:
        """As `put`."""
        self._stop("end", True)
        super().fail(position, error)  # type: ignore[misc]

    def drop(self, position: int, error: BaseException | None) -> None:
        """As in the other models. It belongs to the step that has taken the job out of the inbox."""
        world = current()
        if world is None:
            super().drop(position, error)  # type: ignore[misc]
            return
        touch(self._key, True)
        with world.unannounced():
            super().drop(position, error)  # type: ignore[misc]

    def cancel(self) -> bool:
        """As in the other models, and a step."""
        self._stop("cancel", True)
        cancelled: bool = super().cancel()  # type: ignore[misc]
        return cancelled

    def done(self) -> bool:
        """As in the other models, and a step."""
        self._stop("look at", False)
        done: bool = super().done()  # type: ignore[misc]
        return done


def _look_at_several() -> bool:
    """Stop before `concurrent.futures.wait` or `as_completed` looks at futures.

    These lock their futures in the order of addresses, which differs from run to run. So each of these steps is to
    touch all futures of the run.
    """
    world = current()
    if world is not None:
        world.point("look at", (), "several futures")
        for key in _futures.get(world, ()):
            world.touch(key, False)
    return True


class SimulatedFuture(_Call, Future):
    """A future whose operations are steps."""

    def __init__(self, workers: Any, function: Callable[..., Any]) -> None:
        super().__init__(workers, function)
        self._condition.acquire = _look_at_several
        world = current()
        if world is not None:
            _futures.setdefault(world, []).append(self._key)

    def result(self, timeout: float | None = None) -> Any:
        """As `Future.result`, and a step."""
        self._stop("wait for", False)
        try:
            return super().result(timeout)
        finally:
            del self  # as there

    def exception(self, timeout: float | None = None) -> BaseException | None:
        """As `Future.exception`, and a step."""
        self._stop("wait for", False)
        return super().exception(timeout)

    def cancelled(self) -> bool:
        """As `Future.cancelled`, and a step."""
        self._stop("look at", False)
        return super().cancelled()

    def running(self) -> bool:
        """As `Future.running`, and a step."""
        self._stop("look at", False)
        return super().running()

    def add_done_callback(self, fn: Callable[[Any], object]) -> None:
        """As `Future.add_done_callback`, and a step."""
        self._stop("add a callback to", True)
        super().add_done_callback(fn)

    def _callback_failed(self, error: BaseException) -> None:
        world = current()
        if world is not None and world.dying:
            raise error  # the run was cut in the middle of it
        super()._callback_failed(error)


class SimulatedHandle(_Call, Handle):
    """A handle whose operations are steps."""

    async def result(self, timeout: float | None = None) -> Any:
        """As `Handle.result`, and a step."""
        self._stop("wait for", False)
        try:
            return await super().result(timeout)
        finally:
            del self  # as there


class _Found(dict):  # type: ignore[type-arg]  # of whatever the calls return
    """The results by position, of which every access is noted."""

    def __init__(self, key: Key) -> None:
        super().__init__()
        self._key = key

    def __contains__(self, position: object) -> bool:
        touch(self._key, False)
        return super().__contains__(position)

    def __setitem__(self, position: int, value: Any) -> None:
        touch(self._key, True)
        super().__setitem__(position, value)

    def clear(self) -> None:
        """As `dict.clear`."""
        touch(self._key, True)
        super().clear()


class SimulatedResults(Results):
    """The results of a map, of which to bring one and to take one are steps."""

    def __init__(self, function: Callable[..., Any], cancellation: Callable[[], BaseException]) -> None:
        self.key = new_key("map")
        super().__init__(function, cancellation)
        self.found = _Found(self.key)

    @property
    def over(self) -> bool:  # an attribute elsewhere
        """As `Results.over`."""
        touch(self.key, False)
        return self._over

    @over.setter
    def over(self, over: bool) -> None:
        touch(self.key, True)
        self._over = over

    def put(self, position: int, value: Any) -> None:
        """As `Results.put`, and a step."""
        world = current()
        if world is not None:
            world.point("bring a result to", ((self.key, True),), "a map")
        super().put(position, value)
