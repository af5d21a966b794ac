"""The picture of a trace: what it draws of each thing that happens, and that it is SVG that a browser can read."""

import re
import time
from xml.etree import ElementTree

import pytest
from made import STALL, STALL_CHANNELS, content, trace

from concmodels.trace import svg
from concmodels.trace.axis import Axis, Cut, duration, idle_times, label
from concmodels.trace.diagram import NARROW, WIDE, draw
from concmodels.trace.reading import of_content
from concmodels.trace.stuck import stuck, wait_in_words

SVG = "{http://www.w3.org/2000/svg}"


def parsed(its, **options):
    return ElementTree.fromstring(draw(its, "a <title>", **options))


def of_class(root, name):
    return [it for it in root.iter() if name in (it.get("class") or "").split()]


def tips(root):
    return [it.text for it in root.iter(f"{SVG}title")]


@pytest.mark.parametrize("width", [WIDE, NARROW])
def test_it_has_a_lane_for_each_task_and_an_arrow_for_each_message(width):
    root = parsed(trace(STALL, STALL_CHANNELS), width=width)
    texts = [it.text for it in root.iter(f"{SVG}text")]
    assert {"a <title>", "main", "source", "store", "boxes", "runs", "waits", "asleep"} <= set(texts)
    assert len(of_class(root, "arrow")) == 5 and len(of_class(root, "spawn")) == 2
    assert root.get("role") == "img" and root.get("aria-label") == "a <title>"
    assert root.get("width") == str(width)
    for it in root.iter(f"{SVG}text"):
        assert 0 <= float(it.get("x")) <= width


def test_tooltips_say_who_waited_for_whom():
    said = tips(parsed(trace(STALL, STALL_CHANNELS)))
    assert "main waits for a message of stored for 150 ns, until store sent" in said
    assert "source waits for space in boxes for 145 ns, until store made space" in said
    assert "store sleeps for 130 ns" in said
    assert "boxes: source sends at 20 ns, store receives at 36 ns" in said


@pytest.mark.parametrize("width", [WIDE, NARROW])
def test_a_line_leads_from_what_ended_a_wait_to_its_end(width):
    """An arrow of a message shows that as well; so this is for the other ends, which main and source have here."""
    root = parsed(trace(STALL, STALL_CHANNELS), width=width)
    said = [it.find(f"{SVG}title").text for it in of_class(root, "cause") if it.find(f"{SVG}title") is not None]
    assert said == [
        "source waits for space in boxes for 145 ns, until store made space",
        "main waits for the tasks of its group for 50 ns, until store ended",
        "source waits for space in boxes for 15 ns, until store made space",
    ]
    assert "ends a wait" in [it.text for it in root.iter(f"{SVG}text")]


def test_it_shows_what_was_in_vain_and_what_nobody_received():
    lanes = {
        "main": [("start", 0, 0), ("send", 0, 10, 1, 0), ("send", 20, 80, 1, 0, "timeout"), ("socket", 90, 150),
                 ("end", 200, 200)],
    }  # fmt: skip
    its = trace(lanes, (("shelf", 1),))
    its.sent = 1
    root = parsed(its)
    assert {"timed out", "socket"} <= {it.text for it in root.iter(f"{SVG}text")}
    assert "shelf: main sends at 0 ns, and nobody receives it" in tips(root)
    assert "200 ns, 0 messages, 1 not received" in [it.text for it in root.iter(f"{SVG}text")]


def test_a_name_of_a_channel_is_not_in_another_lane():
    lanes = {
        "first": [("start", 0, 0), ("send", 10, 11, 1, 0), ("end", 99, 99)],
        "between": [("start", 0, 0), ("end", 99, 99)],
        "last": [("start", 0, 0), ("receive", 20, 80, 1, 0), ("end", 99, 99)],
    }
    root = parsed(trace(lanes, (("words", 1),)))
    places = {it.text: float(it.get("y")) for it in root.iter(f"{SVG}text")}
    assert places["between"] + 8 < places["words"] < places["last"] - 8


def test_marks_say_what_happened_at_a_moment():
    lanes = {
        "main": [
            ("start", 0, 0), ("spawn", 1, 1, 0, 2), ("cancel", 50, 50, 0, 2), ("close", 60, 60, 1), ("end", 99, 99),
        ],
        "child": [
            ("start", 2, 2), ("receive", 3, 52, 1, 0, "cancelled"), ("error", 53, 53, 0, 0, "cancelled"),
            ("end", 54, 54),
        ],
        "other": [("start", 2, 2), ("error", 70, 70, 0, 0, "error"), ("end", 71, 71)],
        "gone": [("start", 2, 2), ("killed", 80, 80)],
    }  # fmt: skip
    root = parsed(trace(lanes, (("c", 1),)))
    said = tips(root)
    for sentence in (
        "main cancels child", "main closes c", "child was cancelled", "other failed", "main spawns child",
        "child waits for a message of c for 49 ns, until it was cancelled",
    ):  # fmt: skip
        assert sentence in said
    texts = [it.text for it in root.iter(f"{SVG}text")]
    assert {"cancels", "cancelled", "error", "killed"} <= set(texts)


