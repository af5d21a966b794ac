"""The rendezvous of the models with memory boundaries: channels of capacity 0, where `send` returns once the item is
taken.

Nothing lies in such a channel but those who wait: two lists of records in the arena, senders and receivers. A sender
that waits has its item's word in its record; a receiver that waits gets one written there. Whoever comes second claims
the first of the other side, under the run's claim lock: so each wait is claimed once, as everywhere in this library.

What was claimed is done. If a cancellation or a timeout strikes in the same moment, the claim wins: the operation
returns, and the cancellation is raised at the next wait.
"""

from concmodels.models.memory.arena import ITEM, OUTCOME, PENDING, REFUSED, deadline
from concmodels.models.memory.channel_layout import CLOSED, RECEIVERS, SENDERS, TAIL, ChannelMemory

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


class Rendezvous(ChannelMemory):
    """The part of a channel that only capacity 0 needs."""

    __slots__ = ()

    def _hand_over(self, cargo: Any) -> bool:
        """Give it to a receiver that waits, if one does."""
        unit, arena = self.home, self.home.arena
        with arena.claim:
            self._check_open()
            receiver, owner = arena.claim_first(self._at + RECEIVERS)
            if not receiver:
                return False
            unit.words[receiver + ITEM] = cargo
        unit.ring(owner)
        return True

    def _take_offer(self, nothing: Any) -> Any:
        """Take the item of the sender that has waited longest; `nothing` if none waits."""
        with self.home.arena.claim:
            sender, word = self._claim_sender()
        if not sender:
            return nothing
        self.home.ring(sender)
        return self._item_of(word)

    def _send_offer(self, cargo: Any, timeout: float | None) -> None:
        """Send, waiting for somebody to take it."""
        unit, arena, until = self.home, self.home.arena, deadline(timeout)
        me = unit.look_around().at
        with arena.claim:
            self._check_open()
            receiver, owner = arena.claim_first(self._at + RECEIVERS)
            if receiver:
                unit.words[receiver + ITEM] = cargo
            else:
                unit.words[me + ITEM] = cargo
                self._stand(me, SENDERS)
        if receiver:
            unit.ring(owner)
        elif self._claimed(me, until) == REFUSED:
            self._refuse_closed()

    def _receive_offer(self, timeout: float | None) -> Any:
        """Receive, waiting for somebody who sends."""
        unit, until = self.home, deadline(timeout)
        me = unit.look_around().at
        with unit.arena.claim:
            sender, word = self._claim_sender()
            if not sender:
                if timeout is not None and timeout <= 0:
                    raise TimeoutError(f"{self!r} is empty")
                self._stand(me, RECEIVERS)
        if sender:
            unit.ring(sender)
        elif self._claimed(me, until) == REFUSED:
            self._refuse_closed()
        else:
            word = unit.words[me + ITEM]
        return self._item_of(word)

    def _claim_sender(self) -> tuple[int, int]:
        """Whom to ring and the item's word, if a sender waits; else (0, 0). The caller holds the claim lock."""
        sender, owner = self.home.arena.claim_first(self._at + SENDERS)
        if sender:
            return owner, self.home.words[sender + ITEM]
        if self._control[TAIL] >= CLOSED:
            self._refuse_closed()
        return 0, 0

    def _stand(self, record: int, waiters: int) -> None:
        """Wait in this list, to be claimed. The caller holds the claim lock."""
        self.home.words[record + OUTCOME] = PENDING
        self.home.arena.push(self._at + waiters, record)

    def _claimed(self, me: int, until: float | None) -> int:
        """Wait for the claim; returns what was decided."""
        words = self.home.words
        self.home.begin_wait()
        try:
            while words[me + OUTCOME] == PENDING:
                if not self._block(until):
                    raise TimeoutError(f"{self!r}: nobody came in time")
        except BaseException as error:
            outcome = self._leave(me)
            if outcome == PENDING:
                raise
            self.home.put_off(error)
            return outcome
        return self._leave(me)

    def _leave(self, me: int) -> int:
        """Wait no more; returns what was decided before."""
        words, arena = self.home.words, self.home.arena
        with arena.claim:
            arena.remove(me)
            outcome: int = words[me + OUTCOME]
            words[me + OUTCOME] = 0
        return outcome

    def _is_awaited(self, waiters: int) -> bool:
        """Whether somebody waits in this list, or the channel is closed. The caller holds the claim lock."""
        return self._control[TAIL] >= CLOSED or bool(self.home.arena.first_to_claim(self._at + waiters))

    def _check_open(self) -> None:
        if self._control[TAIL] >= CLOSED:
            self._refuse_closed()

    def _close_rendezvous(self) -> None:
        """Close it, and refuse who waits, in one step: nobody may be served who comes later."""
        unit, arena, refused = self.home, self.home.arena, []
        with arena.claim:
            self._control[TAIL] |= CLOSED
            for waiters in (SENDERS, RECEIVERS):
                while owner := arena.claim_first(self._at + waiters, REFUSED)[1]:
                    refused.append(owner)
        for owner in refused:
            unit.ring(owner)
