"""How one task waits for several channels of a memory boundary model at once.

A select is one wait with several cases. It looks and queues as elsewhere in this library: under all the locks that its
channels have, so that there is one moment at which it sees all of them. For each case it puts a record of its own into
the channel's list of waiters, owned by the task's record, whose waker is woken. Two kinds of channels meet here:

* on a rendezvous a partner *claims* the task (its OUTCOME), so exactly one case takes effect, whichever comes first;
* on a channel with a buffer a wake-up is only a hint. From then on no partner can claim the task: with `priority=True`
  a later case must not be done while an earlier one is ready. The task leaves all lists and looks again. It passes a
  hint that it did not use on to the next waiter there.

So a look is always made while no partner can claim the task: it never does two cases, and never meets itself.
"""

from math import inf

from concmodels.errors import Selected
from concmodels.models.memory.arena import CHOSEN, ITEM, LIST, NUMBER, OUTCOME, OWNER, PAIRS, PENDING, REFUSED, deadline
from concmodels.models.memory.channels import rendezvous
from concmodels.models.memory.channels.channel import Channel, DetachedChannel
from concmodels.models.memory.channels.layout import CLOSED, HEAD, RECEIVERS, SENDERS, TAIL
from concmodels.models.waiting.select import bad_case, shuffled
from concmodels.models.waiting.timeouts import expired

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from concmodels.models.memory.arena import Lock
    from concmodels.models.memory.participant import Participant


class Case:
    """One case, and its record in the list of its channel."""

    __slots__ = ("channel", "item", "payload", "position", "queued", "record", "sending", "waiters", "woken")

    def __init__(self, channel: Channel, item: Any, sending: bool) -> None:
        self.channel = channel
        self.item = item
        self.sending = sending
        self.payload: Any = channel._load(item) if sending else 0
        channel.home.let_go()  # there may be several, and a partner may take any of them at any time
        self.waiters = channel._at + (SENDERS if sending else RECEIVERS)
        self.record = 0
        self.position = 0  # of the item in the channel, once it was sent or received there
        self.queued = False
        self.woken = False

    def is_ready(self) -> bool:
        """Return whether the case can be done now. The caller holds all locks."""
        channel = self.channel
        if channel.capacity == 0:
            return rendezvous.is_awaited(channel, RECEIVERS if self.sending else SENDERS)
        if self.sending:
            return channel.capacity == inf or not channel._is_full()
        return not channel._is_empty()

    def is_closed(self) -> bool:
        """Return whether a case that is ready is so because its channel was closed. The caller holds all locks."""
        channel = self.channel
        closed: bool = channel._control[TAIL] >= CLOSED
        return closed and (self.sending or len(channel) == 0)

    def meet(self, me: int) -> tuple[int, int]:
        """Exchange the item with the waiting partner; return the record to notify, and the word that was received."""
        channel = self.channel
        if not self.sending:
            return rendezvous.claim_sender(channel, me)
        receiver, owner = channel.home.arena.claim_first(channel._at + RECEIVERS)
        rendezvous.give(channel, self.payload, me, receiver, owner)
        return owner, 0

    def use_buffer(self) -> tuple[int, Any]:
        """Send or receive through the channel's buffer; return what `Channel._fetch` does.

        The caller holds both locks of the channel.
        """
        channel = self.channel
        if not self.sending:
            head = self.position = channel._control[HEAD]
            channel._look(head)
            return channel._fetch(head, channel._ring[head & channel._mask])
        end = channel._append_now(self.payload)
        if not end:
            raise MemoryError(f"{channel!r} is full: give `run` more `channel_bytes`")
        self.position = end - 1
        return 0, None

    def push(self, owner: int) -> None:
        """Join the list. The caller holds the claim lock."""
        arena = self.channel.home.arena
        if not self.record:
            self.record = arena.new_record()
            arena.words[self.record + OWNER] = owner
        arena.words[self.record + ITEM] = self.payload if type(self.payload) is int else 0
        arena.push(self.waiters, self.record, front=self.woken)
        self.queued, self.woken = True, False

    def leave(self) -> None:
        """Leave the list, and note if another task has popped the record. The caller holds the claim lock."""
        if self.queued:
            self.woken = not self.channel.home.arena.remove(self.record)
            self.queued = False


