"""Each operation on a future is one step: its start, its end, a look at it, and the wait for its end.

In the standard library, `Future.result` takes a lock, looks, and waits for a condition if it has come too early. No
program can tell the two apart, but both would have to be tried for every result: the results of two jobs made 7 times
as many schedules. Here it waits for a gate that the end of the future opens, whichever end that is. With a time
limit the two differ, and there it is the standard library's code that runs.

The rest is done under the future's lock. If no other thread can come in between, nobody can see that this lock is held,
and to release it is no step. That a job has started is seen only by who tries to cancel it, or asks whether it runs. So
these touch the start, and all others the end. `wait` and `as_completed` have a waiter that all their futures tell of
their end; it is told in the same step.
"""

from collections.abc import Callable, Iterable
from contextlib import nullcontext
from types import ModuleType
from typing import TYPE_CHECKING, Any

from concmodels.explore.threads.locks import RLock, Shared
from concmodels.explore.threads.standing_for import standing_for
from concmodels.models.simulated.world import current, new_key, touch

if TYPE_CHECKING:
    from concmodels.models.simulated.steps import Key, Kind, Step
    from concmodels.models.simulated.world import World


def wait_for_futures_by_gates(base: ModuleType) -> None:
    """Change the futures of this copy of `concurrent.futures._base`."""
    future = base.Future
    future.__init__ = _with_end(future.__init__, base)
    future.set_running_or_notify_cancel = _in_its_own_step(future.set_running_or_notify_cancel, base)
    for name in ("cancel", "running", "__repr__"):
        setattr(future, name, _looking_at_the_start(getattr(future, name)))
    future._invoke_callbacks = _after_the_end(future._invoke_callbacks)
    future.result = _in_one_step(future.result, base, future._Future__get_result)
    future.exception = _in_one_step(future.exception, base, lambda it: it._exception)
    repeat_themselves(base)
    base._AcquireFutures.__enter__ = _all_at_once(base._AcquireFutures.__enter__)
    names = vars(base)
    names["_create_and_install_waiters"] = _told_in_the_same_step(names["_create_and_install_waiters"])


def repeat_themselves(base: ModuleType) -> None:
    """Let no address decide in which order futures of this module are gone through."""
    base.Future.__hash__ = _hash_of_future
    base._AcquireFutures.__init__ = _sort_futures


class _Lock(RLock):
    """The lock of a future. To release it is no step, if nothing else could be done since it was acquired."""

    def __init__(self, made: tuple[str, int] | None) -> None:
        super().__init__()
        self.is_mutex = False
        self.start: Key = new_key("future")
        self.looks_at_the_start = False
        self._made = made
        self._taken_in: Step | None = None

    def acquire(self, blocking: bool = True, timeout: float = -1) -> bool:
        """As `RLock.acquire`."""
        looks, self.looks_at_the_start = self.looks_at_the_start, False
        was_free, taken = not self._is_owned(), super().acquire(blocking, timeout)
        world = current()
        if taken and was_free and world is not None:
            self._taken_in = world.running.chosen
        if looks:
            touch(self.start, True)
        return taken

    __enter__ = acquire

    def take(self, world: World) -> None:
        """Acquire it, in the step under way."""
        self.owner, self._count = world.running, 1
        self._disable(world)
        self._taken_in = world.running.chosen

    def _release_save(self) -> int:
        world = current()
        if world is None or not self._is_owned() or world.running.chosen is not self._taken_in:
            return super()._release_save()
        count = self._count
        self._free(world)
        return count


class _Gate(Shared):
    """A gate that is opened in the step that is under way; also the event of a waiter."""

    def __init__(self) -> None:
        self._is_open = False
        self._become_shared("future")

    def set(self) -> None:
        """Open it."""
        world = current()
        if world is not None:
            world.touch(self.key, True)
            step = world.running.chosen
            if step is not None and step.opens is None:
                world.opens(step.subject, self.key)
        self._is_open = True
        self._enable(world)

    def clear(self) -> None:
        """Close it again."""
        touch(self.key, True)
        self._is_open = False
        self._disable(current())

    def wait(self, timeout: float | None = None) -> bool:
        """Wait until it is open, in a step."""
        world = current()
        return self._is_open if world is None else self._stop_before(world, "wait", self._is_open, timeout)

    def describe(self) -> str:
        """Say that a thread waits for this."""
        return "waits for a future"


