"""What a pool of processes or interpreters knows of one of its workers: its memory, and what was given to it."""

from collections import deque
from time import monotonic

from concmodels.models.memory.arena import BLOCK, SIZE, STATE
from concmodels.models.memory.group import DIED, DONE, FAILED
from concmodels.models.memory.pickling import unpack_error
from concmodels.models.memory.pool import worker_memory
from concmodels.models.memory.pool.results import Reader
from concmodels.models.memory.pool.worker import READY_TO_WORK
from concmodels.models.memory.pool.worker_memory import (
    ANSWERED,
    AREA_SIZE,
    ASKED,
    BEGUN,
    CLOSING,
    EMPTY,
    FORM,
    FREED,
    GIVEN,
    MASK,
    MODEL,
    NEED,
    PAYLOAD_AT,
    PAYLOAD_SIZE,
    READY,
    RESULTS,
    RESULTS_AT,
    START,
    STOP,
    STORED,
    TAKEN,
    TOOK_NS,
    UNREADABLE,
    empties,
)
from concmodels.models.pools.results import Failure
from concmodels.platform.memory import new_fence

TYPE_CHECKING = False
if TYPE_CHECKING:
    from concmodels.models.memory.group import Task
    from concmodels.models.memory.participant import Participant
    from concmodels.models.memory.pool.batches import WorkQueue
    from concmodels.models.memory.pool.results import Completed


class Batch:
    """A range of positions of a queue, which is a range of numbers of a worker's tasks."""

    __slots__ = ("at", "count", "done", "first", "given_at", "sequence", "size", "queue", "start")

    def __init__(self, queue: WorkQueue, first: int, count: int) -> None:
        self.queue = queue
        self.first = first  # its first position in the queue ...
        self.start = 0  # ... and the number that this task has for the worker
        self.count = count  # less, once something was taken back
        self.done = 0
        self.sequence = self.at = self.size = 0
        self.given_at = monotonic()

    def position(self, number: int) -> int:
        """Return the position in the queue of the task with this number."""
        return self.first + number - self.start


