"""The types of sync and async models: what an editor offers after `model.`, and what a type checker asks for.

`load("threads")` is a `SyncModel` and `load("trio")` an `AsyncModel`; a name that is only known when the program runs
gives a `Model` of either kind. `run` has more options in a `BoundaryModel` (processes, subinterp) and in a
`SimulatedModel`. A channel is made for items of any type. Annotate it to have them checked:

    channel: Channel[int] = model.Channel(8)

What `select` returns has an item of the types of its channels, `Selected[int | str]` say, if it is given at most four
cases or all have one type.

These are types only: no model imports this module, and at run time it is imported only by programs that name one of its
classes.
"""

from collections.abc import Awaitable, Callable
from typing import Any, Literal, Protocol, overload

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


type BoundaryName = Literal[
    "processes", "subinterp", "processes:forkserver", "processes:spawn", "processes:fork",
]  # fmt: skip
"""Those of the sync models whose tasks don't share their memory, without dask."""

type SimulatedName = Literal["sim", "sim:sync"]
"""Those of the simulated world, sync."""

type AsyncSimulatedName = Literal["sim:async"]
"""Those of the simulated world, async."""

type _Case[T] = Channel[T] | tuple[Channel[T], T]
type _AsyncCase[T] = AsyncChannel[T] | tuple[AsyncChannel[T], T]


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

    def run[*A, R](  # type: ignore[override]  # only a plain function can be the main of a sync model
        self, main: Callable[[*A], R], *args: *A, deadlock_after: float | None = 1.0
    ) -> R: ...
    @overload  # type: ignore[override]  # what is no case is an error here, and a TypeError when it runs
    def select[A](self, a: _Case[A], /, *, timeout: Timeout = None, priority: bool = False) -> Selected[A]: ...
    @overload
    def select[A, B](
        self, a: _Case[A], b: _Case[B], /, *, timeout: Timeout = None, priority: bool = False
    ) -> Selected[A | B]: ...
    @overload
    def select[A, B, C](
        self, a: _Case[A], b: _Case[B], c: _Case[C], /, *, timeout: Timeout = None, priority: bool = False
    ) -> Selected[A | B | C]: ...
    @overload
    def select[A, B, C, D](
        self, a: _Case[A], b: _Case[B], c: _Case[C], d: _Case[D], /, *, timeout: Timeout = None, priority: bool = False
    ) -> Selected[A | B | C | D]: ...
    @overload
    def select[T](self, *cases: _Case[T], timeout: Timeout = None, priority: bool = False) -> Selected[T]: ...
    @overload
    def select(self, *cases: _Case[Any], timeout: Timeout = None, priority: bool = False) -> Selected[Any]: ...
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
    @overload  # type: ignore[override]  # what is no case is an error here, and a TypeError when it runs
    async def select[A](
        self, a: _AsyncCase[A], /, *, timeout: Timeout = None, priority: bool = False
    ) -> Selected[A]: ...
    @overload
    async def select[A, B](
        self, a: _AsyncCase[A], b: _AsyncCase[B], /, *, timeout: Timeout = None, priority: bool = False
    ) -> Selected[A | B]: ...
    @overload
    async def select[A, B, C](
        self,
        a: _AsyncCase[A],
        b: _AsyncCase[B],
        c: _AsyncCase[C],
        /,
        *,
        timeout: Timeout = None,
        priority: bool = False,
    ) -> Selected[A | B | C]: ...
    @overload
    async def select[A, B, C, D](
        self,
        a: _AsyncCase[A],
        b: _AsyncCase[B],
        c: _AsyncCase[C],
        d: _AsyncCase[D],
        /,
        *,
        timeout: Timeout = None,
        priority: bool = False,
    ) -> Selected[A | B | C | D]: ...
    @overload
    async def select[T](
        self, *cases: _AsyncCase[T], timeout: Timeout = None, priority: bool = False
    ) -> Selected[T]: ...
    @overload
    async def select(
        self, *cases: _AsyncCase[Any], timeout: Timeout = None, priority: bool = False
    ) -> Selected[Any]: ...
    async def sleep(self, seconds: float) -> None: ...
    async def wait_readable(self, socket: HasFileno, timeout: Timeout = None) -> None: ...
    async def wait_writable(self, socket: HasFileno, timeout: Timeout = None) -> None: ...


class BoundaryModel(SyncModel, Protocol):
    """A model whose tasks don't share their memory: processes, subinterp."""

    def run[*A, R](  # type: ignore[override]  # as in `SyncModel`
        self,
        main: Callable[[*A], R],
        *args: *A,
        channel_bytes: int = 1 << 26,
        deadlock_after: float | None = None,
    ) -> R: ...


class SimulatedModel(SyncModel, Protocol):
    """The simulated world, `sim`, in which a schedule or a seed says which task goes on."""

    def run[*A, R](  # type: ignore[override]  # as in `SyncModel`
        self,
        main: Callable[[*A], R],
        *args: *A,
        deadlock_after: float | None = 1.0,
        schedule: str | None = None,
        seed: int | None = None,
    ) -> R: ...


class AsyncSimulatedModel(AsyncModel, Protocol):
    """The simulated world of an async program, `sim:async`."""

    def run[*A, R](  # type: ignore[override]  # as in `AsyncModel`
        self,
        main: Callable[[*A], Awaitable[R]],
        *args: *A,
        deadlock_after: float | None = 1.0,
        schedule: str | None = None,
        seed: int | None = None,
    ) -> R: ...


__all__ = [
    "AsyncModel",
    "AsyncName",
    "AsyncSimulatedModel",
    "AsyncSimulatedName",
    "BoundaryModel",
    "BoundaryName",
    "MakesAsyncChannel",
    "MakesAsyncPool",
    "MakesAsyncTaskGroup",
    "MakesChannel",
    "MakesPool",
    "MakesTaskGroup",
    "SimulatedModel",
    "SimulatedName",
    "SyncModel",
    "SyncName",
]
