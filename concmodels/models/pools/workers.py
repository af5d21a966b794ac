"""The workers of a pool: tasks of a group, which receive jobs from an inbox; see `executor.py`.

The group is *beside* the code that made the pool, not around it: a pool may outlive the function that made it, and
the failures of its tasks are raised where their results are asked for. So the group is opened without a `with`. A task
that waits until the pool has ended opens the group once more, this time in a `with`, and leaves it at once. Then it is
a group like any other: its owner can be cancelled or interrupted while it waits, and leaves when all workers are done.
"""

from _thread import allocate_lock, get_ident, start_new_thread

from concmodels.errors import TaskCancelled
from concmodels.models.pools.arguments import CANCELLED_AT_WORK, WAITS_FOR_ITSELF
from concmodels.models.pools.future import InterruptSafeLock, NoLock
from concmodels.models.pools.inbox import Inbox
from concmodels.models.pools.worker_waits import WorkerWaits
from concmodels.models.waiting.waiter import Event, wait

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from types import TracebackType
    from typing import Any, Protocol

    from concmodels.models.pools.results import Results
    from concmodels.models.waiting.waiter import Waiter

    class Group(Protocol):
        """The part of their model's group that the workers use."""

        threaded: bool
        cancelled: bool
        cancelled_type: Any
        here: Callable[[], Any]
        spawn: Callable[..., Any]

        def open_without_body(self, on_cancel: Callable[[], object]) -> None: ...
        def cancel(self) -> None: ...
        def describe_wait(self, _waiter: Any) -> str: ...
        def checkpoint(self) -> None: ...
        def __enter__(self) -> object: ...
        def __exit__(self, *_: Any) -> bool: ...


