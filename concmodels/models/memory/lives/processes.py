"""The supervisor of `processes`: it starts them, hands out wakers, ends those that only compute, and notices when
one was killed.

Each child holds one end of a socket, where it asks for the wakers of others. A process that ends without saying so may
have held a lock of the arena: then the whole run ends.

Parent and child learn by a pidfd, where the system has one, that the other has ended. A closed pipe or socket would not
tell them: whatever the program or a task forks without starting another program has copies of both, and may live on.
"""

import io
import os
import signal
import socket
import threading
from importlib import import_module
from multiprocessing import (
    forkserver,
    get_context,
    popen_fork,
    popen_forkserver,
    popen_spawn_posix,
    reduction,
    spawn,
    util,
)
from multiprocessing.context import set_spawning_popen

from concmodels.errors import CannotTravel, TaskDied
from concmodels.models.memory.arena import BROKEN, EXPENDABLE, STATE
from concmodels.models.memory.group import DIED, DONE, STOPPED, finish
from concmodels.models.memory.lives.child import ARRIVED, descriptors, local_slot
from concmodels.models.memory.lives.child import process as run_process
from concmodels.models.memory.lives.leftovers import name_the_folder
from concmodels.models.memory.lives.supervisor import Supervisor, keep_descriptors_free
from concmodels.models.memory.participant import now, participants
from concmodels.platform import PORTABLE, waking

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

# A process that computes is sent SIGTERM every `_RESEND_S`, since the library's own code ignores it, and then killed.
_RESEND_S, _KILL_AFTER_S = 0.005, 0.25
_TAKEN = 1  # the number that comes with a socket: no record has it
_PRELOAD = [
    f"concmodels.models.{name}"
    for name in (
        "processes",
        "memory.channels.large",
        "memory.channels.rendezvous",
        "memory.lives.child",
        "memory.lives.forkserver_exit",
        "tasks.signals.guard",
    )
]
_IMPORTED_LATE = [
    f"concmodels.models.{name}" for name in ("memory.buffers.buffer", "memory.channels.select", "waiting.timeouts")
]
"""What main imports when it needs it, and forked children too."""


class Child:
    """A process, and what the parent keeps for it."""

    def __init__(self, at: int, name: str, popen: Any, end: int | None, connection: socket.socket) -> None:
        self.at = at
        self.name = name
        self.popen = popen
        self.connection = connection
        self.end = popen.sentinel if end is None else end
        self.signal_at: float | None = None  # set once it is cancelled: if it still computes then, it gets SIGTERM
        self.kill_at = 0.0
        self.was_killed = False  # by the library
        self.sent: list[int] = []  # descriptors on their way to it

    def kill(self) -> None:
        """Kill the process."""
        self.was_killed = True
        self.popen.kill()

    def close_sent(self) -> None:
        """Close the descriptors that were on their way to it, when they have arrived, or never will."""
        sent, self.sent = self.sent, []
        for fd in sent:
            os.close(fd)

    def close(self) -> None:
        """Collect the process, which has ended, and close what belongs to it."""
        self.close_sent()
        self.popen.wait()
        if self.end != self.popen.sentinel:
            os.close(self.end)
        self.popen.close()
        self.connection.close()


