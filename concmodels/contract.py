"""The vocabulary, as types: the page to read first.

Every model (`concmodels/models/*.py`) keeps this contract in its own way. There are two kinds of models. In the sync
models (threads, rawthreads, processes, subinterp, greenlet, tasklets, gevent, eventlet) the operations that may wait
are plain calls; in the async models (asyncio, trio, anyio) the same operations are awaited. Nothing else differs
between the two kinds.

The docstring of each model says what is particular to it. The largest difference is the one between tasks that share
their memory and tasks that do not. In processes and subinterp a message is a copy; the function of a task must be
importable (so the program that is started does its work behind `if __name__ == "__main__":`); channels live only
inside a `run`; and an object that can't be copied to the other side is refused with `CannotTravel`. A socket arrives as
a duplicate: each side closes its own, and a task that has not closed one loses it when the task ends. An exception that
is raised beyond such a memory boundary keeps its type or arrives as `RemoteError`; a child that was killed is reported
as `TaskDied`. All these exceptions are in `concmodels.errors`.

This module is for readers, type checkers and tests. No model imports it.

What every model guarantees:

* An item that a channel has accepted reaches exactly one receiver, and the items of one sender arrive in the order in
  which they were sent.
* `send` waits while the channel is full, `receive` waits while it is empty. On a channel of capacity 0 (a rendezvous)
  `send` returns once a receiver has taken the item.
* After `close`, items that were accepted can still be received; then iteration ends and `receive` raises
  `ChannelClosed`. A `send` that races with a `close` either returns, and its item can still be received, or raises, and
  its item reaches nobody.
* `select` waits for several channels at once and performs exactly one of its cases. If several cases are ready, each of
  them has the same chance. A case that was not chosen has sent nothing and taken nothing, and neither has a `select`
  that timed out or was cancelled.
* The `with` of a task group is left only when all tasks of the group have ended. The first task that fails cancels the
  others.
* A cancellation arrives where a task waits, as the model's own exception `Cancelled`, and leaves nothing half done. If
  a partner has completed the operation just before, the operation returns, and the next checkpoint (the next operation
  at which a task can be cancelled) raises `Cancelled`.
* An operation that has raised an exception has done nothing; one that has returned has happened. Nothing is undone
  afterwards. (Only beyond a memory boundary, `receive` raises `CannotTravel` for an item that can't be unpickled there,
  and that item has been received.)
* Leaving a group is a checkpoint: a task that was cancelled ends there, even if no task of the group is left to wait
  for.
* Ctrl-C leaves `run` as a bare `KeyboardInterrupt`, which is not wrapped in an `ExceptionGroup`, and by then every task
  has ended. The same holds for `Deadlock` in the models that run in one process. Ctrl-C interrupts `main` once; a
  second Ctrl-C, before `main` has handled the first, is enough to leave `run`, whatever a task does. SIGTERM and SIGHUP
  end a run of the library's own models in the same way, as `concmodels.errors.Terminated`.
"""

from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Iterable, Iterator
from concurrent.futures import Future
from types import TracebackType
from typing import Protocol, Self, overload, runtime_checkable

type Timeout = float | None
"""A number of seconds: any real number. With `None` or `math.inf` an operation waits for ever, with 0 or less never.

When the time is over, the operation raises `TimeoutError`. An operation that has to wait raises `ValueError` if the
timeout is nan, and `TypeError` if it is not a number.
"""


class HasFileno(Protocol):
    """What can be waited for: a socket, or anything else with a descriptor that the system can poll, such as a pipe."""

    def fileno(self) -> int:
        """Return the number of the descriptor; -1, or a `ValueError`, if it has been closed."""


@runtime_checkable
class ChannelBase[T](Protocol):
    """What sync and async channels have in common: the operations that never wait.

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
        """How many items the channel can hold. 0 makes it a rendezvous; `math.inf` leaves memory as the only limit.

        (An operation that reaches that limit raises `MemoryError`.)
        """

    @property
    def closed(self) -> bool:
        """Whether `close` has been called."""

    @property
    def name(self) -> str | None:
        """The name that the channel was given, for error messages."""

    def __len__(self) -> int:
        """Return how many items the channel holds now; other tasks may change that at any moment."""

    def send_nowait(self, item: T) -> None:
        """Send an item without waiting.

        Raises `WouldBlock` if the channel is full (a rendezvous: if no receiver waits), and `ChannelClosed`.
        """

    def receive_nowait(self) -> T:
        """Receive an item without waiting.

        Raises `WouldBlock` if the channel is empty, and `ChannelClosed` if it is closed and drained.
        """

    def close(self) -> None:
        """Close the channel for all tasks: it accepts no more items. Never waits; a second call does nothing."""

    def __enter__(self) -> Self:
        """Return the channel, which the end of the `with` closes. The `with` is a plain one in async models too."""

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
        """Send an item, waiting while the channel is full.

        Raises `ChannelClosed` or `TimeoutError`; in both cases the item has reached nobody.
        """

    def receive(self, timeout: Timeout = None) -> T:
        """Receive an item, waiting while there is none.

        Raises `ChannelClosed` if the channel is closed and drained, and `TimeoutError`.
        """

    def __iter__(self) -> Iterator[T]:
        """Receive item after item, until the channel is closed and drained. This is the fastest way to receive."""


@runtime_checkable
class AsyncChannel[T](ChannelBase[T], Protocol):
    """A channel in an async model: a `Channel` whose operations are awaited.

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
        """Send an item: see `Channel.send`."""

    async def receive(self, timeout: Timeout = None) -> T:
        """Receive an item: see `Channel.receive`."""

    def __aiter__(self) -> AsyncIterator[T]:
        """Receive item after item in an `async for`: see `Channel.__iter__`."""


