"""What a worker of a pool of processes or interpreters does; `worker_memory.py` draws its memory.

It publishes each result before it begins the next task. It notifies the pool once per batch; what has been published in
the middle of a long one the pool finds itself.
"""

from time import perf_counter_ns

from concmodels.errors import CannotTravel
from concmodels.models.memory.arena import OWNER, PARENT, Cancelled
from concmodels.models.memory.channel_layout import word_of
from concmodels.models.memory.participant import Participant, current
from concmodels.models.memory.pickling import pack_error, pack_result, unpack, unpack_arrived
from concmodels.models.memory.pool import worker_memory
from concmodels.models.memory.pool.worker_memory import (
    ANSWERED,
    AREA_AT,
    AREA_SIZE,
    ASKED,
    BEGUN,
    CALLS,
    CLOSING,
    FORM,
    FREED,
    GIVEN,
    ITEMS,
    MASK,
    MODEL,
    NEED,
    PAYLOAD_AT,
    PAYLOAD_SIZE,
    READY,
    RESULTS_AT,
    START,
    STOP,
    STORED,
    TAKEN,
    TOOK_NS,
    UNREADABLE,
)
from concmodels.platform.memory import PAGE, new_fence

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

READY_TO_WORK, UNFIT = 1, 2  # what READY says

