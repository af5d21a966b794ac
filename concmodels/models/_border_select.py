"""How one task waits for several channels of a border model at once.

A select is one wait with several cases. For each it puts a record of its own into the channel's list of waiters, all
of them owned by the task's record, whose bell is rung. Two kinds of channels meet here:

* on a rendezvous a partner *claims* the task (its OUTCOME), so exactly one case takes effect, whoever comes first;
* on a channel with a buffer to be woken is only a hint. The task leaves all lists, after which nobody can claim it any
  more, and looks again. A hint that it did not use it passes on to the next who waits there.

So a look is always made while nobody can claim the task: it never does two cases, and never meets itself.
"""

from concmodels.errors import ChannelClosed, Selected
from concmodels.models._arena import CHOSEN, ITEM, LIST, OUTCOME, OWNER, PENDING, REFUSED, deadline
from concmodels.models._border_channel import NOTHING, Channel, Outside
from concmodels.models._channel_memory import RECEIVERS, SENDERS
from concmodels.models._select import bad_case, shuffled

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from concmodels.models._border import Unit


class Case:
    """One case, and its record in the list of its channel."""

    __slots__ = ("cargo", "channel", "item", "queued", "record", "sending", "waiters", "woken")

    def __init__(self, channel: Channel, item: Any, sending: bool) -> None:
        self.channel = channel
        self.item = item
        self.sending = sending
        self.cargo: Any = channel._load(item) if sending else 0
        self.waiters = channel._at + (SENDERS if sending else RECEIVERS)
        self.record = 0
        self.queued = False
        self.woken = False

    def attempt(self) -> Selected | None:
        """Do it now, if it can be done without waiting."""
        channel = self.channel
        try:
            if self.sending:
                return Selected(channel, self.item, sent=True) if channel._put(self.cargo) else None
            item = channel._take()
            return None if item is NOTHING else Selected(channel, item)
        except ChannelClosed:
            return Selected(channel, closed=True)

    def queue(self) -> bool:
        """Wait at this channel with a buffer, unless that is needless."""
        channel = self.channel
        if self.sending:
            others, must_wait = channel._receivers, channel._is_full
        else:
            others, must_wait = channel._senders, channel._is_empty
        with others, channel.home.arena.claim:
            if must_wait():
                self.push()
        return self.queued

    def push(self) -> None:
        """Join the list. The caller holds the claim lock."""
        self.channel.home.arena.push(self.waiters, self.record, front=self.woken)
        self.queued, self.woken = True, False

    def leave(self) -> None:
        """Leave the list; note if somebody had taken us out of it. The caller holds the claim lock."""
        if self.queued:
            self.woken = not self.channel.home.arena.remove(self.record)
            self.queued = False

    def is_awaited(self) -> bool:
        """Whether a partner waits at this rendezvous, or it is closed. The caller holds the claim lock."""
        return self.channel._is_awaited(RECEIVERS if self.sending else SENDERS)


class Selection:
    """One select, from its first look to its end."""

    def __init__(self, unit: Unit, priority: bool) -> None:
        self._unit = unit
        self._priority = priority
        self._me = unit.look_around().at
        self._cases: list[Case] = []
        self._unsent: set[Case | None] = set()
        self._winner: Case | None = None

    def add(self, channel: Channel, item: Any, sending: bool) -> None:
        """One more case. Raises `CannotTravel` if it can't be sent."""
        case = Case(channel, item, sending)
        self._cases.append(case)
        if sending:
            self._unsent.add(case)

    def run(self, timeout: float | None) -> Selected:
        """Look, wait, look again, until a case is done."""
        until = deadline(timeout)
        self._meetings = [case for case in self._cases if case.channel.capacity == 0]
        while (done := self._attempt()) is None:
            if timeout is not None and timeout <= 0:
                raise TimeoutError("select: none of the cases can be done now")
            done = self._stand(until)
            if done is not None:
                break
        if done.sent:
            self._unsent.discard(self._winner)
        return done

    def end(self) -> None:
        """Pass on the hints that were not used; free what was not sent, and the records."""
        unit, arena = self._unit, self._unit.arena
        for case in self._cases:
            if case.woken and case is not self._winner and case.channel.capacity != 0:
                unit.wake(case.waiters)
        for case in filter(None, self._unsent):
            case.channel._discard(case.cargo)
        if self._cases and self._cases[0].record:
            with arena.claim:
                for case in self._cases:
                    arena.free_record(case.record)

    def _attempt(self) -> Selected | None:
        for case in self._cases if self._priority else shuffled(self._cases):
            done = case.attempt()
            if done is not None:
                self._winner = case
                return done
        return None

    def _stand(self, until: float | None) -> Selected | None:
        """Wait until a partner has done a case (which is returned), or until it is time to look again."""
        try:
            if self._queue():
                self._wait(until)
        except BaseException as error:
            done = self._leave()
            if done is None:
                raise
            self._unit.put_off(error)
            return done
        return self._leave()

    def _queue(self) -> bool:
        """Wait everywhere; False if that is needless."""
        arena = self._unit.arena
        if not self._cases[0].record:
            self._make_records()
        if not all(case.queue() for case in self._cases if case.channel.capacity != 0):
            return False
        with arena.claim:
            if any(case.is_awaited() for case in self._meetings):
                return False
            for case in self._meetings:
                case.push()
                arena.words[case.record + ITEM] = case.cargo
            arena.words[self._me + OUTCOME] = PENDING
        return True

    def _make_records(self) -> None:
        arena = self._unit.arena
        with arena.claim:
            for case in self._cases:
                case.record = arena.new_record()
                arena.words[case.record + OWNER] = self._me

    def _wait(self, until: float | None) -> None:
        words, block = self._unit.words, self._cases[0].channel._block
        self._unit.begin_wait()
        while words[self._me + OUTCOME] == PENDING and all(words[case.record + LIST] for case in self._cases):
            if not block(until):
                raise TimeoutError("select: none of the cases could be done in time")

    def _leave(self) -> Selected | None:
        """Leave all lists; from here on nobody can claim us. Returns what a partner has done before."""
        words, me = self._unit.words, self._me
        with self._unit.arena.claim:
            outcome, chosen = words[me + OUTCOME], words[me + CHOSEN]
            words[me + OUTCOME] = 0
            for case in self._cases:
                case.leave()
        if outcome in (0, PENDING):
            return None
        case = self._winner = next(case for case in self._cases if case.record == chosen)
        if outcome == REFUSED:
            return Selected(case.channel, closed=True)
        if case.sending:
            return Selected(case.channel, case.item, sent=True)
        return Selected(case.channel, case.channel._item_of(words[case.record + ITEM]))


def select(kind: str, cases: tuple[Any, ...], timeout: float | None, priority: bool) -> Selected:
    """`select`, for the rooms of this kind."""
    ends = [_end(kind, case) for case in cases]
    if not ends:
        raise ValueError("select needs at least one case: a channel, or a pair (channel, item)")
    unit = ends[0][0].home
    selection = Selection(unit, priority)
    try:
        for channel, item, sending in ends:
            selection.add(channel, item, sending)
        return selection.run(timeout)
    finally:
        selection.end()


def _end(kind: str, case: Any) -> tuple[Channel, Any, bool]:
    sending = isinstance(case, tuple) and len(case) == 2
    channel, item = case if sending else (case, None)
    if isinstance(channel, Outside):
        channel._refuse()
    if not isinstance(channel, Channel) or channel.kind != kind:
        raise bad_case(kind, case)
    return channel, item, sending
