"""What runs in a child: attach to the arena, do the one task, publish how it ended.

Nothing here imports more than it must: 300 interpreters start in 1.5 seconds this way.
"""

import os
from _thread import _count, allocate_lock, start_new_thread

from concmodels.models.memory import pickling
from concmodels.models.memory.arena import BLOCK, BROKEN, MAIN_AT, MAIN_SIZE, SIZE, Arena, Cancelled
from concmodels.models.memory.group import DONE, FAILED, STOPPED, finish
from concmodels.models.memory.participant import Parker, Unit, enter

TYPE_CHECKING = False
if TYPE_CHECKING:
    from _socket import socket
    from collections.abc import Callable
    from types import FrameType


def work(unit: Unit, at: int, bell: int) -> None:
    """Do the task of this record."""
    unit.adopt(Parker(at, bell, at))
    unit.bells[at] = bell
    enter(unit)
    try:
        _do_task(unit, at)
    except Cancelled:
        pass  # the run is broken off: nobody asks any more


def _do_task(unit: Unit, at: int) -> None:
    words, arena = unit.words, unit.arena
    if words[MAIN_AT]:
        pickling.know_main(pickling.unpack(arena.get(words[MAIN_AT], words[MAIN_SIZE])))
    with arena.claim:
        block, size = words[at + BLOCK], words[at + SIZE]
        payload = arena.get(block, size)
        arena.free(block, size)
        words[at + BLOCK] = 0
    name, call = pickling.unpack(payload)
    outcome = _outcome(unit, name, call)
    unit.close_all()
    finish(unit, at, *outcome)


def _outcome(unit: Unit, name: str, call: bytes) -> tuple[int, bytes]:
    try:
        function, args = pickling.unpack_arrived(call, f"the call of task {name!r}")
        result = pickling.pack_result(unit.call(function, args), unit, f"the result of task {name!r} can't travel")
        unit.finish_pools()
        return DONE, result
    except Cancelled:
        return STOPPED, b""
    except BaseException as error:  # noqa: BLE001 - whatever it is, it is the task's outcome
        return FAILED, pickling.pack_error(error, name)


def ringer(bell: int) -> Callable[[], None]:
    """The way to alarm the keeper."""

    def alarm() -> None:
        os.eventfd_write(bell, 1)

    return alarm


# An interpreter.


def tell(unit: Unit, parker: Parker, frame: FrameType) -> None:
    """Say where a thread waits: the supervisor suspects a deadlock, which is rare."""
    from concmodels.models.memory.deadlocks import tell

    tell(unit, parker, frame)


def interpreter(kind: str, run: int, fd: int, keeper: int, view: memoryview, at: int) -> None:
    """The life of an interpreter, called in it."""
    unit = Unit(kind, run, Arena(fd, view))
    unit.tell = tell
    unit.arena.open_locks()
    unit.alarm = ringer(keeper)
    unit.new_parker = lambda: local_parker(unit)
    try:
        work(unit, at, unit.words[at])
    finally:
        unit.close()


def local_parker(unit: Unit) -> Parker:
    """A place to wait for a thread that the program has started itself, where bells are descriptors of this process."""
    with unit.arena.claim:
        at = unit.arena.new_record()
        if not unit.words[at]:
            unit.words[at] = os.eventfd(0, os.EFD_CLOEXEC)
    return Parker(at, unit.words[at], at)


# A process.


def process(kind: str, run: int, at: int, fds: tuple[int, int, int, int]) -> None:
    """The life of a process, called in it."""
    from _socket import socket

    _leave_signals_to_parent()
    arena_fd, bell, keeper, registrar = fds
    unit = Unit(kind, run, Arena.attach(arena_fd))
    unit.tell = tell
    os.close(arena_fd)
    unit.arena.open_locks()
    unit.alarm = ringer(keeper)
    _ask_registrar(unit, socket(fileno=registrar))
    unit.call = lambda function, args: _call_until_told(function, args, lambda: _must_end(unit, at))
    work(unit, at, bell)


def _leave_signals_to_parent() -> None:
    """Ctrl-C, SIGTERM and SIGHUP often come to the whole group of processes: the parent decides.

    They have been blocked since before this process began. What it starts itself is to hear SIGTERM and SIGHUP as
    usual, and would inherit `SIG_IGN`.
    """
    from signal import SIG_IGN, SIG_UNBLOCK, SIGHUP, SIGINT, SIGTERM, pthread_sigmask, signal

    signal(SIGINT, SIG_IGN)
    signal(SIGTERM, _not_now)
    signal(SIGHUP, _not_now)
    pthread_sigmask(SIG_UNBLOCK, {SIGINT, SIGTERM, SIGHUP})


def _call_until_told(function: Callable[..., object], args: tuple[object, ...], must_end: Callable[[], bool]) -> object:
    """Call it. The group may be cancelled while it only computes: then the parent knocks (SIGTERM), until this raises.

    It raises in the program's own code, never while a lock is held; and the knocks that come late do no harm. A SIGTERM
    from elsewhere is no knock.
    """
    from signal import SIGTERM, signal

    from concmodels.models.tasks.interrupts import in_program

    def stop_computing(_signum: int, frame: FrameType | None) -> None:
        if must_end() and in_program(frame):
            signal(SIGTERM, _not_now)
            raise Cancelled("the task was cancelled")

    signal(SIGTERM, stop_computing)
    try:
        return function(*args)
    finally:
        signal(SIGTERM, _not_now)


def _must_end(unit: Unit, at: int) -> bool:
    """Whether the parent wants the task of this record to end."""
    return bool(unit.words[BROKEN]) or unit.cancelled(at)


def _not_now(_signum: int, _frame: object) -> None:
    """A signal that is not for this process, or a knock that comes when all is over.

    (With `SIG_IGN` in its place Python complains of a knock on its way.)
    """


def _ask_registrar(unit: Unit, connection: socket) -> None:
    """Bells of others, and places to wait for further threads, come from the parent at first use."""
    asking = allocate_lock()

    def ask(record: int) -> tuple[int, int]:
        with asking:
            connection.send(record.to_bytes(8, "little"))
            answer, extra, _, _ = connection.recvmsg(8, 64)
        if not extra:
            raise Cancelled("the run is over")
        return int.from_bytes(answer, "little"), int.from_bytes(extra[0][2], "little")

    def new_parker() -> Parker:
        at, bell = ask(0)
        unit.bells[at] = bell
        return Parker(at, bell, at)

    unit.fetch_bell = lambda record: ask(record)[1]
    unit.new_parker = new_parker
    unit.own_threads = _count() + 1  # a fork counts the threads of its parent
    start_new_thread(_die_with_parent, (connection.fileno(),))


def _die_with_parent(connection: int) -> None:
    from select import poll

    poller = poll()
    poller.register(connection, 0)  # nothing but the end of the other side
    poller.poll()
    os._exit(1)


def descriptors(*duplicates: object) -> tuple[int, ...]:
    """Descriptors that arrive with a new process."""
    return tuple(duplicate.detach() for duplicate in duplicates)  # type: ignore[attr-defined]
