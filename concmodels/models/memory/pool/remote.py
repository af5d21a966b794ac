"""A pool of processes or interpreters in the hands of its own tasks, or of any other task of the run.

A pool travels as the number of its crew and a channel, its counter. There a clerk (`remote_calls.py`), a thread of the
pool's home, takes the calls of those who are away; each call brings the channel that its result is to be sent to. Who
waits for a result receives from that channel, so the wait is a checkpoint like any other.
"""

import math
import threading
from concurrent.futures import Executor
from concurrent.futures import Future as _Future

from concmodels.errors import CannotTravel, ChannelClosed, Deadlock, WouldBlock
from concmodels.models.memory.participant import units
from concmodels.models.memory.pickling import pack_call
from concmodels.models.memory.pool import worker as workers
from concmodels.models.pools.arguments import all_wait, check_map, refusal
from concmodels.models.waiting.timeouts import must_be_sync

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from typing import Any

    from concmodels.models.memory.channel import Channel
    from concmodels.models.memory.participant import Unit

CALL, WAITS, GOES_ON, TAKE_BACK = range(4)
"""What is said at the counter."""

RESULT, ERROR, CANCELLED, STUCK, KEPT = range(5)
"""What is answered."""


def pool_for(run: int, crew: int, counter: Channel) -> Any:
    """A pool that has travelled: at home it is the pool itself."""
    unit = units[run]
    return unit.pools.get(crew) or AwayPool(unit, crew, counter)


def new_channel(unit: Unit) -> Channel:
    """An unbounded channel of this run."""
    from importlib import import_module

    from concmodels.models.memory.channel_layout import make

    kind: type[Channel] = import_module(f"concmodels.models.{unit.kind}").Channel
    channel = kind.__new__(kind)
    channel._attach(unit, make(unit, math.inf, None))
    return channel


class AwayPool(Executor):
    """The pool, as a task sees it: it can give it work, and wait for it."""

    def __init__(self, unit: Unit, crew: int, counter: Channel) -> None:
        self.home = unit
        self.crew = crew
        self.counter = counter
        self.spare: list[Channel] = []  # for answers; everything that was sent there has been received

    def __reduce__(self) -> tuple[Callable[..., Any], tuple[Any, ...]]:
        return pool_for, (self.home.run, self.crew, self.counter)

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> AwayFuture:
        """Have one worker call `fn(*args, **kwargs)`; see `concmodels.contract.Pool`."""
        must_be_sync(fn, self.home.kind)
        data = pack_call(fn, args, self.home, kwargs)
        reply = self.spare.pop() if self.spare else new_channel(self.home)
        name = getattr(fn, "__name__", "the task")
        self.say(CALL, reply, (data, name))
        return AwayFuture(self, reply, name)

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
        """As `concmodels.contract.Pool.map`; from here every task travels alone, and nothing shows a bar."""
        check_map(timeout, chunksize, buffersize)
        return super().map(fn, *iterables, timeout=timeout, buffersize=buffersize)

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """Raises `RuntimeError`: who has made the pool ends it."""
        raise RuntimeError("a pool is shut down where it was made, not by a task that it was given to")

    def say(self, what: int, reply: Channel, more: object = None) -> None:
        """Tell the clerk. Raises `RuntimeError` if there is none any more."""
        try:
            self.counter.send((what, reply, more))
        except ChannelClosed:
            raise refusal(None) from None

    def own_worker(self) -> workers.Worker | None:
        """The worker that the caller's task runs in, if it is one of this pool."""
        for worker in workers.here:
            if worker.crew == self.crew:
                return worker
        return None


class AwayFuture(_Future):  # type: ignore[type-arg] # its results are of any type
    """The future of a call that was made away from the pool's home.

    What the standard library does with futures of its own (callbacks, `wait`, `as_completed`) needs somebody who waits
    all the time: then a thread does.
    """

    def __init__(self, pool: AwayPool, reply: Channel, name: str) -> None:
        super().__init__()
        self.name = name
        self._pool = pool
        self._reply = reply
        self._listener: threading.Thread | None = None
        self._waiters = _Watched(self._listen)

    def result(self, timeout: float | None = None) -> Any:
        """As in the standard library; a checkpoint. Raises `TimeoutError`, and `Deadlock` when nobody is left."""
        self._wait(timeout)
        return super().result(0)

    def exception(self, timeout: float | None = None) -> BaseException | None:
        """As in the standard library; a checkpoint."""
        self._wait(timeout)
        return super().exception(0)

    def done(self) -> bool:
        """Whether the call has ended, however it ended."""
        self._look()
        return super().done()

    def running(self) -> bool:
        """Nobody can tell from here: False."""
        return False

    def cancel(self) -> bool:
        """Take it back, if no worker has begun it; True if it is cancelled."""
        if not self.done() and self._listener is None:
            self._pool.say(TAKE_BACK, self._reply)
            while self._settle(self._answer(self._reply.receive)) != KEPT:
                pass
        return self.cancelled()

    def add_done_callback(self, fn: Callable[[Any], object]) -> None:
        """As in the standard library."""
        if not self.done():
            self._listen()
        super().add_done_callback(fn)

    def _look(self) -> None:
        if self._listener is None and not super().done():
            try:
                self._settle(self._answer(self._reply.receive_nowait))
            except WouldBlock:
                pass  # not yet

    def _wait(self, timeout: float | None) -> None:
        if self.done():
            return
        if self._listener is not None:
            super().exception(timeout)
            return
        worker = self._pool.own_worker() if timeout is None else None
        if worker is not None:
            self._pool.say(WAITS, self._reply, worker.at)
        try:
            answer = self._answer(self._reply.receive, timeout)
        finally:
            if worker is not None:
                self._pool.say(GOES_ON, self._reply, worker.at)
        if self._settle(answer) == STUCK:
            raise Deadlock(all_wait(answer[1]))

    @staticmethod
    def _answer(receive: Callable[..., tuple[int, Any]], *timeout: float | None) -> tuple[int, Any]:
        """What the clerk answers; a result that can't be unpickled here is an error."""
        try:
            return receive(*timeout)
        except CannotTravel as error:
            return ERROR, error

    def _settle(self, answer: tuple[int, Any]) -> int:
        what, value = answer
        if what in (RESULT, ERROR, CANCELLED):
            self._pool.spare.append(self._reply)
            if what == CANCELLED:
                super().cancel()
            if self.set_running_or_notify_cancel():
                if what == RESULT:
                    self.set_result(value)
                else:
                    self.set_exception(value)
        return what

    def _listen(self) -> None:
        if self._listener is None and not super().done():
            self._listener = threading.Thread(target=self._hear, name="listener of a pool's future")
            self._listener.start()
            self._pool.home.closers.append(self._stop_listening)

    def _hear(self) -> None:
        home = self._pool.home
        home.begin_service()
        try:
            self._settle(self._answer(self._reply.receive))
        finally:
            home.end_service()

    def _stop_listening(self) -> None:
        assert self._listener is not None
        self._pool.home.closers.remove(self._stop_listening)
        self._listener.join()


class _Watched(list):  # type: ignore[type-arg]
    """The list that the standard library's `wait` puts itself into."""

    def __init__(self, joined: Callable[[], None]) -> None:
        super().__init__()
        self._joined = joined

    def append(self, waiter: Any) -> None:
        """Somebody waits."""
        super().append(waiter)
        self._joined()
