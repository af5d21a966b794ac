"""The vocabulary, as types: the page to read first.

Every model (`concmodels/models/*.py`) keeps this contract in its own way. It comes in two kinds: in the sync models
(threads, rawthreads, processes, subinterp, greenlet, tasklets, gevent, eventlet) the verbs that may wait are plain
calls, in the async models (asyncio, trio, anyio) the same verbs are awaited. Nothing else differs.

What differs between the models is said in their docstrings. The largest difference: in processes and subinterp a
message is a copy, a task's function must be importable (in a program that is started: behind `if __name__ ==
"__main__":`), channels live only inside a `run`, and what can't cross is refused with `CannotTravel`. What fails beyond
such a memory boundary keeps its type or arrives as `RemoteError`; a child that was killed is `TaskDied`. All are in
`concmodels.errors`.

The page is for readers, type checkers and tests. No model imports it.

What every model guarantees:

* An accepted item reaches exactly one receiver, and the items of one sender arrive in the order sent.
* `send` waits while the channel is full, `receive` while it is empty; on a channel of capacity 0 (a rendezvous)
  `send` returns once the item is taken.
* After `close` what was accepted stays receivable; then iteration ends and `receive` raises `ChannelClosed`. A `send`
  that races a `close` either returns, and its item stays receivable, or raises, and its item reaches nobody.
* `select` waits for several channels at once and does exactly one of its cases; among those that are ready all have the
  same chance. What loses, times out or is cancelled has sent nothing and taken nothing.
* A group leaves its `with` only when all its tasks have ended; the first failure cancels the others.
* Cancellation arrives where a task waits, as the model's own exception `Cancelled`, and leaves nothing half done. If a
  partner has completed the operation just before, the operation returns, and the next checkpoint raises `Cancelled`.
* An operation that has raised has done nothing; one that has returned has happened. Nothing is ever given back. (Beyond
  a memory boundary `receive` raises `CannotTravel` for an item that can't be unpickled there: that item has been
  received.)
* Leaving a group is a checkpoint: a task that was cancelled ends there, also if there is nobody left to wait for.
* Ctrl-C leaves `run` as a bare `KeyboardInterrupt`, with every task ended; so does `Deadlock`, in one process. It
  interrupts main once. A second one, before main has handled the first, is enough to leave, whatever a task does.
  SIGTERM and SIGHUP end a run of the library's own models in the same way, as `concmodels.errors.Terminated`.
"""

from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Iterable, Iterator
from concurrent.futures import Future
from types import TracebackType
from typing import Protocol, Self, overload, runtime_checkable

type Timeout = float | None
"""Seconds, any real number; `None` and `math.inf` wait for ever, 0 or less never waits. If it strikes: `TimeoutError`.

An operation that has to wait raises `ValueError` for nan, and `TypeError` for what is no number.
"""


@runtime_checkable
class ChannelBase[T](Protocol):
    """What sync and async channels have in common: everything that never waits.

    >>> from concmodels import load
    >>> channel = load("threads").Channel(2, "numbers")
    >>> channel.send_nowait(1)
    >>> len(channel), channel.capacity, channel.name, channel.closed
    (1, 2, 'numbers', False)
    >>> channel.receive_nowait()
    1
    """

    @property
    def capacity(self) -> float:
        """How many items it holds: 0 is a rendezvous, `math.inf` has no bound but memory (then `MemoryError`)."""

    @property
    def closed(self) -> bool:
        """Whether `close` was called."""

    @property
    def name(self) -> str | None:
        """The name it was given, for error messages."""

    def __len__(self) -> int:
        """The number of items that are held now; a snapshot."""

    def send_nowait(self, item: T) -> None:
        """Send without waiting. Raises `WouldBlock` (full, or nobody waits on a rendezvous) or `ChannelClosed`."""

    def receive_nowait(self) -> T:
        """Receive without waiting. Raises `WouldBlock` (nothing there) or `ChannelClosed` (closed and drained)."""

    def close(self) -> None:
        """Accept nothing more, for all its users. Never waits; a second call does nothing."""

    def __enter__(self) -> Self:
        """A plain `with`, also in an async model: closes the channel at the end of the block."""

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None, /
    ) -> None: ...


