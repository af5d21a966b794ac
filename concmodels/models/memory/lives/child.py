"""The main function of a child: it attaches to the arena, does its one task, and publishes how that ended.

Nothing here imports more than it must: with 300 interpreters a module of a millisecond costs a sixth of a second.
"""

import os
from _thread import _count, allocate_lock, start_new_thread
from sys import byteorder

from concmodels.models.memory.lives import early_pickle  # noqa: F401 - before all that imports `_pickle`

# isort: split
from concmodels.errors import CannotTravel
from concmodels.models.memory import pickling
from concmodels.models.memory.arena import (
    ANSWERED,
    ASKED,
    BLOCK,
    BROKEN,
    MAIN_AT,
    MAIN_SIZE,
    SIZE,
    Arena,
    Cancelled,
)
from concmodels.models.memory.group import DONE, FAILED, STOPPED, finish
from concmodels.models.memory.participant import Participant, WaitSlot, enter
from concmodels.platform import PORTABLE, waking

TYPE_CHECKING = False
if TYPE_CHECKING:
    from _socket import socket
    from collections.abc import Callable
    from types import FrameType


def work(participant: Participant, at: int, waker: int) -> None:
    """Do the task of this record."""
    participant.bind_first_thread(WaitSlot(at, waker, at))
    participant.wakers[at] = waker
    enter(participant)
    try:
        _do_task(participant, at)
    except Cancelled:
        pass  # the run is broken off: no task will ask how this one ended


def _do_task(participant: Participant, at: int) -> None:
    words, arena = participant.words, participant.arena
    if words[MAIN_AT]:
        pickling.know_main(pickling.unpack(arena.get(words[MAIN_AT], words[MAIN_SIZE])))
    with arena.claim:
        block, size = words[at + BLOCK], words[at + SIZE]
        payload = arena.get(block, size)
        arena.free(block, size)
        words[at + BLOCK] = 0
    name, call = pickling.unpack(payload)
    outcome = _outcome(participant, name, call)
    participant.close_all()
    finish(participant, at, *outcome)


def _outcome(participant: Participant, name: str, call: bytes) -> tuple[int, bytes]:
    try:
        function, args = pickling.unpack_arrived(call, f"the call of task {name!r}")
        result = pickling.pack_result(
            participant.call(function, args), participant, f"the result of task {name!r} can't travel"
        )
        participant.finish_pools()
        return DONE, result
    except Cancelled:
        return STOPPED, b""
    except BaseException as error:  # noqa: BLE001 - whatever it is, it is the task's outcome
        return FAILED, pickling.pack_error(error, name)


def notifier(waker: int) -> Callable[[], None]:
    """Return a function that wakes the supervisor."""

    def notify_supervisor() -> None:
        waking.wake(waker)

    return notify_supervisor


# An interpreter.


def tell(participant: Participant, slot: WaitSlot, frame: FrameType) -> None:
    """Say where a thread waits, because the supervisor suspects a deadlock; that is rare, so it is imported here."""
    from concmodels.models.memory.lives.deadlocks import tell

    tell(participant, slot, frame)


def interpreter(kind: str, run: int, fd: int, supervisor: int, view: memoryview, at: int, turn: int) -> None:
    """Do a task in the interpreter that was made for it; this is the first function called there."""
    from concmodels.models.memory.lives.ctypes_turns import take_turns

    take_turns(turn)
    participant = Participant(kind, run, Arena(fd, view))
    participant.tell = tell
    participant.arena.open_locks()
    participant.notify_supervisor = notifier(supervisor)
    participant.new_slot = lambda: local_slot(participant)
    try:
        work(participant, at, participant.words[at])
    finally:
        participant.close()


def local_slot(participant: Participant) -> WaitSlot:
    """Return a slot for a thread that the program has started itself; its waker is one of this process."""
    with participant.arena.claim:
        at = participant.arena.new_record()
        if not participant.words[at]:
            participant.words[at] = waking.make()
    participant.words[at + ANSWERED] = participant.words[ASKED]  # what was asked before is no question to this thread
    return WaitSlot(at, participant.words[at], at)


# A process.