@runtime_checkable
class TaskBase(Protocol):
    """What the handles of tasks in sync and async models have in common."""

    @property
    def name(self) -> str:
        """The name that the task was given, or one that says what it runs; for error messages."""

    def cancel(self) -> None:
        """Ask the task to end: `Cancelled` is raised where the task waits. This call itself never waits."""

    def done(self) -> bool:
        """Return whether the task has ended: with a result, with an exception, or cancelled."""


@runtime_checkable
class Task[R](TaskBase, Protocol):
    """The handle of a task in a sync model: what `spawn` returns.

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
        """Wait until the task has ended; return its result, or raise its exception.

        Raises `TaskCancelled` if the task was cancelled, and `TimeoutError`.
        """


@runtime_checkable
class AsyncTask[R](TaskBase, Protocol):
    """The handle of a task in an async model: a `Task` whose `result` is awaited."""

    async def result(self, timeout: Timeout = None) -> R:
        """Wait until the task has ended: see `Task.result`."""


class TaskGroup(Protocol):
    """Tasks that end together: `with TaskGroup() as group: group.spawn(function, *arguments)`.

    Leaving the `with` waits for all tasks of the group. The first failure cancels the other tasks and the body of the
    `with`. All exceptions of the tasks and of the body then leave the `with` in one `ExceptionGroup`, each of them
    once; `KeyboardInterrupt` and `SystemExit` leave it bare.

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
        """Return the group. From now on it can spawn tasks."""

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None, /
    ) -> bool | None: ...

    def spawn[*A, R](self, function: Callable[[*A], R], *args: *A, name: str | None = None) -> Task[R]:
        """Start `function(*args)` as a task of this group, and return the handle of the task.

        `name` is for error messages. Raises `RuntimeError` if the group has been left, and `CannotTravel` if the
        function or an argument can't cross a memory boundary.
        """

    def cancel(self) -> None:
        """Cancel all tasks of the group and the body of the `with`; the `with` is then left without an error."""