class Selection:
    """One select, from its first look to its end."""

    def __init__(self, participant: Participant, priority: bool) -> None:
        self._participant = participant
        self._priority = priority
        self._me = participant.wait_slot().at
        self._cases: list[Case] = []
        self._unsent: set[Case] = set()
        self._winner: Case | None = None
        self._locks: list[Lock] = []

    def add(self, channel: Channel, item: Any, sending: bool) -> None:
        """Add a case. Raises `CannotTravel` for an item that can't be sent."""
        case = Case(channel, item, sending)
        self._cases.append(case)
        if sending:
            self._unsent.add(case)

    def run(self, timeout: float | None) -> Selected:
        """Look, wait, look again, until a case is done. Raises `TimeoutError`."""
        until, arena = None, self._participant.arena
        self._participant.checkpoint()  # after the items were pickled, which runs the program's code
        pairs = {case.channel.number % PAIRS for case in self._cases if case.channel.capacity != 0}
        self._locks = [lock for number in sorted(pairs) for lock in arena.pair(number)]
        while (done := self._look(timeout)) is None:
            until = until or deadline(timeout)
            done = self._wait_for_partner(until)
            if done is not None:
                return done
        return done

    @property
    def position(self) -> int:
        """The position of the item in its channel; in a rendezvous, the number that the two tasks share."""
        assert self._winner is not None
        if self._winner.channel.capacity == 0:
            return int(self._participant.words[self._me + NUMBER])
        return self._winner.position

    def end(self) -> None:
        """Pass on the hints that were not used; free what was not sent, and the records."""
        participant, arena = self._participant, self._participant.arena
        for case in self._cases:
            if case.woken and case is not self._winner and case.channel.capacity != 0:
                participant.wake(case.waiters)
        for case in self._unsent:
            case.channel._discard(case.payload)
        if any(case.record for case in self._cases):
            with arena.claim:
                for case in self._cases:
                    if case.record:
                        arena.free_record(case.record)

    def _look(self, timeout: float | None) -> Selected | None:
        """Do a case that is ready; if there is none, join all lists and return None.

        The locks are those of all channels with a buffer, taken in the order of their numbers: two selects that share
        channels can't wait for each other. The claim lock comes last, as everywhere.
        """
        taken = 0
        try:
            for lock in self._locks:
                lock.acquire(False) or lock.patient()
                taken += 1
            done = self._do_or_join(timeout)
        finally:
            for lock in self._locks[:taken]:
                lock.release()
        return None if done is None else self._told(*done)

    def _do_or_join(self, timeout: float | None) -> tuple[Case, bool, int, int, Any] | None:
        """Return the case that was done, whether it was closed, the record to notify, and what was received.

        The caller holds the locks of all channels with a buffer.
        """
        with self._participant.arena.claim:
            case = self._first_ready()
            if case is None:
                self._join(timeout)
                return None
            if case.is_closed():
                return case, True, 0, 0, None
            if case.channel.capacity == 0:
                partner, word = case.meet(self._me)
                return case, False, partner, word, None
        return case, False, 0, *case.use_buffer()

    def _first_ready(self) -> Case | None:
        for case in self._cases if self._priority else shuffled(self._cases):
            if case.is_ready():
                return case
        return None

    def _describe(self) -> str:
        return "select of " + ", ".join(case.channel.describe(case.sending) for case in self._cases)

    def _join(self, timeout: float | None) -> None:
        if expired(timeout):
            raise TimeoutError(f"{self._describe()} would have to wait")
        for case in self._cases:
            case.push(self._me)
        self._participant.words[self._me + OUTCOME] = PENDING

    def _told(self, case: Case, closed: bool, partner: int, word: int, data: Any) -> Selected:
        """Wake the tasks that the completed case concerns, and return what `select` returns."""
        channel, self._winner = case.channel, case
        if closed:
            return Selected(channel, closed=True)
        if partner:
            self._participant.notify(partner)
        elif case.sending:
            channel._wake_receiver()
        else:
            channel._wake_sender()
        if case.sending:
            self._unsent.discard(case)
            return Selected(channel, case.item, sent=True)
        return Selected(channel, channel._item_of(word) if partner else channel._opened(word, data))

    def _wait_for_partner(self, until: float | None) -> Selected | None:
        """Wait until a partner has done a case, and return it; or return None when it is time to look again."""
        try:
            self._wait(until)
        except BaseException as error:
            done = self._leave()
            if done is None:
                raise
            # A partner was first: the item has changed hands, and an exception would deny it.
            self._participant.postpone(error)
            return done
        return self._leave()

    def _wait(self, until: float | None) -> None:
        words, block = self._participant.words, self._participant.wait
        self._participant.begin_wait()
        # A claim changes OUTCOME; a hint takes a record out of its list. Any other wake-up is left over from before.
        while words[self._me + OUTCOME] == PENDING and all(words[case.record + LIST] for case in self._cases):
            if not block(until):
                raise TimeoutError(f"{self._describe()} timed out")

    def _leave(self) -> Selected | None:
        """Leave all lists; from here on no partner can claim this task. Return what one has done before, or None."""
        words, me = self._participant.words, self._me
        with self._participant.arena.claim:
            outcome, chosen = words[me + OUTCOME], words[me + CHOSEN]
            words[me + OUTCOME] = 0
            for case in self._cases:
                case.leave()
        if outcome in (PENDING, 0):  # 0: a hint came first, and `Participant.wake` has ended the time for claims
            return None
        case = self._winner = next(case for case in self._cases if case.record == chosen)
        if outcome == REFUSED:
            return Selected(case.channel, closed=True)
        if case.sending:
            self._unsent.discard(case)
            return Selected(case.channel, case.item, sent=True)
        return Selected(case.channel, case.channel._item_of(words[case.record + ITEM]))


def select(kind: str, cases: tuple[Any, ...], timeout: float | None, priority: bool) -> Selected:
    """Wait for the first of several channels of this kind; see `concmodels.contract.Model.select`."""
    return select_and_tell(kind, cases, timeout, priority)[0]


def select_and_tell(
    kind: str, cases: tuple[Any, ...], timeout: float | None, priority: bool
) -> tuple[Selected, Selection]:
    """Do the same, and return also the selection, which knows the item's position."""
    ends = [_end(kind, case) for case in cases]
    if not ends:
        raise ValueError("select needs at least one case: a channel, or a pair (channel, item)")
    selection = Selection(ends[0][0].home, priority)
    try:
        for channel, item, sending in ends:
            selection.add(channel, item, sending)
        return selection.run(timeout), selection
    finally:
        selection.end()


def _end(kind: str, case: Any) -> tuple[Channel, Any, bool]:
    sending = isinstance(case, tuple) and len(case) == 2
    channel, item = case if sending else (case, None)
    if isinstance(channel, DetachedChannel):
        channel._refuse()
    if not isinstance(channel, Channel) or channel.kind != kind:
        raise bad_case(kind, case)
    return channel, item, sending
