"""A wait for the result of a future is one step.

In the standard library, `Future.result` takes a lock, looks, and waits for a condition if it has come too early. No
program can tell the two apart, but both would have to be tried for every result: the results of two jobs made 7 times
as many schedules. Here it waits for a gate that the end of the future opens, whichever end that is. With a time
limit the two differ, and there it is the standard library's code that runs.
"""

from collections.abc import Callable, Iterable
from types import ModuleType
from typing import TYPE_CHECKING, Any

from concmodels.explore.threads.locks import Shared
from concmodels.explore.threads.standing_for import standing_for
from concmodels.models.simulated.world import current

if TYPE_CHECKING:
    from concmodels.models.simulated.steps import Kind


def wait_for_futures_by_gates(base: ModuleType) -> None:
    """Change the futures of this copy of `concurrent.futures._base`."""
    future = base.Future
    future.__init__ = _with_end(future.__init__)
    future._invoke_callbacks = _after_the_end(future._invoke_callbacks)
    future.result = _in_one_step(future.result, base, future._Future__get_result)
    future.exception = _in_one_step(future.exception, base, lambda it: it._exception)
    future.__hash__ = _hash_of_future
    base._AcquireFutures.__init__ = _sort_futures


class _End(Shared):
    """The end of a future: its result, its exception, or that it was cancelled."""

    def __init__(self) -> None:
        self._has_come = False
        self._become_shared("future")

    def come(self) -> None:
        """Open the gate, in a step."""
        world = current()
        if world is not None:
            world.point("end", self._keys, self)
            world.opens(self, self.key)
        self._has_come = True
        self._enable(world)

    def wait(self) -> None:
        """Wait for the end, in a step."""
        world = current()
        if world is not None:
            self._stop_before(world, "get the result", self._has_come, None)

    def describe(self) -> str:
        """Say that a thread waits for this."""
        return "waits in Future.result"


def _with_end(init: Callable[..., None]) -> Callable[..., None]:
    @standing_for(init)
    def with_end(self: Any) -> None:
        init(self)
        self._end = _End()

    return with_end


def _after_the_end(invoke: Callable[..., None]) -> Callable[..., None]:
    """Return a method as `Future._invoke_callbacks`, which all ends have in common."""

    @standing_for(invoke)
    def after_the_end(self: Any) -> None:
        self._end.come()
        invoke(self)

    return after_the_end


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
