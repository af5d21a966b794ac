"""The future of a pool's task: the standard library's own, but who waits for it waits as everybody does in its model.

`concurrent.futures.Future` touches its scheduler in two places only, and both are replaced here:

    _condition   what `result` and `exception` wait on               `Condition`
    _waiters     who is to be told, with a `threading.Event` each    `_Guests`: gives each an event and a lock of ours

So a greenlet that waits for a future lets the others run, a cancellation ends the wait, the deadlock watch sees it, and
the library's `wait` and `as_completed` work in every model.

A pool's *desk* says how its model waits: `new_lock()`, `new_waiter()` and `wait(waiter, timeout)`. All methods are
called through this file, and what is locked is a `LentLock`, so that Ctrl-C breaks nothing: see `tasks/interrupts.py`.
"""

from _thread import RLock, get_ident
from concurrent.futures import Future as _Future
from concurrent.futures._base import CANCELLED as TAKEN_BACK
from concurrent.futures._base import CANCELLED_AND_NOTIFIED, FINISHED, LOGGER, RUNNING
from threading import main_thread

from concmodels.errors import Terminated
from concmodels.models.tasks.interrupts import lent
from concmodels.models.waiting.timeouts import expired
from concmodels.models.waiting.waiter import CANCELLED, DONE, Event

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, Protocol

    from concmodels.models.waiting.waiter import Waiter

    class Desk(Protocol):
        """How the model of a pool waits."""

        @property
        def new_lock(self) -> Callable[[], Any]:
            """A lock that its holder may take again."""

        @property
        def new_waiter(self) -> Callable[..., Waiter]:
            """One wait of the task that runs here."""

        def wait(self, waiter: Waiter, timeout: float | None) -> None:
            """Park until the waiter is claimed, or claim it for the timeout."""

        def interrupted(self, error: BaseException) -> None:
            """Something that is not an `Exception` came out of a callback."""

        def deliver[E: BaseException](self, error: E) -> E:
            """The error of a task is going to be raised where its result is asked for."""


_MAIN = main_thread().ident
_ENDED = frozenset({TAKEN_BACK, CANCELLED_AND_NOTIFIED, FINISHED})


class NoLock:
    """Where all tasks share one thread and switch only where they wait, nobody has to be kept out."""

    def acquire(self) -> bool:
        """Nothing to do."""
        return True

    def release(self) -> None:
        """Nothing to do."""

    def __enter__(self) -> None: ...

    def __exit__(self, *_: object) -> None: ...


class LentLock:
    """An `RLock` that code of the standard library may hold in main, without losing it to Ctrl-C."""

    __slots__ = ("_lock",)

    def __init__(self) -> None:
        self._lock = RLock()

    def acquire(self) -> bool:
        """Take it."""
        if get_ident() == _MAIN:
            lent.append(self)
        return self._lock.acquire()

    def release(self) -> None:
        """Give it back."""
        self._lock.release()
        if get_ident() == _MAIN:
            lent.pop()

    def __enter__(self) -> None:
        self.acquire()

    def __exit__(self, *_: object) -> None:
        self.release()


class Condition:
    """What a future needs of a `threading.Condition`, on the waits of a model."""

    def __init__(self, desk: Desk, name: str) -> None:
        lock = desk.new_lock()
        self._desk = desk
        self._name = name
        self._waiters: list[Waiter] = []
        self.acquire = lock.acquire
        self.release = lock.release

    def __enter__(self) -> None:
        self.acquire()

    def __exit__(self, *_: object) -> None:
        self.release()

    def wait(self, timeout: float | None = None) -> None:
        """Let go of the lock and wait for `notify_all`, at most `timeout` seconds; then take the lock again."""
        if expired(timeout):
            return
        waiter = self._desk.new_waiter(None, self)
        self._waiters.append(waiter)
        self.release()
        try:
            self._desk.wait(waiter, timeout)
        finally:
            waiter.claim(CANCELLED)  # if an exception was thrown into the wait
            self.acquire()
            if waiter in self._waiters:
                self._waiters.remove(waiter)

    def describe_wait(self, _waiter: Waiter) -> str:
        """Say what a task waits for that waits for the result of this future."""
        return f"waits for the result of {self._name}"

    def notify_all(self) -> None:
        """Wake all who wait."""
        while self._waiters:
            self._waiters.pop().finish(DONE)