class ProcessSupervisor(Supervisor):
    """Starts a process per task."""

    def __init__(self, kind: str, channel_bytes: int, deadlock_after: float | None, method: str) -> None:
        if method == "fork":
            # A module that another thread is in the middle of importing can never be imported in the forked child.
            for name in (*_PRELOAD, *_IMPORTED_LATE):
                import_module(name)
        super().__init__(kind, channel_bytes, deadlock_after)
        self._method = method
        self._children: dict[int, Child] = {}  # by the descriptor that tells that it has ended
        self._askers: dict[int, Child] = {}  # by the descriptor of the socket
        self._own_end: tuple[int, ...] = ()  # of this process, for the children
        self.participant.arena.while_patient = self._look_for_dead

    # What `Supervisor` asks for.

    def prepare(self) -> None:
        """Start the forkserver, if it is needed, and open what tells children that this process has ended."""
        super().prepare()
        self._own_end = waking.own_end()
        if self._method == "forkserver":
            _start_forkserver()

    def see(self, fd: int) -> None:
        """Take note of what `Supervisor.see` does, of a question from a child, or of a child that has ended."""
        if fd in self._askers:
            self._answer(self._askers[fd])
        elif fd in self._children:
            self._reap(self._children[fd])
        else:
            super().see(fd)

    def start(self, at: int, name: str) -> None:
        """Start a process for the task of this record."""
        ours, theirs = socket.socketpair()
        try:
            keep_descriptors_free(theirs.fileno())
            wakers = waking.descriptors(self.participant.words[at]) + waking.descriptors(self.waker)
            fds = (self.participant.arena.fd, theirs.fileno(), *self._own_end[:1])
            child = self._launch(at, name, fds, wakers, ours)
        except BaseException:
            ours.close()
            raise
        finally:
            theirs.close()
        self._children[child.end] = self._askers[ours.fileno()] = child
        self.poller.add(child.end)
        self.poller.add(ours.fileno())

    def idle(self) -> bool:
        """Return whether no process is left."""
        return not self._children

    def names(self) -> list[str]:
        """Kill the processes that are left, because Ctrl-C came a second time, and return their names."""
        children = list(self._children.values())
        for child in children:
            child.kill()
        return [child.name for child in children]

    def note_cancelled(self) -> None:
        """Set the time at which a cancelled process that still computes is sent SIGTERM; one that waits ends sooner."""
        signal_at = now() + self.grace
        for child in self._children.values():
            if self.stopping or self.participant.cancelled(child.at):
                child.signal_at = min(child.signal_at or signal_at, signal_at)
                child.kill_at = child.signal_at + _KILL_AFTER_S

    def check_deadlines(self) -> None:
        """Send SIGTERM to the cancelled processes whose time is up, and SIGKILL to those that still go on."""
        moment = now()
        for child in self._children.values():
            if child.signal_at is None or moment < child.signal_at:
                continue
            if moment >= child.kill_at:
                child.kill()
            else:
                child.popen.terminate()
                child.signal_at = moment + _RESEND_S

    def finish(self) -> None:
        """Kill what is left if the supervisor itself has failed (else the last process is gone), and clean up."""
        for child in self._children.values():
            child.kill()
            child.close()
        for end in self._own_end:
            os.close(end)

    # The details.

    def patience(self) -> float | None:
        """Return the seconds that `Supervisor.patience` does, or those until the time of a process is up."""
        times = [child.signal_at - now() for child in self._children.values() if child.signal_at is not None]
        patience = super().patience()
        if patience is not None:
            times.append(patience)
        return max(0.0, min(times)) if times else None

    def _launch(self, at: int, name: str, fds: tuple[int, ...], wakers: tuple[int, ...], ours: socket.socket) -> Child:
        context: Any = get_context(self._method)
        process = context.Process(name=name)
        process._target = run_process
        if self._method == "fork":
            sentinels = [child.popen.sentinel for child in self._children.values()]
            others = {*self.poller.own(), ours.fileno(), *self.signal_pipe, *self._askers, *self._children, *sentinels}
            others.update(self._own_end[1:])
            process._target, process._args = _forked, (others, self.participant.kind, self.run, at, fds, wakers)
            popen = _fork(process)
        else:
            process._args = (self.participant.kind, self.run, at, _Descriptors(fds), _Descriptors(wakers))
            popen = _LAUNCHERS[self._method](process)
        # The forkserver collects its children, and writes that into the sentinel: no copy of it is in the way.
        end = None if self._method == "forkserver" else waking.end_of(popen.pid)
        return Child(at, name, popen, end, ours)

    def _answer(self, child: Child) -> None:
        """Answer a question of a child; what it can ask for is said where it asks (`child.py`)."""
        try:
            question, held, _, _ = socket.recv_fds(child.connection, 8, 1)
            if question == ARRIVED:
                child.close_sent()
                return
            if question:
                number, descriptors = self._answer_to(int.from_bytes(question, "little", signed=True), held)
                try:
                    child.sent = descriptors if number == _TAKEN else held
                    socket.send_fds(child.connection, [number.to_bytes(8, "little")], descriptors)
                finally:
                    if number != _TAKEN or not PORTABLE:
                        child.close_sent()
                return
        except ConnectionError:
            pass  # it was killed in the middle of its question: its sentinel tells of that
        self.poller.remove(child.connection.fileno())
        del self._askers[child.connection.fileno()]

    def _answer_to(self, question: int, held: list[int]) -> tuple[int, list[int]]:
        """Return the number and the descriptors that answer a question. What is held is a duplicate for the caller."""
        participant = self.participant
        if held:
            return participant.hold_descriptor(held[0]), []
        if question < 0:
            try:
                return _TAKEN, [participant.take_descriptor(-question)]
            except CannotTravel:
                return _TAKEN, []
        at = question or local_slot(participant).at
        return at, list(waking.descriptors(participant.words[at]))

    def _reap(self, child: Child) -> None:
        """Collect a process that has ended, and make sure that its task has ended too."""
        self.poller.remove(child.end)
        del self._children[child.end]
        if self._askers.pop(child.connection.fileno(), None):
            self.poller.remove(child.connection.fileno())
        if not self.participant.words[BROKEN] and self._died(child):
            self._go_on_without(child)
        child.close()
        if self.participant.words[BROKEN]:
            if not self._children:
                self.all_gone()
            return
        if self.participant.words[child.at + STATE] < DONE:
            finish(self.participant, child.at, STOPPED)
        self.ended(child.at)

    def _died(self, child: Child) -> bool:
        """Return whether a process that has ended was killed, or left in the middle of its task, unasked."""
        killed: bool = child.popen.wait() == -signal.SIGKILL
        return killed or not (self._was_to_end(child) or self.participant.words[child.at + STATE] >= DONE)

    def _was_to_end(self, child: Child) -> bool:
        """Return whether a process was cancelled: if it goes on nevertheless, it is killed."""
        return self.stopping or child.signal_at is not None

    def _go_on_without(self, dead: Child) -> None:
        """Go on without a process that was to end, or a pool's worker, if it held no lock; else break the run off."""
        from concmodels.models.memory.lives import recovery

        cancelled = self._was_to_end(dead)
        expendable = cancelled or self.participant.words[dead.at + EXPENDABLE]
        if not (expendable and recovery.locks_are_free(self.participant.arena)):
            self._break_off(dead)
            return
        recovery.clear_away(self.participant, dead.at)
        # A worker that was killed from outside has died, even if it was cancelled before that was seen.
        if not cancelled or (self.participant.words[dead.at + EXPENDABLE] and self._was_killed_by_others(dead)):
            finish(self.participant, dead.at, DIED, self._cause(dead).encode())

    @staticmethod
    def _was_killed_by_others(dead: Child) -> bool:
        killed: bool = dead.popen.wait() == -signal.SIGKILL
        return killed and not dead.was_killed

    @staticmethod
    def _cause(dead: Child) -> str:
        code = dead.popen.wait()
        return f"killed by {signal.Signals(-code).name}" if code and code < 0 else f"exit status {code}"

    def _look_for_dead(self) -> None:
        """Break the run off if a process is dead and has left a lock locked. Called while a thread waits long for one.

        If that thread is the supervisor itself, no other would notice that the holder of the lock is dead.
        """
        if threading.current_thread() is self._thread and not self.participant.words[BROKEN]:
            from concmodels.models.memory.lives import recovery

            dead = [self._children[fd] for fd in self.poller.wait(0) if fd in self._children]
            for child in filter(self._died, dead):
                if not recovery.locks_are_free(self.participant.arena):
                    self._break_off(child)
                    return

    def _break_off(self, dead: Child) -> None:
        """End all other processes: this one ended without saying so, and may have held a lock."""
        death = TaskDied(f"the process of task {dead.name!r} ended without a word ({self._cause(dead)})")
        self.participant.words[dead.at + STATE] = DIED
        self.break_off(death)
        for child in self._children.values():
            child.signal_at, child.kill_at = now() + _RESEND_S, now() + _KILL_AFTER_S


