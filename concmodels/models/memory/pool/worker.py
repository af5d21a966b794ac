"""A worker of a pool of processes or interpreters; `worker_memory.py` draws its memory.

It publishes each result before it begins the next task. It notifies the pool once per batch; what has been published in
the middle of a long one the pool finds itself.
"""

from functools import partial
from time import perf_counter_ns

from concmodels.errors import CannotTravel
from concmodels.models.memory.arena import OWNER, PARENT, Cancelled
from concmodels.models.memory.channels.words import BLOCK, LEAST, RAW, RAW_ARRAY, word_of
from concmodels.models.memory.looking import SOON, Looking
from concmodels.models.memory.participant import Participant, current
from concmodels.models.memory.pickling import pack_error, pack_result, unpack_arrived
from concmodels.models.memory.pool import worker_memory as memory
from concmodels.models.memory.pool.payload import Arrived
from concmodels.models.memory.pool.worker_memory import (
    BEGUN,
    CLOSING,
    ENDED,
    GIVEN,
    HEAD,
    LEFT,
    MOST,
    STUCK,
    TAIL,
    WAITS,
    WATCHED,
)
from concmodels.platform.memory import new_fence, ordered

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

here: list[Worker] = []
"""The worker that this process or interpreter is, if it is one."""


def serve(kind: str, at: int, initializer: Callable[..., object] | None, initargs: tuple[Any, ...]) -> None:
    """Do a worker's work, from its initializer to the end of the pool. This is the task of the worker's group."""
    worker = Worker(current(kind), at)
    here.append(worker)
    try:
        if worker.begin(initializer, initargs):
            worker.work()
    finally:
        here.remove(worker)


