"""Hand-ins, graded: none of them harms the others, gets points that it has not earned, or leaves anything behind."""

import csv
import os
import re
import sys
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import pytest
from hostile import CHEATS, FIRST, HOSTILE, RIGHT

from concmodels.course.alike import functions
from concmodels.course.catalogue import exercise, exercises
from concmodels.course.grading import Graded, _named, grade, graded, hand_ins, note
from concmodels.course.limits import Limits
from concmodels.course.outputs import write_csv
from concmodels.course.verdict import LONGEST, Verdict

LIMITS = Limits(cpu_s=1, wall_s=20.0)
needs_linux = pytest.mark.skipif(sys.platform != "linux", reason="limits and orphans as Linux has them")


def working_in(folder):
    """Return the processes that work in this folder, which may be gone."""
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            if os.readlink(process / "cwd").startswith(folder):
                found.append(process.name)
    return found


def folder_in(sentence):
    """Return the folder of a check that `leaves_child` has named."""
    return re.search(r"SystemError: (/\S*checking-\w+)", sentence)[1]


@needs_linux
@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=() if name in FIRST else pytest.mark.thorough) for name in HOSTILE]
)
def test_a_hostile_hand_in_has_no_points(name, tmp_path):
    text, says = HOSTILE[name]
    file, outside = tmp_path / "lost_update.py", tmp_path / "other.py"
    outside.write_text("")
    file.write_text(text.replace("{outside!r}", repr(str(outside))))
    found = graded(file, exercise(2), LIMITS).verdict
    assert found.score == 0, found
    assert says in found.sentence and "\n" not in found.sentence
    assert outside.read_text() == ""
    if name == "leaves_child":
        assert not working_in(folder_in(found.sentence))


@needs_linux
def test_where_processes_see_all_others_they_are_ended_one_by_one(tmp_path):
    file = tmp_path / "lost_update.py"
    file.write_text(HOSTILE["leaves_child"][0])
    found = graded(file, exercise(2), replace(LIMITS, network=True)).verdict
    assert not working_in(folder_in(found.sentence))


@needs_linux
@pytest.mark.thorough
def test_a_hand_in_has_no_network(tmp_path):
    if os.geteuid() != 0 and Path("/proc/sys/kernel/apparmor_restrict_unprivileged_userns").exists():
        pytest.skip("this system may not let a user leave the network")
    names = "[it.split(':')[0].strip() for it in open('/proc/self/net/dev').read().splitlines()[2:]]"
    file = tmp_path / "lost_update.py"
    file.write_text(f"raise OSError({names})\n")
    assert "OSError: ['lo']" in graded(file, exercise(2), LIMITS).verdict.sentence


@pytest.mark.parametrize("text", ["x = " + "-" * 90_000 + "1", "x = " + "+".join(["1"] * 60_000), "#" * (2**20 + 1)])
def test_a_text_that_is_too_deep_or_too_large_is_no_more_than_its_own_verdict(text, tmp_path, monkeypatch):
    monkeypatch.setattr("concmodels.course.grading.check_isolated", lambda its, *_: Verdict(2, 4, stopped="checked"))
    file = tmp_path / "lost_update.py"
    file.write_text(text)
    found = graded(file, exercise(2), LIMITS).verdict
    assert found.score == 0 and found.sentence in ("checked", "it is larger than 1 MiB")
    assert functions(file) == {}


@needs_linux
def test_only_regular_files_are_read(tmp_path):
    (tmp_path / "right.py").write_text(RIGHT)
    for name, target in {"link": tmp_path / "right.py", "zero": "/dev/zero", "dangling": "nothing"}.items():
        (tmp_path / name).symlink_to(target)
    os.mkfifo(tmp_path / "pipe")
    for name in ("link", "zero", "dangling"):
        assert graded(tmp_path / name, exercise(2), LIMITS).verdict.stopped == "it is a link: only a file can be graded"
    assert graded(tmp_path / "pipe", exercise(2), LIMITS).verdict.stopped == "it is not a regular file"
    assert "Is a directory" in graded(tmp_path, exercise(2), LIMITS).verdict.stopped


def test_a_failure_of_the_grader_is_the_verdict_of_that_file_alone(tmp_path, monkeypatch):
    def fails(*_):
        raise KeyError("sim")

    monkeypatch.setattr("concmodels.course.grading.check_isolated", fails)
    (tmp_path / "it.py").write_text(RIGHT)
    said = [it.verdict.sentence for it in grade([(tmp_path / "it.py", exercise(2))] * 2, 2, LIMITS, {})]
    assert said == ["the grader itself fails on it: KeyError"] * 2


@pytest.mark.parametrize("name", CHEATS)
def test_a_cheat_has_no_points_for_the_first_step(name, tmp_path):
    text, says = CHEATS[name]
    file = tmp_path / "lost_update.py"
    file.write_text(text)
    found = graded(file, exercise(2), replace(LIMITS, cpu_s=20)).verdict
    assert found.steps[0].points == 0 and says in found.sentence, found


@pytest.mark.parametrize(
    ("line", "name"),
    [
        ("getattr(threading, '_' + 'sys')", "getattr"),
        ("threading._sys.modules", "_sys, modules"),
        ("def f(it): return it.gi_frame.f_back.f_locals", "f_back, f_locals, gi_frame"),
        ("threading.Thread.start = None", "threading.Thread.start"),
        ("class A:\n    def f(self, it): return self._mine, it._yours", "_yours"),
    ],
)
def test_what_reaches_the_grader_is_noted(line, name):
    assert note(f"import threading\n{line}\n".encode(), exercise(2)) == f"look at it: it uses {name}"


def test_names_that_file_systems_and_portals_change_are_found_and_others_told(tmp_path):
    theirs = [
        "lost_update (1).py",
        "Lost_Update.py",
        "ada_lost_update.py",
        "bob/LOST-UPDATE.PY",
        "eve/lost_update/a.py",
    ]
    (tmp_path / "empty").mkdir()
    no_one_s = ["__MACOSX/lost_update.py", "._lost_update.py", "visitors.py"]
    for name in [*theirs, *no_one_s, "mine.py"]:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(RIGHT)
    found = hand_ins([tmp_path], None)
    assert {str(file.relative_to(tmp_path)) for file, _ in found.files} == {*theirs}
    assert {its.number for _, its in found.files} == {2}
    assert found.left.startswith("2 files or folders were not graded: ")
    assert {path.name for path in found.left_out} == {"empty", "mine.py"}


def test_every_file_of_an_exercise_has_the_name_of_that_one():
    for its in exercises().values():
        assert hand_ins([its.folder / "solution.py"], its.number).files[0][1] is its
        assert _named(Path("in", its.file)) is its, its.file


def test_a_verdict_is_one_short_line_that_does_nothing_to_a_terminal(tmp_path):
    file = tmp_path / "lost_update.py"
    file.write_text("raise ValueError('\\x1b[2J\\a\\r' + 'x' * 200_000)\n")
    found = graded(file, exercise(2), replace(LIMITS, cpu_s=20)).verdict
    assert len(found.sentence) <= LONGEST and found.sentence.isprintable() and "ValueError" in found.sentence
    assert all(len(step.sentence) <= LONGEST for step in found.steps)
    graded_file = Graded(Path("=1+1.py"), exercise(2), replace(found, note="look at it: it uses os"))
    write_csv([graded_file], tmp_path / "g.csv")
    row = next(csv.DictReader((tmp_path / "g.csv").read_text().splitlines()))
    assert (row["file"], row["look_at_it"]) == ("'=1+1.py", "yes")
