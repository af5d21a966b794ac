"""The future of a pool's task: the standard library's own, but a task that waits for it waits as its model does.

`concurrent.futures.Future` waits and locks in two places only, and both are replaced here:

    _condition   what `result` and `exception` wait on                                   `Condition`
    _waiters     the calls of `wait` and `as_completed`, with a `threading.Event` each   `_Waiters`: replaces the events

So a greenlet that waits for a future lets the others run, a cancellation ends the wait, a deadlock is found, and the
library's `wait` and `as_completed` work in every model.

A pool's `WaitStrategy` says how its model waits: `new_lock()`, `new_waiter()` and `wait(waiter, timeout)`. All methods
are called through this file, and the lock is an `InterruptSafeLock`, so that Ctrl-C breaks nothing: see
`tasks/signals/guard.py`.

A future is made without the standard library's lock and condition, which would be replaced at once, and where tasks are
threads its lock is its condition. So a call takes 0.63 of the CPU time in threads, and 0.7 in greenlet and gevent
(2,000 calls, then their results; measured in turn with a future that was made by `super().__init__`).
"""

from _thread import RLock, get_ident
from concurrent.futures import CancelledError
from concurrent.futures import Future as _Future
from concurrent.futures._base import CANCELLED as TAKEN_BACK
from concurrent.futures._base import CANCELLED_AND_NOTIFIED, FINISHED, LOGGER, PENDING, RUNNING
from threading import main_thread

from concmodels.errors import Terminated
from concmodels.models.tasks.signals.handlers import held_by_stdlib
from concmodels.models.waiting.timeouts import expired
from concmodels.models.waiting.waiter import CANCELLED, DONE, Event

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, Protocol

    from concmodels.models.waiting.waiter import Waiter

    class WaitStrategy(Protocol):
        """The way in which the model of a pool waits."""

        @property
        def new_lock(self) -> Callable[[], Any]:
            """Make a lock that its holder may take again."""

        @property
        def new_waiter(self) -> Callable[..., Waiter]:
            """Make a waiter for one wait of the running task."""

        def wait(self, waiter: Waiter, timeout: float | None) -> None:
            """Park until the waiter is claimed, or claim it after `timeout` seconds."""

        def interrupted(self, error: BaseException) -> None:
            """Take note of an error that a callback has raised and that is not an `Exception`."""

        def checkpoint(self) -> None:
            """Raise the cancellation of the calling task, if there is one."""

        def deliver[E: BaseException](self, error: E) -> E:
            """Return the error of a task, which is going to be raised where its result is asked for."""


_MAIN = main_thread().ident
_ENDED = frozenset({TAKEN_BACK, CANCELLED_AND_NOTIFIED, FINISHED})


class NoLock:
    """Locks nothing: where all tasks share one thread and switch only where they wait, no lock is needed."""

    def acquire(self) -> bool:
        """Do nothing; return True."""
        return True

    def release(self) -> None:
        """Do nothing."""

    def __enter__(self) -> None: ...

    def __exit__(self, *_: object) -> None: ...


class InterruptSafeLock:
    """An `RLock` that code of the standard library may hold in main, without losing it to Ctrl-C.

    A `KeyboardInterrupt` between "lock taken" and the `with` of that code would leave it locked for ever. While the
    lock is in `held_by_stdlib` the handler raises nothing.
    """

    __slots__ = ("_lock",)

    def __init__(self) -> None:
        self._lock = RLock()

    def acquire(self) -> bool:
        """Take the lock."""
        if get_ident() == _MAIN:
            held_by_stdlib.append(self)  # first: otherwise a handler might come while it is held and not noted
        return self._lock.acquire()

    def release(self) -> None:
        """Give the lock back."""
        self._lock.release()
        if get_ident() == _MAIN:
            held_by_stdlib.pop()

    def __enter__(self) -> None:  # `acquire` and `release`, written out: a call is in here eight times
        if get_ident() == _MAIN:
            held_by_stdlib.append(self)
        self._lock.acquire()

    def __exit__(self, *_: object) -> None:
        self._lock.release()
        if get_ident() == _MAIN:
            held_by_stdlib.pop()


class Condition:
    """The part of a `threading.Condition` that a future needs, on the waits of a model."""

    def __init__(self, strategy: WaitStrategy, name: str) -> None:
        lock = strategy.new_lock()
        self._strategy = strategy
        self._name = name
        self._waiters: list[Waiter] = []
        self._lock = lock
        self.acquire = lock.acquire  # by `concurrent.futures.wait` and `as_completed`, which lock all their futures
        self.release = lock.release

    def __enter__(self) -> None:
        self._lock.acquire()

    def __exit__(self, *_: object) -> None:
        self._lock.release()

    def wait(self, timeout: float | None = None) -> None:
        """Let go of the lock and wait for `notify_all`, at most `timeout` seconds; then take the lock again."""
        if timeout is not None and expired(timeout):
            return
        waiter = self._strategy.new_waiter(None, self)
        self._waiters.append(waiter)
        self.release()  # only now: what has ended the task is noted under the lock, and then finds the waiter
        try:
            self._strategy.wait(waiter, timeout)
        finally:
            waiter.claim(CANCELLED)  # if an exception was thrown into the wait
            self.acquire()
            if waiter in self._waiters:
                self._waiters.remove(waiter)

    def describe_wait(self, _waiter: Waiter) -> str:
        """Describe the wait of a task that waits for the result of this future."""
        return f"waits for the result of {self._name}"

    def notify_all(self) -> None:
        """Wake all tasks that wait."""
        while self._waiters:
            self._waiters.pop().finish(DONE)


