"""The supervisor of a run: a thread of the parent that starts tasks, wakes those that were cancelled, and reaps those
that have ended.

Any participant wakes the supervisor by its waker; it then looks into the arena for what there is to do:

    SPAWNED     a list of tasks to be started
    CANCELS     not 0 if a scope was cancelled: every task that waits is woken, and looks by itself whether it is meant

Each model has its own way to start and to end a process or an interpreter: `ProcessSupervisor` is in `processes.py`,
`InterpreterSupervisor` in `interpreters.py`.
"""

import errno
import os
import signal
import sys
import threading
import time
from contextlib import ExitStack, suppress
from itertools import count
from math import inf

from concmodels.catalog import must_be_main
from concmodels.errors import CannotTravel, Deadlock
from concmodels.models.deadlocks.report import patience
from concmodels.models.memory import pickling
from concmodels.models.memory.arena import (
    ALERT,
    BLOCK,
    BROKEN,
    CANCELLED,
    CANCELS,
    CHANNEL_BYTES,
    EXPENDABLE,
    IDLE_S,
    IN_FLIGHT,
    LIMITS,
    LIVE,
    MAIN_AT,
    MAIN_SIZE,
    NEXT_RECORD,
    OWNER,
    PAIRS,
    PARENT,
    RECORD_WORDS,
    RECORDS_AT,
    SIZE,
    SPAWNED,
    STATE,
    STRUCK,
    UNTIL,
    WAITING,
    WATCHED,
    Arena,
    Cancelled,
)
from concmodels.models.memory.group import ALL_GONE, DONE, FAILED, KILLING, STOPPED, cancel, finish
from concmodels.models.memory.lives.child import local_slot, notifier, tell
from concmodels.models.memory.lives.leftovers import make_semaphores
from concmodels.models.memory.participant import Participant, WaitSlot, enter, leave, now, runs_here
from concmodels.models.tasks.nesting import refusal
from concmodels.models.tasks.signals.guard import Guard
from concmodels.models.tasks.signals.handlers import hold_back
from concmodels.models.waiting.calls import check_call
from concmodels.platform import measuring, waking
from concmodels.platform.memory import MOST_CHANNEL_BYTES, PAGE, close_file, new_fence

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import Any

    from concmodels.models.memory.lives.deadlocks import DeadlockDetector

_runs = count(1)
_RESERVE = 48  # descriptors
GRACE_S, SHORT_GRACE_S = 2.0, 0.15
STALL_S = 5.0
"""After so many seconds in which every task was in the same wait, a run says which task waits where."""

_LONGEST_S = 1e6  # of one wait: a poller takes no more than 24 days

DEFAULT_CHANNEL_BYTES = 1 << 26