def _start_forkserver() -> None:
    """Start multiprocessing's forkserver, if it does not run yet, with this library's modules loaded."""
    server: Any = forkserver._forkserver
    before = server._preload_modules
    # Not the main program: a child imports it when it needs something of it, and only if it has a guard.
    server.set_forkserver_preload([name for name in before if name != "__main__"] + _PRELOAD)
    name_the_folder()
    try:
        server.ensure_running()
    finally:
        server.set_forkserver_preload(before)


# Starting a process: multiprocessing's own ways, but without its import of the main program into every child.


class _Descriptors:
    """Descriptors that become those of the other process when they are unpickled there."""

    def __init__(self, fds: tuple[int, ...]) -> None:
        self.fds = fds

    def __reduce__(self) -> tuple[Callable[..., tuple[int, ...]], tuple[Any, ...]]:
        return descriptors, tuple(reduction.DupFd(fd) for fd in self.fds)


def _pickled(popen: Any, process: Any) -> memoryview:
    preparation = spawn.get_preparation_data(process.name)
    for key in ("init_main_from_name", "init_main_from_path"):
        preparation.pop(key, None)
    buffer = io.BytesIO()
    set_spawning_popen(popen)
    try:
        reduction.dump(preparation, buffer)
        reduction.dump(process, buffer)
    finally:
        set_spawning_popen(None)
    return buffer.getbuffer()


