"""The operations of every model, with their types and their guarantees.

Every model (`concmodels/models/*.py`) implements this contract in its own way. There are two kinds of models. In sync
models (threads, rawthreads, processes, subinterp, greenlet, tasklets, gevent, eventlet) the operations that may wait
are plain calls; in async models (asyncio, trio, anyio) the same operations are awaited. Channels, task groups and
`select` don't differ otherwise. Pools do: that of a sync model is a `concurrent.futures.Executor`, while that of an
async model returns handles that are awaited (see `Pool` and `AsyncPool`).

The docstring of each model describes what is particular to it. The largest difference is between tasks that share their
memory and tasks that don't. In processes and subinterp a message is a copy; the function of a task must be importable
(so a program does its work behind `if __name__ == "__main__":`); channels exist only during a `run`; and an object that
can't be copied to the other side is refused with `CannotTravel`. A socket arrives as a duplicate: each side closes its
own, and a socket that a task has not closed is closed when the task ends. An exception that is raised on the other side
of such a memory boundary keeps its type if it can be pickled and unpickled, and otherwise arrives as `RemoteError`. If
the process of a task is killed, the whole run ends with `TaskDied`, because the process may have held a lock. If it is
the process of a pool's worker and no lock was held, only the task that it was running fails, with `WorkerDied`. All
these exceptions are in `concmodels.errors`. (Two more sync models are left out where a program says "all models": dask,
whose tasks may run on other machines, and sim, in which a schedule decides whose turn it is.)

This module is for readers, type checkers and tests: no model imports it or inherits from its classes. Those are
protocols, which a model fits by the names of its operations. What every model guarantees:

* An item that a channel has accepted reaches at most one receiver, and exactly one if the channel is drained and no
  task is killed. The items of one sender arrive in the order in which they were sent.
* `send` waits while the channel is full, and `receive` waits while it is empty. On a channel of capacity 0 (a
  rendezvous), `send` returns once a receiver has taken the item.
* Where all tasks share one thread, the task that has waited longest at a channel comes first, and no newcomer overtakes
  it. In the other models this order is not guaranteed.
* After `close`, items that were accepted can still be received; after the last of them, iteration ends and `receive`
  raises `ChannelClosed`. If a `send` races with a `close`, it either returns, and its item can still be received, or it
  raises `ChannelClosed`, and its item is never received.
* `select` waits for several channels at once and performs exactly one of its cases. If several cases are ready when it
  begins, one of them is chosen at random, each with the same probability. A case that was not chosen has sent and
  received nothing, and neither has a `select` that timed out or was cancelled.
* The `with` block of a task group ends only when all tasks of the group have ended. When a task fails, the others are
  cancelled.
* When a task is cancelled, the model's own exception `Cancelled` is raised where the task waits, and no operation is
  left half done. If another task has completed the operation just before, the operation returns, and the next
  checkpoint (the next operation at which a task can be cancelled) raises `Cancelled`. An operation that has to wait is
  a checkpoint. A `send` or `receive` that doesn't have to wait is one only now and then: where all tasks share one
  thread, at least every 256th in succession.
* The time limits and scopes of a model's own library (`asyncio.timeout`, `trio.move_on_after`, `gevent.Timeout`) may be
  used around all operations. Several requests to cancel a task may come just after its operation was completed. If a
  request came from such a block, and the block ends before the next checkpoint, the request is not raised; the others
  are, together or one after the other. The mistakes that a library allows are mistakes here, too: on asyncio, a task
  that has suppressed a cancellation must call `uncancel()` before a block around it ends.
* A `send`, `receive` or `select` that raises an exception has sent and received nothing, and one that returns has taken
  effect. Nothing is undone afterwards. (There is one exception: if an item can't be unpickled on the other side of a
  memory boundary, `receive` raises `CannotTravel` there, and the item has been received.)
* Leaving a group or a pool is a checkpoint: a task that was cancelled ends there, even if there is nothing left to wait
  for.
* After Ctrl-C, `run` raises a bare `KeyboardInterrupt`, not wrapped in an `ExceptionGroup`, once every task has ended.
  The same holds for `Deadlock` in the models that run in one process. The first Ctrl-C interrupts `main`. If a second
  one comes while the library waits for tasks to end because of the first, it ends the run, whatever the tasks do. If it
  comes while `main` runs clean-up code, `KeyboardInterrupt` is raised there again, and a third one ends the run once
  the library waits. SIGTERM and SIGHUP end a run of the models that come with this library in the same way, with
  `concmodels.errors.Terminated`.
"""

