"""The manager of a pool of processes or interpreters: which thread has the dispatcher do its rounds, and how a task
waits for the pool.

There is one word that says whom the workers notify: the OWNER of their group's record. It is the current waiter, which
is the task that has begun last to wait for the pool; while no task waits, it is a thread of the pool's own. A waiter
that leaves writes another one's record there and then looks for results once more; a worker that has notified a waiter
then looks whether that is still the current one. There is a fence between the two steps on both sides, so no result is
left without a waiter that knows of it.
"""

import threading
from _thread import allocate_lock, get_ident

from concmodels.models.memory.arena import BROKEN, LIVE, OWNER, PARENT, Cancelled
from concmodels.models.memory.group import TaskGroup, cancel
from concmodels.models.memory.participant import Participant, now
from concmodels.platform.memory import new_fence

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from concmodels.models.memory.pool.dispatcher import Dispatcher


class WorkerGroup(TaskGroup):
    """The workers of a pool: a group beside the body of the `with`, which one of them can leave without the others.

    To cancel a scope around the pool cancels the workers too; a worker that fails cancels no other task.
    """

    expendable = True

    def open(self, manager: int) -> None:
        """Make the record; the workers notify its owner, and so does the supervisor when one of them has ended."""
        participant, words = self.participant, self.participant.words
        with participant.arena.claim:
            self._at = participant.arena.new_record()
        words[self._at + OWNER], words[self._at + PARENT] = manager, participant.wait_slot().scope
        self._open = True

    @property
    def at(self) -> int:
        """The group's record."""
        return self._at

    def any_left(self) -> bool:
        """Return whether a worker has not ended."""
        return bool(self.participant.words[self._at + LIVE]) and not self.participant.words[BROKEN]

    def free_records(self, manager: int) -> None:
        """Give the records back, the manager's too, once all workers have ended.

        A worker may still be about to notify the manager; that wakes the next user of its record once for nothing.
        """
        self._open = False
        if not self.participant.words[BROKEN] and not self.any_left():
            with self.participant.arena.claim:
                for task in self._tasks:
                    self._forget(task)
                self.participant.arena.free_record(self._at)
                self.participant.arena.free_record(manager)


class Manager:
    """Runs the pool in a thread of its own while no task waits for it, and in the current waiter else."""

    def __init__(self, dispatcher: Dispatcher, participant: Participant, at_end: Callable[[], object]) -> None:
        self.gone = False
        self._dispatcher = dispatcher
        self._participant = participant
        self._at_end = at_end
        self._slot = participant.new_slot()
        self.worker_group = dispatcher.worker_group = WorkerGroup(participant)
        self.worker_group.open(self._slot.at)
        self._waiting: list[int] = []  # the records of the tasks that wait for the pool; the last one is current
        self._changing = allocate_lock()
        self._fence = new_fence()
        self._thread = threading.Thread(target=self._manage, name="manager of a pool")

    def start(self) -> None:
        """Start the thread."""
        self._thread.start()

    def notify(self) -> None:
        """Wake the thread and all waiters: there is something to do, or to be seen."""
        for at in [*self._waiting, self._slot.at]:
            self._participant.notify(at)

    def help_until(self, done: Callable[[], bool], until: float | None = None) -> bool:
        """Wait until `done`, and run the pool meanwhile; return False if the moment has come first.

        A checkpoint, if the caller has to wait. Raises `Cancelled`, or a pending Ctrl-C.
        """
        participant, step = self._participant, self.step
        step()
        if done():
            return True
        participant.begin_wait()
        with _CurrentWaiter(self, participant.wait_slot().at):
            while True:
                step()
                if done():
                    return True
                if until is not None and now() >= until:
                    return False
                participant.checkpoint()  # each round: a step calls what the program has hung on futures
                participant.wait(_soonest(until, self._dispatcher.next_look()))

    def step(self) -> None:
        """Have the dispatcher do a round, and wake those whom it concerns."""
        if self._dispatcher.step():
            self._tell()
        if not self.gone and self._dispatcher.is_over():
            self._participant.notify(self._slot.at)  # the thread has to end it

    def cancel(self) -> None:
        """Cancel the workers, as long as there are any."""
        with self._changing:
            if not self.gone:
                cancel(self._participant, self.worker_group.at)

    def join(self) -> None:
        """Wait for the thread, which has nothing left to do."""
        if self._thread.ident != get_ident():
            self._thread.join()

    def become_current(self, at: int) -> None:
        """Make this waiter the current one: from now on the workers notify it."""
        with self._changing:
            self._waiting.append(at)
            self._name(at)

    def hand_over(self, at: int) -> None:
        """Make another waiter, or the thread, the current one; wake it if it may have missed results.

        A worker may have notified the old one just before this. It looks at OWNER once more after that; we look for
        results once more after OWNER was changed. Each has a fence in between, so at least one of the two sees.
        """
        with self._changing:
            self._waiting.remove(at)
            next_waiter = self._waiting[-1] if self._waiting else self._slot.at
            self._name(next_waiter)
        with self._fence:
            if self._dispatcher.has_completed():
                self._participant.notify(next_waiter)

    def _name(self, at: int) -> None:
        """Write down whom the workers notify, unless all have left: then the record is used for something else."""
        if not self.gone:
            self._participant.words[self.worker_group.at + OWNER] = at

    def _tell(self) -> None:
        """Wake all other waiters, because a task has ended: it may be what they wait for."""
        mine = self._participant.wait_slot().at
        for at in list(self._waiting):
            if at != mine:
                self._participant.notify(at)

    # The thread.

    def _manage(self) -> None:
        self._participant.begin_service()
        self._participant.bind_thread(self._slot)
        try:
            while not self._dispatcher.is_over():
                if self._dispatcher.step():
                    self._tell()
                if not self._dispatcher.is_over():
                    self._participant.checkpoint()
                    self._participant.wait(self._next_look())
        except Cancelled:
            pass  # the run is broken off
        except BaseException as error:  # noqa: BLE001 - else all waiters would wait for ever
            self._dispatcher.give_up(error)
        finally:
            self._leave()

    def _next_look(self) -> float | None:
        """Return when the thread must look again; None while a task waits for the pool, because that one looks."""
        look: float | None = None if self._waiting else self._dispatcher.next_look()
        return look

    def _leave(self) -> None:
        self._dispatcher.end()
        self._at_end()
        with self._changing:
            self.gone = True
        self.worker_group.free_records(self._slot.at)
        self._tell()
        self._participant.end_service()


def _soonest(one: float | None, other: float | None) -> float | None:
    return other if one is None else one if other is None else min(one, other)


class _CurrentWaiter:
    """A context manager: inside of it, this waiter is the current one, or was until another came."""

    __slots__ = ("_at", "_manager")

    def __init__(self, manager: Manager, at: int) -> None:
        self._manager = manager
        self._at = at

    def __enter__(self) -> None:
        self._manager.become_current(self._at)

    def __exit__(self, *_: object) -> None:
        self._manager.hand_over(self._at)