class _ForkserverPopen(popen_forkserver.Popen):
    def _launch(self, process: Any) -> None:
        data = _pickled(self, process)
        self.sentinel, writer = forkserver.connect_to_new_process(self._fds)  # type: ignore[attr-defined]
        self.finalizer = util.Finalize(self, util.close_fds, (self.sentinel,))  # type: ignore[attr-defined]
        with open(writer, "wb") as file:
            file.write(data)
        self.pid = forkserver.read_signed(self.sentinel)


class _SpawnPopen(popen_spawn_posix.Popen):
    _fds: list[int]

    def _launch(self, process: Any) -> None:
        from multiprocessing import resource_tracker

        tracker = resource_tracker.getfd()
        data = _pickled(self, process)
        self.sentinel, ends = os.pipe()
        reader, writer = os.pipe()
        try:
            command = spawn.get_command_line(tracker_fd=tracker, pipe_handle=reader)
            passed: Any = [*self._fds, tracker, reader, ends]
            program: Any = spawn.get_executable()
            self.pid = util.spawnv_passfds(program, command, passed)
        finally:
            os.close(reader)
            os.close(ends)
        self.finalizer = util.Finalize(self, util.close_fds, (self.sentinel,))  # type: ignore[attr-defined]
        with open(writer, "wb") as file:
            file.write(data)


_LAUNCHERS: dict[str, Any] = {"forkserver": _ForkserverPopen, "spawn": _SpawnPopen}


def _fork(process: Any) -> Any:
    import warnings

    with warnings.catch_warnings():
        # Other threads exist. The child runs nothing that they may have been in the middle of: see `_forked`.
        warnings.simplefilter("ignore", DeprecationWarning)
        return popen_fork.Popen(process)


def _forked(others: set[int], kind: str, run: int, at: int, fds: tuple[int, ...], wakers: tuple[int, ...]) -> None:
    """Forget, in a forked child, the parent's part in the run, and go on like any other child."""
    signal.set_wakeup_fd(-1)
    for fd in others:
        os.close(fd)
    participants.clear()
    run_process(kind, run, at, fds, wakers)
