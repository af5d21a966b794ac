"""The keeper of a run: one thread of the parent that starts the tasks, wakes the cancelled and buries the dead.

Everybody rings the keeper's bell; it then looks into the arena for what there is to do: tasks that were
spawned, scopes that were cancelled. What starts and ends a unit is the model's: `ProcessKeeper` in `processes.py`,
`InterpreterKeeper` in `interpreters.py`.
"""

import errno
import os
import signal
import threading
from itertools import count
from math import inf
from select import POLLIN, poll

from concmodels.errors import Deadlock
from concmodels.models.deadlocks.report import patience
from concmodels.models.memory import pickling
from concmodels.models.memory.arena import (
    ALERT,
    BLOCK,
    BROKEN,
    CANCELS,
    CHANNEL_BYTES,
    EXPENDABLE,
    LIVE,
    MAIN_AT,
    MAIN_SIZE,
    NEXT_RECORD,
    OWNER,
    PAGE,
    PAIRS,
    PARENT,
    RECORD_WORDS,
    RECORDS_AT,
    SIZE,
    SPAWNED,
    STATE,
    Arena,
    Cancelled,
)
from concmodels.models.memory.child import local_parker, ringer, tell
from concmodels.models.memory.group import ALL_GONE, DONE, FAILED, KILLING, STOPPED, cancel, finish
from concmodels.models.memory.interpreter import must_be_main
from concmodels.models.memory.leftovers import make_semaphores
from concmodels.models.memory.participant import Parker, Unit, enter, leave, runs_here
from concmodels.models.tasks.interrupts import Guard, hold_back
from concmodels.models.tasks.nesting import refusal
from concmodels.models.waiting.timeouts import must_be_sync

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import Any

    from concmodels.models.memory.deadlocks import Watch

_runs = count(1)
_RESERVE = 48  # descriptors
GRACE_S, SHORT_GRACE_S = 2.0, 0.15
DEFAULT_CHANNEL_BYTES = 1 << 26


