"""The request server of a pool of processes or interpreters: it serves `submit` calls that come from other tasks.

A worker whose task waits for the pool sends a request that says so, and another one when it goes on. If all workers
wait, and for nothing that has ended, none is left that could begin what they wait for: the server answers the last one
with STUCK.
"""

import threading

from concmodels.errors import CannotTravel
from concmodels.models.memory.channel_layout import POSITION, TAIL
from concmodels.models.memory.pool.dispatcher import OPEN
from concmodels.models.memory.pool.remote import (
    CALL,
    CANCELLED,
    ERROR,
    KEPT,
    RESULT,
    RESUMES,
    STUCK,
    TAKE_BACK,
    WAITS,
    new_channel,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from concmodels.models.memory.channel import Channel
    from concmodels.models.memory.participant import Participant
    from concmodels.models.memory.pool.future import Future


class RequestServer:
    """Serves the requests of other tasks in a thread, from the first time that the pool is given to one."""

    def __init__(self, pool: Any, participant: Participant) -> None:
        self.requests = new_channel(participant)
        self._pool = pool
        self._participant = participant
        self._handled = 0
        self._calls: dict[int, Future] = {}  # by the number of the channel for the answer
        self._waiting: dict[int, Future] = {}  # by the worker that waits for it
        self._thread = threading.Thread(target=self._serve, name="request server of a pool")
        self._thread.start()

    def close(self) -> None:
        """Stop serving, because the pool has ended."""
        self.requests.close()
        self._thread.join()

    def is_behind(self) -> bool:
        """Return whether a request was sent that has not been served."""
        return bool(self._handled < self.requests._control[TAIL] & POSITION)

    def _serve(self) -> None:
        self._participant.begin_service()
        for what, reply, more in self.requests:
            self._handle(what, reply, more)
            self._handled += 1
            if self._pool.dispatcher.stage != OPEN:
                self._pool.notify()  # it may have waited for this
        self._participant.end_service()

    def _handle(self, what: int, reply: Channel, more: Any) -> None:
        if what == CALL:
            self._call(reply, *more)
        elif what == WAITS:
            self._wait(reply, more)
        elif what == RESUMES:
            self._waiting.pop(more, None)
            self._pool.dispatcher.unblock(more)
        elif what == TAKE_BACK:
            if call := self._calls.get(reply.number):
                call.cancel()
            reply.send((KEPT, None))

    def _call(self, reply: Channel, data: bytes, name: str) -> None:
        try:
            future = self._pool.submit_packed(data, name, of_task=True)
        except Exception as error:  # noqa: BLE001 - it is the caller's
            reply.send((ERROR, error))
            return
        self._calls[reply.number] = future
        future.add_done_callback(lambda done: self._answer(reply, done))

    def _answer(self, reply: Channel, done: Any) -> None:
        """Send how a call has ended. The thread that runs the pool in this moment is not to be cancelled in here."""
        self._calls.pop(reply.number, None)
        slot = self._participant.wait_slot()
        before, slot.shielded = slot.shielded, True
        try:
            if done.cancelled():
                reply.send((CANCELLED, None))
            elif error := done.exception():
                reply.send((ERROR, error))
            else:
                self._send_result(reply, done.result())
        finally:
            slot.shielded = before

    @staticmethod
    def _send_result(reply: Channel, result: Any) -> None:
        """Send a result to the task that asked for it; what could be unpickled here may not be pickled again."""
        try:
            reply.send((RESULT, result))
        except CannotTravel as error:
            reply.send((ERROR, error))

    def _wait(self, reply: Channel, worker: int) -> None:
        future = self._calls.get(reply.number)
        if future is None:
            return  # the answer is on its way
        self._waiting[worker] = future
        if self._pool.dispatcher.block(worker):
            self._pool.notify()  # others may take it
        waiting = {at for at, awaited in self._waiting.items() if not awaited.done()}
        if self._pool.dispatcher.workers() <= waiting:
            del self._waiting[worker]
            reply.send((STUCK, len(waiting)))
