"""How a task waits at a channel of the models with memory boundaries that holds items: in the list of its senders or
its receivers.

`_wait_for` says it step by step. `_stand_by` is the same for a receiver without a timeout, where a message that makes
others wait spends its time: all in one function, because what a task has not run for a while is no longer in the
processor's caches, and fetching the code of ten small functions takes longer than they do.

It also takes one lock less. A receiver joins the list first and looks once more after that; a sender puts its item
there first and looks for receivers after that. Between the two, both give a lock back, which is a fence: so at least
one of them sees the other, and nobody waits beside an item.
"""

from _thread import get_ident
from os import eventfd_read

from concmodels.models.memory.arena import ALERT, LIST, NEXT, PREVIOUS, WAITING
from concmodels.models.memory.channel_layout import CLOSED, HEAD, RECEIVERS, TAIL
from concmodels.models.memory.rendezvous import Rendezvous

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, ClassVar


class Waiting(Rendezvous):
    """The part of a channel that makes who has nothing to take, or no room, wait."""

    __slots__ = ()
    _polls: ClassVar[bool] = False

    def _is_empty(self) -> bool:
        tail: int = self._control[TAIL]
        return tail == self._control[HEAD]

    def _is_full(self) -> bool:
        tail: int = self._control[TAIL]
        return tail < CLOSED and tail >= self._control[HEAD] + self._most

    def _stand_by(self, rung: bool) -> bool:
        """Wait for an item or a close, unless there is one by now. Returns whether somebody has rung.

        `rung` says whether somebody had when we last looked, and another was faster: then we wait in front.
        """
        unit, words, control, waiters = self.home, self._words, self._control, self._at + RECEIVERS
        parker = unit.first if get_ident() == unit.first_thread else unit.parker()
        me, number = parker.at, parker.waits + 1
        parker.waits = number
        if words[ALERT] or parker.guard is not None:
            unit.heed(parker)
        self._grab_claim(False) or self._wait_claim()
        if rung:
            unit.arena.push(waiters, me, front=True)
        else:
            last = words[me + PREVIOUS] = control[RECEIVERS + 1]
            words[last + NEXT if last else waiters] = control[RECEIVERS + 1] = me
            words[me + NEXT] = 0
            words[me + LIST] = waiters
        self._free_claim()
        if control[TAIL] != control[HEAD]:
            return unit.stop_waiting(me) or rung
        try:
            while words[me + LIST]:
                words[me + WAITING] = number
                try:
                    eventfd_read(parker.bell)
                except InterruptedError:  # a signal, and its handler has run: the bell has not rung
                    continue
                if words[ALERT] or parker.guard is not None:
                    unit.answer(parker)
                    unit.heed(parker)
                else:
                    words[me + WAITING] = 0
        except BaseException:
            self._pass_on(waiters, me)
            raise
        return True

    def _wait_for(
        self,
        waiters: int,
        others: Any,
        must_wait: Callable[[], bool],
        until: float | None,
        rung: bool,
    ) -> bool:
        """Wait in one of the lists, unless it has become needless. Returns True once somebody has rung."""
        unit, arena = self.home, self.home.arena
        me = unit.begin_wait()
        with others, arena.claim:
            if not must_wait():
                return rung
            arena.push(self._at + waiters, me, front=rung)
        try:
            while unit.words[me + LIST]:
                if not self._block(until) and not unit.stop_waiting(me):
                    raise TimeoutError(f"{self!r}: nobody came in time")
        except TimeoutError:
            raise
        except BaseException:
            self._pass_on(self._at + waiters, me)
            raise
        return True

    def _pass_on(self, waiters: int, me: int) -> None:
        """We leave without taking: if we were rung, another has to be."""
        if self.home.stop_waiting(me):
            self.home.wake(waiters)
