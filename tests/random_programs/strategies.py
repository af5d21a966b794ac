"""Hypothesis makes programs."""

from itertools import count
from math import inf

from hypothesis import strategies as st

from .program import FOR_EVER, LONG, NOWAIT, PAUSE, SHORT, ZERO, Operation, Program, close, iterate

CAPACITIES = (1, 0, 2, inf)
VERBS = ("send",) * 6 + ("receive",) * 6 + ("select",) * 6 + ("iterate",) * 3 + ("pause",) * 2 + ("close",)
PATIENCE = (FOR_EVER,) * 4 + (SHORT,) * 3 + (LONG, ZERO, NOWAIT)

_SENDING, _RECEIVING = True, None


@st.composite
def programs(draw):
    """A program of two to four tasks, of one to five operations each, over one to three channels."""
    capacities = tuple(draw(st.lists(st.sampled_from(CAPACITIES), min_size=1, max_size=3)))
    operation = operations(len(capacities))
    tasks = draw(st.lists(st.lists(operation, min_size=1, max_size=5), min_size=2, max_size=4))
    numbers, as_text = count(1), draw(st.booleans())
    return Program(capacities, tuple(tuple(_with_items(it, numbers, as_text) for it in task) for task in tasks))


@st.composite
def operations(draw, channels):
    """One operation; what it sends is filled in later."""
    verb = draw(st.sampled_from(VERBS))
    if verb == "pause":
        return PAUSE
    if verb == "select":
        return _selects(draw, channels)
    case = (draw(st.integers(0, channels - 1)), _SENDING if verb == "send" else _RECEIVING)
    if verb in ("send", "receive"):
        return Operation(verb, (case,), draw(st.sampled_from(PATIENCE)))
    if verb == "iterate":
        return iterate(case[0], draw(st.integers(1, 3)))
    return close(case[0])


def _selects(draw, channels):
    case = st.tuples(st.integers(0, channels - 1), st.sampled_from((_RECEIVING, _SENDING)))
    cases = tuple(draw(st.lists(case, min_size=1, max_size=3)))
    patience = draw(st.sampled_from(PATIENCE[:-1]))
    return Operation("select", cases, patience, draw(st.booleans()))


def _with_items(operation, numbers, as_text):
    """Each item is sent once in a program, so that it can be told where it went. Text takes another road on borders."""
    cases = []
    for channel, sending in operation.cases:
        item = next(numbers) if sending else None
        cases.append((channel, f"item {item}" if item and as_text else item))
    return operation._replace(cases=tuple(cases))
