"""The pool's handle of one of its processes or interpreters: its memory, and the batches that it has."""

from collections import deque
from time import monotonic

from concmodels.models.memory.arena import BLOCK, SIZE, STATE, WAKER
from concmodels.models.memory.channels.large import opened
from concmodels.models.memory.channels.words import BLOCK as PICKLE
from concmodels.models.memory.channels.words import BUFFERS, CONSTANT, CONSTANTS, LEAST, kind_of
from concmodels.models.memory.group import DIED, DONE, FAILED
from concmodels.models.memory.pickling import unpack_error
from concmodels.models.memory.pool import worker_memory as memory
from concmodels.models.memory.pool.worker_memory import (
    BEGUN,
    CLOSING,
    ENDED,
    GIVEN,
    HEAD,
    LEFT,
    MOST,
    READY,
    TAIL,
    WAITS,
    WATCHED,
)
from concmodels.models.pools.results import Failure
from concmodels.platform.memory import new_fence, ordered

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from concmodels.models.memory.group import Task
    from concmodels.models.memory.participant import Participant
    from concmodels.models.memory.pool.future import Future
    from concmodels.models.memory.pool.payload import Packed
    from concmodels.models.memory.pool.work import Work


class Batch:
    """Tasks that follow each other: in their work, and for the worker, which has its own numbers for them."""

    def __init__(self, work: Work, first: int, tasks: list[Any]) -> None:
        self.work = work
        self.first = first  # the position of the first task in its work ...
        self.number = 0  # ... and the number that it has for the worker
        self.tasks = tasks  # less, once something was taken back
        self.done = 0  # the number that have ended, as far as is known
        self.sequence = self.at = self.size = 0
        self.given_at = monotonic()

    def put(self, results: list[Any]) -> None:
        """Note how the next tasks have ended."""
        done, self.done = self.done, self.done + len(results)
        if results:
            self.work.put(self.first + done, self.tasks[done : self.done], results)


