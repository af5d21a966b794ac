"""Histories written by hand, to test the checker with: a program, and what its calls are said to have done."""

from math import inf

from .program import (
    BLOCKED,
    CANCELLED,
    CLOSED,
    DONE,
    LONG,
    NOWAIT,
    RECEIVED,
    SENT,
    SHORT,
    ZERO,
    Program,
    cancel,
    close,
    iterate,
    receive,
    select,
    send,
)


def notes(*calls):
    """The notes of these calls: (task, step, begin, end, outcome); a call whose end is None has not ended."""
    for task, step, begin, end, outcome in calls:
        yield task, step, 0, begin, None
        if end is not None:
            yield task, step, 0, end, outcome


GOOD = {
    "through a buffer": (
        Program((1,), ((send(0, 1),), (receive(0),))),
        ((0, 0, 1, 2, (SENT, 0, 1)), (1, 0, 3, 4, (RECEIVED, 0, 1))),
    ),
    "a receiver waits": (
        Program((1,), ((send(0, 1),), (receive(0),))),
        ((1, 0, 1, 4, (RECEIVED, 0, 1)), (0, 0, 2, 3, (SENT, 0, 1))),
    ),
    "a rendezvous": (
        Program((0,), ((send(0, 1),), (receive(0, NOWAIT),))),
        ((0, 0, 1, 4, (SENT, 0, 1)), (1, 0, 2, 3, (RECEIVED, 0, 1))),
    ),
    "two selects meet": (
        Program((1, 0), ((select(0, (1, 5)),), (select(1, 0, priority=True),))),
        ((0, 0, 1, 4, (SENT, 1, 5)), (1, 0, 2, 3, (RECEIVED, 1, 5))),
    ),
    "two senders at once": (
        Program((2,), ((send(0, 1),), (send(0, 2),), (receive(0), receive(0)))),
        (
            *((0, 0, 1, 4, (SENT, 0, 1)), (1, 0, 2, 3, (SENT, 0, 2))),
            *((2, 0, 5, 6, (RECEIVED, 0, 2)), (2, 1, 7, 8, (RECEIVED, 0, 1))),
        ),
    ),
    "a sender that waits gets the model": (
        Program((1,), ((send(0, 1), send(0, 2)), (receive(0), receive(0, ZERO)))),
        (
            *((0, 0, 1, 2, (SENT, 0, 1)), (0, 1, 3, 6, (SENT, 0, 2))),
            *((1, 0, 4, 5, (RECEIVED, 0, 1)), (1, 1, 7, 8, (RECEIVED, 0, 2))),
        ),
    ),
    "refused by a close that races it": (
        Program((inf,), ((send(0, 1),), (close(0),))),
        ((0, 0, 1, 4, (CLOSED, 0, None)), (1, 0, 2, 3, (DONE, 0, None))),
    ),
    "an open rendezvous may always block": (
        Program((0,), ((send(0, 1, SHORT),), (receive(0, NOWAIT),))),
        ((0, 0, 1, 4, (BLOCKED, None, None)), (1, 0, 2, 3, (BLOCKED, None, None))),
    ),
    "timed out while it was full": (
        Program((1,), ((send(0, 1), send(0, 2, SHORT)), (receive(0),))),
        (
            *((0, 0, 1, 2, (SENT, 0, 1)), (0, 1, 3, 6, (BLOCKED, None, None))),
            (1, 0, 4, 5, (RECEIVED, 0, 1)),
        ),
    ),
    "cancelled where it waits": (
        Program((0,), ((receive(0),), (cancel(0), send(0, 1, NOWAIT)))),
        (
            (0, 0, 1, 6, (CANCELLED, None, None)),
            *((1, 0, 2, 3, (DONE, None, None)), (1, 1, 4, 5, (BLOCKED, None, None))),
        ),
    ),
    "a partner comes before the cancellation": (
        Program((0,), ((receive(0), send(0, 2)), (send(0, 1, NOWAIT), cancel(0)))),
        (
            *((0, 0, 1, 6, (RECEIVED, 0, 1)), (0, 1, 7, 8, (CANCELLED, None, None))),
            *((1, 0, 2, 3, (SENT, 0, 1)), (1, 1, 4, 5, (DONE, None, None))),
        ),
    ),
}
"""What the reference allows."""