_LARGE = 1 << 20

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
        self.words = participant.arena.part(at >> 3, worker_memory.WORDS)
        self.worker_group = participant.words[participant.wait_slot().at + PARENT]
        self.function: Any = None
        self._function_data = b""
        self._fence = new_fence()
        self._used = 0  # of the area, in bytes
        self._most_used = 0

    def begin(self, initializer: Callable[..., object] | None, initargs: tuple[Any, ...]) -> bool:
        """Call the initializer; return False if it failed."""
        try:
            if initializer is not None:
                initializer(*initargs)
        except BaseException as error:  # noqa: BLE001 - whatever it is, it makes the worker unfit
            self._check_cancelled(error)
            self.words[RESULTS_AT] = self._failure(error)
            self.words[READY] = UNFIT
        else:
            self.words[READY] = READY_TO_WORK
        self.notify()
        return self.words[READY] == READY_TO_WORK

    def work(self) -> None:
        """Do batch after batch, until there will be no more."""
        words = self.words
        while self.wait_for_work():
            self._do(worker_memory.slot(words[TAKEN]))
            words[TAKEN] += 1
            self.notify()

    def wait_for_work(self) -> bool:
        """Wait for the next batch; return False if there will be none."""
        words = self.words
        while words[TAKEN] == words[GIVEN]:
            if words[CLOSING]:
                return False
            self.participant.checkpoint()
            self.participant.begin_wait()
            self.participant.wait(None)
        return True

    def notify(self) -> None:
        """Wake the current waiter of the pool, and the next one too if the waiter has changed meanwhile."""
        words, participant, owner = self.participant.words, self.participant, self.worker_group + OWNER
        waiter = words[owner]
        participant.notify(waiter)
        # The waiter may just have left, without having seen our result: then OWNER is another one by now. A waiter that
        # leaves changes OWNER first and looks for results after that, behind a fence too (`Manager.hand_over`).
        with self._fence:
            if words[owner] != waiter:
                participant.notify(words[owner])

    def _do(self, slot: int) -> None:
        words = self.words
        start, size = words[slot + START], words[slot + STOP] - words[slot + START]
        try:
            function, items = self._open(slot)
        except Exception as error:  # noqa: BLE001 - it is the task's failure
            if size > 1:
                words[slot + UNREADABLE] = 1  # the pool sends them one by one
                return
            function, items = _raiser(error), (None,)
        began = perf_counter_ns()
        self._do_each(slot + STOP, start, function, items)
        words[slot + TOOK_NS] = perf_counter_ns() - began

    def _do_each(self, stop_at: int, start: int, function: Callable[[Any], Any], items: Any) -> None:
        words, fence, publish = self.words, self._fence, self._publish
        for number, item in enumerate(items, start):
            # "I begin it" before "is it still mine?". The pool takes tasks back in the other order (`take_back`), and
            # both have a fence in between: so never do both think that the task is theirs.
            words[BEGUN] = number + 1
            with fence:
                if number >= words[stop_at]:
                    return  # taken back
            try:
                value = function(item)
            except BaseException as error:  # noqa: BLE001 - whatever it is, it is the task's failure
                self._check_cancelled(error)
                words[RESULTS_AT + (number & MASK)] = self._failure(error)
            else:
                if value is None:
                    words[RESULTS_AT + (number & MASK)] = worker_memory.NONE
                else:
                    publish(number, value)

    def _open(self, slot: int) -> tuple[Callable[[Any], Any], Any]:
        """Return the function of a batch, and what it is to be called with."""
        words = self.words
        data, form = (
            self.participant.arena.get(words[slot + PAYLOAD_AT], words[slot + PAYLOAD_SIZE]),
            words[slot + FORM],
        )
        function_data, items = unpack(data)
        if form == CALLS:
            return self._call, items
        if function_data != self._function_data:
            self._forget_function()
            self.function, _ = unpack_arrived(function_data, "the function of a map")
            self._function_data = function_data
        function = self.function
        return (function if form == ITEMS else lambda args: function(*args)), unpack_arrived(items, "an item of a map")

    def _call(self, data: bytes) -> object:
        self._forget_function()
        self.function, args, kwargs = unpack_arrived(data, "a call")
        return self.function(*args, **kwargs)

    def _forget_function(self) -> None:
        """Forget the function before the next one is unpickled: if that fails, no error is to name the old one."""
        self.function, self._function_data = None, b""

    # Results.

    def _publish(self, number: int, value: object) -> None:
        word = worker_memory.word_for(value)
        if word is None:
            try:
                word = self._store(self._pack(value), worker_memory.AT)
            except CannotTravel as error:
                word = self._failure(error)
        self.words[RESULTS_AT + (number & MASK)] = word

    def _pack(self, value: object) -> bytes:
        return pack_result(value, self.participant, f"the result of {self._name()} can't travel to the pool")

    def _failure(self, error: BaseException) -> int:
        return self._store(pack_error(error, self._name()), worker_memory.ERROR_AT)

    def _name(self) -> str:
        return getattr(self.function, "__name__", "task")

    def _store(self, data: bytes, kind: int) -> int:
        """Put the bytes where the pool finds them; return the word that says where."""
        words, size = self.words, 8 + -(-len(data) // 8) * 8
        if words[FREED] == words[STORED]:
            self._start_anew()
        if self._used + size > words[AREA_SIZE]:
            self._ask_for_room(size)
        framed = len(data).to_bytes(8, "little") + data
        if size > words[AREA_SIZE]:
            at, kind = words[MODEL], kind + 2
            self.participant.arena.write(at, framed)
        else:
            at, self._used = self._used, self._used + size
            self.participant.arena.write(words[AREA_AT] + at, framed)
        words[STORED] += 1
        return word_of(kind, at)

    def _start_anew(self) -> None:
        """Use the area from its beginning again, as all in it has been read; large pieces go back to the system."""
        self._most_used = max(self._most_used, self._used)
        self._used = 0
        if self._most_used > _LARGE:
            page = self._most_used & -PAGE
            self.participant.arena.give_back(self.words[AREA_AT], page)
            self._most_used = 0

    def _ask_for_room(self, size: int) -> None:
        """Wait until the pool has read all that lies in the area, and has made a block for what never fits in."""
        words, participant = self.words, self.participant
        words[NEED] = size
        words[ASKED] += 1
        self.notify()
        participant.checkpoint()
        participant.begin_wait()
        while words[ANSWERED] != words[ASKED]:
            participant.wait(None)
        self._start_anew()

    def _check_cancelled(self, error: BaseException) -> None:
        """Raise an error again that is the cancellation of this worker, and no failure of its task."""
        if isinstance(error, Cancelled) and self.participant.cancelled(self.participant.wait_slot().scope):
            raise error


def _raiser(error: BaseException) -> Callable[[object], object]:
    def fail(_: object) -> object:
        raise error

    return fail
