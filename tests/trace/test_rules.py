"""The rules of the format catch what breaks them: each is broken once, in a file that keeps them."""

import copy

import pytest
from rules import arrows, broken_rules


def event(ph, ts, tid=1, pid=1, **more):
    return {"ph": ph, "ts": ts, "tid": tid, "pid": pid} | more


GOOD = {
    "traceEvents": [
        {"ph": "M", "name": "process_name", "pid": 1, "tid": 0, "args": {"name": "p"}},
        {"ph": "M", "name": "thread_name", "pid": 1, "tid": 1, "args": {"name": "a"}},
        {"ph": "M", "name": "thread_name", "pid": 2, "tid": 2, "args": {"name": "b"}},
        event("X", 1.0, 2, 2, dur=4.0, cat="wait", name="wait c"),
        event("X", 2.0, dur=1.5, cat="send", name="send c"),
        event("s", 2.0, id=7, cat="message", name="message"),
        event("X", 5.0, 2, 2, dur=0.1, cat="receive", name="receive c"),
        event("f", 5.0, 2, 2, id=7, bp="e", cat="message", name="message"),
        event("X", 6.0, dur=1.0, cat="work", name="work"),
    ]
}


def test_a_good_file_keeps_them():
    assert broken_rules(GOOD) == []
    assert arrows(GOOD) == [((1, 2.0), (2, 5.0))]


def change(index, **fields):
    return lambda events: events[index].update(fields)


BREAKS = {
    "1: metadata": lambda events: events.append(events.pop(1)),
    "1: the events": lambda events: events.append(events.pop(3)),
    "2: a receive": change(6, dur=3.0),
    "3: an arrow begins": change(5, ts=2.5),
    "3: an arrow ends at": change(7, ts=5.5),
    "3: an arrow ends without": change(7, bp="x"),
    "3: 1 arrows begin": lambda events: events.pop(7),
    "3: two arrows": lambda events: events.insert(6, events[5]),
    "3: the ends": change(7, name="other"),
    "3: an arrow goes back": lambda events: (events[7].update(ts=1.0), events[6].update(ts=1.0)),
    "4: slices": change(3, dur=4.05),
    "5: lane 2 is in two": change(6, pid=1),
    "5: lane 1 has two": change(2, tid=1, pid=1),
    "5: lanes without": lambda events: events.pop(2),
    "6: a slice": change(8, cat="other"),
}


@pytest.mark.parametrize("rule", BREAKS)
def test_each_is_caught(rule):
    content = copy.deepcopy(GOOD)
    BREAKS[rule](content["traceEvents"])
    assert [it for it in broken_rules(content) if it.startswith(rule)], broken_rules(content)