class Worker:
    """One worker, in its own process or interpreter."""

    def __init__(self, participant: Participant, at: int) -> None:
        self.participant = participant
        self.at = at
        self.words = participant.arena.part(at >> 3, memory.WORDS)
        self.ordered = ordered(self.words)
        self.worker_group = participant.words[participant.wait_slot().at + PARENT]
        self.function: Any = None
        self._function_data = b""
        self._fence = new_fence()
        self._looking = Looking(participant.words, rest=2 * SOON)  # by then a caller may look, and its calls come soon

    def begin(self, initializer: Callable[..., object] | None, initargs: tuple[Any, ...]) -> bool:
        """Call the initializer; return False if it failed."""
        ready = memory.READY_TO_WORK
        try:
            if initializer is not None:
                initializer(*initargs)
        except BaseException as error:  # noqa: BLE001 - whatever it is, it makes the worker unfit
            self._check_cancelled(error)
            self.words[memory.RESULTS_AT] = self._failure(error)
            ready = memory.UNFIT
        self.ordered[memory.READY] = ready
        self.notify()
        return ready == memory.READY_TO_WORK

    def work(self) -> None:
        """Do batch after batch, until there will be no more."""
        words = self.words
        while self.wait_for_work():
            batch = words[LEFT]
            self._do(batch)
            self.ordered[LEFT] = batch + 1
            with self._fence:
                pass
            if not words[WATCHED]:
                self.notify()

    def wait_for_work(self) -> bool:
        """Wait for the next batch, by looking or by blocking; return False if there will be none."""
        words, left, looking = self.words, self.words[LEFT], self._looking
        if self.ordered[GIVEN] != left:
            return True
        measured = not looking.rest
        if looking.rest:
            looking.rest -= 1
        elif looking.finds(words, GIVEN, left):
            self.participant.checkpoint()
            return bool(self.ordered[GIVEN] != left)
        comes = self._block_for_work(left)
        if measured:
            looking.blocked()
        return comes

    def _block_for_work(self, left: int) -> bool:
        words = self.words
        self.participant.begin_wait()  # one wait, also if it is woken for nothing: see `memory/lives/deadlocks.py`
        words[WAITS] = 1
        with self._fence:
            pass
        while not (comes := self.ordered[GIVEN] != left) and not words[CLOSING]:
            self._wait()
        words[WAITS] = 0
        return bool(comes)

    def notify(self) -> None:
        """Wake the pool: there is something to collect."""
        self.participant.notify(self.participant.words[self.worker_group + OWNER])

    def _wait(self) -> None:
        self.participant.checkpoint()
        self.participant.wait(None)

    def _do(self, batch: int) -> None:
        words, slot = self.words, memory.slot(batch)
        at, size = words[slot + memory.PAYLOAD_AT], words[slot + memory.PAYLOAD_SIZE]
        function: Callable[[Any], Any]
        items: Any
        if size < 0:
            function, items = self._call_alone, ((at, -size),)
        else:
            arrived = Arrived(self.participant.arena, at, size)
            try:
                function, items = self._open(arrived)
            except Exception as error:  # noqa: BLE001 - it is the task's failure
                if arrived.count > 1:
                    words[slot + memory.UNREAD] = batch + 1
                    return  # none has begun: the pool sends them one by one
                function, items = _raiser(error), (None,)
        began = perf_counter_ns()
        self._do_each(batch * MOST + 1, slot + memory.STOP, function, items)
        words[memory.TOOK_NS + batch % memory.SLOTS] = perf_counter_ns() - began

    def _do_each(self, first: int, stop_at: int, function: Callable[[Any], Any], items: Any) -> None:
        # All that is used in the loop is a local variable: it is run for each task, however small.
        words, fence, begun, ended, least, none = self.words, self._fence, BEGUN, ENDED, LEAST, memory.NONE
        ordered = self.ordered
        publish_at = memory.result_at(first) - first
        for number, item in enumerate(items, first):
            # "I begin it" before "is it still mine?". The pool takes tasks back in the other order (`take_back`), and
            # both have a fence in between: so never do both think that the task is theirs.
            words[begun] = number
            with fence:
                pass
            if number > words[stop_at]:
                return  # taken back
            try:
                value = function(item)
            except BaseException as error:  # noqa: BLE001 - whatever it is, it is the task's failure
                self._check_cancelled(error)
                words[publish_at + number] = self._failure(error)
            else:
                if value is None:
                    words[publish_at + number] = none
                elif type(value) is int and least <= value < 1 << 63:
                    words[publish_at + number] = value
                else:
                    words[publish_at + number] = self._packed(value)
            ordered[ended] = number

    def _open(self, arrived: Arrived) -> tuple[Callable[[Any], Any], Any]:
        """Return the function of a batch, and what it is to be called with: calls have functions of their own."""
        if not arrived.function:
            return partial(self._call, arrived), arrived.calls
        if arrived.function != self._function_data:
            self._forget_function()
            self.function, _ = unpack_arrived(arrived.function, "the function of a map")
            self._function_data = arrived.function
        function = self.function
        items = arrived.opened(arrived.calls, "an item of a map")
        return ((lambda args: function(*args)) if arrived.star else function), items

    def _call(self, arrived: Arrived, data: Any) -> object:
        self._forget_function()
        self.function, args, kwargs = arrived.opened(data, "a call")
        return self.function(*args, **kwargs)

    def _call_alone(self, place: tuple[int, int]) -> object:
        self._forget_function()
        with self.participant.arena.view(*place) as data:
            self.function, args, kwargs = unpack_arrived(data, "a call")
        return self.function(*args, **kwargs)

    def _forget_function(self) -> None:
        """Forget the function before the next one is unpickled: if that fails, no error is to name the old one."""
        self.function, self._function_data = None, b""

    # Results.

    def _packed(self, value: object) -> int:
        """Return the word for a result; one that is pickled goes into the ring."""
        if value is True or value is False:
            return memory.TRUE if value else memory.FALSE
        if type(value) in (bytes, bytearray):
            return self._sent(memory.RESULTS + (RAW if type(value) is bytes else RAW_ARRAY), value)
        try:
            data = pack_result(value, self.participant, f"the result of {self._name()} can't travel to the pool")
        except CannotTravel as error:
            return self._failure(error)
        return self._sent(memory.RESULTS + BLOCK, data)

    def _failure(self, error: BaseException) -> int:
        return self._sent(memory.RAISED, pack_error(error, self._name(), of_pool=True))

    def _name(self) -> str:
        return getattr(self.function, "__name__", "task")

    def _sent(self, kind: int, value: Any) -> int:
        """Put the bytes into the ring, piece by piece if they do not fit; return the word for them."""
        words, arena, ring = self.words, self.participant.arena, self.words[memory.RING]
        with memoryview(value) as data:
            ring_at, size, sent = self.at + 8 * memory.WORDS, len(data), 0
            tail = memory.begin_of(words[TAIL], size, ring)
            while sent < size:
                at = tail % ring
                piece = min(ring - at, self.ordered[HEAD] + ring - tail, size - sent)
                if piece > 0:
                    arena.write(ring_at + at, data[sent : sent + piece])
                    sent, tail = sent + piece, tail + piece
                    self.ordered[TAIL] = tail
                else:
                    words[STUCK] = 1
                    self.notify()
                    self.participant.begin_wait()
                    self._wait()
                    words[STUCK] = 0
        return word_of(kind, size)

    def _check_cancelled(self, error: BaseException) -> None:
        """Raise an error again that is the cancellation of this worker, and no failure of its task."""
        if isinstance(error, Cancelled) and self.participant.cancelled(self.participant.wait_slot().scope):
            raise error


def _raiser(error: BaseException) -> Callable[[object], object]:
    def fail(_: object) -> object:
        raise error

    return fail
