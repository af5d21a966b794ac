"""The staff of a pool: the group of its workers, their inbox, and how one waits for what they do; see `executor.py`.

The group stands *beside* the body of whoever made it, not around it: a pool may outlive the function that made it, and
what fails in its tasks is told to those who ask for the results. So it is opened without a `with`. Who wants to wait
for its end opens it once more, then with one, and leaves it at once: then it is a group like any other, whose owner can
be cancelled or interrupted while it waits, and does not leave before all have ended.
"""

import math
from _thread import allocate_lock, get_ident
from itertools import count

from concmodels.errors import ChannelClosed, Deadlock, TaskCancelled, WouldBlock
from concmodels.models.pools.arguments import LONELY, all_wait, refusal, refuse
from concmodels.models.pools.future import LentLock, NoLock
from concmodels.models.waiting.waiter import Event, wait

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from types import TracebackType
    from typing import Any, ClassVar

    from concmodels.models.pools.results import Job, Results
    from concmodels.models.waiting.waiter import Waiter

    class _Group:
        """The group of some model; they have these names in common, in types of their own."""

        threaded: Any
        cancelled_type: Any
        here: Any
        stand_beside: Any
        spawn: Any
        _owner: Any

        def cancel(self) -> None: ...
        def describe_wait(self, _waiter: Any) -> str: ...
        def checkpoint(self) -> None: ...
        def __enter__(self) -> Any: ...
        def __exit__(self, *_: Any) -> bool: ...
else:
    _Group = object

_numbers = count(1)