class _End(_Gate):
    """The end of a future: its result, its exception, or that it was cancelled."""

    def wait(self, timeout: float | None = None) -> bool:
        """Wait for the end, in a step."""
        world = current()
        return world is None or self._stop_before(world, "get the result", self._is_open, timeout)

    def describe(self) -> str:
        """Say that a thread waits for this."""
        return "waits in Future.result"


def _with_end(init: Callable[..., None], base: ModuleType) -> Callable[..., None]:
    @standing_for(init)
    def with_end(self: Any) -> None:
        init(self)
        self._condition = base.threading.Condition(_Lock(self._condition._lock._made))
        self._end = _End()

    return with_end


def _in_its_own_step(start: Callable[..., bool], base: ModuleType) -> Callable[..., bool]:
    """Return a method as `Future.set_running_or_notify_cancel`, which needs no lock if it wasn't cancelled."""

    @standing_for(start)
    def in_its_own_step(self: Any) -> bool:
        world = current()
        if world is not None:
            world.point("start", ((self._condition._lock.start, True),), self._end)
            if self._state == base.PENDING:
                self._state = base.RUNNING
                return True
        return start(self)

    return in_its_own_step


def _looking_at_the_start(method: Callable[..., Any]) -> Callable[..., Any]:
    """Return a method like this one, which looks whether the job has started."""

    @standing_for(method)
    def looking_at_the_start(self: Any) -> Any:
        self._condition._lock.looks_at_the_start = True
        return method(self)

    return looking_at_the_start


def _after_the_end(invoke: Callable[..., None]) -> Callable[..., None]:
    """Return a method as `Future._invoke_callbacks`, which all ends have in common."""

    @standing_for(invoke)
    def after_the_end(self: Any) -> None:
        self._end.set()
        invoke(self)

    return after_the_end


def _all_at_once(enter: Callable[..., None]) -> Callable[..., None]:
    """Return a method as `_AcquireFutures.__enter__`: one step, if none of the locks is held."""

    @standing_for(enter)
    def all_at_once(self: Any) -> None:
        world, locks = current(), [it._condition._lock for it in self.futures]
        if world is not None and locks:
            world.point("acquire", tuple((it.key, True) for it in locks), locks[0])
        if world is None or any(it.owner is not None for it in locks):
            enter(self)
        else:
            for lock in locks:
                lock.take(world)

    return all_at_once


def _told_in_the_same_step(install: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function as `_create_and_install_waiters`, of which each future has the lock."""

    @standing_for(install)
    def told_in_the_same_step(futures: Any, return_when: str) -> Any:
        waiter = install(futures, return_when)
        waiter.event, waiter.lock = _Gate(), nullcontext()
        return waiter

    return told_in_the_same_step


def _in_one_step(method: Callable[..., Any], base: ModuleType, get: Callable[[Any], Any]) -> Callable[..., Any]:
    """Return a method as `Future.result`, or as `Future.exception`."""

    @standing_for(method)
    def in_one_step(self: Any, timeout: float | None = None) -> Any:
        if timeout is not None or current() is None:
            return method(self, timeout)
        self._end.wait()
        if self._state != base.FINISHED:
            raise base.CancelledError()
        return get(self)

    return in_one_step


def hash_by(it: Any, kind: Kind) -> int:
    """Return the same hash in every run, for sets of threads and futures are gone through in their order."""
    found = vars(it).get("_hash")
    if found is None:
        world = current()
        found = it._hash = hash(world.new_key(kind)[1]) if world is not None else id(it)
    return int(found)


def _hash_of_future(self: Any) -> int:
    return hash_by(self, "future")


def _sort_futures(self: Any, futures: Iterable[Any]) -> None:
    """As `_AcquireFutures.__init__`, which takes the locks in the order of addresses."""
    self.futures = sorted(futures, key=hash)
