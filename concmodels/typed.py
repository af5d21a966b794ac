"""The types of sync and async models: what an editor offers after `model.`, and what a type checker asks for.

`load("threads")` is a `SyncModel` and `load("trio")` an `AsyncModel`; a name that is only known when the program runs
gives a `Model` of either kind. A channel is made for items of any type. Annotate it to have them checked:

    channel: Channel[int] = model.Channel(8)

These are types only: no model imports this module, and at run time it is imported only by programs that name one of its
classes.
"""

from collections.abc import Awaitable, Callable
from typing import Any, Literal, Protocol

from concmodels.contract import (
    AsyncChannel,
    AsyncPool,
    AsyncTaskGroup,
    Channel,
    HasFileno,
    Model,
    Pool,
    TaskGroup,
    Timeout,
)
from concmodels.errors import Selected

type SyncName = Literal[
    "threads", "rawthreads", "processes", "subinterp", "greenlet", "tasklets", "gevent", "eventlet", "sim", "dask",
    "rawthreads:locks", "rawthreads:polling",
    "processes:forkserver", "processes:spawn", "processes:fork", "sim:sync",
]  # fmt: skip
"""The names of the sync models and their variants."""

type AsyncName = Literal["asyncio", "trio", "anyio", "anyio:asyncio", "anyio:trio", "sim:async"]
"""The names of the async models and their variants."""


type _Case = Channel[Any] | tuple[Channel[Any], Any]
type _AsyncCase = AsyncChannel[Any] | tuple[AsyncChannel[Any], Any]


class MakesChannel(Protocol):
    """The class of a sync model's channels, as far as programs use it."""

    def __call__(self, capacity: float = 0, name: str | None = None) -> Channel[Any]:
        """Make a channel for this number of items: see `concmodels.contract.Model.Channel`."""


class MakesAsyncChannel(Protocol):
    """The class of an async model's channels, as far as programs use it."""

    def __call__(self, capacity: float = 0, name: str | None = None) -> AsyncChannel[Any]:
        """Make a channel for this number of items: see `concmodels.contract.Model.Channel`."""


class MakesPool(Protocol):
    """The class of a sync model's pools."""

    def __call__(
        self, workers: int | None = None, *, initializer: Callable[..., object] | None = None, initargs: Any = ()
    ) -> Pool:
        """Make a pool with so many workers: see `concmodels.contract.Pool`."""


class MakesAsyncPool(Protocol):
    """The class of an async model's pools."""

    def __call__(
        self, workers: int | None = None, *, initializer: Callable[..., object] | None = None, initargs: Any = ()
    ) -> AsyncPool:
        """Make a pool with so many workers: see `concmodels.contract.AsyncPool`."""


class MakesTaskGroup(Protocol):
    """The class of a sync model's task groups."""

    def __call__(self, timeout: Timeout = None) -> TaskGroup:
        """Make a group with this time limit, in seconds: see `concmodels.contract.TaskGroup`."""


class MakesAsyncTaskGroup(Protocol):
    """The class of an async model's task groups."""

    def __call__(self, timeout: Timeout = None) -> AsyncTaskGroup:
        """Make a group with this time limit, in seconds: see `concmodels.contract.TaskGroup`."""


class SyncModel(Model, Protocol):
    """A model whose operations are plain calls: threads, processes, greenlets and so on."""

    @property
    def Channel(self) -> MakesChannel: ...
    @property
    def TaskGroup(self) -> MakesTaskGroup: ...
    @property
    def Pool(self) -> MakesPool: ...

    def run[*A, R](self, main: Callable[[*A], R], *args: *A, deadlock_after: float | None = 1.0) -> R: ...
    def select(  # type: ignore[override]  # what is no case is an error here, and a TypeError when it runs
        self, *cases: _Case, timeout: Timeout = None, priority: bool = False
    ) -> Selected: ...
    def sleep(self, seconds: float) -> None: ...
    def wait_readable(self, socket: HasFileno, timeout: Timeout = None) -> None: ...
    def wait_writable(self, socket: HasFileno, timeout: Timeout = None) -> None: ...


class AsyncModel(Model, Protocol):
    """A model whose operations are awaited: asyncio, trio, anyio."""

    @property
    def Channel(self) -> MakesAsyncChannel: ...
    @property
    def TaskGroup(self) -> MakesAsyncTaskGroup: ...
    @property
    def Pool(self) -> MakesAsyncPool: ...

    def run[*A, R](  # type: ignore[override]  # only an async function can be the main of an async model
        self, main: Callable[[*A], Awaitable[R]], *args: *A, deadlock_after: float | None = 1.0
    ) -> R: ...
    async def select(  # type: ignore[override]  # as in sync models
        self, *cases: _AsyncCase, timeout: Timeout = None, priority: bool = False
    ) -> Selected: ...
    async def sleep(self, seconds: float) -> None: ...
    async def wait_readable(self, socket: HasFileno, timeout: Timeout = None) -> None: ...
    async def wait_writable(self, socket: HasFileno, timeout: Timeout = None) -> None: ...


__all__ = [
    "AsyncModel",
    "AsyncName",
    "MakesAsyncChannel",
    "MakesAsyncPool",
    "MakesAsyncTaskGroup",
    "MakesChannel",
    "MakesPool",
    "MakesTaskGroup",
    "SyncModel",
    "SyncName",
]