class Staff(_Group):
    """The workers of a pool. A model adds its own group and its channel."""

    Channel: ClassVar[type[Any]]

    def __init__(self, size: int, initializer: Callable[..., object] | None, initargs: tuple[Any, ...]) -> None:
        super().__init__()
        self.size = size
        self.inbox = self.Channel(math.inf, f"pool-{next(_numbers)}")
        self.new_waiter = self.inbox._new_waiter
        self.new_lock: Callable[[], Any] = LentLock if self.threaded else NoLock
        self._initializer = initializer
        self._initargs = initargs
        self._broken: BaseException | None = None
        self._called_off = False
        self._thread = get_ident()
        self._members: set[Any] = set()
        self._gone: list[Any] = []
        self._seats = allocate_lock()
        self._seated: dict[Any, Waiter] = {}
        self._ending = allocate_lock()
        self._ended = Event(self.new_waiter)

    def hire(self) -> None:
        """Start the workers. Raises `RuntimeError` outside a run."""
        self.stand_beside()
        pools = self._owner.pools
        if pools is None:
            raise RuntimeError("there is no run here: make the pool inside `run(main)`")
        self._pools = pools
        pools.add(self)
        try:
            for worker in range(1, self.size + 1):
                self.spawn(self._at_work, name=f"{self.inbox.name}-worker-{worker}")
        except BaseException:
            self.cancel()
            self.end()
            raise

    # What a worker does.

    def _at_work(self) -> None:
        self._members.add(self.here())
        try:
            if self._is_prepared():
                self._do_jobs()
        finally:
            self._gone.append(self.here())
            if self.has_left():
                self.close(clear=True)  # there is nothing in it, unless all were cancelled

    def _do_jobs(self) -> None:
        for results, position, args in self.inbox:
            if results.begin(position):
                try:
                    value = results.function(*args)
                except BaseException as error:  # noqa: BLE001 - it is for whoever asks for the result
                    self._note(results, position, error)
                else:
                    results.put(position, value)
                    del value
            del results, position, args  # nobody is to hold them while the next job is waited for

    def _is_prepared(self) -> bool:
        if self._initializer is None:
            return True
        try:
            self._initializer(*self._initargs)
        except BaseException as error:
            if isinstance(error, self.cancelled_type) and self._called_off:
                raise
            self._broken = self._broken or error
            self.close(clear=True)
            self.interrupted(error)
            return False
        return True

    def _note(self, results: Results, position: int, error: BaseException) -> None:
        """A task has failed; or it was cancelled, and perhaps this worker with it."""
        if not isinstance(error, self.cancelled_type):
            results.fail(position, error)
            self.interrupted(error)
            return
        results.fail(position, TaskCancelled("the task was cancelled while it was at work"))
        if self._called_off:
            raise error

    def interrupted(self, error: BaseException) -> None:
        """If it is Ctrl-C itself, which can strike any task where all share one thread, it is meant for main.

        A `KeyboardInterrupt` of the program's own is a failure like any other: only the future has it.
        """
        if not self.threaded:
            self._pools.pass_on(error)

    def deliver[E: BaseException](self, error: E) -> E:
        """The error of a task is raised where its result is asked for: main has then heard of it, if it is Ctrl-C."""
        if not self.threaded:
            self._pools.delivered(error, self.here())
        return error

    # How work comes in.

    def give(self, job: Job) -> None:
        """Put a job into the inbox. Raises `RuntimeError`."""
        try:
            self.inbox.send(job)
        except ChannelClosed:
            refuse(self.refusal())

    def refusal(self) -> RuntimeError:
        """Why the pool takes nothing."""
        return refusal(self._broken)

    def close(self, *, clear: bool) -> None:
        """Take nothing more; if told so, cancel what has not begun."""
        self.inbox.close()
        while clear:
            try:
                results, position, _ = self.inbox.receive_nowait()
            except ChannelClosed, WouldBlock:
                return
            results.drop(position, None if self._broken is None else self.refusal())

    def forget(self) -> None:
        """The pool is gone, so nothing more will come.

        This is called by a finalizer: perhaps in the middle of an operation on this very inbox, or by a strange thread.
        Then the end of the run does it.
        """
        if self.inbox.closed or not (self.threaded or get_ident() == self._thread):
            return
        lock: Any = self.inbox._lock
        if lock.acquire(blocking=False):
            lock.release()
            self.inbox.close()

    # How one waits for results.

    def wait(self, waiter: Waiter, timeout: float | None) -> None:
        """As `waiting.waiter.wait`. If a worker waits, and it is the last that could go on, that is a `Deadlock`."""
        here = self.here() if timeout is None else None
        if here not in self._members:
            wait(waiter, timeout)
            return
        self._sit_down(here, waiter)
        try:
            wait(waiter, None)
        finally:
            with self._seats:
                del self._seated[here]

    def _sit_down(self, worker: Any, waiter: Waiter) -> None:
        """A worker will wait for others. What all wait for can't come if nobody is left: whoever ends a wait works."""
        with self._seats:
            self._seated[worker] = waiter
            if len(self._seated) < self.size or not all(it.waits() for it in self._seated.values()):
                return
            del self._seated[worker]
        raise Deadlock(all_wait(self.size))

    def wait_for(self, results: Results, position: int, timeout: float | None) -> None:
        """Wait until this result of a `map` is there. Raises `TimeoutError`."""
        waiter = self.new_waiter(None, results)
        try:
            if results.want(position, waiter, timeout):
                self.wait(waiter, timeout)
        finally:
            results.want_no_longer(waiter)
        results.must_have(position)

    # How it ends.

    def cancel(self) -> None:
        """Cancel what has not begun, and what has begun where it waits. Never waits."""
        self._called_off = True
        self.close(clear=True)
        super().cancel()

    def _cancel_body(self) -> None:
        """The body of whoever made the pool is not the group's."""

    def leave(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        """The body has ended, perhaps with an error: wait until everything is done, or cancelled."""
        self.close(clear=False)
        if error is not None:
            self.cancel()
        try:
            self.end()
        except self.cancelled_type:
            if error is None:
                raise
            # else the error of the body leaves, as it does from a group

    def end(self) -> None:
        """Wait until the workers have ended. Raises `RuntimeError` if it is one of them who would wait."""
        if self.here() in self._members:
            raise RuntimeError(LONELY)
        if not self._ending.acquire(blocking=False):
            self._ended.wait(None, self)
            self.checkpoint()
            return
        try:
            with self:
                pass
        finally:
            self._ended.set()
            self._pools.discard(self)

    def has_left(self) -> bool:
        """Whether nobody is there any more, though nobody has waited for that."""
        return len(self._gone) == self.size
