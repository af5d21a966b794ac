"""A pool of processes or interpreters as its own tasks use it, or any other task of the run.

A pool is pickled as the record of its worker group and a channel. Where it arrives it sends its requests there, and
notifies the pool's collector, which serves them (`Requests`). A thread beside the tasks, the listener, receives the
answers, and tells the futures how their calls have ended.

A worker whose task waits for the pool says so, and says when it goes on. If all workers wait, and for nothing that has
ended, none is left that could begin what they wait for: the last one that waits is told so.
"""

import math
import threading
from concurrent.futures import Executor
from functools import partial
from importlib import import_module

from concmodels.errors import CannotTravel, ChannelClosed, Deadlock, WouldBlock
from concmodels.models.memory.arena import OWNER, Cancelled, deadline
from concmodels.models.memory.channels import layout
from concmodels.models.memory.participant import participants
from concmodels.models.memory.pickling import pack_call, pack_error, pack_result, unpack, unpack_arrived, unpack_error
from concmodels.models.memory.pool import worker as workers
from concmodels.models.memory.pool.future import TAKEN_BACK, Future, Waiters
from concmodels.models.pools.arguments import all_wait, check_map, refusal
from concmodels.models.pools.results import Failure
from concmodels.models.waiting.calls import check_call

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from typing import Any

    from concmodels.models.memory.channels.channel import Channel
    from concmodels.models.memory.participant import Participant


def pool_for(run: int, worker_group: int, requests: Channel) -> Any:
    """Return the pool that arrives: where it was made, that is the pool itself."""
    participant = participants[run]
    made_here = participant.pools.get(worker_group)
    if made_here is not None:
        return made_here
    return participant.remote_pools.setdefault(requests.number, RemotePool(participant, worker_group, requests))


def new_channel(participant: Participant) -> Channel:
    """Make an unbounded channel of this run."""
    kind: type[Channel] = import_module(f"concmodels.models.{participant.kind}").Channel
    channel = kind.__new__(kind)
    channel._attach(participant, layout.make(participant, math.inf, None))
    return channel


class RemotePool(Executor):
    """A pool as another task sees it: the task can give it work, and wait for results."""

    def __init__(self, participant: Participant, worker_group: int, requests: Channel) -> None:
        self.home = participant
        self._worker_group = worker_group
        self._requests = requests
        self._lock = threading.RLock()
        self._waiters = Waiters(participant, self._lock)
        self._count = 0
        self._calls: dict[int, Future] = {}
        self._notes: dict[tuple[str, int], Any] = {}  # answers that leave the call as it is
        self._answers: Any = None
        self._listener: Any = None

    def __reduce__(self) -> tuple[Callable[..., Any], tuple[Any, ...]]:
        return pool_for, (self.home.run, self._worker_group, self._requests)

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future:
        """Have one worker call `fn(*args, **kwargs)`; see `concmodels.contract.Pool`."""
        check_call(fn, "submit", self.home.kind)
        call = Future(self, getattr(fn, "__name__", "the task"))
        data = pack_call(fn, args, self.home, kwargs)
        with self._lock:
            self._listen()
            call.number = self._count = self._count + 1
            self._calls[call.number] = call
        try:
            self._request("call", self._answers, call.number, data, call.name)
        except BaseException:
            del self._calls[call.number]
            raise
        return call

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

    def _request(self, what: str, *more: object) -> None:
        """Send a request, and wake the collector. Raises `RuntimeError` if the pool has ended."""
        try:
            self._requests.send((what, *more))
        except ChannelClosed:
            raise refusal(None) from None
        self.home.notify(self.home.words[self._worker_group + OWNER])

    # What futures ask for.

    def wait_for(self, call: Future, timeout: float | None) -> None:
        """Wait until a call has ended. Raises `TimeoutError`, and `Deadlock` if no worker is left to begin it."""
        worker = self._own_worker() if timeout is None and not call.done() else None
        if worker is None:
            if not call.done():
                self._waiters.wait_until(call.done, deadline(timeout))
        else:
            self._request("wait", self._answers, call.number, worker.at)
            try:
                self._waiters.wait_until(lambda: call.done() or ("stuck", call.number) in self._notes, None)
            finally:
                self._request("go_on", worker.at)
            workers_waiting = self._notes.pop(("stuck", call.number), None)
            if not call.done():
                raise Deadlock(all_wait(workers_waiting))
        self.home.checkpoint()

    def cancel_call(self, call: Future) -> bool:
        """Take a call back, if no worker has begun it; return whether it is cancelled."""
        if not call.done():
            self._request("take_back", self._answers, call.number)
            self._waiters.wait_until(lambda: ("kept", call.number) in self._notes, None)
            del self._notes["kept", call.number]
        return call.cancelled()

    def has_begun(self, call: Future) -> bool:
        """Return False: from here it can't be told."""
        return False

    def _own_worker(self) -> workers.Worker | None:
        """Return the worker that the caller's task runs in, if it is one of this pool."""
        for worker in workers.here:
            if worker.worker_group == self._worker_group and worker.participant is self.home:
                return worker
        return None

    # The answers.

    def _listen(self) -> None:
        """Start the listener, at the first call. The caller holds the lock."""
        if self._listener is None:
            self._answers = new_channel(self.home)
            self._listener = threading.Thread(target=self._receive, name="listener of a pool")
            self._listener.start()
            self.home.closers.append(self._stop)

    def _stop(self) -> None:
        self.home.closers.remove(self._stop)
        self._answers.close()
        self._listener.join()

    def _receive(self) -> None:
        self.home.begin_service()
        try:
            for number, what, data in self._answers:
                self._settle(number, what, data)
                self._waiters.wake_done()
        except Cancelled:
            pass  # the run is broken off
        finally:
            self.home.end_service()

    def _settle(self, number: int, what: str, data: bytes) -> None:
        if what in ("stuck", "kept"):
            self._notes[what, number] = unpack(data)
        else:
            self._calls.pop(number).end(TAKEN_BACK if what == "cancel" else self._outcome(what, data))

    @staticmethod
    def _outcome(what: str, data: bytes) -> Any:
        """Return the result, or the `Failure` of an exception; a result that can't be unpickled here is one."""
        if what == "fail":
            return Failure(unpack_error(data, of_pool=True))
        try:
            return unpack_arrived(data, "the result of a call")
        except CannotTravel as error:
            return Failure(error)