BAD = {
    "an item is lost": (
        Program((1,), ((send(0, 1),), (receive(0, ZERO),))),
        ((0, 0, 1, 2, (SENT, 0, 1)), (1, 0, 3, 4, (BLOCKED, None, None))),
    ),
    "an item comes twice": (
        Program((1,), ((send(0, 1),), (receive(0),), (receive(0),))),
        ((0, 0, 1, 4, (SENT, 0, 1)), (1, 0, 2, 5, (RECEIVED, 0, 1)), (2, 0, 2, 5, (RECEIVED, 0, 1))),
    ),
    "an item comes twice at a rendezvous": (
        Program((0,), ((send(0, 1),), (receive(0),), (receive(0),))),
        ((0, 0, 1, 4, (SENT, 0, 1)), (1, 0, 2, 5, (RECEIVED, 0, 1)), (2, 0, 2, 5, (RECEIVED, 0, 1))),
    ),
    "an item comes before it was sent": (
        Program((1,), ((send(0, 1),), (receive(0),))),
        ((1, 0, 1, 2, (RECEIVED, 0, 1)), (0, 0, 3, 4, (SENT, 0, 1))),
    ),
    "one sender's items come out of order": (
        Program((2,), ((send(0, 1), send(0, 2)), (receive(0), receive(0)))),
        (
            *((0, 0, 1, 2, (SENT, 0, 1)), (0, 1, 3, 4, (SENT, 0, 2))),
            *((1, 0, 1, 6, (RECEIVED, 0, 2)), (1, 1, 7, 8, (RECEIVED, 0, 1))),
        ),
    ),
    "an item overtakes another sender's": (
        Program((2,), ((send(0, 1),), (send(0, 2),), (receive(0),))),
        ((0, 0, 1, 2, (SENT, 0, 1)), (1, 0, 3, 4, (SENT, 0, 2)), (2, 0, 5, 6, (RECEIVED, 0, 2))),
    ),
    "more is held than there is room": (
        Program((1,), ((send(0, 1), send(0, 2)),)),
        ((0, 0, 1, 2, (SENT, 0, 1)), (0, 1, 3, 4, (SENT, 0, 2))),
    ),
    "a close overtakes an item": (
        Program((1,), ((send(0, 1), close(0)), (receive(0),))),
        (
            *((0, 0, 1, 2, (SENT, 0, 1)), (0, 1, 3, 4, (DONE, 0, None))),
            (1, 0, 1, 5, (CLOSED, 0, None)),
        ),
    ),
    "an item is accepted after a close": (
        Program((1,), ((close(0), send(0, 1)),)),
        ((0, 0, 1, 2, (DONE, 0, None)), (0, 1, 3, 4, (SENT, 0, 1))),
    ),
    "a rendezvous after a close": (
        Program((0,), ((send(0, 1),), (close(0), receive(0)))),
        (
            *((0, 0, 1, 6, (SENT, 0, 1)), (1, 0, 2, 3, (DONE, 0, None))),
            (1, 1, 4, 5, (RECEIVED, 0, 1)),
        ),
    ),
    "refused, and nobody has closed": (
        Program((1,), ((send(0, 1),), (close(0),))),
        ((0, 0, 1, 2, (CLOSED, 0, None)), (1, 0, 3, 4, (DONE, 0, None))),
    ),
    "a closed channel blocks": (
        Program((0,), ((close(0), receive(0, NOWAIT)),)),
        ((0, 0, 1, 2, (DONE, 0, None)), (0, 1, 3, 4, (BLOCKED, None, None))),
    ),
    "a send that timed out is delivered": (
        Program((1,), ((send(0, 1), send(0, 2, SHORT)), (receive(0), receive(0)))),
        (
            *((0, 0, 1, 2, (SENT, 0, 1)), (0, 1, 3, 4, (BLOCKED, None, None))),
            *((1, 0, 5, 6, (RECEIVED, 0, 1)), (1, 1, 7, 8, (RECEIVED, 0, 2))),
        ),
    ),
    "it times out although there was model": (
        Program((1,), ((send(0, 1, SHORT),),)),
        ((0, 0, 1, 2, (BLOCKED, None, None)),),
    ),
    "a wait without a timeout times out": (
        Program((1,), ((receive(0, LONG),),)),
        ((0, 0, 1, 2, (BLOCKED, None, None)),),
    ),
    "a rendezvous of two that never met": (
        Program((0,), ((send(0, 1),), (receive(0),))),
        ((0, 0, 1, 2, (SENT, 0, 1)), (1, 0, 3, 4, (RECEIVED, 0, 1))),
    ),
    "a rendezvous of two that never wait": (
        Program((0,), ((send(0, 1, ZERO),), (receive(0, NOWAIT),))),
        ((0, 0, 1, 3, (SENT, 0, 1)), (1, 0, 2, 4, (RECEIVED, 0, 1))),
    ),
    "two cases of a select take effect": (
        Program((1, 1), ((send(0, 1), send(1, 2), select(0, 1), receive(1, NOWAIT)),)),
        (
            *((0, 0, 1, 2, (SENT, 0, 1)), (0, 1, 3, 4, (SENT, 1, 2))),
            *((0, 2, 5, 6, (RECEIVED, 0, 1)), (0, 3, 7, 8, (BLOCKED, None, None))),
        ),
    ),
    "a select that timed out has sent": (
        Program((0, 0), ((select(0, (1, 2), patience=SHORT),), (receive(1),))),
        ((0, 0, 1, 4, (BLOCKED, None, None)), (1, 0, 2, 3, (RECEIVED, 1, 2))),
    ),
    "a select is closed by a channel with items": (
        Program((1, 1), ((send(0, 1), close(0), select(0, 1)),)),
        (
            *((0, 0, 1, 2, (SENT, 0, 1)), (0, 1, 3, 4, (DONE, 0, None))),
            (0, 2, 5, 6, (CLOSED, 0, None)),
        ),
    ),
    "a select with priority takes the second": (
        Program((1, 1), ((send(0, 1), send(1, 2), select(0, 1, priority=True)),)),
        (
            *((0, 0, 1, 2, (SENT, 0, 1)), (0, 1, 3, 4, (SENT, 1, 2))),
            (0, 2, 5, 6, (RECEIVED, 1, 2)),
        ),
    ),
    "cancelled, and nobody has cancelled it": (
        Program((0,), ((receive(0),), (cancel(1),))),
        ((0, 0, 1, 4, (CANCELLED, None, None)), (1, 0, 2, 3, (DONE, None, None))),
    ),
    "cancelled before it is": (
        Program((0,), ((receive(0),), (cancel(0),))),
        ((0, 0, 1, 2, (CANCELLED, None, None)), (1, 0, 3, 4, (DONE, None, None))),
    ),
    "a cancelled send is delivered": (
        Program((0,), ((send(0, 1),), (receive(0, NOWAIT), cancel(0)))),
        (
            (0, 0, 1, 6, (CANCELLED, None, None)),
            *((1, 0, 2, 3, (RECEIVED, 0, 1)), (1, 1, 4, 5, (DONE, None, None))),
        ),
    ),
    "a cancelled receive has taken": (
        Program((0,), ((receive(0),), (send(0, 1, NOWAIT), cancel(0)))),
        (
            (0, 0, 1, 6, (CANCELLED, None, None)),
            *((1, 0, 2, 3, (SENT, 0, 1)), (1, 1, 4, 5, (DONE, None, None))),
        ),
    ),
    "a select meets itself": (
        Program((0,), ((select(0, (0, 1)),), (receive(0),))),
        ((0, 0, 1, 2, (RECEIVED, 0, 1)), (1, 0, 1, 2, (CLOSED, 0, None))),
    ),
}
"""What no channel may do."""

