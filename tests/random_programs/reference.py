"""The reference: channels where everything happens one after the other.

A state is a tuple of (closed, items) for each channel, with the numbers of the cancelled tasks at its end. `step` says
what a call with this outcome makes of a state; None if it can't have happened there. A call takes effect at one moment
between its beginning and its end.

What is strict:

* An item is received from the head of the queue, once. An accepted item is there until it is received.
* A send is accepted only while the channel is open and has room.
* On a rendezvous nothing is ever held: a send and a receive of two tasks happen together, at a moment inside both, and
  at least one of the two is of a kind that waits: of two nowait calls neither could have met the other waiting.
* `ChannelClosed` (in a select: `.closed`) needs a closed channel, and for receiving one that is drained as well.
* `WouldBlock` and `TimeoutError` mean that nothing has happened, and that there was a moment inside the call when none
  of its cases could be done: full or empty, and not closed. This holds for any timeout, since nobody waits before he
  has looked. LONG and untimed waits never end that way.
* A cancelled call has done nothing, and somebody has cancelled its task before its end.
* A line, which is two connected sockets, is a channel of any capacity: what is sent arrives once and in order, and
  there is always room. Shut, it has nothing to receive. (It may still accept something, which is lost: the system
  closes a socket only when a thread that polls it has let go.)
* Only a task that waits for the same socket at that time makes a call BUSY, and only a `notify_closing` or a close of
  the socket makes it SHUT (`founded`).
* With `priority=True`, the cases before the chosen one could not be done at the moment when it was done.

What is not:

* Time. A short timeout may strike however short the wait of the others.
* `WouldBlock` or a timeout on an open rendezvous is always explained: that a partner's call has begun does not mean
  that the partner waits already. For the same reason an open rendezvous never makes a later case of a priority select
  wrong.
* Who of several that wait is served first, and which of the ready cases a select without priority takes.
"""

from math import inf

from .program import (
    BLOCKED,
    BUSY,
    CANCELLED,
    CLOSED,
    DONE,
    NEVER_WAITS,
    NOWAIT,
    PATIENT,
    RECEIVED,
    SENT,
    SHUT,
    SOCKET,
)


class Reference:
    """Channels of these capacities."""

    def __init__(self, capacities):
        self.capacities = tuple(inf if capacity == SOCKET else capacity for capacity in capacities)
        self.begin = (*((False, ()) for _ in capacities), frozenset())

    def step(self, state, call):
        """The state after this call, or None if it can't happen here and alone."""
        what, channel, item = call.outcome
        if what == BLOCKED:
            return state if self.may_give_up(state, call.operation) else None
        if what == CANCELLED:
            return state if call.task in state[-1] else None
        if call.operation.verb == "cancel":
            return (*state[:-1], state[-1] | {call.operation.cases[0][0]})
        if what in (BUSY, SHUT) or call.operation.verb == "notify":
            return state
        closed, items = state[channel]
        if call.operation.verb == "shut":
            return _replaced(state, channel, (SHUT, ()))
        if what == DONE:
            return _replaced(state, channel, (closed or True, items))
        if not self.may_be_chosen(state, call):
            return None
        if what == CLOSED or closed == SHUT:
            return state
        if self.capacities[channel] == 0:
            return None  # not alone: see `meet`
        return _replaced(state, channel, (closed, (*items, item) if what == SENT else items[1:]))

    def meet(self, state, sender, receiver):
        """Whether these two can meet here on a rendezvous."""
        what, channel, item = sender.outcome
        return (
            what == SENT
            and receiver.outcome == (RECEIVED, channel, item)
            and sender.task != receiver.task
            and self.capacities[channel] == 0
            and not all(call.operation.patience in NEVER_WAITS for call in (sender, receiver))
            and self.may_be_chosen(state, sender)
            and self.may_be_chosen(state, receiver)
        )

    def may_give_up(self, state, operation):
        """Whether the call may end here without having done anything."""
        if operation.patience in PATIENT:
            return False
        return self.must_wait(state, operation.cases)

    def may_be_chosen(self, state, call):
        """Whether one of the call's cases can have this outcome here."""
        cases = call.operation.cases
        for index, case in enumerate(cases):
            if self.may_end(state, case, call.outcome):
                return not call.operation.priority or self.must_wait(state, cases[:index])
        return False

    def may_end(self, state, case, outcome):
        """Whether this case can have this outcome here."""
        channel, sending = case
        what, where, item = outcome
        closed, items = state[channel]
        if channel != where:
            return False
        if what == CLOSED:
            return bool(closed) if sending is not None else closed is True and not items
        if what == SENT:
            has_room = not closed and len(items) < max(self.capacities[channel], 1)
            return sending == item and (has_room or closed == SHUT)
        return sending is None and (items[0] == item if items else self.capacities[channel] == 0 and not closed)

    def must_wait(self, state, cases):
        """Whether none of these cases can be done here, as far as one can tell without knowing who waits."""
        return all(self._must_wait(state, case) for case in cases)

    def _must_wait(self, state, case):
        channel, sending = case
        closed, items = state[channel]
        if sending is None:
            return not closed and not items
        return not closed and len(items) >= self.capacities[channel]

    def stand_still(self, state, calls):
        """Whether these calls, which have not ended, have to wait until somebody else does something."""
        return (
            all(call.operation.patience in PATIENT and call.task not in state[-1] for call in calls)
            and all(self.must_wait(state, call.operation.cases) for call in calls)
            and not any(self._could_meet(one, other) for one in calls for other in calls if one.task != other.task)
        )

    def _could_meet(self, sender, receiver):
        return any(
            item is not None and self.capacities[channel] == 0 and (channel, None) in receiver.operation.cases
            for channel, item in sender.operation.cases
        )


def founded(tasks):
    """Whether there is a reason for each call that was BUSY or SHUT."""
    calls = [call for task in tasks for call in task]
    return all(
        any(_is_reason(other, call) for other in calls)
        for call in calls
        if call.outcome is not None and call.outcome[0] in (BUSY, SHUT)
    )


def _is_reason(other, call):
    """Whether the other call explains the outcome of this one, which has done nothing."""
    verb, line = other.operation.verb, call.operation.cases[0][0]
    if not other.operation.cases or other.operation.cases[0][0] != line:
        return False
    together = other.start <= call.end and other.end >= call.start
    if call.outcome[0] == SHUT:
        return together if verb == "notify" else verb == "shut" and other.start <= call.end
    same = verb == call.operation.verb and other.task != call.task
    return together and same and other.operation.patience != NOWAIT


def _replaced(state, channel, value):
    return (*state[:channel], value, *state[channel + 1 :])