class AsyncTaskGroup(Protocol):
    """A task group in an async model: a `TaskGroup` for `async with`. Its `spawn` is not awaited.

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
        """Return the group: see `TaskGroup.__enter__`."""

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None, /
    ) -> bool | None: ...

    def spawn[*A, R](self, function: Callable[[*A], Awaitable[R]], *args: *A, name: str | None = None) -> AsyncTask[R]:
        """Start `function(*args)`, where `function` is a coroutine function: see `TaskGroup.spawn`."""

    def cancel(self) -> None:
        """Cancel all tasks of the group: see `TaskGroup.cancel`."""


class Pool(Protocol):
    """Workers that run the tasks they are given. In a sync model a pool is a `concurrent.futures.Executor`.

    `Pool(workers=None, *, initializer=None, initargs=())` starts its workers at once. By default there are as many
    workers as CPUs in processes and subinterp; in the other models there are four more, at most 32. Raises `ValueError`
    for less than one worker.

    A pool belongs to the run in which it was made. If it is still open when `main` returns, the run ends when all tasks
    of the pool are done; if `main` fails, they are cancelled.

    Every worker first calls `initializer(*initargs)`. If that fails, the pool is broken: all tasks that it has been
    given and all that it is given later fail with `concurrent.futures.BrokenExecutor`, whose `__cause__` is the reason.

    A task is begun only once. If its worker dies while it runs the task (a process that is killed), the task fails with
    `WorkerDied`; the tasks that this worker had not begun go to other workers, and a new worker takes its place. A task
    may give further tasks to its own pool and wait for them. When all workers wait in this way and none is left to
    begin the tasks that they wait for, the last of these waits raises `Deadlock`.

    Code that expects an Executor accepts a pool. joblib needs a backend of a few lines (and `pre_dispatch="all"` in the
    models whose tasks share a thread, because joblib uses a lock made for threads). asyncio's `run_in_executor` accepts
    a pool of those models whose workers need not share the thread of the loop: threads, rawthreads, processes,
    subinterp.

    Leaving the `with` waits until all tasks are done, as an Executor does. If the body of the `with` fails, tasks that
    have not begun are cancelled, and tasks that have begun are cancelled where they wait.

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
        """The number of workers."""

    def submit[R](self, fn: Callable[..., R], /, *args: object, **kwargs: object) -> Future[R]:
        """Have one worker call `fn(*args, **kwargs)`, and return the future of that call.

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
        """Call `fn` with the next item of each iterable, again and again; yield the results in the order of the items.

        All items are taken from the iterables at once, unless `buffersize` is given: then at most `buffersize` items
        are ahead of the results that have been yielded. If a call raises an exception, the iteration raises it in place
        of the result, and ends; calls that have not begun are then cancelled. They are also cancelled when the iterator
        is dropped. Raises `TimeoutError` when a result is not there `timeout` seconds after `map` was called.

        Beyond a memory boundary, `chunksize` tasks are sent together; by default these are as many tasks as take about
        a millisecond, and a single task is sent at once.
        """

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """Accept no more tasks, and wait until all are done; with `wait=False`, do not wait.

        With `cancel_futures`, tasks that no worker has begun are cancelled. A second call does no harm.
        """

    def __enter__(self) -> Self:
        """Return the pool. The end of the `with` calls `shutdown`."""

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None, /
    ) -> bool | None: ...


class Handle[R](Awaitable[R], Protocol):
    """What `submit` returns in an async model: `await handle` gives the result of the call, or raises its exception.

    A handle can be awaited more than once, and by several tasks.
    """

    async def result(self, timeout: Timeout = None) -> R:
        """Do the same as `await handle`, but wait for at most `timeout` seconds.

        Raises `TaskCancelled` if the call was cancelled, and `TimeoutError`.
        """

    def done(self) -> bool:
        """Return whether the call has ended: with a result, with an exception, or cancelled."""

    def cancel(self) -> bool:
        """Cancel the call if no worker has begun it; return whether it was cancelled."""


class AsyncPool(Protocol):
    """A pool in an async model: a `Pool` for `async with`, whose operations are awaited.

    `fn` is a coroutine function. It may also be a plain function: that is called in the event loop, where nothing else
    runs until it returns.

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
    """The handle of one block of memory that all tasks and workers see; `share(buffer)` makes it.

    A handle may be an argument of `spawn`, `submit` and `map`, and an item of a channel. Within one process the memory
    is that of the source, the object that was given to `share`. Across a memory boundary the bytes are copied once,
    into memory that every worker maps, and the source does not see what is written there. A read-only source gives
    read-only views.

    `release()`, or leaving the `with` of the handle, ends the sharing: after that `view()` and `array()` raise
    `RuntimeError`, here and in every worker. Memory of which a worker still has a view is freed when that worker has
    let go of the view.

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
        """The size of the memory in bytes."""

    @property
    def readonly(self) -> bool:
        """Whether the views are read-only, as they are if the source is read-only."""

    def view(self) -> memoryview:
        """Return a view of the memory, with the format and the shape of the source."""

    def array(self) -> object:
        """Return the memory as a numpy array with the dtype of the source.

        Raises `ImportError` where numpy can't be imported.
        """

    def release(self) -> None:
        """End the sharing. A second call does nothing."""

    def __enter__(self) -> Self:
        """Return the handle. The end of the `with` calls `release`."""

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
    >>> threads = load("threads")
    >>> threads.run(main, threads, "slept")
    ('slept', True)
    """

    @property
    def Cancelled(self) -> type[BaseException]:
        """The exception by which this model cancels a task."""

    @property
    def Channel(self) -> Callable[..., ChannelBase[object]]:
        """`Channel(capacity=0, name=None)` makes a channel for so many items, with a name for error messages.

        Raises `ValueError` for a capacity that is neither a whole number from 0 on nor `math.inf`.
        """

    @property
    def TaskGroup(self) -> Callable[[], TaskGroup | AsyncTaskGroup]:
        """`TaskGroup()` makes a task group for a `with`, or in an async model for an `async with`."""

    @property
    def Pool(self) -> Callable[..., Pool | AsyncPool]:
        """`Pool(workers=None, *, initializer=None, initargs=())` makes a pool: see `Pool`."""

    def share(self, buffer: object) -> Shared:
        """Show all tasks and workers one block of memory: bytes, a bytearray, an array, an mmap, a numpy array.

        Raises `TypeError` for an object that has no buffer. Never waits, and is not awaited.
        """

    def run[R](self, main: Callable[..., R], *args: object, deadlock_after: float | None = 1.0) -> R:
        """Start what the model needs (a loop, a hub, processes), run `main(*args)` in it, stop it, return the result.

        Raises what `main` raised. Raises `ModelUnavailable` where the model can't run, and `RuntimeError` inside a run
        of the same model, or of another model that needs the same thing of the thread (an event loop, a hub).

        Raises `Deadlock` when all tasks wait for each other and no task is left that could go on. In that case `main`
        is cancelled, or `Deadlock` is raised where `main` waits; all tasks end, and `Deadlock` leaves `run` bare.
        greenlet, tasklets and gevent notice a deadlock at once, but they do not see signal handlers that could send.
        The other models raise `Deadlock` when every task of the run has been in the same wait of the library, without a
        timeout, for `deadlock_after` seconds, and they see nothing else that could send: no thread that the run did not
        start, no timer, no signal handler. With `deadlock_after=None` they wait for ever, and that is the default in
        processes, subinterp and dask, which look for deadlocks only if they are asked to. Raises `ValueError` if
        `deadlock_after` is negative or not a number.

        In the main thread, `run` installs its own SIGINT handler and restores the old one at its end. It does the same
        for SIGTERM and SIGHUP if they have their default action, which would kill the process: they then end the run
        as Ctrl-C does, and what leaves `run` is `Terminated`, a `SystemExit` with the status 143 or 129. Several
        signals within a second are one request. (If signals come together, Python reports them in the order of their
        numbers: SIGHUP first.) A program that ignores such a signal (under nohup, for example) or handles it itself
        goes on doing so. Without a run nothing is guaranteed for Ctrl-C: Python's own handler may raise in the middle
        of an operation on a channel, and the channel's item or its lock is lost then.
        """

    def select(self, *cases: object, timeout: Timeout = None, priority: bool = False) -> object:
        """Wait until one of several cases can be performed, and perform exactly one; awaited in the async models.

        A case is a channel (to receive from it) or a pair `(channel, item)` (to send the item). If several cases are
        ready, one of them is chosen at random; with `priority=True` it is the first of them. A case whose channel is
        closed (to receive: closed and drained) counts as ready, and raises nothing.

        Returns a `concmodels.errors.Selected`: its `.channel` is the channel of the case, its `.item` was received or
        sent, `.sent` says whether an item was sent, and `.closed` whether nothing was done because the channel is
        closed. Raises `TimeoutError` after `timeout` seconds (with 0: unless a case is ready now), `ValueError` if
        there is no case, and `TypeError` for an argument that is not a case or belongs to another model.

        For example, to wait for work and at the same time for the signal to stop:

            done = model.select(work, stop)
            if done.channel is stop or done.closed: return

        and in a program that runs:

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
        """Sleep for so many seconds; awaited in the async models. Sleeping is a checkpoint.

        `seconds` is any real number: a negative one counts as 0, and with `math.inf` the task sleeps until it is
        cancelled. Raises `ValueError` for nan, and `TypeError` for what is not a number.
        """

    def now(self) -> float:
        """Return the time of the model's monotonic clock, in seconds."""

    def wait_readable(self, socket: HasFileno, timeout: Timeout = None) -> object:
        """Wait until the socket can be read, or has a connection to accept; awaited in the async models.

        Then `recv` or `accept` need not wait. That is also so when the other side sends no more, and when the
        connection is broken: `recv` returns `b""` or raises. Nothing is taken from the socket, and no other task is
        kept from doing that: a program sets its sockets to non-blocking (`socket.setblocking(False)`) and waits again
        after a `BlockingIOError`.

        A checkpoint. Raises `TimeoutError`, `RuntimeError` if another task waits until the same socket is readable,
        `TypeError` for what has no `fileno()`, and `concmodels.errors.SocketClosed` if the socket is closed on this
        side, before or while the task waits. A wait that is cancelled or told of a close is over at once: another task
        may wait for the socket then, even before the first has gone on. `notify_closing` tells a wait at once; a socket
        that is closed without it is noticed within a second (with more than 1,000 waiting threads, within a second for
        every thousand).

            >>> import socket
            >>> from concmodels import load
            >>> def main(model):
            ...     ours, theirs = socket.socketpair()
            ...     with ours, theirs, model.TaskGroup() as group:
            ...         group.spawn(ours.sendall, b"a byte is enough")
            ...         model.wait_readable(theirs, timeout=5)
            ...         return theirs.recv(100)
            >>> threads = load("threads")
            >>> threads.run(main, threads)
            b'a byte is enough'
        """

    def wait_writable(self, socket: HasFileno, timeout: Timeout = None) -> object:
        """Wait until the socket takes bytes without waiting, or is connected; else as `wait_readable`.

        One task may wait until a socket is readable while another one waits until it is writable.
        """

    def notify_closing(self, socket: HasFileno) -> None:
        """Wake the tasks that wait for this socket, with `SocketClosed`, because it is about to be closed.

        Call it just before `socket.close()`. Never waits, and is not awaited.
        """