from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Iterable, Iterator
from types import TracebackType
from typing import TYPE_CHECKING, Protocol, Self, overload, runtime_checkable

if TYPE_CHECKING:
    from concurrent.futures import Future  # only for types: its module imports logging, which takes time

type Timeout = float | None
"""A number of seconds: any real number. `None` and `math.inf` set no limit; with 0 or less, an operation never waits.

When the timeout expires, the operation raises `TimeoutError`. An operation that has to wait raises `ValueError` if the
timeout is nan or too large for a float, and `TypeError` if it is not a number. One that doesn't have to wait doesn't
look at its timeout, except for a wait for a socket and a pool's `map`, which always do.
"""


class HasFileno(Protocol):
    """Anything that can be waited for: a socket, or another object with a file descriptor that the system can poll."""

    def fileno(self) -> int:
        """Return the file descriptor. If it has been closed, return -1 or raise `ValueError`."""


@runtime_checkable
class ChannelBase[T](Protocol):
    """The operations of sync and async channels that never wait.

    >>> from concmodels import load
    >>> channel = load("threads").Channel(2, "numbers")
    >>> channel.send_nowait(1)
    >>> len(channel), channel.capacity, channel.name, channel.closed
    (1, 2, 'numbers', False)
    >>> channel.receive_nowait()
    1
    """

    def __init__(self, *_: object, **__: object) -> None:  # for a program that calls `concmodels.Channel(...)`
        raise TypeError(f"{type(self).__name__} is a type, for annotations: a channel is made by model.Channel(...)")

    @property
    def capacity(self) -> float:
        """The number of items that the channel can hold: 0 for a rendezvous, `math.inf` if only memory limits it.

        An operation that reaches the limit of the memory raises `MemoryError`.
        """

    @property
    def closed(self) -> bool:
        """Whether `close` has been called."""

    @property
    def name(self) -> str | None:
        """The name that the channel was given, for error messages."""

    def __len__(self) -> int:
        """Return the number of items that the channel holds now. Other tasks may change it at any moment."""

    def send_nowait(self, item: T) -> None:
        """Send an item without waiting.

        Raises `WouldBlock` if the channel is full (or, for a rendezvous, if no receiver waits), and `ChannelClosed` if
        it is closed.
        """

    def receive_nowait(self) -> T:
        """Receive an item without waiting.

        Raises `WouldBlock` if the channel is empty, and `ChannelClosed` if it is closed and drained.
        """

    def close(self) -> None:
        """Close the channel for all tasks: it accepts no more items. Never waits, and a second call does nothing."""

    def __enter__(self) -> Self:
        """Return the channel. The end of the `with` block closes it. In async models this is a plain `with`, too."""

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
    >>> model = load("threads")
    >>> model.run(main, model)
    [0, 1, 2]
    """

    def send(self, item: T, timeout: Timeout = None) -> None:
        """Send an item, waiting while the channel is full.

        Raises `ChannelClosed` if the channel is closed, and `TimeoutError` after `timeout` seconds. In both cases the
        item has not been sent.
        """

    def receive(self, timeout: Timeout = None) -> T:
        """Receive an item, waiting while the channel is empty.

        Raises `ChannelClosed` if the channel is closed and drained, and `TimeoutError` after `timeout` seconds.
        """

    def __iter__(self) -> Iterator[T]:
        """Receive items until the channel is closed and drained. This is the fastest way to receive."""


@runtime_checkable
class AsyncChannel[T](ChannelBase[T], Protocol):
    """A channel in an async model: a `Channel` whose operations are awaited.

    >>> from concmodels import load
    >>> async def main(model):
    ...     with model.Channel(3) as channel:
    ...         for number in range(3):
    ...             await channel.send(number, timeout=1)
    ...     return [number async for number in channel]
    >>> model = load("trio")
    >>> model.run(main, model)
    [0, 1, 2]
    """

    async def send(self, item: T, timeout: Timeout = None) -> None:
        """Send an item: see `Channel.send`."""

    async def receive(self, timeout: Timeout = None) -> T:
        """Receive an item: see `Channel.receive`."""

    def __aiter__(self) -> AsyncIterator[T]:
        """Receive items in an `async for`: see `Channel.__iter__`."""


@runtime_checkable
class TaskBase(Protocol):
    """The operations of task handles that are the same in sync and async models."""

    @property
    def name(self) -> str:
        """The name that the task was given, or a name made from its function. Error messages use it."""

    def cancel(self) -> None:
        """Cancel the task: `Cancelled` is raised where the task waits. This call itself never waits."""

    def done(self) -> bool:
        """Return whether the task has ended: with a result, with an exception, or cancelled."""

    def cancelled(self) -> bool:
        """Return whether a cancellation has ended the task, which did not return or raise something else instead."""


@runtime_checkable
class Task[R](TaskBase, Protocol):
    """The handle of a task in a sync model, which `spawn` returns.

    >>> from concmodels import load
    >>> def main(model):
    ...     with model.TaskGroup() as group:
    ...         task = group.spawn(pow, 2, 10, name="power")
    ...         return task.name, task.result(timeout=1), task.done()
    >>> model = load("threads")
    >>> model.run(main, model)
    ('power', 1024, True)
    """

    def result(self, timeout: Timeout = None) -> R:
        """Wait until the task has ended, and return its result or raise its exception.

        Raises `TaskCancelled` if the task was cancelled, and `TimeoutError` after `timeout` seconds.
        """


@runtime_checkable
class AsyncTask[R](TaskBase, Protocol):
    """The handle of a task in an async model: a `Task` whose `result` is awaited."""

    async def result(self, timeout: Timeout = None) -> R:
        """Wait until the task has ended: see `Task.result`."""


class TaskGroup(Protocol):
    """A group of tasks that end together: `with TaskGroup() as group: group.spawn(function, *args)`.

    The end of the `with` block waits for all tasks of the group. If a task or the body of the block fails, the other
    tasks and the body are cancelled. The block then raises one `ExceptionGroup`, which contains every exception of the
    tasks and of the body once. `KeyboardInterrupt` and `SystemExit` are raised bare.

    `TaskGroup(timeout=5)` is cancelled if after 5 seconds it has not ended, failed or been cancelled. Once its tasks
    have ended, the block raises a bare `TimeoutError`, whose `__cause__` is what failed in their clean-up. A task that
    the cancellation has not ended (`task.cancelled()` is false) keeps the `result()` that it returned or raised.

        >>> from concmodels import load
        >>> def main(model):
        ...     with model.TaskGroup() as group:
        ...         tasks = [group.spawn(pow, 2, number) for number in range(4)]
        ...     return [task.result() for task in tasks]
        >>> model = load("threads")
        >>> model.run(main, model)
        [1, 2, 4, 8]
    """

    def __enter__(self) -> Self:
        """Return the group, which can now spawn tasks."""

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None, /
    ) -> bool | None: ...

    def spawn[*A, R](self, function: Callable[[*A], R], *args: *A, name: str | None = None) -> Task[R]:
        """Start `function(*args)` as a task of this group, and return the handle of the task.

        `name` is for error messages. Raises `RuntimeError` before the `with` block and after its end, and
        `CannotTravel` if the function or an argument can't cross a memory boundary.
        """

    def cancel(self) -> None:
        """Cancel all tasks of the group and the body of the `with` block. The block then ends without an error."""


class AsyncTaskGroup(Protocol):
    """A task group in an async model: a `TaskGroup` for `async with`. Its `spawn` is not awaited.

    >>> from concmodels import load
    >>> async def double(number):
    ...     return 2 * number
    >>> async def main(model):
    ...     async with model.TaskGroup() as group:
    ...         tasks = [group.spawn(double, number) for number in range(4)]
    ...     return [await task.result() for task in tasks]
    >>> model = load("trio")
    >>> model.run(main, model)
    [0, 2, 4, 6]
    """

    async def __aenter__(self) -> Self:
        """Return the group: see `TaskGroup.__enter__`."""

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None, /
    ) -> bool | None: ...

    def spawn[*A, R](self, function: Callable[[*A], Awaitable[R]], *args: *A, name: str | None = None) -> AsyncTask[R]:
        """Start `function(*args)` as a task; `function` is a coroutine function. See `TaskGroup.spawn`."""

    def cancel(self) -> None:
        """Cancel all tasks of the group: see `TaskGroup.cancel`."""


class Pool(Protocol):
    """A pool of workers that run tasks. In a sync model it is a `concurrent.futures.Executor`.

    A task of a pool is one call of a function, by `submit` or `map`; no task group has it.

    `Pool(workers=None, *, initializer=None, initargs=())` starts its workers at once. By default there are as many
    workers as CPUs in processes and subinterp, and four more than CPUs in the other models, but at most 32. Raises
    `ValueError` for less than one worker.

    A pool belongs to the run in which it was made. If it is still open when `main` returns, the run waits until all
    tasks of the pool are done; if `main` fails, they are cancelled.

    Every worker first calls `initializer(*initargs)`. If that fails, the pool is broken: all tasks that it already has,
    and all tasks that are submitted later, fail with `concurrent.futures.BrokenExecutor`. The `__cause__` of that
    exception is the reason.

    No task is started twice. If a worker dies while it runs a task (because its process is killed), the task fails with
    `WorkerDied`. The tasks that this worker had not begun go to other workers, and a new worker takes its place. A task
    may submit further tasks to its own pool and wait for them. If all workers wait in this way, so that none can run
    the tasks that they wait for, the last of these waits raises `Deadlock`.

    A pool can be passed to code that expects an Executor. Code that waits in a way of its own (Dask's queue, joblib's
    lock) needs a model in which the workers run meanwhile: threads, rawthreads, processes or subinterp. joblib needs a
    backend of a few lines (and `pre_dispatch="all"` in the models whose tasks share a thread, because joblib uses a
    lock made for threads). asyncio's `run_in_executor` accepts a pool of the models whose workers run outside the
    thread of the loop: those four, too.

    The end of the `with` block waits until all tasks are done, as with any Executor. If the body of the block fails,
    tasks that have not begun are cancelled, and tasks that have begun are cancelled where they wait.

        >>> from concmodels import load
        >>> def main(model):
        ...     with model.Pool(2) as pool:
        ...         power = pool.submit(pow, 2, 10)
        ...         return power.result(), list(pool.map(abs, [-1, 2, -3]))
        >>> model = load("threads")
        >>> model.run(main, model)
        (1024, [1, 2, 3])
    """

    @property
    def workers(self) -> int:
        """The number of workers."""

    def submit[R](self, fn: Callable[..., R], /, *args: object, **kwargs: object) -> Future[R]:
        """Have a worker call `fn(*args, **kwargs)`, and return the future of that call.

        Raises `RuntimeError` if the pool has been shut down.
        """

    def map[R](
        self,
        fn: Callable[..., R],
        /,
        *iterables: Iterable[object],
        timeout: Timeout = None,
        chunksize: int | None = None,
        buffersize: int | None = None,
    ) -> Iterator[R]:
        """Call `fn` with the next item of each iterable until one of them ends, and yield the results in order.

        All items are taken from the iterables at once, unless `buffersize` is given: then at most `buffersize` items
        are ahead of the results that have been yielded. If a call raises an exception, the iteration raises it in place
        of the result, and ends; calls that have not begun are then cancelled. They are also cancelled when the iterator
        is dropped. The iteration raises `TimeoutError` if the next result isn't available `timeout` seconds after the
        call of `map`.

        Across a memory boundary, tasks are sent in batches of `chunksize`. By default a batch has as many tasks as take
        about a millisecond, and a single task is sent at once.
        """

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """Accept no more tasks, and wait until all are done. With `wait=False`, don't wait.

        With `cancel_futures`, tasks that no worker has begun are cancelled. It may be called more than once.
        """

    def __enter__(self) -> Self:
        """Return the pool. The end of the `with` block calls `shutdown`."""

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None, /
    ) -> bool | None: ...


class Handle[R](Awaitable[R], Protocol):
    """The handle of a call in an async pool: `await handle` returns the result of the call, or raises its exception.

    A handle can be awaited more than once, and by several tasks.
    """

    async def result(self, timeout: Timeout = None) -> R:
        """Do the same as `await handle`, but wait for at most `timeout` seconds.

        Raises `TaskCancelled` if the call was cancelled, and `TimeoutError` after `timeout` seconds.
        """

    def done(self) -> bool:
        """Return whether the call has ended: with a result, with an exception, or cancelled."""

    def cancel(self) -> bool:
        """Cancel the call if no worker has begun it; return whether it was cancelled."""


class AsyncPool(Protocol):
    """A pool in an async model: a `Pool` for `async with`, whose operations are awaited.

    `fn` is usually a coroutine function. A plain function is called in the event loop, where nothing else runs until it
    returns.

        >>> from concmodels import load
        >>> async def double(number):
        ...     return 2 * number
        >>> async def main(model):
        ...     async with model.Pool(2) as pool:
        ...         handle = await pool.submit(double, 21)
        ...         return await handle, [it async for it in pool.map(double, [1, 2, 3])]
        >>> model = load("asyncio")
        >>> model.run(main, model)
        (42, [2, 4, 6])
    """

    @property
    def workers(self) -> int:
        """The number of workers."""

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
    ) -> AsyncIterator[R]: ...

    async def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """Accept no more tasks: see `Pool.shutdown`."""

    async def __aenter__(self) -> Self:
        """Return the pool: see `Pool.__enter__`."""

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None, /
    ) -> bool | None: ...


class Shared(Protocol):
    """The handle of a block of memory that all tasks and workers can access; `share(buffer)` returns it.

    A handle may be an argument of `spawn`, `submit` and `map`, and an item of a channel. Within one process the memory
    is that of the source, the object that was passed to `share`. Across a memory boundary the bytes are copied once,
    into memory that every worker maps, and what is written there doesn't change the source. If the source is read-only,
    so are the views.

    `release()`, or the end of the `with` block of the handle, ends the sharing: after that `view()` and `array()` raise
    `RuntimeError`, here and in every worker. If a worker still has a view, the memory is freed when the last view is
    released.

        >>> from concmodels import load
        >>> def main(model):
        ...     with model.share(bytearray(b"seen by all")) as shared:
        ...         shared.view()[0:4] = b"SEEN"
        ...         return bytes(shared.view()), shared.nbytes, shared.readonly
        >>> model = load("threads")
        >>> model.run(main, model)
        (b'SEEN by all', 11, False)
    """

    @property
    def nbytes(self) -> int:
        """The size of the memory in bytes."""

    @property
    def readonly(self) -> bool:
        """Whether the views are read-only. They are if the source is."""

    def view(self) -> memoryview:
        """Return a view of the memory, with the format and the shape of the source."""

    def array(self) -> object:
        """Return the memory as a numpy array with the dtype of the source.

        Raises `ImportError` if numpy can't be imported.
        """

    def release(self) -> None:
        """End the sharing. A second call does nothing."""

    def __enter__(self) -> Self:
        """Return the handle. The end of the `with` block calls `release`."""

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None, /
    ) -> None: ...


class Model(Protocol):
    """A model: a module of `concmodels.models` or, for a variant (`processes:spawn`), an object with the same names.

    >>> from concmodels import load
    >>> def main(model, name):
    ...     started = model.now()
    ...     model.sleep(0.001)
    ...     return name, model.now() - started >= 0.001
    >>> model = load("threads")
    >>> model.run(main, model, "slept")
    ('slept', True)
    """

    @property
    def Cancelled(self) -> type[BaseException]:
        """The exception that this model raises in a task to cancel it."""

    @property
    def Channel(self) -> Callable[..., ChannelBase[object]]:
        """`Channel(capacity=0, name=None)` makes a channel for this number of items. The name is for error messages.

        Raises `ValueError` unless the capacity is a whole number of at least 0, or `math.inf`.
        """

    @property
    def TaskGroup(self) -> Callable[..., TaskGroup | AsyncTaskGroup]:
        """`TaskGroup(timeout=None)` makes a task group for a `with` block, in an async model for `async with`."""

    @property
    def Pool(self) -> Callable[..., Pool | AsyncPool]:
        """`Pool(workers=None, *, initializer=None, initargs=())` makes a pool: see `Pool`."""

    def share(self, buffer: object) -> Shared:
        """Give all tasks and workers access to one block of memory, and return its handle.

        `buffer` is a bytes object, a bytearray, an array, an mmap or a numpy array. Raises `TypeError` for an object
        that has no buffer. Never waits, and is not awaited.
        """

    @overload
    def run[R](
        self, main: Callable[..., Coroutine[object, object, R]], *args: object, deadlock_after: float | None = 1.0
    ) -> R: ...
    @overload
    def run[R](self, main: Callable[..., R], *args: object, deadlock_after: float | None = 1.0) -> R:
        """Start what the model needs (a loop, a hub, processes), call `main(*args)` in it, stop it, return the result.

        Raises what `main` raises. Raises `ModelUnavailable` if the model can't run here, and `RuntimeError` inside a
        run of the same model, or of another model that needs the same resource of the thread (an event loop, a hub).

        Raises `Deadlock` when all tasks wait for each other, so that none can go on. In that case `main` is cancelled,
        or `Deadlock` is raised where `main` waits. When all tasks have ended, `run` raises a bare `Deadlock`. greenlet,
        tasklets and gevent notice a deadlock at once, but they don't know about signal handlers that could send. The
        other models raise `Deadlock` when every task of the run has been in the same wait of the library, without a
        timeout, for `deadlock_after` seconds, and nothing else could send: no thread that the run didn't start and, in
        the models that run in one process, no signal handler and no timer of the loop (the docstring of a model says
        more). With `deadlock_after=None` they wait for ever. That is the default in processes, subinterp and dask,
        which look for deadlocks only on request. Raises `ValueError` if `deadlock_after` is negative or not a number.

        In the main thread, `run` installs its own SIGINT handler and restores the old one at its end. It does the same
        for SIGTERM and SIGHUP if they have their default action, which would kill the process: they then end the run as
        Ctrl-C does, and `run` raises `Terminated`, a `SystemExit` with the status 143 or 129. Several signals within a
        second count as one. If a program ignores such a signal (as under nohup) or handles it itself, it still does.
        Without a run nothing is guaranteed for Ctrl-C: Python's own handler may raise in the middle of an operation on
        a channel, and then an item may be lost, or the channel's lock may stay held for ever.

        A signal handler of the program must not use a channel. It could interrupt an operation that holds the channel's
        lock, and would then wait for that lock for ever. Instead, let it set a flag, or write to a pipe for which a
        task waits. The same holds for `__del__` and the callback of a weak reference, which Python may call in the
        middle of any operation. Let these put an item into a `queue.SimpleQueue`, whose `put` is reentrant.
        """

    def select(self, *cases: object, timeout: Timeout = None, priority: bool = False) -> object:
        """Wait until one of several cases can be performed, and perform exactly one. Awaited in async models.

        A case is a channel (to receive from it) or a pair `(channel, item)` (to send the item). If several cases are
        ready, one of them is chosen at random; with `priority=True`, the first of them is chosen. If the channel of a
        case is closed (to receive: closed and drained), the case is ready and raises nothing.

        Returns a `concmodels.errors.Selected`. Its `.channel` is the channel of the case, and its `.item` is the item
        that was received or sent; `.sent` says whether an item was sent, and `.closed` whether nothing was done because
        the channel is closed. Raises `TimeoutError` after `timeout` seconds (with 0, unless a case is ready now),
        `ValueError` if there is no case, and `TypeError` for an argument that is not a case or belongs to another
        model.

            >>> from concmodels import load
            >>> def main(model):
            ...     work, stop = model.Channel(2, "work"), model.Channel(1, "stop")
            ...     stop.send("enough")
            ...     done = model.select(work, stop, timeout=1)
            ...     return done.channel is stop, done.item, done.sent, done.closed
            >>> model = load("threads")
            >>> model.run(main, model)
            (True, 'enough', False, False)
        """

    def sleep(self, seconds: float) -> object:
        """Sleep for this number of seconds. Awaited in async models. Sleeping is a checkpoint.

        `seconds` is any real number. A negative number counts as 0, and with `math.inf` the task sleeps until it is
        cancelled. Raises `ValueError` for nan or if it is too large for a float, and `TypeError` for what is no number.
        """

    def now(self) -> float:
        """Return the time of the model's monotonic clock, in seconds."""

    def wait_readable(self, socket: HasFileno, timeout: Timeout = None) -> object:
        """Wait until the socket can be read, or has a connection to accept. Awaited in async models.

        After that, `recv` or `accept` doesn't have to wait. This includes the end of the data and a broken connection,
        for which `recv` returns `b""` or raises. The operation reads nothing from the socket, and another task may read
        first: a program sets its sockets to non-blocking (`socket.setblocking(False)`) and waits again after a
        `BlockingIOError`.

        This is a checkpoint. Raises `TimeoutError` after `timeout` seconds, `RuntimeError` if another task already
        waits until the same socket is readable, `TypeError` for an object without `fileno()`, and
        `concmodels.errors.SocketClosed` if the socket is closed on this side, before or during the wait. A wait ends as
        soon as it is cancelled or notified of a close: from then on another task may wait for the socket, even if the
        first one has not continued yet. `notify_closing` ends a wait at once. Without it, a close is noticed within a
        second (with more than 1,000 waiting threads, within a second for every thousand).

            >>> import socket
            >>> from concmodels import load
            >>> def main(model):
            ...     ours, theirs = socket.socketpair()
            ...     with ours, theirs, model.TaskGroup() as group:
            ...         group.spawn(ours.sendall, b"a byte is enough")
            ...         model.wait_readable(theirs, timeout=5)
            ...         return theirs.recv(100)
            >>> model = load("threads")
            >>> model.run(main, model)
            b'a byte is enough'
        """

    def wait_writable(self, socket: HasFileno, timeout: Timeout = None) -> object:
        """Wait until the socket accepts bytes to send, or is connected. In all else it is like `wait_readable`.

        One task may wait until a socket is readable while another task waits until it is writable.
        """

    def notify_closing(self, socket: HasFileno) -> None:
        """Raise `SocketClosed` in the tasks that wait for this socket, because it is about to be closed.

        Call it just before `socket.close()`. Never waits, and is not awaited. With threads, another task may begin to
        wait between the two calls. It is woken within a second, as after a close without this call.
        """