WAITS, THERE = (None, None), (SENT, 0, 1)

STILL = [
    (Program((1,), ((receive(0),),)), ((0, 0, 1, *WAITS),), True),
    (Program((1,), ((iterate(0, 2),),)), ((0, 0, 1, *WAITS),), True),
    (Program((1,), ((receive(0, SHORT),),)), ((0, 0, 1, *WAITS),), False),
    (Program((1,), ((receive(0, NOWAIT),),)), ((0, 0, 1, *WAITS),), False),
    (Program((1,), ((receive(0),), (send(0, 1),))), ((0, 0, 1, *WAITS), (1, 0, 2, 3, THERE)), False),
    (Program((1,), ((receive(0),), (send(0, 1),))), ((0, 0, 1, *WAITS),), False),
    (Program((0,), ((receive(0),), (send(0, 1),))), ((0, 0, 1, *WAITS), (1, 0, 2, *WAITS)), False),
    (Program((0,), ((receive(0),), (receive(0),))), ((0, 0, 1, *WAITS), (1, 0, 2, *WAITS)), True),
    (Program((0,), ((select(0, (0, 1)),),)), ((0, 0, 1, *WAITS),), True),
    (Program((1,), ((send(0, 1), send(0, 2)),)), ((0, 0, 1, 2, THERE), (0, 1, 3, *WAITS)), True),
    (Program((inf,), ((send(0, 1), send(0, 2)),)), ((0, 0, 1, 2, THERE), (0, 1, 3, *WAITS)), False),
    (Program((1,), ((receive(0),), (cancel(0),))), ((0, 0, 1, *WAITS), (1, 0, 2, 3, (DONE, None, None))), False),
    (Program((1,), ((receive(0),), (cancel(1),))), ((0, 0, 1, *WAITS), (1, 0, 2, 3, (DONE, None, None))), True),
    (Program((1,), ((close(0),), (receive(0),))), ((0, 0, 1, 2, (DONE, 0, None)), (1, 0, 1, *WAITS)), False),
]
"""Whether all who have not ended wait with good reason: program, calls, verdict."""
