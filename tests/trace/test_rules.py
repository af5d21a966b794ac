"""The rules of the format catch what breaks them: each is broken once, in a file that keeps them."""

import copy

import pytest
from rules import arrows, broken


def event(ph, ts, tid=1, pid=1, **more):
    return {"ph": ph, "ts": ts, "tid": tid, "pid": pid} | more


def slice_of(what, ts, dur, tid=1, pid=1):
    return event("X", ts, tid, pid, dur=dur, cat=what, name=what, args={"what": what, "failed": None})


GOOD = {
    "otherData": {"lanes": {"1": {}, "2": {}}},
    "traceEvents": [
        {"ph": "M", "name": "thread_name", "pid": 1, "tid": 1, "args": {"name": "a"}},
        {"ph": "M", "name": "thread_name", "pid": 2, "tid": 2, "args": {"name": "b"}},
        slice_of("wait", 1.0, 4.0, 2, 2),
        slice_of("send", 2.0, 1.5),
        event("s", 2.0, id=7, cat="message", name="message"),
        slice_of("receive", 5.0, 0.1, 2, 2),
        event("f", 5.0, 2, 2, id=7, bp="e", cat="message", name="message"),
        slice_of("work", 6.0, 1.0),
    ],
}


def test_a_good_file_keeps_them():
    assert broken(GOOD) == []
    assert arrows(GOOD) == 1


def change(index, **fields):
    return lambda events: events[index].update(fields)


BREAKS = {
    "metadata after": lambda events: events.append(events.pop(1)),
    "another kind": change(7, ph="B"),
    "events not in": lambda events: events.append(events.pop(2)),
    "a receive with its wait": change(5, dur=3.0),
    "at the start of a send": change(4, ts=2.5),
    "at the start of a receive": change(6, ts=5.5),
    "that don't belong": change(6, bp="x"),
    "have ends|that don't": change(6, name="other"),
    "1 arrows begin, and 0": lambda events: events.pop(6),
    "two arrows": lambda events: events.insert(5, events[4]),
    "goes back": lambda events: (events[6].update(ts=1.0), events[5].update(ts=1.0)),
    "slices of lane 2 overlap": change(2, dur=4.05),
    "a lane in two": change(5, pid=1),
    "not every lane": lambda events: events.append(slice_of("work", 9.0, 1.0, 3)),
    "of the category": change(7, cat="other"),
}


@pytest.mark.parametrize("rule", BREAKS)
def test_each_is_caught(rule):
    content = copy.deepcopy(GOOD)
    BREAKS[rule](content["traceEvents"])
    assert [it for it in broken(content) if rule.rpartition("|")[2] in it], broken(content)
