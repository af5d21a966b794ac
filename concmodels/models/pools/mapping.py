"""The `map` of a pool: it checks the options and shows the bar; the pool says how the results come."""

from concurrent.futures import Executor

from concmodels.models.pools.arguments import check_map
from concmodels.models.pools.progress import is_to_be_shown, shown
from concmodels.models.pools.results import length_of
from concmodels.models.waiting.timeouts import must_be_sync

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterable, Iterator
    from typing import Any


class MappingExecutor(Executor):
    """An executor with the `map` of `concmodels.contract.Pool`, and a `model` for messages."""

    model: str

    def map(
        self,
        fn: Callable[..., Any],
        /,
        *iterables: Iterable[Any],
        timeout: float | None = None,
        chunksize: int | None = None,
        buffersize: int | None = None,
        progress: str | None = None,
    ) -> Iterator[Any]:
        """Call `fn` with the next item of each iterable; the results in order. See `concmodels.contract.Pool.map`."""
        must_be_sync(fn, self.model)
        until = check_map(timeout, chunksize, buffersize)
        label = progress if is_to_be_shown(progress) else None
        total = None if label is None else length_of(iterables)
        results = self._map(fn, iterables, until, chunksize, buffersize)
        return results if label is None else shown(results, label, total)

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