def test_a_deadlock_shows_who_waits_for_whom():
    lanes = {
        "main": [("start", 0, 0), ("spawn", 1, 1, 0, 2), ("spawn", 1, 1, 0, 3), ("join", 5, 100, 0, 0, "error"),
                 ("error", 101, 101, 0, 0, "error"), ("end", 102, 102)],
        "ada": [("start", 1, 1), ("receive", 2, 3, 2, 0), ("send", 4, 5, 1, 0), ("send", 6, 100, 1, 1, "cancelled"),
                ("end", 101, 101)],
        "ben": [("start", 1, 1), ("send", 2, 3, 2, 0), ("receive", 4, 6, 1, 0), ("send", 7, 8, 2, 1),
                ("send", 10, 100, 2, 2, "cancelled"), ("end", 101, 101)],
    }  # fmt: skip
    channels = (("to ben", 1), ("to ada", 1))
    waits = [
        "main: waits for the end of its group at a.py:1", "ada: send on channel 'to ben' at a.py:2",
        "ben: send on channel 'to ada' at a.py:3", "somebody else: waits",
    ]  # fmt: skip
    deadlocked = trace(lanes, channels, ended="Deadlock: all tasks are waiting", waits=waits)
    said = [it for it in tips(parsed(deadlocked)) if ", so for" in it]
    assert said == [
        "ada: send on channel 'to ben', so for ben",
        "ben: send on channel 'to ada', so for ada",
    ]
    assert not [it for it in tips(parsed(trace(lanes, channels))) if ", so for" in it]
    for width in (WIDE, NARROW):
        texts = [it for it in parsed(deadlocked, width=width).iter(f"{SVG}text") if "bad" in it.get("class")]
        assert len(texts) == 3 and all(float(it.get("x")) + 5.5 * len(it.text) <= width for it in texts)
    group = stuck(deadlocked)[0]
    assert wait_in_words(group, deadlocked) == "main: waits for the end of its group, so for ada or ben"


def test_of_a_channel_that_is_a_lock_the_task_that_took_the_item_is_waited_for():
    lanes = {"main": [("start", 0, 0), ("send", 0, 1, 1, 0), ("send", 1, 2, 2, 0), ("join", 3, 90), ("end", 91, 91)]}
    for name, first, second in (("ada", 1, 2), ("ben", 2, 1)):
        in_vain = ("receive", 12, 80, second, 0, "cancelled")
        lanes[name] = [("start", 3, 3), ("receive", 4, 5, first, 0), in_vain, ("end", 81, 81)]
    waits = ["main: waits for the end of its group at a.py:1", "ada: receive on channel 'two' at a.py:2"]
    its = trace(lanes, (("one", 1), ("two", 1)), waits=[*waits, "ben: receive on channel 'one' at a.py:2"])
    assert [it.waits_for for it in stuck(its)] == [[], [3], [2]]  # `lanes` has no spawn for main's tasks


def test_a_deadlock_names_what_holds_a_lock_and_what_nobody_can_end():
    lanes = {"one": [("start", 0, 0), ("end", 9, 9)], "two": [("start", 0, 0), ("receive", 1, 8, 1, 0, "error")]}
    waits = ["one: waits for lock forks, which two holds at a.py:1", "two: receive on channel 'c' at a.py:2"]
    found = stuck(trace(lanes, (("c", 1),), waits=waits))
    assert [it.waits_for for it in found] == [[2], []]
    assert [wait_in_words(it, trace(lanes)) for it in found] == [
        "one: waits for lock forks, which two holds",
        "two: receive on channel 'c', where no other task has been",
    ]


def test_names_are_no_markup():
    root = parsed(trace({"<b>&": [("start", 0, 0), ("end", 9, 9)]}))
    assert "<b>&" in [it.text for it in root.iter(f"{SVG}text")]


def test_each_rule_of_the_style_belongs_to_the_picture():
    """A page has several of them, and a style sheet of its own."""
    style = re.search(r"<style>(.*?)</style>", draw(trace(STALL, STALL_CHANNELS), "t", style=""), re.DOTALL)[1]
    selectors = re.findall(r"([^{}\n]+)\{", style)
    assert selectors and all(it.startswith(".trace ") for it in selectors)
    assert {*re.findall(r"var\((--[\w-]+)\)", style)} <= {*re.findall(r"--[\w-]+(?=:)", svg.LIGHT)}
    assert re.findall(r"--[\w-]+(?=:)", svg.LIGHT) == re.findall(r"--[\w-]+(?=:)", svg.DARK)


