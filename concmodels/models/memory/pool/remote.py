"""A pool of processes or interpreters in the hands of its own tasks, or of any other task of the run.

A pool is pickled as the record of its worker group and a channel, by which other tasks send it requests. A thread
beside the pool, the request server (`remote_calls.py`), receives them. Each request brings the channel that its answer
is to be sent to. A task that waits for a result receives from that channel, so the wait is a checkpoint like any other.
"""

import math
import threading
from concurrent.futures import Executor
from concurrent.futures import Future as _Future

from concmodels.errors import CannotTravel, ChannelClosed, Deadlock, WouldBlock
from concmodels.models.memory.participant import participants
from concmodels.models.memory.pickling import pack_call
from concmodels.models.memory.pool import worker as workers
from concmodels.models.pools.arguments import all_wait, check_map, refusal
from concmodels.models.waiting.timeouts import must_be_sync

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from typing import Any

    from concmodels.models.memory.channel import Channel
    from concmodels.models.memory.participant import Participant

CALL, WAITS, RESUMES, TAKE_BACK = range(4)
"""The kinds of requests."""

RESULT, ERROR, CANCELLED, STUCK, KEPT = range(5)
"""The kinds of answers."""


def pool_for(run: int, worker_group: int, requests: Channel) -> Any:
    """Return the pool that arrives: where it was made, that is the pool itself."""
    participant = participants[run]
    return participant.pools.get(worker_group) or RemotePool(participant, worker_group, requests)


def new_channel(participant: Participant) -> Channel:
    """Make an unbounded channel of this run."""
    from importlib import import_module

    from concmodels.models.memory.channel_layout import make

    kind: type[Channel] = import_module(f"concmodels.models.{participant.kind}").Channel
    channel = kind.__new__(kind)
    channel._attach(participant, make(participant, math.inf, None))
    return channel


class RemotePool(Executor):
    """A pool as another task sees it: the task can give it work, and wait for results."""

    def __init__(self, participant: Participant, worker_group: int, requests: Channel) -> None:
        self.home = participant
        self.worker_group = worker_group
        self.requests = requests
        self.spare: list[Channel] = []  # for answers; everything that was sent there has been received

    def __reduce__(self) -> tuple[Callable[..., Any], tuple[Any, ...]]:
        return pool_for, (self.home.run, self.worker_group, self.requests)

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> RemoteFuture:
        """Have one worker call `fn(*args, **kwargs)`; see `concmodels.contract.Pool`."""
        must_be_sync(fn, self.home.kind)
        data = pack_call(fn, args, self.home, kwargs)
        reply = self.spare.pop() if self.spare else new_channel(self.home)
        name = getattr(fn, "__name__", "the task")
        self.request(CALL, reply, (data, name))
        return RemoteFuture(self, reply, name)

    def map(
        self,
        fn: Callable[..., Any],
        /,
        *iterables: Iterable[Any],
        timeout: float | None = None,
        chunksize: int | None = None,
        buffersize: int | None = None,
    ) -> Iterator[Any]:
        """Do what `concmodels.contract.Pool.map` does; from here each task is a batch."""
        check_map(timeout, chunksize, buffersize)
        return super().map(fn, *iterables, timeout=timeout, buffersize=buffersize)

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """Raise `RuntimeError`: a pool is ended where it was made."""
        raise RuntimeError("a pool is shut down where it was made, not by a task that it was given to")

    def request(self, what: int, reply: Channel, more: object = None) -> None:
        """Send a request. Raises `RuntimeError` if the pool has ended."""
        try:
            self.requests.send((what, reply, more))
        except ChannelClosed:
            raise refusal(None) from None

    def own_worker(self) -> workers.Worker | None:
        """Return the worker that the caller's task runs in, if it is one of this pool."""
        for worker in workers.here:
            if worker.worker_group == self.worker_group:
                return worker
        return None


class RemoteFuture(_Future):  # type: ignore[type-arg] # its results are of any type
    """The future of a call that was made away from where the pool was made.

    What the standard library does with futures (callbacks, `wait`, `as_completed`) needs a thread that waits for the
    answer all the time: then there is one.
    """

    def __init__(self, pool: RemotePool, reply: Channel, name: str) -> None:
        super().__init__()
        self.name = name
        self._pool = pool
        self._reply = reply
        self._listener: threading.Thread | None = None
        self._waiters = _WaiterList(self._listen)

    def result(self, timeout: float | None = None) -> Any:
        """As in the standard library; a checkpoint. Raises `TimeoutError`, and `Deadlock` if no worker is left."""
        self._wait(timeout)
        return super().result(0)

    def exception(self, timeout: float | None = None) -> BaseException | None:
        """As in the standard library; a checkpoint."""
        self._wait(timeout)
        return super().exception(0)

    def done(self) -> bool:
        """Return whether the call has ended, however it ended."""
        self._look()
        return super().done()

    def running(self) -> bool:
        """Return False: from here it can't be told."""
        return False

    def cancel(self) -> bool:
        """Take the call back, if no worker has begun it; return whether it is cancelled."""
        if not self.done() and self._listener is None:
            self._pool.request(TAKE_BACK, self._reply)
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
            self._pool.request(WAITS, self._reply, worker.at)
        try:
            answer = self._answer(self._reply.receive, timeout)
        finally:
            if worker is not None:
                self._pool.request(RESUMES, self._reply, worker.at)
        if self._settle(answer) == STUCK:
            raise Deadlock(all_wait(answer[1]))

    @staticmethod
    def _answer(receive: Callable[..., tuple[int, Any]], *timeout: float | None) -> tuple[int, Any]:
        """Return what the request server answers; a result that can't be unpickled here is an error."""
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
            self._listener = threading.Thread(target=self._receive_answer, name="listener of a pool's future")
            self._listener.start()
            self._pool.home.closers.append(self._stop_listening)

    def _receive_answer(self) -> None:
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


class _WaiterList(list):  # type: ignore[type-arg]
    """The list that the standard library's `wait` puts itself into."""

    def __init__(self, joined: Callable[[], None]) -> None:
        super().__init__()
        self._joined = joined

    def append(self, waiter: Any) -> None:
        """Add a waiter, and say that there is one."""
        super().append(waiter)
        self._joined()