def process(kind: str, run: int, at: int, fds: tuple[int, ...], wakers: tuple[int, ...]) -> None:
    """Do a task in the process that was started for it; this is the first function called there.

    The descriptors are the arena's, the socket's, and one that tells when the parent has ended, if there is one; then
    those of the task's waker and of the supervisor's.
    """
    from _socket import socket

    _leave_signals_to_parent()
    arena_fd, registrar, *parent = fds
    own, supervisors = wakers[: len(wakers) // 2], wakers[len(wakers) // 2 :]
    participant = Participant(kind, run, Arena.attach(arena_fd))
    participant.tell = tell
    os.close(arena_fd)
    participant.arena.open_locks()
    participant.notify_supervisor = notifier(waking.joined(*supervisors))
    _ask_registrar(participant, socket(fileno=registrar))
    participant.own_threads = _count() + 1  # a fork counts the threads of its parent
    start_new_thread(_die_with_parent, (registrar, *parent))
    participant.call = lambda function, args: _call_until_told(function, args, lambda: _must_end(participant, at))
    work(participant, at, waking.joined(*own))


def _leave_signals_to_parent() -> None:
    """Ignore Ctrl-C, SIGTERM and SIGHUP, which often come to the whole group of processes: the parent decides.

    They have been blocked since before this process began. SIGTERM and SIGHUP get a handler that does nothing instead
    of `SIG_IGN`: the programs that the task starts would inherit that, and should receive these two as usual.
    """
    from signal import SIG_IGN, SIG_UNBLOCK, SIGHUP, SIGINT, SIGTERM, pthread_sigmask, signal

    signal(SIGINT, SIG_IGN)
    signal(SIGTERM, _not_now)
    signal(SIGHUP, _not_now)
    pthread_sigmask(SIG_UNBLOCK, {SIGINT, SIGTERM, SIGHUP})


def _call_until_told(function: Callable[..., object], args: tuple[object, ...], must_end: Callable[[], bool]) -> object:
    """Call the function, and raise `Cancelled` in the middle of it if the parent sends SIGTERM.

    The parent does so when the task was cancelled and only computes, again and again until this raises. It raises in
    the program's own code, never in the library's, where a lock may be held; a SIGTERM that comes late does no harm,
    and one from elsewhere is ignored.
    """
    from signal import SIGTERM, signal

    from concmodels.models.tasks.signals.handlers import in_program

    def stop_computing(_signum: int, frame: FrameType | None) -> None:
        if must_end() and in_program(frame):
            signal(SIGTERM, _not_now)
            raise Cancelled("the task was cancelled")

    signal(SIGTERM, stop_computing)
    try:
        return function(*args)
    finally:
        signal(SIGTERM, _not_now)


def _must_end(participant: Participant, at: int) -> bool:
    """Return whether the parent wants the task of this record to end."""
    return bool(participant.words[BROKEN]) or participant.cancelled(at)


def _not_now(_signum: int, _frame: object) -> None:
    """Do nothing: the signal is not for this process, or comes when the task is over.

    (With `SIG_IGN` instead, Python would complain of a signal that is on its way.)
    """


ARRIVED = (1 << 63).to_bytes(8, "little")
"""A word from a child that is no question: a descriptor has arrived, and the parent may close its own.

Linux needs no such word. macOS loses a socket that its sender closes while it is on the way.
"""


def _ask_registrar(participant: Participant, connection: socket) -> None:
    """Have the parent send the wakers of others, and slots for further threads, at first use; and keep sockets.

    A question is a number: the record whose waker is wanted, 0 for a new slot, or that of a socket in flight, negative.
    A descriptor that comes with a 0 is to be held, until another process asks for it.
    """
    from _socket import SCM_RIGHTS, SOL_SOCKET

    asking = allocate_lock()

    def ask(question: int, *descriptors: int) -> tuple[int, memoryview]:
        extra = [(SOL_SOCKET, SCM_RIGHTS, number.to_bytes(4, byteorder)) for number in descriptors]
        with asking:
            connection.sendmsg([question.to_bytes(8, "little", signed=True)], extra)
            answer, arrived, _, _ = connection.recvmsg(8, 64)
            if PORTABLE and question < 0 and answer:
                connection.send(ARRIVED)
        if not answer:
            raise Cancelled("the run is over")
        return int.from_bytes(answer, "little"), memoryview(arrived[0][2] if arrived else b"").cast("i")

    def new_slot() -> WaitSlot:
        at, waker = ask(0)
        participant.wakers[at] = waking.joined(*waker)
        return WaitSlot(at, participant.wakers[at], at)

    def take_descriptor(record: int) -> int:
        arrived = ask(-record)[1]
        if not arrived:
            raise CannotTravel("this socket has arrived already: what holds it was unpickled twice")
        return arrived[0]

    participant.fetch_waker = lambda record: waking.joined(*ask(record)[1])
    participant.new_slot = new_slot
    participant.hold_descriptor = lambda number: ask(0, number)[0]
    participant.take_descriptor = take_descriptor


def _die_with_parent(*ends: int) -> None:
    waking.wait_for_end(*ends)
    os._exit(1)


def descriptors(*duplicates: object) -> tuple[int, ...]:
    """Return the descriptors that arrive with a new process."""
    return tuple(duplicate.detach() for duplicate in duplicates)  # type: ignore[attr-defined]