@runtime_checkable
class Channel[T](ChannelBase[T], Protocol):
    """A channel in a sync model.

    >>> from concmodels import load
    >>> def main(model):
    ...     with model.Channel(3) as channel:
    ...         for number in range(3):
    ...             channel.send(number, timeout=1)
    ...     return list(channel)
    >>> threads = load("threads")
    >>> threads.run(main, threads)
    [0, 1, 2]
    """

    def send(self, item: T, timeout: Timeout = None) -> None:
        """Send, waiting for room. Raises `ChannelClosed` or `TimeoutError`: then the item reached nobody."""

    def receive(self, timeout: Timeout = None) -> T:
        """Receive, waiting for an item. Raises `ChannelClosed` (closed and drained) or `TimeoutError`."""

    def __iter__(self) -> Iterator[T]:
        """Receive until the channel is closed and drained; the fast way to receive."""


@runtime_checkable
class AsyncChannel[T](ChannelBase[T], Protocol):
    """A channel in an async model: the same, awaited.

    >>> from concmodels import load
    >>> async def main(model):
    ...     with model.Channel(3) as channel:
    ...         for number in range(3):
    ...             await channel.send(number, timeout=1)
    ...     return [number async for number in channel]
    >>> trio = load("trio")
    >>> trio.run(main, trio)
    [0, 1, 2]
    """

    async def send(self, item: T, timeout: Timeout = None) -> None:
        """As `Channel.send`."""

    async def receive(self, timeout: Timeout = None) -> T:
        """As `Channel.receive`."""

    def __aiter__(self) -> AsyncIterator[T]:
        """As `Channel.__iter__`, for `async for`."""


@runtime_checkable
class TaskBase(Protocol):
    """What the handle of a task has in sync and async models."""

    @property
    def name(self) -> str:
        """The name it was given, or one that says what it runs, for error messages."""

    def cancel(self) -> None:
        """Ask the task to end: `Cancelled` is raised where it waits. Never waits itself."""

    def done(self) -> bool:
        """Whether the task has ended, however it ended."""


@runtime_checkable
class Task[R](TaskBase, Protocol):
    """The handle of a task in a sync model: what `spawn` gives.

    >>> from concmodels import load
    >>> def main(model):
    ...     with model.TaskGroup() as group:
    ...         task = group.spawn(pow, 2, 10, name="power")
    ...         return task.name, task.result(timeout=1), task.done()
    >>> threads = load("threads")
    >>> threads.run(main, threads)
    ('power', 1024, True)
    """

    def result(self, timeout: Timeout = None) -> R:
        """Wait for the task and return its result, or raise what it raised; `TaskCancelled` if it was cancelled."""


@runtime_checkable
class AsyncTask[R](TaskBase, Protocol):
    """The handle of a task in an async model."""

    async def result(self, timeout: Timeout = None) -> R:
        """As `Task.result`."""


class TaskGroup(Protocol):
    """Tasks that end together: `with TaskGroup() as group: group.spawn(function, *arguments)`.

    Leaving the `with` waits for all tasks. The first failure cancels the siblings and the body; everything that
    failed leaves in one `ExceptionGroup`, each exception once. `KeyboardInterrupt` and `SystemExit` leave bare.

        >>> from concmodels import load
        >>> def main(model):
        ...     with model.TaskGroup() as group:
        ...         tasks = [group.spawn(pow, 2, number) for number in range(4)]
        ...     return [task.result() for task in tasks]
        >>> threads = load("threads")
        >>> threads.run(main, threads)
        [1, 2, 4, 8]
    """

    def __enter__(self) -> Self:
        """The group itself: tasks may be spawned from here on."""

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None, /
    ) -> bool | None: ...

    def spawn[*A, R](self, function: Callable[[*A], R], *args: *A, name: str | None = None) -> Task[R]:
        """Start `function(*args)` as a task of this group, and return its handle; `name` is for error messages.

        Raises `RuntimeError` once the group has been left, and `CannotTravel` for what can't cross a memory boundary.
        """

    def cancel(self) -> None:
        """Cancel all its tasks and the body of the `with`; the `with` is then left without an error."""