class _InterruptSafeCondition(InterruptSafeLock, Condition):
    """As `Condition`, and the lock itself."""

    def __init__(self, strategy: WaitStrategy, name: str) -> None:
        self._lock = RLock()
        self._strategy = strategy
        self._name = name
        self._waiters = []


class _Signal(Event):
    """The part of a `threading.Event` that `wait` and `as_completed` need."""

    def __init__(self, strategy: WaitStrategy) -> None:
        super().__init__(strategy.new_waiter)

    def clear(self) -> None:
        """Note that it has not happened."""
        self.happened = False

    def wait(self, timeout: float | None = None) -> bool:  # type: ignore[override]  # as `threading.Event` has it
        """Wait until it has happened; return False if `timeout` expired first."""
        try:
            super().wait(timeout)
        except TimeoutError:
            return False
        return True


class _Waiters(list):  # type: ignore[type-arg]
    """The calls of `wait` and `as_completed` for a future; each gets an event and a lock of the pool's model."""

    _strategy: WaitStrategy

    def append(self, waiter: Any) -> None:
        """Add one such call, as the standard library does, with an event that the model can wait for."""
        if not isinstance(waiter.event, _Signal):
            waiter.event = _Signal(self._strategy)
            if hasattr(waiter, "lock"):
                waiter.lock = self._strategy.new_lock()
        super().append(waiter)


class Future(_Future):  # type: ignore[type-arg]
    """The result of one task of a pool, now or later. `.name` is that of its function."""

    def __init__(self, strategy: WaitStrategy, function: Callable[..., Any]) -> None:
        # Not `super().__init__()`: it makes a lock and a condition, which would be replaced here.
        self._state = PENDING
        self._result = self._exception = None
        self._done_callbacks: list[Callable[[_Future[Any]], object]] = []
        self.name = getattr(getattr(function, "func", function), "__name__", "task")  # a partial has a `func`
        is_safe = strategy.new_lock is InterruptSafeLock
        self._condition: Any = (_InterruptSafeCondition if is_safe else Condition)(strategy, self.name)
        self._waiters: Any = _Waiters()
        self._waiters._strategy = self._strategy = strategy
        self.function: Callable[..., Any] | None = function

    # What a worker does with a future, as with the results of a `map`; there the position says which one is meant.

    def begin(self, _position: int = 0) -> bool:
        """Note that a worker begins the call; return False if it must not, because the call was cancelled."""
        if self.set_running_or_notify_cancel():
            return True
        self.function = None
        return False

    def put(self, _position: int, value: Any) -> None:
        """Note what the call has returned."""
        self._end(self.set_result, value)

    def fail(self, _position: int, error: BaseException) -> None:
        """Note what the call has raised."""
        self._end(self.set_exception, error)

    def drop(self, _position: int, error: BaseException | None) -> None:
        """Note that no worker will begin the call: it is cancelled, or fails with `error`."""
        if error is None:
            self.cancel()
        if self.begin() and error is not None:
            self.fail(0, error)

    def _end(self, tell: Callable[[Any], None], outcome: Any) -> None:
        self.function = None
        try:
            tell(outcome)
        except BaseException as error:  # noqa: BLE001 - a callback has raised it: it must not end the worker
            self._callback_failed(error)

    def _callback_failed(self, error: BaseException) -> None:
        LOGGER.critical("exception calling callback for %r", self, exc_info=error)
        self._strategy.interrupted(error)

    # The standard library's methods, repeated here so that their callers are in code of a model: there the handler of
    # Ctrl-C only makes a note (`in_program` asks the nearest frame that is not the standard library's).

    def result(self, timeout: float | None = None) -> Any:
        """Wait for the result, or raise what the task raised.

        `timeout` is in seconds. Raises `TimeoutError`; `concurrent.futures.CancelledError` if the task was cancelled
        before it began, `TaskCancelled` if it was cancelled where it waited; `Deadlock` if no worker is left to begin
        it.
        """
        try:
            return super().result(timeout)
        except (KeyboardInterrupt, Terminated) as error:
            self._strategy.deliver(error)
            raise
        except Exception:
            self._strategy.checkpoint()
            raise
        finally:
            del self  # the exception holds this frame, and would keep the future alive

    def exception(self, timeout: float | None = None) -> BaseException | None:
        """Wait until the task has ended, at most `timeout` seconds; return what it raised, if anything.

        Raises `TimeoutError`, and `CancelledError` if the task was cancelled before it began.
        """
        try:
            return super().exception(timeout)
        except CancelledError:
            self._strategy.checkpoint()
            raise

    def cancel(self) -> bool:
        """Cancel the task unless a worker has begun it; return whether it is cancelled."""
        return super().cancel()

    def cancelled(self) -> bool:
        """Return whether the task was cancelled before it began."""
        return self._state in (TAKEN_BACK, CANCELLED_AND_NOTIFIED)

    def running(self) -> bool:
        """Return whether a worker has begun the task and not ended it."""
        return self._state == RUNNING

    def done(self) -> bool:
        """Return whether the task has ended or was cancelled."""
        return self._state in _ENDED

    def add_done_callback(self, fn: Callable[[_Future[Any]], object]) -> None:
        """Have the worker call `fn(future)` when the task has ended. If it has, call that here and now."""
        super().add_done_callback(fn)

    def __repr__(self) -> str:
        return f"<future {self.name!r} {self._state.lower().partition('_')[0]}>"