class Workers:
    """The workers of a pool, on the channel and the group of its model. They do not know the pool."""

    def __init__(
        self,
        channel: Any,
        group: Group,
        size: int,
        initializer: Callable[..., object] | None,
        initargs: tuple[Any, ...],
    ) -> None:
        self.size = size
        self.channel = channel
        self.inbox = Inbox(channel)
        self.here = group.here
        self.new_waiter = self.channel._new_waiter
        self.new_lock: Callable[[], Any] = InterruptSafeLock if group.threaded else NoLock
        self._group = group
        self._cancelled_type = group.cancelled_type
        self._initializer = initializer
        self._initargs = initargs
        self._thread = get_ident()
        self._waits = WorkerWaits(size)
        self._gone: list[Any] = []  # the workers that have ended
        self._joining = allocate_lock()
        self._joined = Event(self.new_waiter)

    def start(self) -> None:
        """Start the workers. Raises `RuntimeError` outside a run."""
        self._group.open_without_body(self.inbox.cancel)
        pools = self.here().pools
        if pools is None:
            raise RuntimeError("there is no run here: make the pool inside `run(main)`")
        self._pools = pools
        pools.add(self)
        try:
            for worker in range(1, self.size + 1):
                self._group.spawn(self._at_work, name=f"{self.channel.name}-worker-{worker}")
        except BaseException:
            self._group.cancel()
            self.join()
            raise

    # What a worker does.

    def _at_work(self) -> None:
        self._waits.workers.add(self.here())
        try:
            if self._is_prepared():
                self._do_jobs()
        finally:
            self._worker_ended()

    def _do_jobs(self) -> None:
        for results, position, args in self.channel:
            if results.begin(position):
                try:
                    value = results.function(*args)
                except BaseException as error:  # noqa: BLE001 - it is for the task that asks for the result
                    self._fail(results, position, error)
                else:
                    results.put(position, value)
                    del value
            del results, position, args  # not to be held while the worker waits for the next job

    def _is_prepared(self) -> bool:
        """Call the initializer; return whether this worker can begin. If not, the whole pool takes nothing more."""
        try:
            self._initialize()
        except BaseException as error:  # noqa: BLE001 - the pool keeps it, as the reason why it is broken
            self._pass_on(error)
            self.inbox.fail(error)
            return False
        return True

    def _initialize(self) -> None:
        if self._initializer is not None:
            self._initializer(*self._initargs)

    def _fail(self, results: Results, position: int, error: BaseException) -> None:
        """Note that a task has failed; or that it was cancelled, and perhaps this worker with it."""
        is_cancelled = isinstance(error, self._cancelled_type)
        results.fail(position, TaskCancelled(CANCELLED_AT_WORK) if is_cancelled else error)
        self._pass_on(error)

    def _pass_on(self, error: BaseException) -> None:
        """Raise the error again if it is this worker's own cancellation, and tell main of a Ctrl-C."""
        if not isinstance(error, self._cancelled_type):
            self.interrupted(error)
        elif self._group.cancelled:
            raise error

    def interrupted(self, error: BaseException) -> None:
        """Tell main of a Ctrl-C: it may be raised in any task where all share one thread, but is meant for main.

        A `KeyboardInterrupt` that the program itself raises is a failure like any other: only the future has it.
        """
        if not self._group.threaded:
            self._pools.pass_on(error)

    def checkpoint(self) -> None:
        """Raise the cancellation of the calling task, if there is one.

        Called before a task is told that a call has failed or that the pool takes nothing more: what has ended the pool
        may have cancelled the task too, and then that has to be raised, as in `Task.result`.
        """
        try:
            self.here()
        except RuntimeError:
            return  # the run is over, or this is another thread: there is no task to cancel
        self._group.checkpoint()

    def refusal(self) -> RuntimeError:
        """Return the error that says why the pool takes nothing more, unless the calling task is cancelled."""
        self.checkpoint()
        return self.inbox.refusal()

    def deliver[E: BaseException](self, error: E) -> E:
        """Return the error of a task, which is going to be raised in the calling task.

        If it is Ctrl-C and this is main, main need not be told of it once more.
        """
        if not self._group.threaded:
            self._pools.delivered(error, self.here())
        return error

    def _worker_ended(self) -> None:
        self._gone.append(self.here())
        if self.all_ended():
            self.inbox.cancel()  # there is nothing in it, unless the workers were cancelled

    # How a task waits for results.

    def wait(self, waiter: Waiter, timeout: float | None) -> None:
        """Wait as `waiting.waiter.wait`. Raises `Deadlock` in a worker if all others wait already."""
        here = self.here() if timeout is None else None
        if here not in self._waits.workers:
            wait(waiter, timeout)
            return
        self._waits.begin(here, waiter)
        try:
            wait(waiter, None)
        finally:
            self._waits.end(here)

    def wait_for(self, results: Results, position: int, timeout: float | None) -> None:
        """Wait until one result of a `map` is there. Raises `TimeoutError`."""
        waiter = self.new_waiter(None, results)
        try:
            if results.want(position, waiter, timeout):
                self.wait(waiter, timeout)
        finally:
            results.want_no_longer(waiter)
        results.must_have(position)

    # How they end.

    def leave(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        """Wait, at the end of the `with` of the pool, until all is done; if its body has failed, cancel all first."""
        self.inbox.close()
        if error is not None:
            self._group.cancel()
        try:
            self.join()
        except self._cancelled_type:
            if error is None:
                raise
            # else the error of the body leaves, as it does from a group

    def join(self) -> None:
        """Wait until the workers have ended. Raises `RuntimeError` in one of them.

        The first caller leaves the group; that must be done once. All others wait for the first.
        """
        if self.here() in self._waits.workers:
            raise RuntimeError(WAITS_FOR_ITSELF)
        if not self._joining.acquire(blocking=False):  # never released: only the first caller gets it
            self._joined.wait(None, self._group)
            self._group.checkpoint()
            return
        try:
            with self._group:
                pass
        finally:
            self._joined.set()
            self._pools.discard(self)

    def all_ended(self) -> bool:
        """Return whether all workers have ended, perhaps by themselves, before any task has called `join`."""
        return len(self._gone) == self.size

    def forget(self) -> None:
        """Let the workers end when all is done: the pool is gone, so nothing more will come.

        A finalizer calls this, perhaps in another thread; then nothing is done here, and the end of the run does it.
        Or it comes in the middle of an operation on this very channel, in this thread or in a worker that runs beside
        it: then a new thread waits until that operation is over.
        """
        if self.inbox.closed or not (self._group.threaded or get_ident() == self._thread):
            return
        lock: Any = self.channel._lock
        if lock.acquire(blocking=False):
            lock.release()
            self.inbox.close()
        elif self._group.threaded:
            start_new_thread(self.inbox.close, ())