class AsyncTaskGroup(Protocol):
    """The same with `async with`; `spawn` itself is not awaited.

    >>> from concmodels import load
    >>> async def double(number):
    ...     return 2 * number
    >>> async def main(model):
    ...     async with model.TaskGroup() as group:
    ...         tasks = [group.spawn(double, number) for number in range(4)]
    ...     return [await task.result() for task in tasks]
    >>> trio = load("trio")
    >>> trio.run(main, trio)
    [0, 2, 4, 6]
    """

    async def __aenter__(self) -> Self:
        """As `TaskGroup.__enter__`."""

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None, /
    ) -> bool | None: ...

    def spawn[*A, R](self, function: Callable[[*A], Awaitable[R]], *args: *A, name: str | None = None) -> AsyncTask[R]:
        """As `TaskGroup.spawn`; `function` is a coroutine function."""

    def cancel(self) -> None:
        """As `TaskGroup.cancel`."""


class Pool(Protocol):
    """Workers that do what they are given: in a sync model a `concurrent.futures.Executor`.

    `Pool(workers=None, *, initializer=None, initargs=())` starts its workers at once: in processes and subinterp by
    default as many as there are CPUs, elsewhere four more, at most 32. It belongs to the run that it is made in: if it
    is still open when `main` returns, the run ends when everything is done that the pool was given; if `main` fails,
    that is cancelled. Every worker first calls `initializer(*initargs)`; if that fails the pool is broken: what it was
    given and is given later fails with `concurrent.futures.BrokenExecutor`, and the reason is its `__cause__`. Raises
    `ValueError` for less than one worker.

    A task is begun once. If its worker dies in it (a process that is killed), it fails with `WorkerDied`; what that
    worker had not begun goes to others, and a new worker takes its place. A task may give the pool further tasks and
    wait for them; when all workers wait like that and none is left to begin what they wait for, the last of these waits
    raises `Deadlock`.

    What expects an Executor takes a pool: joblib in a backend of a few lines (with `pre_dispatch="all"` where tasks
    share a thread, because its lock is one of threads), and `run_in_executor` of asyncio where the workers need not
    share the thread of the loop (threads, rawthreads, processes, subinterp).

    Leaving the `with` waits until everything is done, as an Executor does. When the body fails, what has not begun is
    cancelled and what has begun is cancelled where it waits.

        >>> from concmodels import load
        >>> def main(model):
        ...     with model.Pool(2) as pool:
        ...         power = pool.submit(pow, 2, 10)
        ...         return power.result(), list(pool.map(abs, [-1, 2, -3]))
        >>> threads = load("threads")
        >>> threads.run(main, threads)
        (1024, [1, 2, 3])
    """

    @property
    def workers(self) -> int:
        """How many there are."""

    def submit[R](self, fn: Callable[..., R], /, *args: object, **kwargs: object) -> Future[R]:
        """Have one worker call `fn(*args, **kwargs)`. Raises `RuntimeError` once the pool is shut down."""

    def map[R](
        self,
        fn: Callable[..., R],
        /,
        *iterables: Iterable[object],
        timeout: Timeout = None,
        chunksize: int | None = None,
        buffersize: int | None = None,
        progress: str | None = None,
    ) -> Iterator[R]:
        """Call `fn` with the next item of each iterable, and yield the results in the order of the items.

        The items are taken at once; with `buffersize` at most so many are ahead of the results that were yielded. The
        exception of a call is raised in its turn, and ends the iteration; what has not begun is then cancelled, as it
        is when the iterator is dropped. `timeout` is in seconds from this call on: `TimeoutError`. Beyond a memory
        boundary, `chunksize` tasks travel together; by default as many as take about a millisecond, and a lone one at
        once. `progress` labels a bar on a terminal.
        """

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """Take nothing more. Waits until everything is done, unless told not to; a second call does no harm.

        With `cancel_futures` what no worker has begun is taken back.
        """

    def __enter__(self) -> Self:
        """The pool itself. The end of the block is a `shutdown`."""

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None, /
    ) -> bool | None: ...


