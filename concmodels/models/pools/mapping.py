"""The `map` of a pool: it checks the options; the pool says how the results come."""

import time
from concurrent.futures import Executor

from concmodels.models.pools.arguments import check_map
from concmodels.models.waiting.calls import check_call

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterable, Iterator
    from typing import Any


class MappingExecutor(Executor):
    """An executor with the `map` of `concmodels.contract.Pool`, and a `model` for messages."""

    model: str

    @property
    def workers(self) -> int:
        """The number of workers."""
        raise NotImplementedError("a pool must say how many workers it has")

    @property
    def _max_workers(self) -> int:
        """The name of `workers` in all executors of the standard library; other libraries, such as Dask, read it."""
        return self.workers

    @staticmethod
    def clock() -> float:
        """Return the model's `now`."""
        return time.monotonic()

    def map(
        self,
        fn: Callable[..., Any],
        /,
        *iterables: Iterable[Any],
        timeout: float | None = None,
        chunksize: int | None = None,
        buffersize: int | None = None,
    ) -> Iterator[Any]:
        """Call `fn` with the next item of each iterable; the results in order. See `concmodels.contract.Pool.map`."""
        check_call(fn, "map", self.model)
        until = check_map(timeout, chunksize, buffersize, self.clock)
        return self._map(fn, iterables, until, chunksize, buffersize)

    def _map(
        self,
        fn: Callable[..., Any],
        iterables: tuple[Iterable[Any], ...],
        until: float | None,
        chunksize: int | None,
        buffersize: int | None,
    ) -> Generator[Any]:
        """Start the calls; return the generator of the results, in order.

        It has begun, so that its `finally` is run even if the program drops it at once.
        """
        raise NotImplementedError("a pool must say how it maps")
