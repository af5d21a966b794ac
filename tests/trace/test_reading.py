"""A trace is read back from its file, and what is none is refused in one sentence."""

import gzip
import json
import math

import pytest
from made import STALL, STALL_CHANNELS, content, trace

from concmodels import catalog, load
from concmodels.errors import Deadlock
from concmodels.trace import to as recording
from concmodels.trace.reading import Unreadable, read


def test_lanes_channels_and_messages_are_there_again():
    its = trace(STALL, STALL_CHANNELS)
    assert [lane.name for lane in its.lanes.values()] == ["main", "source", "store"]
    assert its.channel(1) == ("boxes", 1) and its.channel(2) == ("stored", math.inf)
    assert its.lanes[2].parent == its.lanes[3].parent == 1 and its.spawns[3].begin == 20
    assert len(list(its.arrived())) == 5 and its.received == 5
    assert (its.begin, its.end) == (0, 410)


def test_a_file_may_be_compressed(tmp_path):
    text = json.dumps(content(STALL, STALL_CHANNELS)).encode()
    plain, small = tmp_path / "a.json", tmp_path / "a.json.gz"
    plain.write_bytes(text)
    small.write_bytes(gzip.compress(text))
    assert read(str(plain)).lanes == read(str(small)).lanes


def test_a_task_that_was_killed_has_not_ended():
    its = trace({"main": [("start", 0, 0), ("end", 9, 9)], "gone": [("start", 1, 1), ("killed", 5, 5)]})
    assert its.lanes[1].has_ended and not its.lanes[2].has_ended


@pytest.mark.parametrize(
    ("data", "says"),
    [
        (b"", "is not a trace"),
        (b"not json", "is not a trace"),
        (b"[" * 100_000, "is not a trace"),
        (b"\x1f\x8bnot gzip", "can't read"),
        (b"{}", "was not written by concmodels"),
        (b"[]", "was not written by concmodels"),
        (b'{"traceEvents": [], "otherData": {"format": 1}}', "was not written by concmodels"),
        (json.dumps(content({"main": []})).encode(), "was not written by concmodels"),
    ],
)
def test_what_is_no_trace_is_refused_in_one_sentence(tmp_path, data, says):
    file = tmp_path / "some.json"
    file.write_bytes(data)
    with pytest.raises(Unreadable, match=says) as refused:
        read(str(file))
    assert "\n" not in str(refused.value)


def test_a_file_that_is_not_there_is_refused(tmp_path):
    with pytest.raises(Unreadable, match="No such file"):
        read(str(tmp_path / "none.json"))


def test_a_deadlock_that_the_program_catches_is_told_with_its_waits(tmp_path):
    if why := catalog.why_not("greenlet"):
        pytest.skip(why)
    model = load("greenlet")
    with recording(tmp_path / "stuck.json"), pytest.raises(Deadlock):
        model.run(model.Channel(0, "empty").receive)
    its = read(str(tmp_path / "stuck.json"))
    assert its.ended.startswith("Deadlock: all tasks are waiting")
    [wait] = its.waits
    assert wait.startswith("main: receive on channel 'empty'")
