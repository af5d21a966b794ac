"""Hypothesis makes programs."""

from functools import partial
from itertools import chain, count
from math import inf

from hypothesis import strategies as st

from .program import (
    FOR_EVER,
    LONG,
    NOWAIT,
    PAUSE,
    SHORT,
    SOCKET,
    ZERO,
    Operation,
    Program,
    cancel,
    close,
    iterate,
    notify,
    shut,
)

CAPACITIES = (1, 0, 2, inf)
VERBS = ("send",) * 6 + ("receive",) * 6 + ("select",) * 6 + ("iterate",) * 3 + ("pause",) * 2 + ("close",)
CANCELLING = (*VERBS, *("cancel",) * 2, *("meet",) * 6)
"""To meet is to be a task's partner and to cancel a task, in one turn."""

ON_LINES = ("send",) * 6 + ("receive",) * 10 + ("pause", "notify", "shut", "close", "select", "cancel") + ("meet",) * 4
"""For programs with sockets."""

PATIENCE = (FOR_EVER,) * 4 + (SHORT,) * 3 + (LONG, ZERO, NOWAIT)

_SENDING, _RECEIVING = True, None


@st.composite
def programs(draw, verbs=VERBS):
    """A program of two to four tasks, of one to five operations each, over one to three channels."""
    capacities = tuple(draw(st.lists(st.sampled_from(CAPACITIES), min_size=1, max_size=3)))
    part = operations(len(capacities), verbs)
    tasks = draw(st.lists(st.lists(part, min_size=1, max_size=5), min_size=2, max_size=4))
    numbers, as_text = count(1), draw(st.booleans())
    complete = partial(_complete, numbers=numbers, as_text=as_text, tasks=len(tasks))
    return Program(capacities, tuple(tuple(map(complete, chain.from_iterable(parts))) for parts in tasks))


@st.composite
def programs_with_sockets(draw):
    """A program as above, over one or two lines and perhaps a channel."""
    capacities = tuple(draw(st.lists(st.sampled_from(CAPACITIES), max_size=1)))
    lines = (SOCKET,) * draw(st.integers(1, 2))
    part = operations(len(capacities), ON_LINES, len(lines))
    tasks = draw(st.lists(st.lists(part, min_size=1, max_size=5), min_size=2, max_size=4))
    numbers, as_text = count(1), draw(st.booleans())
    complete = partial(_complete, numbers=numbers, as_text=as_text, tasks=len(tasks))
    return Program((*capacities, *lines), tuple(tuple(map(complete, chain.from_iterable(parts))) for parts in tasks))


@st.composite
def operations(draw, channels, verbs, lines=0):
    """One operation, or two that belong together; what they send is filled in later."""
    verb = draw(st.sampled_from(verbs))
    if verb == "meet":
        helping = draw(st.sampled_from(("send", "receive")))
        both = [_case(draw, helping, channels + lines, NOWAIT), cancel(draw(st.integers(0, 3)))]
        return draw(st.permutations(both))
    if verb in ("notify", "shut"):
        return [{"notify": notify, "shut": shut}[verb](draw(st.integers(channels, channels + lines - 1)))]
    if verb in ("send", "receive", "close"):
        return [_operation(draw, verb, channels + lines)]
    if verb == "select" and not channels:
        return [PAUSE]
    return [_operation(draw, verb, channels)]


def _operation(draw, verb, channels):
    if verb == "pause":
        return PAUSE
    if verb == "cancel":
        return cancel(draw(st.integers(0, 3)))
    if verb == "select":
        return _selects(draw, channels)
    if verb in ("send", "receive"):
        return _case(draw, verb, channels, draw(st.sampled_from(PATIENCE)))
    channel = draw(st.integers(0, channels - 1))
    return iterate(channel, draw(st.integers(1, 3))) if verb == "iterate" else close(channel)


def _case(draw, verb, channels, patience):
    case = (draw(st.integers(0, channels - 1)), _SENDING if verb == "send" else _RECEIVING)
    return Operation(verb, (case,), patience)


def _selects(draw, channels):
    case = st.tuples(st.integers(0, channels - 1), st.sampled_from((_RECEIVING, _SENDING)))
    cases = tuple(draw(st.lists(case, min_size=draw(st.sampled_from((2, 2, 1))), max_size=3)))
    patience = draw(st.sampled_from(PATIENCE[:-1]))
    return Operation("select", cases, patience, draw(st.booleans()))


def _complete(operation, numbers, as_text, tasks):
    """Each item is sent once in a program, so that it can be told where it went. Text takes another road on
    boundaries."""
    if operation.verb == "cancel":
        return cancel(operation.cases[0][0] % tasks)
    cases = []
    for channel, sending in operation.cases:
        item = next(numbers) if sending else None
        cases.append((channel, f"item {item}" if item and as_text else item))
    return operation._replace(cases=tuple(cases))
