"""How a pool of processes or interpreters reads the results that its workers have put into their memories."""

from concmodels.models.memory.channel_layout import CONSTANTS, LEAST
from concmodels.models.memory.pickling import unpack_arrived, unpack_error
from concmodels.models.memory.pool.worker_memory import (
    AREA_AT,
    AT,
    BLOCK_AT,
    ERROR_AT,
    ERROR_BLOCK_AT,
    FREED,
    NONE,
    kind_of,
)
from concmodels.models.pools.results import Failure

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from concmodels.models.memory.arena import Arena
    from concmodels.models.memory.pool.batches import WorkQueue

    # what a worker has done: the queue, the first position, the results
    type Completed = list[tuple[WorkQueue, int, list[Any] | Failure]]


class Reader:
    """Reads the results of one worker, and counts in FREED what it has read, so that the worker can reuse the place."""

    def __init__(self, arena: Arena, words: memoryview) -> None:
        self._arena = arena
        self._words = words

    def tell(self, queue: WorkQueue, position: int, found: list[int], completed: Completed) -> None:
        """Add to `completed` what these words mean, which are the results from this position of a queue on."""
        if not found:
            return
        if found.count(NONE) == len(found):
            completed.append((queue, position, [None] * len(found)))
        elif min(found) >= LEAST:
            completed.append((queue, position, found))
        else:
            self._tell_one_by_one(queue, position, found, completed)

    def _tell_one_by_one(self, queue: WorkQueue, position: int, found: list[int], completed: Completed) -> None:
        run: list[Any] = []
        for word in found:
            value = self.value(word)
            if type(value) is not Failure:
                run.append(value)
                continue
            if run:
                completed.append((queue, position, run))
            completed.append((queue, position + len(run), value))
            position, run = position + len(run) + 1, []
        if run:
            completed.append((queue, position, run))

    def value(self, word: int) -> Any:
        """Return the result that this word stands for, or the `Failure` of an exception."""
        if word >= LEAST:
            return word
        kind, at = kind_of(word)
        if kind < AT:
            return CONSTANTS[at]
        data = self._read(at, kind in (BLOCK_AT, ERROR_BLOCK_AT))
        try:
            if kind in (ERROR_AT, ERROR_BLOCK_AT):
                return Failure(unpack_error(data))
            return unpack_arrived(data, "the result of a task of the pool")
        except Exception as error:  # noqa: BLE001 - it has arrived, but can't be read here: so the task has failed
            return Failure(error)

    def _read(self, at: int, block: bool) -> bytes:
        arena = self._arena
        if not block:
            at += self._words[AREA_AT]
        size = arena.words[at >> 3]
        data = arena.get(at + 8, size)
        if block:
            with arena.claim:
                arena.free(at, 8 + size)
        self._words[FREED] += 1
        return data
