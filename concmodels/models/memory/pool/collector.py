"""The collector of a pool: the thread that its workers notify, and that has the dispatcher do its rounds."""

import threading
from _thread import get_ident

from concmodels.models.memory.arena import Cancelled, deadline
from concmodels.models.memory.group import cancel
from concmodels.models.memory.looking import LOOK_NS, Looking
from concmodels.models.memory.pool.dispatcher import OPEN
from concmodels.models.memory.pool.future import Waiters
from concmodels.models.memory.pool.worker_memory import LEFT

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from concmodels.models.memory.participant import Participant
    from concmodels.models.memory.pool.dispatcher import Dispatcher
    from concmodels.models.memory.pool.future import Future
    from concmodels.models.memory.pool.remote import Requests
    from concmodels.models.memory.pool.worker_group import WorkerGroup


class Collector:
    """Runs the pool in a thread of its own; a thread that gives the pool work does a round too."""

    def __init__(
        self, dispatcher: Dispatcher, worker_group: WorkerGroup, participant: Participant, at_end: Callable[[], object]
    ) -> None:
        self.waiters = Waiters(participant, dispatcher.lock)
        self.requests: Requests | None = None  # once the pool was given to another task
        self._gone = False
        self._dispatcher = dispatcher
        self._worker_group = worker_group
        self._participant = participant
        self._at_end = at_end
        self._next_look: float | None = None  # when the thread is going to look, even if no worker notifies it
        self._looking = Looking(participant.words, longest_ns=4 * LOOK_NS)  # a worker, this thread, and the caller wake
        self._slot = participant.new_slot()
        self._thread = threading.Thread(target=self._run, name="collector of a pool")
        worker_group.open(self._slot.at)

    def start(self) -> None:
        """Start the thread."""
        self._thread.start()

    def is_gone(self) -> bool:
        """Return whether the pool has ended."""
        return self._gone

    def step(self) -> None:
        """Have the dispatcher do a round, and wake the tasks and threads that it concerns.

        Once the pool takes nothing more, that includes the thread: only it lets the workers leave.
        """
        self._dispatcher.step()
        self.waiters.wake_done()
        with self._dispatcher.lock:
            if not self._gone and (self._dispatcher.stage != OPEN or self._must_look_sooner()):
                self.notify()

    def wait_for(self, call: Future, timeout: float | None) -> None:
        """Wait until a call has ended, by looking or by blocking. Raises `TimeoutError`.

        Only the thread of the task looks, so no two threads do at a time.
        """
        looking, participant = self._looking, self._participant
        if timeout is not None or get_ident() != participant.first_thread:
            self.waiters.wait_until(call.done, deadline(timeout))
        elif looking.rest:
            looking.rest -= 1
            self.waiters.wait_until(call.done, None)
        elif not self._look_for(call):
            self.waiters.wait_until(call.done, None)
            looking.blocked()

    def _look_for(self, call: Future) -> bool:
        """Look whether a worker does a call, and collect what it has done; return whether the call has ended."""
        if watched := self._dispatcher.begin_look(call):
            handle, left = watched
            try:
                self._looking.finds(self._participant.words, handle.at // 8 + LEFT, left)
            finally:
                was_all = self._dispatcher.end_look(handle)
            if not was_all:
                self.step()
            elif self.waiters:
                self.waiters.wake_done()
        return call.done()

    def _must_look_sooner(self) -> bool:
        """Return whether the thread waits for a worker to notify it, and does not know that there is to look before."""
        return self._next_look is None and self._dispatcher.next_look() is not None

    def notify(self) -> None:
        """Wake the thread: there is something to do."""
        self._participant.notify(self._slot.at)

    def cancel(self) -> None:
        """Cancel the workers, if there still are any."""
        with self._dispatcher.lock:
            if not self._gone:
                cancel(self._participant, self._worker_group.at)

    def join(self) -> None:
        """Wait for the thread, which has nothing left to do."""
        if self._thread.ident != get_ident():
            self._thread.join()

    def _run(self) -> None:
        self._participant.begin_service()
        self._participant.bind_thread(self._slot)
        try:
            while self._round():
                self._participant.checkpoint()
                self._participant.wait(self._next_look)
        except Cancelled:
            pass  # the run is broken off
        except BaseException as error:  # noqa: BLE001 - otherwise all waiters would wait for ever
            self._dispatcher.break_off("the pool itself has failed", error)
        finally:
            self._leave()

    def _round(self) -> bool:
        """Do one round; return whether there will be more to do."""
        if self.requests is not None:
            self.requests.serve()
        self._dispatcher.step()
        # A task may have made requests before it ended: once its end has been collected, they are in the channel.
        if self.requests is None or not len(self.requests.channel):
            self._dispatcher.close_if_done()
        with self._dispatcher.lock:
            self._next_look = self._dispatcher.next_look()
        over = self._dispatcher.is_over()
        self.waiters.wake_done()  # last, so that they need not wait for the GIL
        return not over

    def _leave(self) -> None:
        self._dispatcher.end()
        if self.requests is not None:
            self.requests.channel.close()
            self.requests.serve()  # so that no task waits for an answer for ever
        self._at_end()
        with self._dispatcher.lock:
            self._gone = True
            self._worker_group.free_records(self._slot.at)
        self.waiters.wake_done()
        self._participant.end_service()
