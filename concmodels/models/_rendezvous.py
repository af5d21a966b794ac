"""The rendezvous of the border models: channels of capacity 0, where `send` returns once the item is taken.

The word in the ring is an *offer*: the record of the waiting sender, with a serial number. The receiver takes the item
out of the record. A sender that gives up changes its serial number under the receivers' lock; the word then
means nobody, and receivers pass over it. Waiting senders are also in the channel's list, where `close` finds and
refuses them.
"""

from concmodels.errors import ChannelClosed
from concmodels.models._arena import ITEM, OUTCOME, RECORD_WORDS, RECORDS_AT, SERIAL, deadline
from concmodels.models._channel_memory import (
    CLOSED,
    HEAD,
    OFFER,
    RECEIVERS,
    SENDERS,
    TAIL,
    ChannelMemory,
    offer_of,
    word_of,
)

_SERIAL = 24  # an offer is serial << 24 | number of the record
_PENDING, _TAKEN, _REFUSED = 1, 2, 3


class Rendezvous(ChannelMemory):
    """The part of a channel that only capacity 0 needs."""

    __slots__ = ()

    def _hand_over(self, cargo: int | bytes) -> bool:
        """Give it to a receiver that waits, if one does.

        A receiver is in the list only if nothing was left to take, and every item sent since has popped one: so one
        that is still there has nothing else to do than to take this.
        """
        control, arena = self._control, self.home.arena
        with self._senders:
            tail = control[TAIL]
            if tail >= CLOSED:
                raise ChannelClosed("the channel is closed: nothing can be sent")
            with arena.claim:
                receiver = arena.pop(self._at + RECEIVERS)
            if not receiver:
                return False
            self._ring[tail & self._mask] = cargo if type(cargo) is int else self._store(cargo)
            control[TAIL] = tail + 1
        self.home.ring(receiver)
        return True

    def _send_offer(self, cargo: int, timeout: float | None) -> None:
        """Offer it and wait until it is taken. What was taken has been sent, whatever happened to us."""
        unit, until = self.home, deadline(timeout)
        me = unit.parker().at
        offer = self._make_offer(me, cargo)
        try:
            self._append_offer(me, offer)
            while unit.words[me + OUTCOME] == _PENDING:
                if not self._block(until):
                    raise TimeoutError("nobody took the item in time")
        except BaseException as error:
            if self._withdraw(me):
                self._discard(cargo)
                raise
            if isinstance(error, KeyboardInterrupt):
                raise
        if unit.words[me + OUTCOME] == _REFUSED:
            self._discard(cargo)
            raise ChannelClosed("the channel was closed before anybody took the item")

    def _make_offer(self, me: int, cargo: int) -> int:
        words = self.home.words
        words[me + ITEM], words[me + OUTCOME] = cargo, _PENDING
        return word_of(OFFER, words[me + SERIAL] << _SERIAL | (me - RECORDS_AT) // RECORD_WORDS)

    def _append_offer(self, me: int, offer: int) -> None:
        control, arena = self._control, self.home.arena
        with self._senders:
            tail = control[TAIL]
            if tail >= CLOSED:
                raise ChannelClosed("the channel is closed: nothing can be sent")
            if tail >= control[HEAD] + self._most:
                raise MemoryError("too many senders gave up on this channel while nobody received")
            with arena.claim:
                arena.push(self._at + SENDERS, me)  # `close` finds it there
            self._ring[tail & self._mask] = offer
            control[TAIL] = tail + 1
        if control[RECEIVERS]:
            self.home.wake(self._at + RECEIVERS)

    def _withdraw(self, me: int) -> bool:
        """Take the offer back; False if it was taken or refused first."""
        words = self.home.words
        with self._receivers, self.home.arena.claim:
            self.home.arena.remove(me)
            if words[me + OUTCOME] != _PENDING:
                return False
            words[me + SERIAL] += 1  # another serial number: the word in the ring means nobody any more
            words[me + OUTCOME] = 0
        return True

    def _accept(self, word: int) -> tuple[int, int]:
        """Take an offer, if it still stands. Returns the sender's record (-1: withdrawn) and the item's word."""
        words, arena, offer = self.home.words, self.home.arena, offer_of(word)
        sender = RECORDS_AT + RECORD_WORDS * (offer & ((1 << _SERIAL) - 1))
        if words[sender + OUTCOME] != _PENDING or words[sender + SERIAL] != offer >> _SERIAL:
            return -1, 0
        with arena.claim:
            arena.remove(sender)
        word = words[sender + ITEM]
        words[sender + SERIAL] += 1
        words[sender + OUTCOME] = _TAKEN
        return sender, word

    def _refuse_offers(self) -> None:
        """The channel was closed: who waits was not accepted."""
        words, arena, refused = self.home.words, self.home.arena, []
        with self._receivers, arena.claim:
            while sender := arena.pop(self._at + SENDERS):
                words[sender + SERIAL] += 1
                words[sender + OUTCOME] = _REFUSED
                refused.append(sender)
        for sender in refused:
            self.home.ring(sender)
