"""The rendezvous of the models with memory boundaries: channels of capacity 0, where `send` returns once the item is
taken.

Nothing lies in such a channel. It is two lists of records in the arena: the senders that wait, and the receivers that
wait. A sender that waits has its item's word in its record; a receiver that waits gets one written there. The task that
comes second *claims* the first one of the other side, under the run's claim lock: so each wait is claimed once, as
everywhere in this library.

What was claimed is done. If a cancellation or a timeout comes at the same moment, the claim wins: the operation
returns, and the cancellation is raised at the next wait.
"""

from concmodels.models.memory.arena import HELD, ITEM, NUMBER, OUTCOME, PENDING, REFUSED, deadline
from concmodels.models.memory.channels.layout import CLOSED, HEAD, RECEIVERS, SENDERS, TAIL, ChannelMemory
from concmodels.models.memory.channels.words import CONSTANT, LEAST, kind_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

numbered = False
"""Whether both tasks of a rendezvous are told its number; `positions.py` sets it, for all channels of this process."""


def send_nowait(channel: ChannelMemory, payload: Any) -> bool:
    """Give the item to a receiver that waits; return False if none does."""
    participant, arena = channel.home, channel.home.arena
    me = participant.wait_slot().at  # before the lock, which a new slot needs too
    with arena.claim:
        _check_open(channel, True)
        receiver, owner = arena.claim_first(channel._at + RECEIVERS)
        if not receiver:
            return False
        give(channel, payload, me, receiver, owner)
    participant.notify(owner)
    return True


def receive_nowait(channel: ChannelMemory, nothing: Any) -> Any:
    """Take the item of the sender that has waited longest; return `nothing` if none waits."""
    me = channel.home.wait_slot().at
    with channel.home.arena.claim:
        owner, word = claim_sender(channel, me)
    if not owner:
        return nothing
    channel.home.notify(owner)
    return channel._item_of(word)


def send(channel: ChannelMemory, payload: Any, timeout: float | None) -> None:
    """Send, waiting until a receiver takes the item: with a timeout of 0 or less, only one that waits already can."""
    participant, arena = channel.home, channel.home.arena
    me = participant.checkpoint().at
    with arena.claim:  # one step: either a receiver is there, or one that comes later finds this task
        _check_open(channel, True)
        receiver, owner = arena.claim_first(channel._at + RECEIVERS)
        if receiver:
            give(channel, payload, me, receiver, owner)
        else:
            _check_may_wait(channel, timeout, True)
            participant.words[me + ITEM] = payload
            _join(channel, me, SENDERS)
    if receiver:
        participant.notify(owner)
    elif _wait_for_partner(channel, me, timeout, True) == REFUSED:
        channel._refuse_closed(True)


def receive(channel: ChannelMemory, timeout: float | None) -> Any:
    """Receive, waiting for a sender."""
    participant = channel.home
    me = participant.checkpoint().at
    with participant.arena.claim:
        owner, word = claim_sender(channel, me)
        if not owner:
            _check_may_wait(channel, timeout, False)
            _join(channel, me, RECEIVERS)
    if owner:
        participant.notify(owner)
    elif _wait_for_partner(channel, me, timeout, False) == REFUSED:
        channel._refuse_closed(False)
    else:
        word = participant.words[me + ITEM]
    return channel._item_of(word)


def claim_sender(channel: ChannelMemory, me: int) -> tuple[int, int]:
    """Claim the first sender; return the record to notify and the item's word, or (0, 0) if no sender waits.

    Raises `ChannelClosed`. The caller holds the claim lock.
    """
    words = channel.home.words
    sender, owner = channel.home.arena.claim_first(channel._at + SENDERS)
    if sender:
        word = words[sender + ITEM]  # now: once the lock is free, the sender may leave at any time
        if word < LEAST:
            words[sender + HELD] = 0
            _hold(words, me, word)
        if numbered:
            _number(channel, me, owner)
        return owner, word
    _check_open(channel, False)
    return 0, 0


