"""The library's own classes on a simulated memory: participants, channels, groups, a supervisor, a pool's worker."""

from contextlib import contextmanager
from math import inf
from types import SimpleNamespace
from unittest import mock

from weak_machine import Bytes, Fence, Machine, Thread

from concmodels.models.memory import group, participant
from concmodels.models.memory.arena import (
    ALERT,
    ANSWERED,
    BROKEN,
    CANCELLED,
    CANCELS,
    CHANNEL_BYTES,
    CHANNEL_WORDS,
    CHANNELS_AT,
    HEAP,
    HEAP_AT,
    LIMITS,
    LIST,
    LIVE,
    NEXT_CHANNEL,
    NEXT_RECORD,
    OUTCOME,
    RECORD_WORDS,
    RECORDS_AT,
    STATE,
    STRUCK,
    UNTIL,
    WAITING,
    WAKER,
    Arena,
    Lock,
)
from concmodels.models.memory.channels import channel, layout, rendezvous, select
from concmodels.models.memory.channels.layout import BYTES_HEAD, HEAD, RECEIVERS, SENDERS, TAIL
from concmodels.models.memory.lives import deadlocks, supervisor
from concmodels.models.memory.participant import Participant, WaitSlot
from concmodels.models.memory.pool import worker, worker_handle, worker_memory
from concmodels.platform import memory, waking

SHARED_HEADER = {ALERT, BROKEN, CANCELS, LIMITS, NEXT_RECORD}
SHARED_IN_CHANNEL = {HEAD, TAIL, BYTES_HEAD, RECEIVERS, SENDERS}
SHARED_IN_RECORD = {ANSWERED, CANCELLED, LIST, LIVE, OUTCOME, STATE, STRUCK, UNTIL, WAITING, WAKER}
"""What is loaded without the lock under which it is stored, if there is such a lock."""

UNLOCKED = {ALERT, CANCELS, LIMITS}
"""Shared words that several threads store without a lock in common. In which order these stores come does not matter:
ALERT only ever becomes 1. A thread that has stored one of the others makes a full fence or a system call before it
stores anything that another thread loads, so nothing is seen before that.
"""

_RING = 128
"""Bytes of a channel's byte ring, so that it is soon at its end; its slots are as many as its capacity."""

KIND, RUN = "weak", 1
PAYLOAD = HEAP_AT // 8 - 512
"""Words of the program's own, as those of a shared buffer: plain."""


def is_shared(at):
    if at >= CHANNELS_AT:
        return at < CHANNELS_AT + 64 * CHANNEL_WORDS and (at - CHANNELS_AT) % CHANNEL_WORDS in SHARED_IN_CHANNEL
    if at >= RECORDS_AT:
        return (at - RECORDS_AT) % RECORD_WORDS in SHARED_IN_RECORD
    return at in SHARED_HEADER


class SimulatedArena(Arena):
    """An arena of the machine; each participant has its own, as a process has."""

    def __init__(self, machine):
        super().__init__(-1, Bytes(machine))
        self.machine = machine
        self.open_locks()

    def _open_lock(self, number):
        return Lock(self, self.machine.semaphore(number))

    def view(self, at, size):
        return self.bytes[at : at + size]

    def give_back(self, at, size):
        pass


class Channel(channel.Channel):
    kind = KIND


class Library:
    """A run of the library on one machine."""

    def __init__(self, machine):
        self.machine = machine
        self.participants = []
        words = SimulatedArena(machine).words
        words[HEAP], words[NEXT_CHANNEL], words[NEXT_RECORD] = HEAP_AT, 1, 1
        words[CHANNEL_BYTES] = 1 << 16
        self.home = self.participant(record=False)  # of what is set up, and of what is looked at in the end
        self.supervisor_waker = 1_000_000

    def participant(self, *, record=True):
        """A process of the run, with its one thread."""
        mine = SimulatedArena(self.machine)
        made = Participant(KIND, RUN, mine)
        participant.participants.pop(RUN)
        made.notify_supervisor = lambda: self.machine.waker(self.supervisor_waker).wake()
        at = mine.new_record()
        mine.words[at] = at
        made.bind_first_thread(WaitSlot(at, at, at))
        made.wakers[at] = at
        self.participants.append(made)
        return made

    def new_channel(self, capacity):
        return layout.make(self.home, capacity, None)

    def end(self, home, number):
        """A participant's end of a channel."""
        made = Channel.__new__(Channel)
        made._attach(home, number)
        return made

    def new_worker(self, ring=64):
        """The memory of a pool's worker, and the record of its group, whose owner is the pool."""
        at = worker_memory.make(self.home.arena, ring)
        shared = (*range(worker_memory.RESULTS_AT),)
        plain = {worker_memory.RING, worker_memory.TOOK_NS, worker_memory.TOOK_NS + 1}
        for slot in map(worker_memory.slot, range(worker_memory.SLOTS)):
            plain |= {slot + worker_memory.PAYLOAD_AT, slot + worker_memory.PAYLOAD_SIZE}
        self.machine.also_shared.update((at >> 3) + word for word in shared if word not in plain)
        return at

    def supervisor(self, home):
        """The steps of a supervisor, which wakes those whose scope was cancelled."""
        made = supervisor.Supervisor.__new__(supervisor.Supervisor)
        made.participant, made._fence, made._limits, made.seen = home, Fence(self.machine), {}, []
        made.note_cancelled = lambda: made.seen.append([home.ordered[at + CANCELLED] for at in made._records()])
        return made


def wake(machine_of):
    return lambda number: machine_of().waker(number).wake()


@contextmanager
def installed():
    """Have the library's modules use the machine of the run under way."""
    here = []

    def machine():
        return here[-1]

    def timed(number):
        return lambda seconds: machine().waker(number).wait(machine().now + seconds)

    def block(number):
        machine().waker(number).wait()

    def wake(number):
        machine().waker(number).wake()

    def deadline(timeout):
        return None if timeout is None else machine().now + timeout

    replaced = [
        (memory, "IS_ORDERED", False),
        (memory, "publish", lambda: machine().publish()),
        (memory, "consume", lambda: machine().consume()),
        (memory, "full", lambda: machine().full()),
        (channel, "IN_CHUNK", 0),
        (layout, "_sizes", lambda capacity, _most: (4 if capacity == inf else max(1, capacity), _RING)),
        (channel, "block", block),
        (channel, "wake", wake),
        (participant, "wait", block),
        (participant, "wake", wake),
        (participant, "now", lambda: machine().now),
        (deadlocks, "_mark_question", lambda *_: None),
        (worker, "perf_counter_ns", int),
        (group, "time", SimpleNamespace(monotonic_ns=int)),
        (waking, "timed", timed),
        (waking, "wake", wake),
        (waking, "make", lambda: machine().new_waker()),
        *((module, "deadline", deadline) for module in (channel, rendezvous, select, group)),
        (select, "shuffled", lambda cases: cases[(first := machine().world.branch(len(cases))) :] + cases[:first]),
        *((module, "new_fence", lambda: Fence(machine())) for module in (worker, worker_handle)),
    ]
    with _all_patched(replaced):
        yield here


@contextmanager
def _all_patched(replaced):
    patches = [mock.patch.object(module, name, value) for module, name, value in replaced]
    for patch in patches:
        patch.start()
    try:
        yield
    finally:
        for patch in patches:
            patch.stop()


__all__ = ["KIND", "PAYLOAD", "Library", "Machine", "Thread", "installed", "is_shared"]
