"""The dispatcher of a pool: which batch of tasks each worker has, and which tasks wait.

It works in rounds: it collects results, replaces workers that have died, and hands out what waits. All of it is done
with one lock held; only the futures get their results without it, because their callbacks are the program's.
"""

import math
from _thread import RLock
from collections import deque
from itertools import count

from concmodels.errors import TaskCancelled, WorkerDied
from concmodels.models.memory.arena import CHANNEL_BYTES
from concmodels.models.memory.group import cancel
from concmodels.models.memory.participant import now, participants
from concmodels.models.memory.pool import worker_memory
from concmodels.models.memory.pool.work import Calls
from concmodels.models.memory.pool.worker import serve
from concmodels.models.memory.pool.worker_handle import Batch, WorkerHandle
from concmodels.models.pools.arguments import broken_by, refusal
from concmodels.models.pools.results import Failure

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from concmodels.models.memory.participant import Participant
    from concmodels.models.memory.pool.future import Future
    from concmodels.models.memory.pool.work import Work
    from concmodels.models.memory.pool.worker_group import WorkerGroup

OPEN, CLOSED, ENDING, STOPPED = range(4)
_POLL_S = 0.005  # how long a result in the middle of a batch may lie unseen
_OVERDUE_S = 0.002
_WORTH_TAKING_NS = 200_000
_DEATHS = 3


