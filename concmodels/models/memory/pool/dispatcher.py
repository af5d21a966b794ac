"""The dispatcher of a pool: which batch of tasks each worker has, and which tasks wait.

The thread that runs the pool (see `manager.py`) calls `step` now and then: it collects results, removes workers that
have died, and hands out what waits. All of it is done with the lock held; only the futures get their results without
it, because their callbacks are the program's.
"""

import math
from _thread import RLock
from collections import deque
from itertools import count

from concmodels.errors import TaskCancelled, WorkerDied
from concmodels.models.memory.arena import CHANNEL_BYTES, STATE
from concmodels.models.memory.group import DONE, cancel
from concmodels.models.memory.participant import now
from concmodels.models.memory.pool import worker_memory
from concmodels.models.memory.pool.batches import MapCall, WorkQueue
from concmodels.models.memory.pool.calls import Calls
from concmodels.models.memory.pool.worker import UNFIT, serve
from concmodels.models.memory.pool.worker_handle import Batch, WorkerHandle
from concmodels.models.memory.pool.worker_memory import CLOSING
from concmodels.models.pools.arguments import broken_by, refusal
from concmodels.models.pools.results import Failure

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from concurrent.futures import Future
    from typing import Any

    from concmodels.models.memory.participant import Participant
    from concmodels.models.memory.pool.batches import ToResolve
    from concmodels.models.memory.pool.results import Completed

OPEN, CLOSED, ENDING, STOPPED = range(4)
_POLL_S = 0.005  # how long a result in the middle of a batch may lie unseen
_OVERDUE_S = 0.002
_WORTH_TAKING_NS = 200_000
_DEATHS = 3


