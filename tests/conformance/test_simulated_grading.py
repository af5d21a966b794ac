"""Grading in the simulated world: wrong channels are found, and right ones pass."""

import json
import shlex
from pathlib import Path

import pytest
from test_conformance_command import EXAMPLES, run, write

from concmodels.conformance import Refused, grade
from concmodels.conformance.grading.simulated import why_not
from concmodels.course.catalogue import exercise
from concmodels.explore.failures.replay_id import PYTHON

HERE = Path(__file__).parent
CHANNELS = exercise(20).folder / "wrong"
WRONG = sorted(CHANNELS.glob("*.py"))
RIGHT = {
    EXAMPLES / "my_first_model.py": [],
    EXAMPLES / "teachers" / "rendezvous.py": ["waiting."],
    HERE / "right" / "polling.py": ["delivery.each_item_reaches_one_receiver(capacity=1)", "before_long", "overtaken"],
}
"""Without `--thorough` each is held to that in which a judge could wrong it most easily: a chapter, or the longest run
and all that is about fairness. The first is held to all chapters, by the command in `test_conformance_command.py`.
"""
BROKEN = {
    "a_late_receive_takes": "timeouts.a_timed_out_receive_has_not_taken",
    "close_drops": "closing.what_was_accepted_stays_receivable",
    "last_in_first_out": "delivery.items_arrive_in_order",
    "look_then_act": "delivery.each_item_reaches_one_receiver",
    "no_back_pressure": "waiting.send_waits_while_full",
    "notify_one": "delivery.each_item_reaches_one_receiver",
    "send_after_close": "closing.a_closed_channel_accepts_nothing",
    "timeout_keeps_its_item": "timeouts.a_timed_out_send_has_not_delivered",
    "whole_seconds": "timeouts.receive_times_out",
}
"""A guarantee that each of the wrong channels breaks, which says what is wrong with it."""


def test_every_wrong_channel_has_its_guarantee():
    assert BROKEN.keys() == {path.stem for path in WRONG}


@pytest.mark.parametrize("path", WRONG, ids=lambda path: path.stem)
def test_a_wrong_channel_is_found(path, thorough):
    """It is graded by all chapters with `--thorough`, else by what it breaks."""
    report = grade(path, only="" if thorough else BROKEN[path.stem])
    assert BROKEN[path.stem] in {line.guarantee for line in report.broken}


def test_every_right_channel_is_held():
    assert RIGHT.keys() >= set((HERE / "right").glob("*.py"))


@pytest.mark.parametrize(
    ("path", "some"),
    [
        pytest.param(path, some, marks=[] if some else [pytest.mark.thorough], id=path.stem)
        for path, some in RIGHT.items()
    ],
)
def test_a_right_channel_passes(path, some, thorough):
    reports = [grade(path, only=only, schedules=4 if thorough else 2) for only in ([""] if thorough else some)]
    broken = [line for report in reports for line in report.broken]
    assert not broken, [(line.guarantee, line.outcomes[0].reason) for line in broken]
    assert sum(len(report.kept) for report in reports) > (30 if thorough else 4)


def test_one_that_needs_a_certain_schedule_says_on_which_it_was_broken():
    report = grade(CHANNELS / "look_then_act.py", only="delivery.no_")
    reasons = [outcome.reason for line in report.broken for outcome in line.outcomes]
    assert any("on schedule 2: others can keep it" in it or "on schedule 3" in it for it in reasons), reasons


EXPLAINED = {
    "look_then_act": ("capacity=1", "1 forced switch", "popleft"),
    "notify_one": ("capacity=1", "where each task runs on until it has to wait", "wait_for"),
}
"""What the explanation of each has: the values, how the schedule is, and what one of its lines does."""


@pytest.mark.parametrize("name", EXPLAINED)
def test_a_broken_guarantee_is_explained_and_can_be_replayed(name):
    values, switches, line = EXPLAINED[name]
    path = CHANNELS / f"{name}.py"
    status, out, _ = run(path, "-k", "each_item_reaches_one_receiver")
    assert status == 1
    picture = out.split("What happened")[1].split("\n\n")[0].splitlines()
    assert switches in picture[0] and any(f"{name}.py:" in row and line in row for row in picture[1:])
    assert len(picture) <= 22
    again = shlex.split(out.split("again: python -m concmodels.conformance ")[1].splitlines()[0])
    assert again[1:3] == ["-k", f"delivery.each_item_reaches_one_receiver({values})"]
    status, replayed, _ = run(*again)
    assert status == 1 and out.split("What happened")[1].split("\n\n")[0] in replayed


def test_a_data_race_of_the_channel_is_told():
    _, out, _ = run(CHANNELS / "look_then_act.py", "-k", "delivery.items_arrive_in_order")
    assert "data race: self.closed is read at " in out and "look_then_act.py:29" in out