class Dispatcher:
    """The workers of a pool, and the work that waits for them."""

    def __init__(
        self, participant: Participant, worker_group: WorkerGroup, workers: int, initializer: tuple[Any, ...]
    ) -> None:
        self.lock = RLock()
        self.stage = OPEN
        self.calls = Calls()
        self._participant = participant
        self._worker_group = worker_group
        self._workers = workers
        self._initializer = initializer
        self._broken: BaseException | None = None
        self._queues: deque[Work] = deque([self.calls])
        self._handles: list[WorkerHandle] = []
        self._deaths = 0  # in a row, of workers that had never been fit for work
        self._numbers = count(1)
        self._telling = 0  # the number of threads that are just telling futures how their calls have ended

    def check_open(self, of_task: bool = False) -> None:
        """Raise the error that says why no more work is taken, if none is.

        A task of the pool's own may go on giving it work until the last one has ended.
        """
        if self.stage > (CLOSED if of_task else OPEN):
            if self._participant.run in participants:  # otherwise the run is over, and there is no task to cancel
                self._participant.checkpoint()  # what has ended the pool may be meant for the caller too
            raise self._broken or refusal(None)

    def add(self, work: Work) -> None:
        """Add the work of a `map`."""
        with self.lock:
            self.check_open()
            self._queues.append(work)

    def submit(self, call: Future, of_task: bool) -> bool:
        """Add a call; return whether a round is to be done, since a worker has room for it.

        If not, it was given to a worker that has nothing to do; or the collector hands it out, with others.
        """
        with self.lock:
            self.check_open(of_task)
            if self._give_at_once(call):
                return False
            self.calls.add([call])
            return any(len(handle.batches) < worker_memory.SLOTS and handle.is_fit() for handle in self._handles)

    def step(self) -> None:
        """Do one round: collect results, replace dead workers, hand out waiting tasks, tell futures how they ended."""
        with self.lock:
            for handle in list(self._handles):
                ended = handle.has_ended()  # first: so all that it has left behind is there to be collected
                handle.collect()
                if ended:
                    self._handles.remove(handle)
                    self._remove_worker(handle)
                    handle.leave()
            if self.stage < ENDING:
                self._hand_out()
            if any(work.error is not None and not work.left for work in self._queues):
                self._queues = deque(work for work in self._queues if work.error is None or work.left)
        self._tell()

    def _tell(self) -> None:
        with self.lock:
            ended, self.calls.ended = self.calls.ended, []
            self._telling += 1
        try:
            for call, result in ended:
                call.end(result)
        finally:
            with self.lock:
                self._telling -= 1

    def next_look(self) -> float | None:
        """Return when the next round is due, even if no worker notifies; None if only then."""
        with self.lock:
            return now() + _POLL_S if any(handle.unread() > 1 for handle in self._handles) else None

    # Handing out.

    def _hand_out(self) -> None:
        fit = [handle for handle in self._handles if handle.is_fit()]
        for depth in (1, 2):  # a second batch behind another keeps the worker busy until its results are collected
            for handle in fit:
                while len(handle.batches) < depth and not (depth == 2 and handle.awaited):
                    work = self._next_work(depth)
                    if work is None:
                        break
                    self._give(handle, work)
        for handle in fit:
            if not handle.batches and not self._share_with(handle):
                break

    def _next_work(self, depth: int) -> Work | None:
        """Return the work whose turn it is, or None. A second batch behind another is given only of quick tasks."""
        for _ in range(len(self._queues)):
            work = self._queues[0]
            self._queues.rotate(-1)
            if len(work) and (depth == 1 or work.is_quick()):
                return work
        return None

    def _give(self, handle: WorkerHandle, work: Work) -> None:
        first, tasks = work.take(self._workers)
        if not tasks:
            return
        try:
            payload, calls = work.payload(tasks)
            place = payload.write(self._participant.arena, calls)
        except Exception as error:  # noqa: BLE001 - it is the failure of the task that can't be packed
            if len(tasks) > 1:
                work.give_back(first, tasks)
                work.alone = len(tasks)
            else:
                work.put(first, tasks, [Failure(error)])
        else:
            handle.give(Batch(work, first, tasks), *place)

    def _give_at_once(self, call: Future) -> bool:
        """Give a call to a worker that has nothing to do, if nothing else waits; return whether it was given.

        That is what a round comes to, without the round.
        """
        if any(map(len, self._queues)):
            return False
        for handle in self._handles:
            if handle.is_idle():
                try:
                    given = handle.give_call(Batch(self.calls, self.calls.stop, [call]), call.data)
                except MemoryError:
                    return False  # the round will see to it
                if given:
                    self.calls.note_given()
                return given
        return False

    def _share_with(self, idle: WorkerHandle) -> bool:
        """Give an idle worker half of what waits for the busiest one; return whether there was any."""
        busiest = max(self._handles, key=WorkerHandle.waiting)
        if not busiest.waiting():
            return False
        batch = busiest.batches[-1]
        expected = (batch.work.task_ns or math.inf) * busiest.waiting()
        if expected <= _WORTH_TAKING_NS and now() - batch.given_at <= _OVERDUE_S:
            return False
        work = self._next_work(1) if busiest.halve() else None
        if work is not None:
            self._give(idle, work)
        return work is not None

    # Coming and going.

    def start_worker(self) -> None:
        """Start another worker."""
        participant, arena, name = self._participant, self._participant.arena, f"worker {next(self._numbers)}"
        with arena.claim:
            at = worker_memory.make(arena, participant.words[CHANNEL_BYTES])
        try:
            task = self._worker_group.spawn(serve, participant.kind, at, *self._initializer, name=name)
        except BaseException:
            with arena.claim:
                worker_memory.clear(arena, at)
            raise
        self._handles.append(WorkerHandle(participant, at, task))

    def _remove_worker(self, handle: WorkerHandle) -> None:
        """Settle what an ended worker has left behind, whether it was told to end or has died."""
        cause, error = handle.cause_of_death(), handle.initializer_error()
        if self.stage == STOPPED or self._participant.cancelled(self._worker_group.at):
            self.stage = STOPPED
            handle.reap(self._end_of(handle))
            self.cancel_waiting()
        elif error is not None:
            self.break_off(f"the initializer failed in {handle.name} of the pool", error)
        elif cause is not None:
            self._replace(handle, f"{handle.name} of the pool died ({cause})")

    def _end_of(self, handle: WorkerHandle) -> TaskCancelled | WorkerDied:
        """Return the error of the task that a worker of a stopped pool was in."""
        if handle.has_died():
            return self._death_of(handle, f"{handle.name} of the pool died ({handle.cause_of_death()})")
        return TaskCancelled(f"{handle.doing()} was cancelled")

    @staticmethod
    def _death_of(handle: WorkerHandle, what: str) -> WorkerDied:
        return WorkerDied(f"{what} in the middle of {handle.doing()}", handle.name)

    def _replace(self, handle: WorkerHandle, what: str) -> None:
        handle.reap(self._death_of(handle, what))
        self._deaths = 0 if handle.words[worker_memory.READY] else self._deaths + 1
        if self._deaths >= _DEATHS:
            self.break_off(f"{_DEATHS} workers in a row died before they could begin", WorkerDied(what, handle.name))
        elif self.stage < ENDING:  # otherwise no other worker is needed
            self.start_worker()

    def break_off(self, message: str, cause: BaseException) -> None:
        """End the pool, because nothing can be done any more."""
        self._broken = broken_by(cause, message)
        self._fail_all(self._broken)
        cancel(self._participant, self._worker_group.at)

    def _fail_all(self, error: BaseException) -> None:
        self.stage = STOPPED
        for handle in self._handles:
            handle.fail(error)
        for work in self._queues:
            work.end(error)

    # Ending.

    def close_if_done(self) -> None:
        """Let the workers leave, if the pool is closed and everything is done."""
        with self.lock:
            if self.stage == CLOSED and not any(work.left for work in self._queues):
                self.stage = ENDING
                for handle in self._handles:
                    handle.close()

    def is_over(self) -> bool:
        """Return whether there will be no more to do."""
        with self.lock:
            return self.stage != OPEN and not (self._handles or self._telling or self._worker_group.any_left())

    def end(self) -> None:
        """Fail all that is left, because the workers have ended."""
        error = self._broken or self._participant.death or TaskCancelled("the pool has ended before this task")
        with self.lock:
            self._fail_all(error)
        self._tell()

    def cancel_waiting(self) -> None:
        """Cancel all that has not begun. The caller holds the lock."""
        for handle in self._handles:
            handle.clear()
        for work in self._queues:
            work.end(None)

    def forget(self, work: Work) -> None:
        """Drop a `map` whose results will not be asked for any more."""
        with self.lock:
            for handle in self._handles:
                handle.clear(work)
            work.end(None)

    # Single calls.

    def cancel(self, call: Future) -> bool:
        """Cancel a call, unless a worker has begun it, or is just going to."""
        with self.lock:
            if found := self._find(call):
                handle, batch = found
                handle.take_back(batch, batch.tasks.index(call))
            return self._find(call) is None and call.take_back()

    def has_begun(self, call: Future) -> bool:
        """Return whether a worker has begun this call."""
        with self.lock:
            found = self._find(call)
            return found is not None and call in found[1].tasks[: found[0].begun(found[1])]

    def _find(self, call: Future) -> tuple[WorkerHandle, Batch] | None:
        for handle in self._handles:
            for batch in handle.batches:
                if batch.work is self.calls and call in batch.tasks:
                    return handle, batch
        return None

    # A caller that looks into a worker's memory itself.

    def begin_look(self, call: Future) -> tuple[WorkerHandle, int] | None:
        """Have the worker that does this call next not notify the pool when it is done; return None if there is none.

        Otherwise return its handle, and how many batches it has left until it has done that.
        """
        with self.lock:
            for handle in self._handles:
                if handle.is_next(call):
                    handle.watch(True)
                    return handle, handle.batches[0].sequence
        return None

    def end_look(self, handle: WorkerHandle) -> bool:
        """Have the worker notify again, and collect what it has done; return whether there is nothing else to do."""
        with self.lock:
            if handle not in self._handles:
                return False
            handle.watch(False)
            handle.collect()  # first: it gives back what the worker could not read, and that is to be handed out
            is_all = self.stage == OPEN and not any(map(len, self._queues))
        self._tell()
        return is_all

    # Workers whose tasks wait for others.

    def wait(self, at: int, call: Future | None) -> None:
        """Note which call the task of this worker waits for, None if it goes on; take back what is behind that task.

        What is taken back was submitted before what was not given yet. Otherwise a free worker might take up the later
        task, and all would wait for the earlier one, which no worker is left for.
        """
        with self.lock:
            for handle in self._handles:
                if handle.at == at:
                    handle.awaited = call
                    if call is not None:
                        handle.clear()

    def all_wait(self) -> bool:
        """Return whether all workers wait, and for nothing that has ended: none is left to begin what they wait for."""
        with self.lock:
            return all(handle.awaited is not None and not handle.awaited.has_ended for handle in self._handles)