class Dispatcher:
    """The workers of a pool, and the work that waits for them."""

    def __init__(self, participant: Participant, workers: int, initializer: tuple[Any, ...]) -> None:
        self.worker_group: Any = None  # set before the first worker is started
        self.lock = RLock()
        self.stage = OPEN
        self.calls = Calls()
        self.calls_under_way: Callable[[], bool] = bool  # whether a task has given it work that is not here yet
        self._participant = participant
        self._workers = workers
        self._initializer = initializer
        self._broken: BaseException | None = None
        self._queues: deque[WorkQueue] = deque([self.calls])
        self._handles: list[WorkerHandle] = []
        self._deaths = 0  # in a row, of workers that had never been fit for work
        self._numbers = count(1)
        self._resolving = 0  # how many have ended whose futures are being told in this moment

    def check_open(self, of_task: bool = False) -> None:
        """Raise an exception that says why no more work is taken, if that is so.

        A task of the pool's own may go on giving it work until the last one has ended.
        """
        if self._broken is not None:
            raise self._broken
        if self.stage > (CLOSED if of_task else OPEN):
            raise refusal(None)

    def add(self, map_call: MapCall) -> None:
        """Add the queue of a `map`."""
        with self.lock:
            self.check_open()
            self._queues.append(map_call)

    def step(self) -> bool:
        """Do one round: collect results, remove dead workers, hand out waiting tasks. Return whether any task ended."""
        completed: Completed = []
        to_resolve: ToResolve = []
        with self.lock:
            self._collect_results(completed, to_resolve)
            if self.stage < ENDING:
                self._hand_out(completed)
            self._settle(completed, to_resolve)
            if any(queue.is_finished() for queue in self._queues):
                self._drop_finished()
            if self.stage == CLOSED and not self._left() and not self.calls_under_way():
                self.stage = ENDING
                self._close_workers()
            self._resolving += 1
        try:
            for ended_call in to_resolve:
                _resolve(*ended_call)
        finally:
            with self.lock:
                self._resolving -= 1
        return bool(completed)

    def next_look(self) -> float | None:
        """Return when the next round is due, even if no worker notifies; None if only then."""
        with self.lock:
            if any(handle.unread() > 1 for handle in self._handles):
                return now() + _POLL_S
        return None

    def has_completed(self) -> bool:
        """Return whether a batch has ended whose results have not been collected."""
        with self.lock:
            return any(handle.has_completed() for handle in self._handles)

    def is_over(self) -> bool:
        """Return whether there will be no more to do."""
        with self.lock:
            return self.stage != OPEN and not (self._handles or self._resolving or self.worker_group.any_left())

    def end(self) -> None:
        """Fail all that is left, because the workers have ended and the manager does now."""
        to_resolve: ToResolve = []
        error = self._broken or self._participant.death or TaskCancelled("the pool has ended before this task")
        with self.lock:
            self.stage = STOPPED
            for queue in self._queues:
                queue.fail_all(error, to_resolve)
        for ended_call in to_resolve:
            _resolve(*ended_call)

    def give_up(self, error: BaseException) -> None:
        """End the pool, because a round has failed: nothing else can be done any more."""
        self._broken = broken_by(error, "the pool itself has failed")
        cancel(self._participant, self.worker_group.at)

    def _left(self) -> bool:
        return any(queue.left for queue in self._queues)

    def _collect_results(self, completed: Completed, to_resolve: ToResolve) -> None:
        for handle in list(self._handles):
            handle.collect_results(completed)
            if handle.has_ended():
                self._handles.remove(handle)
                self._remove_worker(handle, completed, to_resolve)
                handle.leave()

    def _settle(self, completed: Completed, to_resolve: ToResolve) -> None:
        for queue, first, outcome in completed:
            if isinstance(outcome, Failure):
                queue.failed(first, outcome.error, to_resolve)
            else:
                queue.done(first, outcome, to_resolve)

    # Handing out.

    def _hand_out(self, completed: Completed) -> None:
        fit = [handle for handle in self._handles if handle.is_fit()]
        for depth in (1, 2):
            for handle in fit:
                while (
                    not (depth > 1 and handle.is_blocked)
                    and len(handle.batches) < depth
                    and (queue := self._next_queue(depth))
                ):
                    self._give(handle, queue, completed)
        if idle := [handle for handle in fit if not handle.batches]:
            self._share_out(idle, completed)

    def _next_queue(self, depth: int) -> WorkQueue | None:
        """Return the queue whose turn it is, or None. A second batch behind another is given only of quick tasks."""
        for _ in range(len(self._queues)):
            queue = self._queues[0]
            self._queues.rotate(-1)
            if len(queue) and (depth == 1 or queue.is_quick()):
                return queue
        return None

    def _give(self, handle: WorkerHandle, queue: WorkQueue, completed: Completed) -> None:
        first, count = queue.take(queue.size(self._workers, worker_memory.MOST))
        if not count:
            return
        try:
            handle.give(Batch(queue, first, count), queue.payload(first, count))
        except Exception as error:  # noqa: BLE001 - it is the failure of the task that can't be packed
            if count > 1:
                queue.give_back(first, count)
                queue.alone = count
            else:
                completed.append((queue, first, Failure(error)))

    def _share_out(self, idle: list[WorkerHandle], completed: Completed) -> None:
        """Give each idle worker half of what waits for the busiest one."""
        for handle in idle:
            busiest = max(self._handles, key=WorkerHandle.waiting)
            if not busiest.waiting() or not self._is_worth_it(busiest) or not busiest.halve():
                return
            queue = self._next_queue(1)
            if queue is not None:
                self._give(handle, queue, completed)

    @staticmethod
    def _is_worth_it(handle: WorkerHandle) -> bool:
        batch = handle.batches[-1]
        expected = (batch.queue.task_ns or math.inf) * handle.waiting()
        return expected > _WORTH_TAKING_NS or now() - batch.given_at > _OVERDUE_S

    # Coming and going.

    def start_worker(self) -> None:
        """Start another worker."""
        participant, arena = self._participant, self._participant.arena
        with arena.claim:
            at = worker_memory.make(arena, participant.words[CHANNEL_BYTES])
        worker_group, name = self.worker_group, f"worker {next(self._numbers)}"
        try:
            task = worker_group.spawn(serve, self._participant.kind, at, *self._initializer, name=name)
        except BaseException:
            with arena.claim:
                worker_memory.clear(arena, at)
            raise
        self._handles.append(WorkerHandle(participant, at, task))

    def _close_workers(self) -> None:
        for handle in self._handles:
            if not handle.words[CLOSING]:
                handle.close()

    def _remove_worker(self, handle: WorkerHandle, completed: Completed, to_resolve: ToResolve) -> None:
        """See to what a worker has left behind that has ended: because it was told to, or because it has died."""
        if self.stage == STOPPED or self._participant.cancelled(self.worker_group.at):
            self.stage = STOPPED
            handle.reap(TaskCancelled(f"{handle.doing()} was cancelled"), completed)
            self.cancel_waiting()
        elif handle.state() == UNFIT:
            self._break(f"the initializer failed in {handle.name} of the pool", handle.initializer_error(), to_resolve)
        elif not (handle.words[CLOSING] and handle.participant.words[handle.task.at + STATE] == DONE):
            self._replace(handle, completed, to_resolve)

    def _replace(self, handle: WorkerHandle, completed: Completed, to_resolve: ToResolve) -> None:
        doing, cause = handle.doing(), handle.cause_of_death()
        what = f"{handle.name} of the pool died ({cause})"
        handle.reap(WorkerDied(f"{what} in the middle of {doing}", handle.name), completed)
        if self.stage >= ENDING:
            return  # the pool is ending: no other worker is needed
        self._deaths = 0 if handle.state() else self._deaths + 1
        if self._deaths >= _DEATHS:
            error = WorkerDied(what, handle.name)
            self._break(f"{_DEATHS} workers in a row died before they could begin", error, to_resolve)
        else:
            self.start_worker()

    def _break(self, message: str, cause: BaseException, to_resolve: ToResolve) -> None:
        """End the pool, because no worker can be had: nothing can be done any more."""
        self._broken = broken_by(cause, message)
        self.stage = STOPPED
        for queue in self._queues:
            queue.fail_all(self._broken, to_resolve)
        cancel(self._participant, self.worker_group.at)

    # Ending early.

    def forget(self, map_call: MapCall) -> None:
        """Drop a `map` whose results will not be asked for any more."""
        with self.lock:
            self._recall(map_call)
            map_call.cancel()
            self._drop_finished()

    def _drop_finished(self) -> None:
        self._queues = deque(queue for queue in self._queues if not queue.is_finished())

    def workers(self) -> set[int]:
        """Return the addresses of all workers' memories."""
        with self.lock:
            return {handle.at for handle in self._handles}

    def block(self, at: int) -> bool:
        """Take back what is behind the task of this worker, as that waits for another task; return if there was any.

        What is taken back was submitted before what was not given yet. Otherwise a free worker might take up the later
        task, and all would wait for the earlier one, which no worker is left for.
        """
        with self.lock:
            handle = self._handle_of(at)
            if handle is None:
                return False
            handle.is_blocked = True
            return handle.clear() > 0

    def unblock(self, at: int) -> None:
        """Let this worker have a second batch again: its task waits no longer."""
        with self.lock:
            if handle := self._handle_of(at):
                handle.is_blocked = False

    def _handle_of(self, at: int) -> WorkerHandle | None:
        return next((handle for handle in self._handles if handle.at == at), None)

    def has_begun(self, position: int) -> bool:
        """Return whether a worker has begun this call."""
        with self.lock:
            for handle in self._handles:
                if batch := handle.find(self.calls, position):
                    return handle.has_begun(batch, position)
        return False

    def cancel(self, position: int, really: Callable[[], bool]) -> bool:
        """Cancel a call, unless a worker has begun it, or is just going to."""
        with self.lock:
            for handle in self._handles:
                if batch := handle.find(self.calls, position):
                    handle.recall(batch, position)
            return not any(handle.find(self.calls, position) for handle in self._handles) and really()

    def _recall(self, queue: WorkQueue) -> None:
        for handle in self._handles:
            for batch in reversed(handle.batches):
                if batch.queue is queue:
                    handle.recall(batch, batch.first)

    def cancel_waiting(self) -> None:
        """Cancel all that has not been begun."""
        for queue in self._queues:
            self._recall(queue)
            queue.cancel()


def _resolve(future: Future[Any], result: Any, error: BaseException | None) -> None:
    """Set the result or the exception of a future; its callbacks are the program's, so the caller holds no lock."""
    if not future.set_running_or_notify_cancel():
        return
    if error is None:
        future.set_result(result)
    else:
        future.set_exception(error)
