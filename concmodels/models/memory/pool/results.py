"""How a pool of processes or interpreters reads the results that its workers have put on their desks."""

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
    from concmodels.models.memory.pool.batches import Source

    # what a worker has done: the source, the first position, the results
    type News = list[tuple[Source, int, list[Any] | Failure]]


class Reader:
    """Reads one desk. What it has read it counts in FREED, so that the worker can use the place again."""

    def __init__(self, arena: Arena, words: memoryview) -> None:
        self._arena = arena
        self._words = words

    def tell(self, source: Source, position: int, found: list[int], news: News) -> None:
        """Make news of these words, the results from this position of a source on."""
        if not found:
            return
        if found.count(NONE) == len(found):
            news.append((source, position, [None] * len(found)))
        elif min(found) >= LEAST:
            news.append((source, position, found))
        else:
            self._tell_one_by_one(source, position, found, news)

    def _tell_one_by_one(self, source: Source, position: int, found: list[int], news: News) -> None:
        run: list[Any] = []
        for word in found:
            value = self.value(word)
            if type(value) is not Failure:
                run.append(value)
                continue
            if run:
                news.append((source, position, run))
            news.append((source, position + len(run), value))
            position, run = position + len(run) + 1, []
        if run:
            news.append((source, position, run))

    def value(self, word: int) -> Any:
        """The result that this word stands for, or the `Failure` of an exception."""
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