class Handle[R](Awaitable[R], Protocol):
    """What `submit` gives in an async model: `await handle` is the result, or raises what the call raised.

    It can be awaited more than once, and by several tasks.
    """

    async def result(self, timeout: Timeout = None) -> R:
        """As `await handle`, for at most so many seconds. Raises `TaskCancelled` if it was cancelled."""

    def done(self) -> bool:
        """Whether the call has ended, however it ended."""

    def cancel(self) -> bool:
        """Take the call back if no worker has begun it; whether that was so."""


class AsyncPool(Protocol):
    """The same in an async model: `async with model.Pool(8) as pool`.

    `fn` is a coroutine function. A plain one may be given too: it is called in the loop, and until it returns
    nothing else runs there.

        >>> from concmodels import load
        >>> async def double(number):
        ...     return 2 * number
        >>> async def main(model):
        ...     async with model.Pool(2) as pool:
        ...         handle = await pool.submit(double, 21)
        ...         return await handle, [it async for it in pool.map(double, [1, 2, 3])]
        >>> asyncio = load("asyncio")
        >>> asyncio.run(main, asyncio)
        (42, [2, 4, 6])
    """

    @property
    def workers(self) -> int:
        """How many there are."""

    @overload
    async def submit[R](
        self, fn: Callable[..., Coroutine[object, object, R]], /, *args: object, **kwargs: object
    ) -> Handle[R]: ...
    @overload
    async def submit[R](self, fn: Callable[..., R], /, *args: object, **kwargs: object) -> Handle[R]: ...

    @overload
    def map[R](
        self,
        fn: Callable[..., Coroutine[object, object, R]],
        /,
        *iterables: Iterable[object],
        timeout: Timeout = None,
        chunksize: int | None = None,
        buffersize: int | None = None,
        progress: str | None = None,
    ) -> AsyncIterator[R]: ...
    @overload
    def map[R](
        self,
        fn: Callable[..., R],
        /,
        *iterables: Iterable[object],
        timeout: Timeout = None,
        chunksize: int | None = None,
        buffersize: int | None = None,
        progress: str | None = None,
    ) -> AsyncIterator[R]: ...

    async def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """As `Pool.shutdown`."""

    async def __aenter__(self) -> Self:
        """As `Pool.__enter__`."""

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None, /
    ) -> bool | None: ...


class Shared(Protocol):
    """The handle of one block of memory that all workers see, made by `share(buffer)`.

    It may be an argument of `spawn`, `submit` and `map`, and an item of a channel. In one process it is the object
    itself; across a memory boundary the bytes are copied once, into memory that every worker maps, and the object that
    they came from does not see what is written there. A read-only source gives read-only views.

    `release()`, or leaving its `with`, ends it: after that `view()` and `array()` raise `RuntimeError`, here and in
    every worker. Memory that a worker still has a view of is given back when that worker has let go of it.

        >>> from concmodels import load
        >>> def main(model):
        ...     with model.share(bytearray(b"seen by all")) as shared:
        ...         shared.view()[0:4] = b"SEEN"
        ...         return bytes(shared.view()), shared.nbytes, shared.readonly
        >>> threads = load("threads")
        >>> threads.run(main, threads)
        (b'SEEN by all', 11, False)
    """

    @property
    def nbytes(self) -> int:
        """Its size in bytes."""

    @property
    def readonly(self) -> bool:
        """Whether its views can't be written to: as those of the source."""

    def view(self) -> memoryview:
        """The bytes, with the format and shape of the source."""

    def array(self) -> object:
        """The same as a numpy array, with the dtype of the source. Raises `ImportError` where numpy does not load."""

    def release(self) -> None:
        """End it. A second call does nothing."""

    def __enter__(self) -> Self:
        """The handle itself. The end of the block is a `release`."""

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None, /
    ) -> None: ...