class Supervisor:
    """The parent's side of one run."""

    def __init__(self, kind: str, channel_bytes: int, deadlock_after: float | None) -> None:
        if pickling.is_importing_main():
            raise CannotTravel(
                "the main program calls run when it is imported here: write `if __name__ == '__main__':` before it"
            )
        if runs_here(kind):
            raise refusal(kind, kind)
        must_be_main(kind)
        if channel_bytes < PAGE:
            raise ValueError(f"channel_bytes is at least {PAGE}, not {channel_bytes}")
        seconds = patience(deadlock_after)
        measuring.raise_descriptor_limit()
        self.grace = GRACE_S
        self.stopping = False
        self.tasks: dict[int, str] = {}  # the names of those that have not ended, by record
        self._fence = new_fence()
        self._main_waker: int | None = None
        self._main_thread = 0
        self._deadlock: Deadlock | None = None
        self._interrupted: dict[int, str] = {}  # the names of the tasks that were waiting when Ctrl-C came
        self._limits: dict[int, int] = {}  # when the time of groups is over, in ns, by record
        self._next_turn: float | None = None  # when blocks that are not used give their pages back
        with ExitStack() as opened:  # closes what is open by then if a step fails
            self._open(opened, kind, channel_bytes)
            self._detector = None if seconds is None else self._new_detector(seconds, ends_run=True)
            self._first_look = now() + STALL_S / 2
            self._write_main()
            self._opened = opened.pop_all()
        self._thread = threading.Thread(target=self._supervise, name=f"supervisor of {kind}")

    def _open(self, opened: ExitStack, kind: str, channel_bytes: int) -> None:
        """Open what the run needs; each step says at once how that is closed. The last is closed first."""
        self.waker = waking.make()
        opened.callback(waking.close, self.waker)
        self.signal_pipe = waking.pair()
        for fd in self.signal_pipe:
            opened.callback(waking.close_descriptor, fd)
        self.poller = waking.Poller()
        opened.callback(self.poller.close)
        self._woken = waking.descriptors(self.waker)[0]  # can be read once it was woken
        self.poller.add(self._woken)
        self.poller.add(self.signal_pipe[0])
        prefix, self._remove_semaphores = make_semaphores(2 * PAIRS + 1)
        opened.callback(self._remove_semaphores)
        arena = Arena.create()
        opened.callback(close_file, arena.fd)
        arena.name_locks(prefix)
        arena.words[CHANNEL_BYTES] = 1 << (min(int(channel_bytes), MOST_CHANNEL_BYTES) - 1).bit_length()
        self.run = os.getpid() << 24 | next(_runs)
        self.participant = Participant(kind, self.run, arena)
        opened.callback(self.participant.close, last=True)
        self._set_up_participant()

    def _set_up_participant(self) -> None:
        self.participant.tell = tell
        self.participant.notify_supervisor = notifier(self.waker)
        self.participant.is_parent = True
        self.participant.own_threads = inf  # the deadlock detector itself looks at those of the parent
        self.participant.shorten_grace = self._shorten_grace
        self.participant.new_slot = lambda: local_slot(self.participant)

    def _new_detector(self, seconds: float, *, ends_run: bool) -> DeadlockDetector:
        from concmodels.models.memory.lives.deadlocks import DeadlockDetector  # most runs are over before they need it

        return DeadlockDetector(self.participant, seconds, ends_run=ends_run)

    def _write_main(self) -> None:
        main, arena = pickling.main_file(), self.participant.arena
        if main is not None:
            data = pickling.dumps(main, 5)
            with arena.claim:
                arena.words[MAIN_AT], arena.words[MAIN_SIZE] = arena.put(data), len(data)

    @classmethod
    def execute(cls, main: Callable[..., Any], args: tuple[Any, ...], *how: Any) -> Any:
        """Make a run, do its main task in the calling thread, and take the run down again.

        All of it is guarded: a Ctrl-C while the run is made or taken down waits until that is done.
        """
        check_call(main, "run", str(how[0]))
        made: list[Supervisor] = []  # empty while there is nothing to wake

        def wake() -> None:
            for supervisor in made:
                supervisor._wake_main()

        with Guard(wake, lambda: [name for supervisor in made for name in supervisor.give_up()]) as guard:
            supervisor = cls(*how)
            made.append(supervisor)
            try:
                return supervisor._run_main(main, args, guard)
            finally:
                supervisor._close()

    def _run_main(self, main: Callable[..., Any], args: tuple[Any, ...], guard: Guard) -> Any:
        participant = self.participant
        slot = local_slot(participant)
        slot.guard = guard
        participant.bind_first_thread(slot)
        self._main_waker = slot.waker
        self.tasks[slot.at], self._main_thread = "main", threading.get_ident()
        noted = self._note_signals(self.signal_pipe[1])
        enter(participant)
        try:
            self._thread.start()
            try:
                result = main(*args)
                participant.finish_pools()
                return result
            except Cancelled:
                # Main's own scope is cancelled only with the whole run: say why that ends.
                reason = participant.death or self._deadlock
                if reason is not None:
                    raise reason from None
                raise
            except BaseException as error:
                if self._deadlock is not None:
                    raise self._deadlock from error
                raise
            finally:
                participant.close_all()
                self._end(slot)
                self._print_who_waited()
        finally:
            leave(participant)
            self._main_waker = None
            self._note_signals(noted)

    @staticmethod
    def _note_signals(fd: int) -> int:
        """Have each signal write a byte there, whatever the main thread is doing; return where they went before."""
        if threading.current_thread() is not threading.main_thread():
            return -1
        return signal.set_wakeup_fd(fd, warn_on_full_buffer=False)

    def _wake_main(self) -> None:
        """Wake the main task; called in the signal handler."""
        if self._main_waker is not None:
            waking.wake(self._main_waker)

    def _shorten_grace(self, error: BaseException) -> None:
        self.grace = SHORT_GRACE_S
        if isinstance(error, KeyboardInterrupt):
            self._ask_who_waits()
        self.participant.notify_supervisor()

    def _ask_who_waits(self) -> None:
        """If all tasks wait when Ctrl-C comes, have them say where; each answers before the cancellation ends it.

        They are asked once, however many groups Ctrl-C leaves: a second question would make the first answers void.
        """
        if self._interrupted:
            return
        words = self.participant.words
        tasks = {
            at: name for at, name in list(self.tasks.items()) if name != "main" and not words[at + EXPENDABLE]
        }  # a worker of a pool waits for work
        if tasks and not self._was_told() and all(words[at + WAITING] for at in tasks):
            from concmodels.models.memory.lives.deadlocks import ask_places

            self._interrupted = tasks
            ask_places(self.participant)

    def _was_told(self) -> bool:
        return self._detector is not None and bool(self._detector.told)

    def _print_who_waited(self) -> None:
        if self._interrupted:
            from concmodels.models.memory.lives.deadlocks import places

            self._print("interrupted while all tasks were waiting", places(self.participant, self._interrupted))

    def _end(self, slot: WaitSlot) -> None:
        """End the tasks that are left when main is over, because the program never left their group."""
        slot.shielded = True
        slot.guard.leave(cleaning_up=True)
        self.stopping = True
        cancel(self.participant, slot.at)
        self._thread.join()

    def _close(self) -> None:
        wakers = [self.participant.words[at] for at in self._records()]
        self._close_in_flight()
        self._opened.close()
        for waker in filter(None, wakers):
            waking.close(waker)

    def _close_in_flight(self) -> None:
        if self.participant.words[IN_FLIGHT]:
            from concmodels.models.memory import in_flight

            in_flight.close_all(self.participant.arena)

    def _records(self) -> range:
        return range(RECORDS_AT, RECORDS_AT + RECORD_WORDS * self.participant.words[NEXT_RECORD], RECORD_WORDS)

    # The thread.

    def _supervise(self) -> None:
        try:
            self.prepare()
            while not (self.stopping and self.idle()):
                self._step()
        except BaseException as error:  # noqa: BLE001 - without a supervisor no task would ever be woken
            self.break_off(error)
        finally:
            self.finish()
            if self.participant.words[BROKEN]:
                self.all_gone()

    def break_off(self, death: BaseException) -> None:
        """End a run that can't go on: every wait and every lock in it raises `Cancelled` from here on."""
        self.participant.death = self.participant.unreported = death
        self.participant.words[BROKEN] = KILLING
        self.participant.words[ALERT] = 1
        with self._fence:  # a thread that takes a slot meanwhile has no waker yet, or sees that
            pass
        self.notify_all()

    def all_gone(self) -> None:
        """Say that the last participant of a run that was broken off is gone: main's groups wait for that."""
        self.participant.ordered[BROKEN] = ALL_GONE
        self.notify_all()

    def _step(self) -> None:
        """Wait until there is something to do, and do it."""
        try:
            self.wait()
            self._give_back_idle()
            self._start_spawned()
            self._strike_limits()
        except Cancelled:
            pass  # a process died with a lock; what was under way does not matter any more
        self._tell_cancelled()
        self.check_deadlines()
        self._look_for_deadlock()

    def _may_be_stuck(self) -> bool:
        """Return whether nothing is under way that will wake tasks: the time of a group, or the end of the run."""
        return not (self._limits or self.stopping or self.participant.words[BROKEN])

    def _look_for_deadlock(self) -> None:
        if not self._may_be_stuck() or (self._detector is None and now() < self._first_look):
            return
        if self._detector is None:
            self._detector = self._new_detector(STALL_S, ends_run=False)
        deadlock = self._detector.look(
            dict(self.tasks), (self._main_thread, *self.own_threads(), *self.participant.service)
        )
        if deadlock is not None and self._detector.ends_run:
            self._deadlock = deadlock
            cancel(self.participant, next(iter(self.tasks)))  # main's scope, and with it all others
        elif deadlock is not None:
            hint = "if nothing outside will wake one, press Ctrl-C"
            self._print(f"nothing has moved for {STALL_S:g} s, and all tasks wait; {hint}", deadlock.waits)

    @staticmethod
    def _print(what: str, waits: tuple[str, ...]) -> None:
        with suppress(OSError, ValueError):  # the terminal is gone, or the program has closed the stream
            print(Deadlock(what, waits), file=sys.stderr, flush=True)

    def patience(self) -> float | None:
        """Return the seconds until something has to be looked at; None means until it is woken."""
        times = []
        if self._may_be_stuck():
            times.append(max(0.0, self._first_look - now()) if self._detector is None else self._detector.patience())
        if self._limits:
            rest = (min(self._limits.values()) - time.monotonic_ns()) / 1e9
            times.append(min(max(0.0, rest), _LONGEST_S))
        if self.participant.words[WATCHED]:
            self._next_turn = self._next_turn or now() + IDLE_S
            times.append(max(0.0, self._next_turn - now()))
        return min(times, default=None)

    def _give_back_idle(self) -> None:
        if self._next_turn is not None and now() >= self._next_turn:
            self._next_turn = None
            self.participant.arena.give_back_idle()

    def _start_spawned(self) -> None:
        arena = self.participant.arena
        while arena.words[SPAWNED] and not arena.words[BROKEN]:
            with arena.claim:
                at = arena.pop(SPAWNED)
            if self.participant.cancelled(at):
                finish(self.participant, at, STOPPED)
                self.ended(at)
            else:
                self._start(at)

    def _start(self, at: int) -> None:
        words, arena = self.participant.words, self.participant.arena
        name, _ = pickling.unpack(arena.get(words[at + BLOCK], words[at + SIZE]))
        try:
            if not words[at]:
                words[at] = waking.make()
                keep_descriptors_free(*waking.descriptors(words[at]))
            self.tasks[at] = name
            self.start(at, name)
        except Exception as error:  # noqa: BLE001 - it is the task's failure
            self.failed(at, name, error)
            self.ended(at)

    def failed(self, at: int, name: str, error: BaseException) -> None:
        """Make an error of the model's, such as one at the start of a process, the task's outcome."""
        if self.participant.words[at + STATE] < DONE:
            finish(self.participant, at, FAILED, pickling.pack_error(error, name))

    def ended(self, at: int) -> None:
        """Count a task that is gone, and wake the owner of its group if it was the last one or a pool's worker."""
        words, arena = self.participant.words, self.participant.arena
        self.tasks.pop(at, None)
        group = words[at + PARENT]
        with arena.claim:
            words[group + LIVE] -= 1
            is_awaited = not words[group + LIVE] or words[at + EXPENDABLE]
        if is_awaited:
            self.participant.notify(words[group + OWNER])

    def _strike_limits(self) -> None:
        """Cancel the groups whose time is over."""
        words, moment = self.participant.words, time.monotonic_ns()
        if not (words[LIMITS] or self._limits):
            return
        if words[LIMITS]:
            words[LIMITS] = 0
            with self._fence:  # as in `_tell_cancelled`
                pass
            self._limits = {at: words[at + UNTIL] for at in self._records()}
        self._limits = {at: until for at, until in self._limits.items() if until and words[at + UNTIL] == until}
        for at in [at for at, until in self._limits.items() if until <= moment]:
            with self.participant.arena.claim:  # so the record is not given back meanwhile
                if words[at + UNTIL] == self._limits.pop(at) and not words[at + CANCELLED]:
                    words[at + STRUCK] = 1
                    cancel(self.participant, at)

    def _tell_cancelled(self) -> None:
        """Wake every task if a scope was cancelled, and begin the grace period of those that only compute."""
        words = self.participant.words
        if not words[CANCELS]:
            return
        # First take CANCELS back, then look at the scopes: one that is cancelled in between is seen now, or sets
        # CANCELS again. The lock is a fence between the store and the loads, which a processor may otherwise reorder;
        # then a cancellation could be overlooked, and its mark be wiped out.
        words[CANCELS] = 0
        with self._fence:
            pass
        self.note_cancelled()
        self.notify_all()

    def notify_all(self) -> None:
        """Wake every task that waits, for a checkpoint."""
        words = self.participant.words
        for at in self._records():
            if words[at]:
                waking.wake(words[at])

    # What a model adds.

    def prepare(self) -> None:
        """Prepare the thread; this is called first in it.

        Ctrl-C and the signals like it are for the main thread: the threads and processes that are started from here
        begin with them blocked. The kernel gives a signal to any thread that does not block it, and then nothing would
        end the main thread's wait.
        """
        hold_back()

    def wait(self) -> None:
        """Wait until there is something to do."""
        for fd in self.poller.wait(self.patience()):
            self.see(fd)

    def see(self, fd: int) -> None:
        """Take note of what has happened at a descriptor of the poller: the supervisor was woken, or main signalled."""
        if fd == self._woken:
            waking.wait(self.waker)
        elif fd == self.signal_pipe[0]:
            self.signalled()

    def signalled(self) -> None:
        """Wake main after a signal. If main was just going to wait, it has not noticed: then its handler is run now."""
        waking.drain(self.signal_pipe[0])
        self._wake_main()

    def own_threads(self) -> Iterable[int]:
        """Return the threads of this process that run tasks, beside main's."""
        return ()

    def start(self, at: int, name: str) -> None:
        """Start a process or an interpreter for the task of this record."""
        raise NotImplementedError

    def idle(self) -> bool:
        """Return whether no process or interpreter is left."""
        raise NotImplementedError

    def names(self) -> list[str]:
        """Return the names of the tasks that have not ended."""
        raise NotImplementedError

    def give_up(self) -> list[str]:
        """Remove what would stay behind a program that ends at once; return the names of the tasks that go on."""
        names = self.names()
        self._remove_semaphores()
        return names

    def note_cancelled(self) -> None:
        """Take note that a scope was cancelled."""

    def check_deadlines(self) -> None:
        """Look whether the time of a task is up."""

    def finish(self) -> None:
        """Clean up; this is called last in the thread."""


def keep_descriptors_free(*newest: int) -> None:
    """Refuse to start another task if the newest descriptor is among the last: a program needs some to end in order."""
    limit = measuring.descriptor_limit()
    if limit is not None and max(newest) >= limit - _RESERVE:
        raise OSError(errno.EMFILE, "too few file descriptors for so many tasks: raise `ulimit -n`")
