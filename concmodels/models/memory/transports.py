"""Two other ways for the words of a channel between interpreters. Locks, waiting and closing stay with the arena.

`PipeSlots` sends each word as eight bytes through an `os.pipe`: the kernel keeps them. A pipe holds 64 KiB; what an
unbounded channel holds beyond that is spilled into the channel's ring in the arena, and the order is kept: while
anything is spilled, everything is. SPILL_START and SPILL_END say which positions lie there.

`QueueSlots` sends each word through a `concurrent.interpreters.Queue`. Such a queue can't be waited for: its own `get`
looks every 10 ms, and so does `PollingChannel`. That costs 5 ms a hop, and is why this variant is there: as a lesson. A
queue's items vanish with the interpreter that sent them: runs of this variant keep every interpreter until their end.
"""

import os
from time import sleep

from concmodels.models.memory.arena import CHANNEL_WORDS, CHANNELS_AT, KEEPS_INTERPRETERS, NEXT_CHANNEL, WAITING
from concmodels.models.memory.channel import Channel
from concmodels.models.memory.channel_layout import FDS, HEAD, RECEIVERS, SPILL_END, SPILL_START, make
from concmodels.models.memory.participant import current, now

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from concmodels.models.memory.participant import Participant

_POLL_S = 0.010  # as concurrent.interpreters.Queue
_kept: dict[int, list[object]] = {}  # the queues made here, by run: a queue without an owner is destroyed


class PipeSlots:
    """The slots of a channel, in a pipe and, for what the pipe does not hold, in the arena."""

    def __init__(self, control: memoryview, ring: memoryview) -> None:
        self._control = control
        self._ring = ring
        self._mask = len(ring) - 1
        self._reader, self._writer = control[FDS] >> 32, control[FDS] & 0xFFFFFFFF

    def __setitem__(self, position: int, word: int) -> None:
        frame = word.to_bytes(8, "little", signed=True)
        control = self._control
        if control[HEAD] >= control[SPILL_END]:  # nothing is spilled
            try:
                os.write(self._writer, frame)
            except BlockingIOError:
                control[SPILL_START] = position
            else:
                return
        self._ring[position & self._mask] = word
        control[SPILL_END] = position + 1

    def __getitem__(self, position: int) -> int:
        control = self._control
        # In this order: a sender that begins to spill writes the start first, then the end.
        if position < control[SPILL_END] and control[SPILL_START] <= position:
            return self._ring[position & self._mask]
        return int.from_bytes(os.read(self._reader, 8), "little", signed=True)

    def release(self) -> None:
        """Let go of the arena: the run is over."""
        self._ring.release()


class PipeChannel(Channel):
    """A channel whose words travel through a pipe."""

    kind = "subinterp"
    __slots__ = ()

    def __init__(self, capacity: float = 0, name: str | None = None) -> None:
        participant = current(self.kind)
        reader, writer = os.pipe()
        try:
            os.set_blocking(writer, False)
            number = make(participant, capacity, name, reader << 32 | writer)
        except BaseException:
            os.close(reader)
            os.close(writer)
            raise
        self._attach(participant, number)

    def _open_slots(self, participant: Participant) -> None:
        super()._open_slots(participant)
        self._ring, self._mask = PipeSlots(self._control, self._ring), -1


class QueueSlots:
    """The slots of a channel, in a queue."""

    def __init__(self, number: int) -> None:
        from concurrent.interpreters import Queue

        self._queue: Any = Queue(number)

    def __setitem__(self, _: int, word: int) -> None:
        if word >= 1 << 63:
            raise OverflowError("more than 63 bits")
        self._queue.put(word)

    def __getitem__(self, _: int) -> int:
        word: int = self._queue.get()  # it is there: TAIL said so
        return word

    def release(self) -> None:
        """Let go of the queue: the run is over."""
        del self._queue


class PollingChannel(Channel):
    """A channel whose words travel through a `concurrent.interpreters.Queue`."""

    kind = "subinterp"
    __slots__ = ()
    _polls = True

    def __init__(self, capacity: float = 0, name: str | None = None) -> None:
        from concurrent.interpreters import create_queue

        participant = current(self.kind)
        if not participant.words[KEEPS_INTERPRETERS]:
            raise RuntimeError("a channel of 'subinterp:queue' needs the run() of 'subinterp:queue'")
        queue = create_queue()
        _kept.setdefault(participant.run, []).append(queue)
        self._attach(participant, make(participant, capacity, name, -queue.id - 1))

    def _open_slots(self, participant: Participant) -> None:
        self._ring, self._mask = QueueSlots(-self._control[FDS] - 1), -1

    def _wait_for_item(self, woken: bool) -> bool:
        self.home.checkpoint()
        return self._wait_for(RECEIVERS, self._senders, self._is_empty, None, woken)

    def _block(self, until: float | None) -> bool:
        """Look again in 10 ms, whether this task is woken or not."""
        participant = self.home
        slot = participant.wait_slot()
        rest = _POLL_S if until is None else min(_POLL_S, until - now())
        if rest <= 0:
            return False
        if until is None:
            participant.words[slot.at + WAITING] = slot.waits
        sleep(rest)
        # In this order: a task that waits and whose waker is not woken is taken for one that no partner has served.
        participant.words[slot.at + WAITING] = 0
        participant.forget_wakeup(slot)
        participant.answer(slot)
        participant.checkpoint(slot)
        return True


def close_all(participant: Participant) -> None:
    """Close the pipes of a run that is over, and let go of its queues."""
    _kept.pop(participant.run, None)
    for number in range(1, participant.words[NEXT_CHANNEL]):
        fds = participant.words[CHANNELS_AT + CHANNEL_WORDS * number + FDS]
        if fds > 0:
            os.close(fds >> 32)
            os.close(fds & 0xFFFFFFFF)