def give(channel: ChannelMemory, payload: int, me: int, receiver: int, owner: int) -> None:
    """Give the item's word to a receiver that was claimed, and with it the block. The caller holds the claim lock."""
    words = channel.home.words
    words[receiver + ITEM] = payload
    if payload < LEAST:
        words[me + HELD] = 0
        _hold(words, owner, payload)
    if numbered:
        _number(channel, me, owner)


def _number(channel: ChannelMemory, me: int, owner: int) -> None:
    """Tell both tasks the number of this rendezvous. The caller holds the claim lock; HEAD has no other use here."""
    number = channel._control[HEAD]
    channel._control[HEAD] = number + 1
    channel.home.words[me + NUMBER] = channel.home.words[owner + NUMBER] = number


def _hold(words: memoryview, task: int, word: int) -> None:
    """Note which task holds the block of an item, if it is in one."""
    kind, at = kind_of(word)
    if kind != CONSTANT:
        words[task + HELD] = at


def is_awaited(channel: ChannelMemory, waiters: int) -> bool:
    """Return whether a task waits in this list, or the channel is closed. The caller holds the claim lock."""
    return channel._control[TAIL] >= CLOSED or bool(channel.home.arena.first_to_claim(channel._at + waiters))


def close(channel: ChannelMemory) -> None:
    """Close the channel, and refuse all waiting tasks, in one step: no task that comes later may be served before
    them."""
    participant, arena, refused = channel.home, channel.home.arena, []
    with arena.claim:
        channel._control[TAIL] |= CLOSED
        for waiters in (SENDERS, RECEIVERS):
            while owner := arena.claim_first(channel._at + waiters, REFUSED)[1]:
                refused.append(owner)
    for owner in refused:
        participant.notify(owner)


def _check_open(channel: ChannelMemory, sending: bool) -> None:
    if channel._control[TAIL] >= CLOSED:
        channel._refuse_closed(sending)


def _check_may_wait(channel: ChannelMemory, timeout: float | None, sending: bool) -> None:
    """Raise `TimeoutError` for a timeout of 0: to enter the list and leave it at once would be right too, but slow.

    The caller holds the claim lock, so the rest of what may be a timeout, which can be the program's code, is left to
    `_wait_for_partner`.
    """
    if timeout.__class__ in (int, float) and timeout <= 0:
        raise channel.would_wait(sending)


def _join(channel: ChannelMemory, record: int, waiters: int) -> None:
    """Join a list of waiters, to be claimed. The caller holds the claim lock."""
    channel.home.words[record + OUTCOME] = PENDING
    channel.home.arena.push(channel._at + waiters, record)


def _wait_for_partner(channel: ChannelMemory, me: int, timeout: float | None, sending: bool) -> int:
    """Wait for the claim; return its outcome. The caller has made a checkpoint, and joined a list.

    Only now is the timeout looked at: if it is invalid, the task leaves the list as it does when one expires.
    """
    words, participant = channel.home.words, channel.home
    participant.begin_wait()
    try:
        until = deadline(timeout)
        while words[me + OUTCOME] == PENDING:
            if not channel.home.wait(until):
                raise channel.not_in_time(sending)
    except BaseException as error:
        outcome = _leave(channel, me)
        if outcome == PENDING:
            raise
        # A partner was first: the item has changed hands, and an exception would deny it. So the operation succeeds.
        participant.postpone(error)
        return outcome
    return _leave(channel, me)


def _leave(channel: ChannelMemory, me: int) -> int:
    """Leave the list: from here on no partner can claim this wait. Return the outcome so far."""
    words, arena = channel.home.words, channel.home.arena
    with arena.claim:
        arena.remove(me)
        outcome: int = words[me + OUTCOME]
        words[me + OUTCOME] = 0
    return outcome