class Keeper:
    """The parent's side of one run."""

    def __init__(self, kind: str, channel_bytes: int, deadlock_after: float | None) -> None:
        if runs_here(kind):
            raise refusal(kind, kind)
        must_be_main(kind)
        if channel_bytes < PAGE:
            raise ValueError(f"channel_bytes is at least {PAGE}, not {channel_bytes}")
        seconds = patience(deadlock_after)
        _raise_descriptor_limit()
        self.bell = os.eventfd(0, os.EFD_CLOEXEC)
        self.signal_pipe = os.pipe2(os.O_CLOEXEC | os.O_NONBLOCK)
        self._poll = poll()
        self._poll.register(self.bell, POLLIN)
        self._poll.register(self.signal_pipe[0], POLLIN)
        self.grace = GRACE_S
        self.stopping = False
        self.tasks: dict[int, str] = {}  # the names of those that live, by record
        self._fence = threading.Lock()
        self._main_bell: int | None = None
        self._main_thread = 0
        self._deadlock: Deadlock | None = None
        arena = Arena.create()
        prefix, self._remove_semaphores = make_semaphores(2 * PAIRS + 1)
        arena.name_locks(prefix)
        arena.words[CHANNEL_BYTES] = 1 << (int(channel_bytes) - 1).bit_length()
        self.run = os.getpid() << 24 | next(_runs)
        self.unit = Unit(kind, self.run, arena)
        self.unit.tell = tell
        self.unit.alarm = ringer(self.bell)
        self.unit.is_parent = True
        self.unit.own_threads = inf  # the watch itself looks at those of the parent
        self.unit.hurry = self._hurry
        self.unit.new_parker = lambda: local_parker(self.unit)
        self._watch = None if seconds is None else self._new_watch(seconds)
        self._write_main()
        self._thread = threading.Thread(target=self._keep, name=f"keeper of {kind}")

    def _new_watch(self, seconds: float) -> Watch:
        from concmodels.models.memory.deadlocks import Watch

        return Watch(self.unit, seconds)

    def _write_main(self) -> None:
        main, arena = pickling.main_file(), self.unit.arena
        if main is not None:
            data = pickling.dumps(main, 5)
            with arena.claim:
                arena.words[MAIN_AT], arena.words[MAIN_SIZE] = arena.put(data), len(data)

    @classmethod
    def live(cls, main: Callable[..., Any], args: tuple[Any, ...], *how: Any) -> Any:
        """Run the main task in the calling thread, from the start of the world to its end.

        All of it is guarded: Ctrl-C while the world is made or taken down waits until that is done.
        """
        must_be_sync(main, str(how[0]))
        world: list[Keeper] = []

        def wake() -> None:
            for keeper in world:
                keeper._ring_main()

        with Guard(wake, lambda: [name for keeper in world for name in keeper.give_up()]) as guard:
            keeper = cls(*how)
            world.append(keeper)
            return keeper._run_main(main, args, guard)

    def _run_main(self, main: Callable[..., Any], args: tuple[Any, ...], guard: Guard) -> Any:
        unit = self.unit
        parker = local_parker(unit)
        parker.guard = guard
        unit.adopt(parker)
        enter(unit)
        self._main_bell = parker.bell
        self.tasks[parker.at], self._main_thread = "main", threading.get_ident()
        noted = self._note_signals(self.signal_pipe[1])
        try:
            self._thread.start()
            try:
                result = main(*args)
                unit.finish_pools()
                return result
            except Cancelled:
                reason = unit.death or self._deadlock
                if reason is not None:
                    raise reason from None
                raise
            except BaseException as error:
                if self._deadlock is not None:
                    raise self._deadlock from error
                raise
            finally:
                unit.close_all()
                self._end(parker)
        finally:
            leave(unit)
            self._main_bell = None
            self._note_signals(noted)
            self._close()

    @staticmethod
    def _note_signals(fd: int) -> int:
        """Have each signal leave a byte there, whatever the main thread is doing; returns where they went before."""
        if threading.current_thread() is not threading.main_thread():
            return -1
        return signal.set_wakeup_fd(fd, warn_on_full_buffer=False)

    def _ring_main(self) -> None:
        """Wake the main task; called in the signal handler."""
        if self._main_bell is not None:
            os.eventfd_write(self._main_bell, 1)

    def _hurry(self) -> None:
        self.grace = SHORT_GRACE_S
        self.unit.alarm()

    def _end(self, parker: Parker) -> None:
        """The main task is over: so are all tasks, unless a group was never left."""
        parker.shielded = True
        parker.guard.cleaning_up = True
        self.stopping = True
        cancel(self.unit, parker.at)
        self._thread.join()

    def _close(self) -> None:
        bells = [self.unit.words[at] for at in self._records()]
        self.close_transports()
        self.unit.close(last=True)
        for bell in (*filter(None, bells), self.bell, *self.signal_pipe, self.unit.arena.fd):
            os.close(bell)
        self._remove_semaphores()

    def _records(self) -> range:
        return range(RECORDS_AT, RECORDS_AT + RECORD_WORDS * self.unit.words[NEXT_RECORD], RECORD_WORDS)

    # The thread.

    def _keep(self) -> None:
        try:
            self.prepare()
            while not (self.stopping and self.idle()):
                self._look_around()
        except BaseException as error:  # noqa: BLE001 - without a keeper nobody would ever be woken
            self.break_off(error)
        finally:
            self.finish()
            if self.unit.words[BROKEN]:
                self.all_gone()

    def break_off(self, death: BaseException) -> None:
        """The run can't go on: everybody must end."""
        self.unit.death = self.unit.unreported = death
        self.unit.words[BROKEN] = KILLING
        self.unit.words[ALERT] = 1
        self.ring_all()

    def all_gone(self) -> None:
        """The run was broken off, and its last unit is gone."""
        self.unit.words[BROKEN] = ALL_GONE
        self.ring_all()

    def _look_around(self) -> None:
        try:
            self.wait()
            self._start_spawned()
        except Cancelled:
            pass  # a process died with a lock; what was under way does not matter any more
        self._tell_cancelled()
        self.check_deadlines()
        self._look_for_deadlock()

    def _look_for_deadlock(self) -> None:
        if self._watch is None or self.stopping or self.unit.words[BROKEN]:
            return
        deadlock = self._watch.look(dict(self.tasks), (self._main_thread, *self.own_threads(), *self.unit.service))
        if deadlock is not None:
            self._deadlock = deadlock
            cancel(self.unit, next(iter(self.tasks)))  # main's scope, and so everybody

    def patience(self) -> float | None:
        """The seconds until something has to be looked at; None: until the bell rings."""
        return None if self._watch is None or self.stopping else self._watch.patience()

    def _start_spawned(self) -> None:
        arena = self.unit.arena
        while arena.words[SPAWNED] and not arena.words[BROKEN]:
            with arena.claim:
                at = arena.pop(SPAWNED)
            if self.unit.cancelled(at):
                finish(self.unit, at, STOPPED)
                self.ended(at)
            else:
                self._start(at)

    def _start(self, at: int) -> None:
        words, arena = self.unit.words, self.unit.arena
        name, _ = pickling.unpack(arena.get(words[at + BLOCK], words[at + SIZE]))
        try:
            if not words[at]:
                words[at] = os.eventfd(0, os.EFD_CLOEXEC)
                keep_descriptors_free(words[at])
            self.tasks[at] = name
            self.start(at, name)
        except Exception as error:  # noqa: BLE001 - it is the task's failure
            self.failed(at, name, error)
            self.ended(at)

    def failed(self, at: int, name: str, error: BaseException) -> None:
        """The unit of a task could not be started."""
        if self.unit.words[at + STATE] < DONE:
            finish(self.unit, at, FAILED, pickling.pack_error(error, name))

    def ended(self, at: int) -> None:
        """The unit of a task is gone."""
        words, arena = self.unit.words, self.unit.arena
        self.tasks.pop(at, None)
        group = words[at + PARENT]
        with arena.claim:
            words[group + LIVE] -= 1
            told = not words[group + LIVE] or words[at + EXPENDABLE]
        if told:
            self.unit.ring(words[group + OWNER])

    def _tell_cancelled(self) -> None:
        """Somebody cancelled a scope: ring every bell, and give those who only compute their time."""
        words = self.unit.words
        if not words[CANCELS]:
            return
        words[CANCELS] = 0
        with self._fence:  # what was written before is seen by all before we read on: an x86 may do it the other way
            self.note_cancelled()
        self.ring_all()

    def ring_all(self) -> None:
        """Wake everybody who waits, to look around."""
        words = self.unit.words
        for at in self._records():
            if words[at]:
                os.eventfd_write(words[at], 1)

    # What a model adds.

    def prepare(self) -> None:
        """Called first in the thread. Ctrl-C and the signals like it are for the main thread: whoever is started here,
        thread or process, begins life with them held back.

        The kernel gives a signal to any thread that does not block it, and then nothing ends the main thread's wait.
        """
        hold_back()

    def wait(self) -> None:
        """Wait until there is something to do."""
        patience = self.patience()
        for fd, _ in self._poll.poll(None if patience is None else patience * 1000):
            if fd == self.bell:
                os.read(fd, 8)
            else:
                self.signalled()

    def signalled(self) -> None:
        """A signal came. If main was just going to wait, it has not noticed: wake it, so that its handler is run."""
        os.read(self.signal_pipe[0], 4096)
        self._ring_main()

    def own_threads(self) -> Iterable[int]:
        """The threads of this process that run tasks, beside main's."""
        return ()

    def start(self, at: int, name: str) -> None:
        """Start a unit for the task of this record."""
        raise NotImplementedError

    def idle(self) -> bool:
        """Whether no unit is left."""
        raise NotImplementedError

    def names(self) -> list[str]:
        """The names of the tasks that have not ended."""
        raise NotImplementedError

    def give_up(self) -> list[str]:
        """The program is left at once: remove what would stay behind, and name the tasks that have not ended."""
        names = self.names()
        self._remove_semaphores()
        return names

    def note_cancelled(self) -> None:
        """A scope was cancelled."""

    def check_deadlines(self) -> None:
        """Look whether somebody's time is up."""

    def finish(self) -> None:
        """Called last in the thread."""

    def close_transports(self) -> None:
        """The run is over: close what its channels have opened."""


def keep_descriptors_free(newest: int) -> None:
    """Refuse to start another task if the newest descriptor is among the last: a program needs some to end in order."""
    from resource import RLIMIT_NOFILE, getrlimit

    if newest >= getrlimit(RLIMIT_NOFILE)[0] - _RESERVE:
        raise OSError(errno.EMFILE, "too few file descriptors for so many tasks: raise `ulimit -n`")


def _raise_descriptor_limit() -> None:
    from resource import RLIMIT_NOFILE, getrlimit, setrlimit

    soft, hard = getrlimit(RLIMIT_NOFILE)
    if soft < hard:
        setrlimit(RLIMIT_NOFILE, (hard, hard))