class WorkerHandle:
    """One worker, as the pool sees it. The callers of all methods hold the dispatcher's lock."""

    def __init__(self, participant: Participant, at: int, task: Task) -> None:
        self.at = at
        self.task = task
        self.name = task.name
        self.words = participant.arena.part(at >> 3, memory.WORDS)
        self.ordered = ordered(self.words)
        self.batches: deque[Batch] = deque()
        self.awaited: Future | None = None  # what its task waits for, if that is another task of the pool
        self._participant = participant
        self._used = 0  # how much of what has come through the ring was used: a position, as HEAD and TAIL are
        self._bytes = bytearray()  # what was read of the ring ahead of that, because there was no room left
        self._fence = new_fence()

    # Its life.

    def is_fit(self) -> bool:
        """Return whether the worker can be given work."""
        return self.words[READY] == memory.READY_TO_WORK and not self.words[CLOSING] and not self.has_ended()

    def has_ended(self) -> bool:
        """Return whether the worker's process or interpreter is gone, or about to be."""
        return bool(self._participant.ordered[self.task.at + STATE] >= DONE)

    def has_died(self) -> bool:
        """Return whether the worker's process was killed, or left, though nothing in this run wanted that."""
        return bool(self._participant.words[self.task.at + STATE] == DIED)

    def cause_of_death(self) -> str | None:
        """Return why the worker has ended, in words; None if it was told to."""
        words, arena, at = self._participant.words, self._participant.arena, self.task.at
        data = arena.get(words[at + BLOCK], words[at + SIZE]) if words[at + BLOCK] else b""
        if words[at + STATE] == DIED:
            return data.decode()
        if words[at + STATE] == FAILED:
            return f"it could not live: {unpack_error(data)}"
        return None if self.words[CLOSING] else "it has left"

    def initializer_error(self) -> BaseException | None:
        """Return the exception that the worker's initializer raised, if it did."""
        if self.ordered[READY] != memory.UNFIT:
            return None
        failed = self._value(self.words[memory.RESULTS_AT])
        assert isinstance(failed, Failure)
        return failed.error

    def notify(self) -> None:
        """Wake the worker, if it waits. One that has not started has no waker; it looks into its memory first."""
        if self._participant.words[self.task.at + WAKER]:
            self._participant.notify(self.task.at)

    def close(self) -> None:
        """Tell the worker that there will be no more work."""
        self.words[CLOSING] = 1
        with self._fence:  # a worker that is just being started has no waker yet, or sees that
            pass
        self.notify()

    def leave(self) -> None:
        """Give the worker's memory back, because it is gone."""
        self.words.release()
        with self._participant.arena.claim:
            memory.clear(self._participant.arena, self.at)

    def watch(self, on: bool) -> None:
        """Note whether a caller looks for the end of the worker's batch; then the worker need not wake the pool."""
        self.words[WATCHED] = on
        with self._fence:
            pass

    # Its batches.

    def is_next(self, call: Future) -> bool:
        """Return whether this call is the first of those that were given to the worker and have not ended."""
        batch = self.batches[0] if self.batches else None
        return batch is not None and batch.done < len(batch.tasks) and batch.tasks[batch.done] is call

    def is_idle(self) -> bool:
        """Return whether the worker can be given work and has none."""
        return not self.batches and self.is_fit()

    def give_call(self, batch: Batch, call: Packed) -> bool:
        """Put a batch of one call into the worker's memory, or into a block; return False if buffers are beside it.

        Raises `MemoryError`.
        """
        kind, size, parts = (PICKLE, len(call), [(0, call)]) if isinstance(call, bytes) else call
        if kind == BUFFERS:
            return False
        arena, block = self._participant.arena, 0
        at = self.at + memory.small_call_at(self.words[GIVEN])
        if size > memory.SMALL_CALL:
            with arena.claim:
                at = block = arena.allocate(size)
        for offset, part in parts:
            arena.write(at + offset, part)
        self.give(batch, block, size, at, -size)
        return True

    def give(self, batch: Batch, block: int, block_size: int, at: int, size: int) -> None:
        """Put a batch into the worker's memory, where its block and the pickle in that are.

        The worker is woken if it waits.
        """
        words = self.words
        batch.at, batch.size = block, block_size
        batch.sequence = words[GIVEN]
        batch.number = batch.sequence * MOST + 1
        slot = memory.slot(batch.sequence)
        words[slot + memory.STOP] = batch.number + len(batch.tasks) - 1
        words[slot + memory.PAYLOAD_AT], words[slot + memory.PAYLOAD_SIZE] = at, size
        self.batches.append(batch)
        self.ordered[GIVEN] = batch.sequence + 1
        with self._fence:
            pass
        if words[WAITS]:
            self.notify()

    def begun(self, batch: Batch) -> int:
        """Return how many tasks of a batch have begun."""
        begun = self.ordered[BEGUN]  # first: a worker that is beyond a batch it could not read has said so before
        return 0 if self._is_unread(batch) else min(len(batch.tasks), max(0, begun + 1 - batch.number))

    def _is_unread(self, batch: Batch) -> bool:
        """Return whether the worker could not unpickle a batch, and has begun none of it."""
        return bool(self.words[memory.slot(batch.sequence) + memory.UNREAD] == batch.sequence + 1)

    def waiting(self) -> int:
        """Return how many of the tasks that were given to the worker have not begun."""
        return sum(len(batch.tasks) - self.begun(batch) for batch in self.batches)

    def unread(self) -> int:
        """Return how many of the tasks that were given to the worker have not ended, as far as is known."""
        return sum(len(batch.tasks) - batch.done for batch in self.batches)

    def doing(self) -> str | None:
        """Return the name of the function that the worker is in."""
        for batch in self.batches:
            if batch.done < self.begun(batch):
                return batch.work.name(batch.tasks[batch.done])
        return None

    def take_back(self, batch: Batch, kept: int = 0) -> int:
        """Take back the tasks of a batch that have not begun, but leave the first `kept`; return how many it took.

        The task that the worker begins in this moment stays with it, whether it sees the new end in time or not.
        """
        self.words[memory.slot(batch.sequence) + memory.STOP] = batch.number + min(kept, len(batch.tasks)) - 1
        with self._fence:
            pass
        kept = max(kept, self.begun(batch))
        rest = batch.tasks[kept:]
        del batch.tasks[kept:]
        batch.work.give_back(batch.first + kept, rest)
        return len(rest)

    def halve(self) -> bool:
        """Take back half of the last batch in which a task has not begun; return whether there was any."""
        for batch in reversed(self.batches):
            begun = self.begun(batch)
            if begun < len(batch.tasks):
                return self.take_back(batch, (begun + len(batch.tasks)) // 2) > 0
        return False

    def clear(self, work: Work | None = None) -> None:
        """Take back all that has not begun (of this work)."""
        for batch in reversed(self.batches):
            if work is None or batch.work is work:
                self.take_back(batch)

    # Results.

    def collect(self) -> None:
        """Read what the worker has published, and clear away the batches that it is done with."""
        words = self.words
        # In this order: of a batch that it has left, all that has ended is seen, and of what has ended, all bytes.
        left, ended = self.ordered[LEFT], self.ordered[ENDED]
        for batch in list(self.batches):
            number, stop = batch.number + batch.done, min(ended + 1, batch.number + len(batch.tasks))
            if number < stop and not self._is_unread(batch):
                at = memory.result_at(number)
                for run in self._runs(words[at : at + stop - number].tolist()):
                    batch.put(run)
            if batch.sequence < left:
                if batch.done:
                    batch.work.took(words[memory.TOOK_NS + batch.sequence % memory.SLOTS], batch.done)
                batch.work.alone += len(batch.tasks) - batch.done  # the worker could not read them
                self._remove(batch)
        if not self._bytes:
            self.ordered[HEAD] = self._used
        if words[memory.STUCK]:
            self._drain()

    def reap(self, error: BaseException) -> None:
        """Settle the batches of a worker that has died: the task that it was in fails, the rest goes to others."""
        self.collect()
        for batch in list(reversed(self.batches)):
            if batch.done < self.begun(batch):
                batch.put([Failure(error)])
            self._remove(batch)

    def fail(self, error: BaseException) -> None:
        """Fail all that was given to the worker and has not ended: nothing of it will be done any more."""
        for batch in self.batches:
            batch.put([Failure(error)] * (len(batch.tasks) - batch.done))

    def _remove(self, batch: Batch) -> None:
        batch.work.give_back(batch.first + batch.done, batch.tasks[batch.done :])
        self.batches.remove(batch)
        if batch.at:
            with self._participant.arena.claim:
                self._participant.arena.free(batch.at, batch.size)

    def _drain(self) -> None:
        """Make room in the ring, and tell the worker, which waits for that."""
        words, ring, head, tail = self.words, self.words[memory.RING], self.words[HEAD], self.ordered[TAIL]
        while head < tail:
            size = min(tail - head, ring - head % ring)
            self._bytes += self._participant.arena.get(self.at + 8 * memory.WORDS + head % ring, size)
            head += size
        self.ordered[HEAD] = head
        if words[memory.STUCK]:
            self.notify()

    def _next_bytes(self, size: int) -> memoryview:
        """Return the bytes of the next result, straight from the ring if they are all there."""
        begin = self._used = memory.begin_of(self._used, size, self.words[memory.RING])
        self._used += size
        read = self.words[HEAD] - len(self._bytes)  # `_bytes` begin there
        if begin >= self.words[HEAD] and size <= self.words[memory.RING]:
            self._bytes.clear()
            return self._participant.arena.view(self.at + 8 * memory.WORDS + begin % self.words[memory.RING], size)
        if self._used > self.words[HEAD]:
            self._drain()
        data = bytes(self._bytes[begin - read : begin - read + size])
        del self._bytes[: begin - read + size]
        return memoryview(data)

    def _runs(self, words: list[int]) -> Iterator[list[Any]]:
        """Yield the results that these words stand for, in runs; a `Failure`, for an exception, is alone in its run."""
        if words.count(memory.NONE) == len(words):
            yield [None] * len(words)
        elif min(words) >= LEAST:
            yield words
        else:
            run: list[Any] = []
            for value in map(self._value, words):
                if type(value) is Failure:
                    yield run
                    yield [value]
                    run = []
                else:
                    run.append(value)
            yield run

    def _value(self, word: int) -> Any:
        if word >= LEAST:
            return word
        kind, value = kind_of(word)
        if kind == CONSTANT:
            return CONSTANTS[value]
        try:
            with self._next_bytes(value) as data:
                if kind == memory.RAISED:
                    return Failure(unpack_error(data.tobytes(), of_pool=True))
                return opened(kind - memory.RESULTS, data, "the result of a task of the pool")
        except Exception as error:  # noqa: BLE001 - it has arrived, but can't be read here: so the task has failed
            return Failure(error)