class _Signal(Event):
    """What `wait` and `as_completed` need of a `threading.Event`."""

    def __init__(self, desk: Desk) -> None:
        super().__init__(desk.new_waiter)

    def clear(self) -> None:
        """It has not happened yet, once more."""
        self.happened = False

    def wait(self, timeout: float | None = None) -> bool:  # type: ignore[override]  # as `threading.Event` has it
        """Wait until it has happened; False if `timeout` struck first."""
        try:
            super().wait(timeout)
        except TimeoutError:
            return False
        return True


class _Guests(list):  # type: ignore[type-arg]
    """Those told when a future ends; each is given an event that its model can wait for, and the model's lock."""

    def __init__(self, desk: Desk) -> None:
        super().__init__()
        self._desk = desk

    def append(self, guest: Any) -> None:
        """Put one on the list."""
        if not isinstance(guest.event, _Signal):
            guest.event = _Signal(self._desk)
            if hasattr(guest, "lock"):
                guest.lock = self._desk.new_lock()
        super().append(guest)


class Future(_Future):  # type: ignore[type-arg]
    """The result of one task of a pool, now or later. `.name` is that of its function."""

    def __init__(self, desk: Desk, function: Callable[..., Any]) -> None:
        super().__init__()
        self.name = getattr(getattr(function, "func", function), "__name__", "task")  # a partial has a `func`
        self._condition: Any = Condition(desk, self.name)
        self._waiters: Any = _Guests(desk)
        self._desk = desk
        self.function: Callable[..., Any] | None = function

    # What a worker does with it, as with the results of a `map`; there the position says which one is meant.

    def begin(self, _position: int = 0) -> bool:
        """Whether a worker is to do it: not if it was cancelled."""
        if self.set_running_or_notify_cancel():
            return True
        self.function = None
        return False

    def put(self, _position: int, value: Any) -> None:
        """It returned this."""
        self._end(self.set_result, value)

    def fail(self, _position: int, error: BaseException) -> None:
        """It raised this."""
        self._end(self.set_exception, error)

    def drop(self, _position: int, error: BaseException | None) -> None:
        """No worker will begin it: it is cancelled, or fails for this reason."""
        if error is None:
            self.cancel()
        if self.begin() and error is not None:
            self.fail(0, error)

    def _end(self, tell: Callable[[Any], None], outcome: Any) -> None:
        self.function = None
        try:
            tell(outcome)
        except BaseException as error:  # noqa: BLE001 - out of a callback: it must not end the worker
            LOGGER.critical("exception calling callback for %r", self, exc_info=error)
            self._desk.interrupted(error)

    # The standard library's methods, called by way of this file.

    def result(self, timeout: float | None = None) -> Any:
        """Wait for the result, or raise what the task raised.

        `timeout` is in seconds. Raises `TimeoutError`; `concurrent.futures.CancelledError` if it was cancelled before
        it began, `TaskCancelled` if it was cancelled where it waited; `Deadlock` if no worker is left to begin it.
        """
        try:
            return super().result(timeout)
        except (KeyboardInterrupt, Terminated) as error:
            self._desk.deliver(error)
            raise
        finally:
            del self  # its exception holds this frame

    def exception(self, timeout: float | None = None) -> BaseException | None:
        """Wait for the end; return what the task raised, if anything. Raises as `result`, when it was not begun."""
        return super().exception(timeout)

    def cancel(self) -> bool:
        """Take it back if no worker has begun it; whether it is cancelled now."""
        return super().cancel()

    def cancelled(self) -> bool:
        """Whether it was cancelled before it began."""
        return self._state in (TAKEN_BACK, CANCELLED_AND_NOTIFIED)

    def running(self) -> bool:
        """Whether a worker is at it."""
        return self._state == RUNNING

    def done(self) -> bool:
        """Whether it has ended or was cancelled."""
        return self._state in _ENDED

    def add_done_callback(self, fn: Callable[[_Future[Any]], object]) -> None:
        """Have `fn(future)` called when it has ended, by the worker; at once, if it has."""
        super().add_done_callback(fn)

    def __repr__(self) -> str:
        return f"<future {self.name!r} {self._state.lower().partition('_')[0]}>"