def test_the_json_has_the_schedules_and_the_explanations():
    path = CHANNELS / "last_in_first_out.py"
    _, out, _ = run(path, "--json", "-", "-k", "closing.what_was_accepted")
    (report,) = json.loads(out)
    broken = [it for it in report["outcomes"] if it["verdict"] == "broken"]
    assert broken and all(f" --replay {shlex.quote(it['replay'])}" in it["explanation"] for it in broken)
    explained = {it["guarantee"] for it in broken if "last_in_first_out.py:" in it["explanation"]}
    assert explained == {it["guarantee"] for it in broken}
    long_ones = [it for it in broken if "!" in it["replay"]]
    for outcome in broken[:1] + long_ones[:1]:
        names = ["-k", f"{outcome['guarantee']}({outcome['values']})", "--replay", outcome["replay"]]
        status, replayed, _ = run(path, *names, "--json", "-")
        assert status == 1
        ((again,),) = [report["outcomes"] for report in json.loads(replayed)]
        assert again["verdict"] == "broken" and "What happened" in again["explanation"]


def test_a_deadlock_is_told_as_one_and_not_by_what_its_end_has_raised():
    report = grade(CHANNELS / "notify_one.py", only="each_item")
    assert report.broken[0].outcomes[1].reason.startswith("Deadlock: all tasks are waiting")
    assert "send_all-3: waits in Condition.wait_for at " in report.broken[0].outcomes[1].explanation


ID = "3.14-123456-c-few-6@2"
ONE = "delivery.items_arrive_in_order(capacity=1)"


@pytest.mark.parametrize(
    "arguments, part",
    [
        (["-k", ONE, "--replay", "something"], "'something' is no replay id"),
        (["-k", ONE, "--replay", ID.replace("3.14", "3.9")], "was made by Python 3.9"),
        (["-k", ONE, "--replay", ID.replace("3.14", PYTHON)], "of another version of the model"),
        (["-k", "delivery", "--replay", ID], "name that one by -k"),
        (["-k", ONE, "--replay", ID, "--real"], "give it neither"),
    ],
)
def test_a_replay_that_is_none_is_one_sentence_and_status_2(arguments, part):
    status, out, err = run(CHANNELS / "notify_one.py", *arguments)
    assert (status, out, len(err.splitlines())) == (2, "", 1) and part in err


def test_the_command_says_how_it_has_tested():
    status, out, _ = run(EXAMPLES / "my_first_model.py", "-k", "nowait")
    assert status == 0
    assert out.startswith("my_first_model.py (on 3 schedules each, simulated; --real tests in real time)")
    status, out, _ = run(EXAMPLES / "my_first_model.py", "-k", "nowait", "--explore", "7")
    assert status == 0 and "on 7 schedules each" in out
    status, out, _ = run(EXAMPLES / "my_first_model.py", "-k", "nowait", "--real")
    assert status == 0 and out.startswith("my_first_model.py (in real time)")


ASYNC = "class Channel:\n    async def send(self, item): pass\n    async def receive(self): pass\n"


@pytest.mark.parametrize(
    "text, part",
    [
        (ASYNC, "its Channel is async"),
        ("import socket\n", "imports socket"),
        ("from concmodels.models.threads import Channel\n", "imports concmodels.models.threads"),
        ("from concmodels import load\nChannel = load('threads').Channel\n", "imports concmodels.load"),
        ("def run(main, *args): return main(*args)\n", "run of its own"),
    ],
)
def test_what_the_simulated_world_cant_see_is_tested_in_real_time(tmp_path, text, part):
    path = write(tmp_path, text)
    assert part in why_not(str(path))
    with pytest.raises(Refused, match=part):
        grade(path, schedules=3)


def test_a_model_of_the_catalog_is_tested_as_it_is():
    status, _, err = run("threads", "--explore", "3")
    assert status == 2
    assert "threads can't be simulated: it is a model of the catalog, and not a file; --real" in err


def test_one_of_both(tmp_path):
    status, _, err = run(EXAMPLES / "my_first_model.py", "--explore", "3", "--real")
    assert status == 2 and "give one of the two" in err
    status, _, err = run(EXAMPLES / "my_first_model.py", "--explore", "0")
    assert status == 2 and len(err.splitlines()) == 1


def test_the_json_is_that_of_real_time(tmp_path):
    found = []
    for how in ("--real", "--explore=1"):
        _, out, _ = run(EXAMPLES / "my_first_model.py", "-k", "send_nowait", how, "--json", "-")
        (report,) = json.loads(out)
        found.append((report.keys(), [(it["guarantee"], it["values"], it["verdict"]) for it in report["outcomes"]]))
    assert found[0] == found[1]