def many(lanes, messages):
    """Tasks in a ring, each message one step further."""
    rows = {f"task {number}": [("start", 0, 0)] for number in range(lanes)}
    names = list(rows)
    for number in range(messages):
        rows[names[number % lanes]].append(("send", 10 * number, 10 * number + 3, 1, number))
        rows[names[(number + 1) % lanes]].append(("receive", 10 * number, 10 * number + 8, 1, number))
    for its in rows.values():
        its.append(("end", 10 * messages, 10 * messages))
    return trace(rows, (("ring", None),))


def test_of_many_messages_the_arrows_are_thin_and_not_all_there():
    root = parsed(many(8, 400))
    assert len(of_class(root, "arrow")) == 400 and of_class(root, "many")
    assert 1_000 < len(of_class(parsed(many(4, 5_000)), "arrow")) <= 2_000


def test_two_thousand_messages_are_drawn_at_once():
    its = many(20, 2_000)
    began = time.process_time()
    draw(its, "many")
    assert time.process_time() - began < 5  # it takes 0.1 s; this tells only that it isn't quadratic


def test_of_many_tasks_there_is_a_strip_each():
    its = many(300, 900)
    root = parsed(its)
    assert not of_class(root, "arrow") and len(of_class(root, "running")) >= 300
    assert any(tip.startswith("task 299, from") for tip in tips(root))
    its.every = 2
    assert "the more messages it has" in draw(its, "t")


def test_a_schedule_has_a_box_for_each_step_and_red_switches():
    lanes = {"one": [("start", 0, 0)], "two": [("start", 0, 0)]}
    made = content(lanes, unit="step", ended="AssertionError: 1 counted")
    for at, tid, place, line, forced in (
        (0, 1, "/x/a.py:14", "n += 1", False), (1, 2, "/x/a.py:14", "n += 1", True),
        (2, 2, "/x/a.py:14", "n += 1", False), (3, 1, "/x/a.py:15", "return <n>", False),
    ):  # fmt: skip
        made["traceEvents"].append({
            "ph": "i", "tid": tid, "name": "step",
            "args": {"what": "step", "begin": at * 1000, "end": at * 1000, "channel": 0, "number": 0, "failed": None,
                     "place": place, "line": line, "forced": forced, "text": ""},
        })  # fmt: skip
    root = parsed(of_content(made))
    assert len(of_class(root, "running")) == 3  # two of one task on one line are one
    assert len(of_class(root, "bad")) == 1 and len(of_class(root, "spawn")) == 1
    assert "a forced switch to two" in tips(root) and "a.py:15  return <n>" in tips(root)
    texts = [it.text for it in root.iter(f"{SVG}text")]
    assert texts.count("14") >= 2 and "return <n>" in texts
    assert "AssertionError: 1 counted; time is the step" in texts


def test_times_in_which_nothing_happens_are_cut_out():
    moments = [0, 10, 1000, 1008, 1020]
    idle = list(idle_times(moments, running=[(0, 10), (1008, 1020)], starting=[]))
    assert idle == [Cut(10, 1000), Cut(1000, 1008)]
    axis = Axis(0, 1020, 0, 330, idle)
    assert axis.cuts == [Cut(10, 1000)]
    assert axis(0) == 0 and axis(10) == pytest.approx(100) and axis(1000) == pytest.approx(130)
    assert axis(1020) == pytest.approx(330)
    places = [axis(moment) for moment in range(1021)]
    assert places == sorted(places)


def test_a_time_in_which_tasks_sleep_is_cut_out_if_it_is_most_of_the_picture():
    def cuts(end):
        idle = idle_times([0, 10, end, end + 10], [(0, 10), (end, end + 10)], asleep=[(10, end)])
        return Axis(0, end + 10, 0, 100, idle).cuts

    assert not cuts(25) and len(cuts(100)) == 1


def test_a_time_in_which_one_task_computes_is_not_cut_out_but_for_a_start():
    assert list(idle_times([0, 5, 900], running=[(0, 900)], starting=[])) == []
    assert list(idle_times([0, 5, 900], running=[(0, 900)], starting=[(5, 900)])) == [Cut(5, 900)]


def test_ticks_are_outside_of_the_cuts_and_not_too_many():
    axis = Axis(0, 300_000_000, 100, 700, [Cut(1_000_000, 290_000_000)])
    ticks = list(axis.ticks())
    assert 3 <= len(ticks) <= 12
    assert all(later[0] - sooner[0] >= 40 for sooner, later in zip(ticks, ticks[1:], strict=False))
    assert len({text for _, text in ticks}) == len(ticks)


@pytest.mark.parametrize(
    ("ns", "step", "text"),
    [(0, 5, "0"), (254_200_000, 200_000, "254.2 ms"), (5_000, 1_000, "5 µs"), (1_500_000_000, 500_000_000, "1.5 s")],
)
def test_a_tick_has_as_many_digits_as_it_needs(ns, step, text):
    assert label(ns, step) == text


def test_times_are_told_with_three_digits():
    written = [duration(it) for it in (0, 12, 5_690, 5_690_000, 1.26e9)]
    assert written == ["0 ns", "12 ns", "5.69 µs", "5.69 ms", "1.26 s"]
