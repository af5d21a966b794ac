"""Grading in the simulated world: wrong channels are found, right ones pass, and neither takes long."""

import json
import os
from pathlib import Path

import pytest
from test_conformance_command import EXAMPLES, run, write

from concmodels.conformance import Refused, grade
from concmodels.conformance.grading.simulated import why_not

HERE = Path(__file__).parent
WRONG = sorted((HERE / "wrong").glob("*.py"))
RIGHT = [
    EXAMPLES / "my_first_model.py",
    EXAMPLES / "teachers" / "rendezvous.py",
    *sorted((HERE / "right").glob("*.py")),
]
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
def test_a_wrong_channel_is_found(path):
    begin = _seconds_of_children()
    report = grade(path)
    assert BROKEN[path.stem] in {line.guarantee for line in report.broken}
    assert _seconds_of_children() - begin < 10


def _seconds_of_children():
    """The processor time of all that have ended."""
    times = os.times()
    return times.children_user + times.children_system


@pytest.mark.parametrize("path", RIGHT, ids=lambda path: path.stem)
def test_a_right_channel_passes(path):
    report = grade(path, schedules=4)
    assert not report.broken, [(line.guarantee, line.outcomes[0].reason) for line in report.broken]
    assert len(report.kept) > 30


def test_one_that_needs_a_certain_schedule_says_on_which_it_was_broken():
    report = grade(HERE / "wrong" / "look_then_act.py", only="delivery")
    reasons = [outcome.reason for line in report.broken for outcome in line.outcomes]
    assert any("on schedule 2: others can keep it" in it or "on schedule 3" in it for it in reasons), reasons


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
