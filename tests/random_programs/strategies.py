"""Hypothesis makes programs."""

from functools import partial
from itertools import chain, count
from math import inf

from hypothesis import strategies as st

from .program import FOR_EVER, LONG, NOWAIT, PAUSE, SHORT, ZERO, Operation, Program, cancel, close, iterate

CAPACITIES = (1, 0, 2, inf)
VERBS = ("send",) * 6 + ("receive",) * 6 + ("select",) * 6 + ("iterate",) * 3 + ("pause",) * 2 + ("close",)
CANCELLING = (*VERBS, *("cancel",) * 2, *("meet",) * 6)
"""To meet is to be a task's partner and to cancel a task, in one turn."""

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
def operations(draw, channels, verbs):
    """One operation, or two that belong together; what they send is filled in later."""
    verb = draw(st.sampled_from(verbs))
    if verb == "meet":
        helping = draw(st.sampled_from(("send", "receive")))
        both = [_case(draw, helping, channels, NOWAIT), cancel(draw(st.integers(0, 3)))]
        return draw(st.permutations(both))
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
    cases = tuple(draw(st.lists(case, min_size=1, max_size=3)))
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