class Model(Protocol):
    """A model: the module itself, or a `Model` object for a variant (`processes:spawn`).

    >>> from concmodels import load
    >>> def main(model, name):
    ...     started = model.now()
    ...     model.sleep(0.001)
    ...     return name, model.now() - started >= 0.001
    >>> threads = load("threads")
    >>> threads.run(main, threads, "slept")
    ('slept', True)
    """

    @property
    def Cancelled(self) -> type[BaseException]:
        """The model's own cancellation exception."""

    @property
    def Channel(self) -> Callable[..., ChannelBase[object]]:
        """`Channel(capacity=0, name=None)`: how many items it holds, and a name for error messages.

        Raises `ValueError` for a capacity that is neither a whole number from 0 on nor `math.inf`.
        """

    @property
    def TaskGroup(self) -> Callable[[], TaskGroup | AsyncTaskGroup]:
        """`TaskGroup()`, for a `with`; in an async model for an `async with`."""

    @property
    def Pool(self) -> Callable[..., Pool | AsyncPool]:
        """`Pool(workers=None, *, initializer=None, initargs=())`: see `Pool`."""

    def share(self, buffer: object) -> Shared:
        """Give all workers one block of memory: bytes, a bytearray, an array, an mmap, a numpy array.

        Raises `TypeError` for what has no buffer. Never waits, and is not awaited.
        """

    def run[R](self, main: Callable[..., R], *args: object, deadlock_after: float | None = 1.0) -> R:
        """Start the world, run `main(*args)` in it, stop the world, return the result.

        Raises what `main` raised; `RuntimeError` inside a run of the same model, or of another one that needs the same
        thing of the thread (an event loop, a hub); `ModelUnavailable` where it can't run; `Deadlock` when all tasks
        wait for each other and nobody is left who could go on. Then main is cancelled, or `Deadlock` is raised where it
        waits, all tasks end, and it leaves bare. greenlet, tasklets and gevent know at once; the others raise it when
        every task of the run has been in the same wait of the library for `deadlock_after` seconds, without a timeout,
        and they see nothing else that could send: no thread that the run did not start, no timer, no signal handler.
        `deadlock_after=None` waits for ever. `ValueError` if it is negative or no number. processes and subinterp look
        for deadlocks only if they are asked to: there the default is None. greenlet, tasklets and gevent do not see
        signal handlers that could send.

        Installs its own SIGINT handler while it runs in the main thread, and restores the old one. For SIGTERM and
        SIGHUP too, if they have their default action and would just kill the process: they end the run as Ctrl-C does,
        and what leaves it is `Terminated`, a `SystemExit` with the status 143 or 129. Several within a second are one
        request. (Python tells of signals that come together in the order of their numbers: SIGHUP first.) A program
        that ignores such a signal (nohup) or handles it itself goes on doing so.
        """

    def select(self, *cases: object, timeout: Timeout = None, priority: bool = False) -> object:
        """Wait until one of several cases can be done, and do it: exactly one; awaited in the async models.

        A case is a channel (receive from it) or a pair `(channel, item)` (send it). Among the cases that are ready one
        is chosen by chance; with `priority=True` the first. Returns a `concmodels.errors.Selected`: its `.channel`, the
        `.item` received or sent, `.sent`, and `.closed`: a channel that is closed (to receive: closed and drained) is
        ready, and nothing is raised. Raises `TimeoutError` after `timeout` seconds (0: unless a case is ready now);
        `ValueError` without a case, `TypeError` for what is no case or belongs to another model.

        To wait for work and for the word to stop at once:

            done = model.select(work, stop)
            if done.channel is stop or done.closed: return

        and, so that it runs:

            >>> from concmodels import load
            >>> def main(model):
            ...     work, stop = model.Channel(2, "work"), model.Channel(1, "stop")
            ...     stop.send("enough")
            ...     done = model.select(work, stop, timeout=1)
            ...     return done.channel is stop, done.item, done.sent, done.closed
            >>> threads = load("threads")
            >>> threads.run(main, threads)
            (True, 'enough', False, False)
        """

    def sleep(self, seconds: float) -> object:
        """Sleep for so many seconds, any real number; awaited in the async models. A checkpoint.

        Negative counts as 0, and `math.inf` lasts until the task is cancelled. Raises `ValueError` for nan, and
        `TypeError` for what is no number.
        """

    def now(self) -> float:
        """The monotonic clock of this world, in seconds."""
