"""A trace is read back from its file, and what is none is refused in one sentence."""

import gzip
import json
import math
from xml.etree import ElementTree

import pytest
from made import STALL, STALL_CHANNELS, content, trace

from concmodels import catalog, load
from concmodels.errors import Deadlock
from concmodels.trace import to as recording
from concmodels.trace.command import trace_command
from concmodels.trace.reading import Unreadable, read
from concmodels.trace.stuck import stuck


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


WHOLE = json.dumps(content(STALL, STALL_CHANNELS)).encode()


@pytest.mark.parametrize(
    ("data", "says"),
    [
        (b"", "is empty"),
        (b"not json", "is not a trace"),
        (b"[" * 100_000, "is not a trace"),
        (b"\x1f\x8bnot gzip", "can't read"),
        (b"{}", "was not written by concmodels"),
        (b"[]", "was not written by concmodels"),
        (b'{"traceEvents": [], "otherData": {"format": 1}}', "was not written by concmodels"),
        (json.dumps(content({"main": []})).encode(), "nothing ran while it was recorded"),
        (b'[{"name": "step", "ph": "X", "ts": 1, "dur": 2, "pid": 1, "tid": 1}]', "was not written by concmodels"),
        (WHOLE.replace(b'"every": 1', b'"every": Infinity'), "was not written by concmodels"),
        (WHOLE.replace(b'"begin": 10,', b'"begin": 1e999,'), "was not written by concmodels"),
        (WHOLE.replace(b'"number": 1', b'"number": "one"'), "was not written by concmodels"),
        (WHOLE.replace(b'"cpu_ns": null', b'"cpu_ns": "all"'), "was not written by concmodels"),
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


def test_the_deadlock_is_that_of_the_last_run(tmp_path):
    model = load("greenlet")
    with recording(tmp_path / "stuck.json"):
        model.run(model.sleep, 0)
        with pytest.raises(Deadlock):
            model.run(model.Channel(0, "empty").receive)
    its = read(str(tmp_path / "stuck.json"))
    first, last = (lane.number for lane in its.lanes.values() if lane.name == "main")
    assert [it.lane for it in stuck(its)] == [last] != [first]


def test_a_deadlock_is_forgotten_when_the_next_run_ends_well(tmp_path):
    model = load("greenlet")
    with recording(tmp_path / "well.json"):
        with pytest.raises(Deadlock):
            model.run(model.Channel(0, "empty").receive)
        model.run(model.sleep, 0)
    its = read(str(tmp_path / "well.json"))
    assert (its.ended, its.waits) == (None, ())


@pytest.mark.parametrize("name", ["\x1b[31mred", "null\x00", "\udc80", "\x9b", "a\"b'<&>\\", "żółć 日本", "é" * 200])
def test_whatever_is_in_a_name_a_picture_can_show(tmp_path, name, capsys):
    model = load("greenlet")

    def main():
        with model.TaskGroup() as group:
            channel = model.Channel(1, name)
            group.spawn(channel.send, 1, name=name)
            channel.receive()

    file, picture = tmp_path / "names.json", tmp_path / "names.svg"
    with recording(file):
        model.run(main)
    assert trace_command([str(file), "--svg", str(picture)]) == 0
    drawn = "".join(ElementTree.parse(picture).getroot().itertext())
    said = capsys.readouterr().out
    assert not {"\x1b", "\x00", "\x9b", "\udc80"} & ({*drawn} | {*said})
    assert all(letter in drawn for letter in name if letter.isalpha())