class Requests:
    """Serves the requests of other tasks, once the pool was sent to one. Only the pool's collector uses it."""

    def __init__(self, pool: Any, participant: Participant) -> None:
        self.channel = new_channel(participant)
        self._pool = pool
        self._participant = participant
        self._calls: dict[tuple[int, int], Future] = {}  # by the channel for the answers, and the number there

    def serve(self) -> None:
        """Serve the requests that have come: each is the name of a method here, and its arguments."""
        while True:
            try:
                what, *more = self.channel.receive_nowait()
            except ChannelClosed, WouldBlock:
                return
            getattr(self, what)(*more)

    def call(self, answers: Channel, number: int, data: bytes, name: str) -> None:
        """Give the pool a call, and answer how it has ended."""
        try:
            call = self._pool.submit_packed(data, name, of_task=True)
        except Exception as error:  # noqa: BLE001 - it is the caller's
            self._fail(answers, number, name, error)
            return
        self._calls[answers.number, number] = call
        call.add_done_callback(partial(self._tell, answers, number))

    def take_back(self, answers: Channel, number: int) -> None:
        """Cancel a call, unless a worker has begun it."""
        if call := self._calls.get((answers.number, number)):
            call.cancel()
        self._answer(answers, number, "kept", None)

    def wait(self, answers: Channel, number: int, worker: int) -> None:
        """Note that the task of this worker waits for a call; say so if no worker is left that could begin it."""
        call = self._calls.get((answers.number, number))
        if call is None:
            return  # the answer is on its way
        self._pool.dispatcher.wait(worker, call)
        self._pool.dispatcher.step()  # all that the tasks that wait have seen end is known here
        if self._pool.dispatcher.all_wait():
            self.go_on(worker)
            self._answer(answers, number, "stuck", self._pool.workers)

    def go_on(self, worker: int) -> None:
        """Note that the task of this worker waits no longer."""
        self._pool.dispatcher.wait(worker, None)

    def _tell(self, answers: Channel, number: int, call: Future) -> None:
        """Say how a call has ended. The thread that does this round is not to be cancelled in here."""
        self._calls.pop((answers.number, number), None)
        slot = self._participant.wait_slot()
        before, slot.shielded = slot.shielded, True
        try:
            if call.cancelled():
                self._answer(answers, number, "cancel", None)
            elif error := call.exception():
                self._fail(answers, number, call.name, error)
            else:
                self._answer(answers, number, "put", call.result())
        finally:
            slot.shielded = before

    def _answer(self, answers: Channel, number: int, what: str, value: Any) -> None:
        try:
            data = pack_result(value, self._participant, "what a call has returned or raised can't travel to a task")
        except CannotTravel as error:
            self._fail(answers, number, "the task", error)
            return
        self._send(answers, number, what, data)

    def _fail(self, answers: Channel, number: int, name: str, error: BaseException) -> None:
        self._send(answers, number, "fail", pack_error(error, name, of_pool=True))

    @staticmethod
    def _send(answers: Channel, number: int, what: str, data: bytes) -> None:
        try:
            answers.send((number, what, data))
        except ChannelClosed:
            return  # the task that asked has ended