class WorkerHandle:
    """One worker, as the pool sees it. The callers of all methods hold the dispatcher's lock."""

    def __init__(self, participant: Participant, at: int, task: Task) -> None:
        self.participant = participant
        self.at = at
        self.task = task
        self.name = task.name
        self.words = participant.arena.part(at >> 3, worker_memory.WORDS)
        self.batches: deque[Batch] = deque()
        self._reader = Reader(participant.arena, self.words)
        self.tasks_done = 0
        self.is_blocked = False  # its task waits for another task of the pool
        self._number = 0  # the first that no batch has
        self._fence = new_fence()

    def state(self) -> int:
        """Return what READY says of the worker."""
        return int(self.words[READY])

    def is_fit(self) -> bool:
        """Return whether the worker can be given work."""
        return self.state() == READY_TO_WORK and not self.words[CLOSING] and not self.has_ended()

    def cause_of_death(self) -> str:
        """Return why the worker has ended, in words."""
        words, at = self.participant.words, self.task.at
        data = self.participant.arena.get(words[at + BLOCK], words[at + SIZE]) if words[at + BLOCK] else b""
        if words[at + STATE] == DIED:
            return data.decode()
        return f"it could not live: {unpack_error(data)}" if words[at + STATE] == FAILED else "it has left"

    def has_ended(self) -> bool:
        """Return whether the worker's process or interpreter is gone, or about to be."""
        return bool(self.participant.words[self.task.at + STATE] >= DONE)

    def give(self, batch: Batch, data: bytes) -> None:
        """Put a batch into the worker's memory, and wake the worker."""
        words, arena, sequence = self.words, self.participant.arena, self.words[GIVEN]
        with arena.claim:
            batch.at, batch.size = arena.put(data), len(data)
        if (self._number & MASK) + batch.count > RESULTS:
            self._number = (self._number | MASK) + 1
        batch.start, batch.sequence = self._number, sequence
        self._number += batch.count
        slot = worker_memory.slot(sequence)
        words[slot + START], words[slot + STOP] = batch.start, self._number
        words[slot + PAYLOAD_AT], words[slot + PAYLOAD_SIZE] = batch.at, batch.size
        words[slot + FORM], words[slot + UNREADABLE] = batch.queue.form, 0
        self.batches.append(batch)
        words[GIVEN] = sequence + 1
        self.notify()

    def notify(self) -> None:
        """Wake the worker, if it waits. One that has not started has no waker; it looks into its memory first."""
        with self._fence:
            alive = self.words[READY]
        if alive:
            self.participant.notify(self.task.at)

    def close(self) -> None:
        """Tell the worker that there will be no more work."""
        self.words[CLOSING] = 1
        self.notify()

    def waiting(self) -> int:
        """Return how many of the tasks that were given to the worker have not begun."""
        begun = self.words[BEGUN]
        return sum(batch.start + batch.count - max(begun, batch.start) for batch in self.batches)

    def unread(self) -> int:
        """Return how many of the tasks that were given to the worker have not ended, as far as is known."""
        return sum(batch.count - batch.done for batch in self.batches)

    def has_completed(self) -> bool:
        """Return whether a batch has ended whose results have not been collected."""
        return bool(self.batches) and bool(self.words[TAKEN] > self.batches[0].sequence)

    def find(self, queue: WorkQueue, position: int) -> Batch | None:
        """Return the worker's batch that this position of a queue is in, or None."""
        for batch in self.batches:
            if batch.queue is queue and batch.first <= position < batch.first + batch.count:
                return batch
        return None

    def has_begun(self, batch: Batch, position: int) -> bool:
        """Return whether the worker has begun this position of a batch."""
        return bool(batch.start + position - batch.first < self.words[BEGUN])

    def recall(self, batch: Batch, first: int) -> int:
        """Take back what has not begun, from this position on; return how many tasks that are."""
        start = batch.start + max(0, first - batch.first)
        return self.take_back(batch, max(start, self.words[BEGUN]))

    def halve(self) -> int:
        """Take back half of the last batch in which a task has not begun; return how many tasks that are."""
        for batch in reversed(self.batches):
            first, stop = max(batch.start, self.words[BEGUN]), batch.start + batch.count
            if first < stop:
                return self.take_back(batch, first + (stop - first) // 2)
        return 0

    def clear(self) -> int:
        """Take back all that has not begun; return how many tasks that are."""
        return sum(self.recall(batch, batch.first) for batch in reversed(self.batches))

    def take_back(self, batch: Batch, stop: int) -> int:
        """Take back what has not begun of a batch, from this number on; return how many tasks that are.

        The task that the worker begins in this moment stays with it, whether it sees the new end in time or not.
        """
        self.words[worker_memory.slot(batch.sequence) + STOP] = stop
        with self._fence:
            begun = self.words[BEGUN]
        count = batch.start + batch.count - max(stop, begun)
        if count <= 0:
            return 0
        batch.count -= count
        batch.queue.give_back(batch.first + batch.count, count)
        return int(count)

    # Results.

    def collect_results(self, completed: Completed) -> None:
        """Read what the worker has published, and clear away the batches that it is done with."""
        taken = self.words[TAKEN]  # before the results: those of a batch that has ended are all there
        while self.batches:
            batch = self.batches[0]
            self._collect(batch, completed)
            if batch.sequence >= taken:
                break
            self.batches.popleft()
            self._finish(batch)
        if self.words[ASKED] != self.words[ANSWERED] and self.words[FREED] == self.words[STORED]:
            self._make_room()

    def reap(self, error: BaseException, completed: Completed) -> None:
        """See to the batches of a worker that has died: the task that it was in fails, the rest goes to others."""
        self.collect_results(completed)
        begun = self.words[BEGUN]
        for batch in reversed(self.batches):
            number = batch.start + batch.done
            if batch.start <= number < min(begun, batch.start + batch.count):
                completed.append((batch.queue, batch.position(number), Failure(error)))
                number += 1
            batch.queue.give_back(batch.position(number), batch.start + batch.count - number)
            self._free(batch)
        self.batches.clear()

    def doing(self) -> str | None:
        """Return the name of the function that the worker is in."""
        for batch in self.batches:
            if batch.start + batch.done < min(self.words[BEGUN], batch.start + batch.count):
                return batch.queue.name(batch.first + batch.done)
        return None

    def initializer_error(self) -> BaseException:
        """Return the exception that the worker's initializer raised."""
        failed = self._reader.value(self.words[RESULTS_AT])
        assert isinstance(failed, Failure)
        return failed.error

    def leave(self) -> None:
        """Give the worker's memory back, because it is gone."""
        self.words.release()
        with self.participant.arena.claim:
            worker_memory.clear(self.participant.arena, self.at)

    def _collect(self, batch: Batch, completed: Completed) -> None:
        words, first = self.words, batch.start + batch.done
        stop = min(words[BEGUN], batch.start + batch.count)
        if stop <= first:
            return
        at = RESULTS_AT + (first & MASK)
        found = words[at : at + stop - first].tolist()
        if found[-1] == EMPTY:  # of the task that it is in; all before have been published
            found.pop()
        count = len(found)
        words[at : at + count] = empties[:count]
        batch.done += count
        self.tasks_done += count
        self._reader.tell(batch.queue, batch.position(first), found, completed)

    def _make_room(self) -> None:
        words, arena = self.words, self.participant.arena
        if words[NEED] > words[AREA_SIZE]:
            with arena.claim:
                words[MODEL] = arena.allocate(words[NEED])
        words[ANSWERED] = words[ASKED]
        self.notify()

    def _finish(self, batch: Batch) -> None:
        """Clear a batch away that the worker is done with; what it left out of it will be given again."""
        slot = worker_memory.slot(batch.sequence)
        if batch.done:
            batch.queue.took(self.words[slot + TOOK_NS], batch.done)
        if self.words[slot + UNREADABLE]:
            batch.queue.alone += batch.count
        batch.queue.give_back(batch.first + batch.done, batch.count - batch.done)
        self._free(batch)

    def _free(self, batch: Batch) -> None:
        with self.participant.arena.claim:
            self.participant.arena.free(batch.at, batch.size)
