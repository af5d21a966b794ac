"""The command as a student uses it, in an empty folder, and as a teacher uses it."""

import ast
import contextlib
import csv
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor, wait
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree

import pytest
import yaml
from hostile import RIGHT

from concmodels.course import checking, command, exam, grading, isolated, watching
from concmodels.course.catalogue import exercise, exercises
from concmodels.course.child import Tail
from concmodels.course.command import course_command
from concmodels.course.grading import note
from concmodels.course.hand_out import LEFT_OUT, PROJECT
from concmodels.course.limits import Limits
from concmodels.course.progress import Progress
from concmodels.course.selftest import answers, tried
from concmodels.course.verdict import Judged, Verdict
from concmodels.course.watching import watch
from concmodels.programs.output.streams import BadInput

LAST = 20
COMPLETE = (2, 4)
"""The exercises of which all answers are tried, each on all its schedules; the other solutions on few of them."""
needs_posix = pytest.mark.skipif(os.name != "posix", reason="a shell and permissions as POSIX has them")


@pytest.fixture
def course(tmp_path, monkeypatch, capsys):
    """A function that runs the command in an empty folder, and returns its status, its output and its errors."""
    monkeypatch.chdir(tmp_path)

    def run(*arguments):
        status = course_command(list(map(str, arguments)))
        return status, *capsys.readouterr()

    return run


def test_every_exercise_has_all_its_parts():
    assert list(exercises()) == list(range(1, 21))
    for number, it in exercises().items():
        assert len(it.hints) == 2 and it.text("task.md").startswith(f"# {it.title}")
        assert 8 <= len(it.text("task.md").splitlines()) <= 24, it.title
        assert len(it.answers("wrong")) >= 3
        assert it.answers("right") or number in (1, 3), "a number and a schedule are right in one way alone"
        assert it.points == sum(step.points for step in it.steps) and it.file.isascii()
    assert sum(len(it.answers("wrong")) for it in exercises().values()) > 100


def test_a_broken_start_is_mended_step_by_step(course):
    status, out, _ = course("start", 2)
    assert status == 0 and "New in this folder: lost_update.py" in out
    status, out, _ = course("check")
    assert status == 1 and "2 Lost update: 0 of 4 points" in out
    assert "no lock is held there" in out and re.search(r"> +Thread-2 \(add\) +lost_update.py:9", out)
    again = re.search(r"--replay (\S+)", out)[1]
    status, out, _ = course("check", 2, "--replay", again)
    assert status == 0 and "What happened, with 1 forced switch" in out
    assert course("solution")[0] == 2
    Path("lost_update.py").write_text(RIGHT)
    status, out, _ = course("check")
    assert status == 0 and "4 of 4 points" in out and "held in all" in out
    assert course("solution")[1] == exercise(2).text("solution.py")
    assert "4 of 4" in course("list")[1]
    assert "1 of 20 exercises are solved" in course("status")[1]
    assert "# The smallest number" in course("next")[1]


def test_nothing_of_the_students_is_overwritten(course):
    course("start", 2)
    Path("lost_update.py").write_text("mine")
    assert "is left as it is" in course("start", 2)[1]
    assert Path("lost_update.py").read_text() == "mine"
    assert "yours is lost_update_before_1.py now" in course("reset", 2)[1]
    course("reset", 2)
    assert Path("lost_update_before_1.py").read_text() == "mine"
    assert Path("lost_update_before_2.py").read_text() == Path("lost_update.py").read_text()


def test_hints_come_one_by_one_and_a_solution_can_be_had(course):
    course("start", 4)
    first, second = course("hint")[1], course("hint")[1]
    assert second.startswith(first.rstrip()) and "There are no more hints" in second
    assert course("hint")[1] == second
    assert course("solution", "--give-up")[1] == exercise(4).text("solution.py")
    assert "given up" in course("list")[1]


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["check"], "no exercise was started in this folder"),
        (["check", "2"], "there is no lost_update.py here"),
        (["start", "21"], "there is no exercise 21"),
        (["start", "two"], "a whole number is needed"),
        (["begin"], "invalid choice: 'begin'"),
        (["grade", "nothing.py"], "there is no nothing.py"),
        (["grade", "."], "no file in . has the name of an exercise"),
        (["hand-out", "."], ". exists"),
        (["exam", "7", "ada"], "there is no session 7"),
        (["exam", "3", "ada", "--questions", "99"], "fewer than 99"),
        (["alike", "nothing"], "there is no nothing"),
    ],
)
def test_what_is_wrong_is_said_in_one_sentence(course, arguments, says):
    status, out, err = course(*arguments)
    assert (status, out, err.count("\n")) == (2, "", 1) and says in err


def test_damaged_notes_are_named(course):
    Path(".concmodels-course.json").write_text("{}")
    assert "is damaged" in course("status")[2]


def test_a_saved_file_is_checked_again(course):
    course("start", 2)
    progress, said, scores = Progress.of(Path.cwd()), [], []

    def check():
        found = isolated.check_isolated(exercise(2), progress.answer(exercise(2)), Limits(wall_s=60, cpu_s=60))
        scores.append(found.score)
        Path("lost_update.py").write_text(RIGHT)
        return found

    assert watch(progress, exercise(2), said.append, check) == 0
    assert scores == [0, 4] and said == ["waiting for a change of the file"]


def test_grades_are_written_in_four_forms(course):
    for name, text in {"ada": RIGHT, "bob": exercise(2).text("start.py"), "eve": "class Counter("}.items():
        Path("in", name).mkdir(parents=True)
        Path("in", name, "lost_update.py").write_text(text)
    status, out, _ = course("grade", "in", "--csv", "g.csv", "--junit", "g.xml", "--gradescope", "gs", "--reports", "r")
    assert status == 1 and len(out.splitlines()) == 3
    rows = list(csv.DictReader(Path("g.csv").read_text().splitlines()))
    assert [list(row.values())[1:4] for row in rows] == [["2", "4", "4"], ["2", "0", "4"], ["2", "0", "4"]]
    assert list(rows[0]) == ["file", "exercise", "score", "max_score", "verdict", "look_at_it"]
    assert "was never closed" in rows[2]["verdict"]
    suites = ElementTree.parse("g.xml").getroot()
    assert [suite.get("failures") for suite in suites] == ["0", "2", "2"]
    told = [json.loads(path.read_text()) for path in sorted(Path("gs").glob("*/results.json"))]
    assert [it["score"] for it in told] == [4, 0, 0]
    assert {"name", "score", "max_score", "status", "output", "visibility"} == {*told[0]["tests"][0]}
    assert "no lock is held there" in next(Path("r").glob("*bob*")).read_text()


def test_an_import_that_no_answer_needs_is_noted(course):
    Path("lost_update.py").write_text("import gc\n" + RIGHT)
    assert "look at it: it uses gc" in course("grade", "lost_update.py")[1]


def test_no_right_answer_has_to_be_looked_at():
    for its in exercises().values():
        for answer in [its.folder / "solution.py", *its.answers("right")]:
            assert note(answer.read_bytes(), its) == "", answer


def test_what_differs_in_names_only_is_alike(course):
    text = exercise(7).text("solution.py")
    Path("ada.py").write_text(text)
    Path("bob.py").write_text(re.sub(r"\b(items|changed|item)\b", r"its_\1", text))
    Path("eve.py").write_text(exercise(8).text("solution.py"))
    Path("no_python.py").write_text("def main(")
    assert course("alike", ".")[1].split() == ["100", "%", "ada.py", "bob.py"]


def test_the_copy_for_students_has_no_solution(course):
    assert course("hand-out", "copy")[0] == 0
    there = {file.relative_to("copy") for file in Path("copy").rglob("*") if file.is_file()}
    assert not {file for file in there if re.search("solution|mended|my_first_model|right|wrong", str(file))}
    assert "concmodels.course start 1" in Path("copy/README.md").read_text()
    assert {
        Path(name)
        for name in (
            "Makefile",
            "pyproject.toml",
            "concmodels/course/exercises/02_lost_update/start.py",
            "examples/teachers/blocking.py",
            "examples/teachers/philosophers.py",
        )
    } <= there
    assert (PROJECT / "README.md").read_text() != Path("copy/README.md").read_text()


@pytest.mark.parametrize("arguments", [("selftest", 2), ("solution", 2, "--give-up"), ("exam", 5, "ada")])
def test_a_copy_without_solutions_says_so(course, monkeypatch, tmp_path, arguments):
    folder = tmp_path / "02_lost_update"
    shutil.copytree(exercise(2).folder, folder, ignore=LEFT_OUT)
    monkeypatch.setitem(exercises(), 2, replace(exercise(2), folder=folder))
    status, out, err = course(*arguments)
    assert (status, out) == (2, "") and "this copy of the course is without solutions" in err
    assert "given up" not in course("list")[1]


def test_the_next_one_may_be_of_one_session(course):
    numbers = [number for number, it in exercises().items() if it.session == 1]
    for number in numbers:
        assert f"# {exercise(number).title}" in course("next", "--session", 1)[1]
    course("solution", numbers[0], "--give-up")
    assert f"# {exercise(numbers[1]).title}" in course("next", "--session", 1)[1]
    assert "there is no session 7" in course("next", "--session", 7)[2]


def without_key(text):
    return re.sub(r"\n\n\*\*Key:.*?(?=\n\n## |\n\Z)", "", text, flags=re.DOTALL)


def test_an_exam_has_other_questions_for_another_student(course):
    ada, again, bob = (course("exam", 5, name, "--replays", 0)[1] for name in ("ada", "ada", "bob"))
    assert ada == again and ada.partition("\n")[2] != bob.partition("\n")[2]
    assert "Diagnosis" not in ada and ada.count("```python") == 3
    key = course("exam", 5, "ada", "--replays", 0, "--key")[1]
    assert key.count("**Key:**") == 3 and without_key(key) == ada


@pytest.mark.timeout(180)
def test_an_exam_has_a_schedule_that_can_be_replayed(course):
    text = course("exam", 5, "ada", "--questions", 1)[1]
    file = re.search(r"^Save this answer as `(\w+\.py)`", text, re.MULTILINE)[1]
    arguments = re.search(r"^\$ python -m concmodels\.course (check \d+ --replay \S+)$", text, re.MULTILINE)[1]
    Path(file).write_text(text.rpartition("```python\n")[2].partition("\n```")[0])
    status, out, _ = course(*arguments.split())
    assert status == 0 and "What happened, with" in out and file in out
    key = course("exam", 5, "ada", "--questions", 1, "--key")[1]
    assert key.count("**Key:**") == 2 and key.count("```text") == 1 and re.search(r"^> ", key, re.MULTILINE)
    assert without_key(key) == text


def replayable(picture):
    """A check in whose verdict one step fails on a schedule, with this picture."""

    def check(its, *_):
        step = Judged("it holds", 0, 1, "it fails", picture(), "main:id")
        return Verdict(its.number, its.points, (step,))

    return check


def test_a_schedule_with_a_forced_switch_is_asked_before_others(course, monkeypatch):
    pictures = iter(["  main  a.py:1", "  main  a.py:1", "> Thread-1  a.py:2"])
    monkeypatch.setattr(exam, "check_isolated", replayable(lambda: next(pictures)))
    key = course("exam", 5, "ada", "--key")[1]
    assert "> Thread-1" in key and "  main  a.py:1" not in key and next(pictures, None) is None


def test_a_schedule_without_a_forced_switch_will_do(course, monkeypatch):
    monkeypatch.setattr(exam, "check_isolated", replayable(lambda: "  main  a.py:1"))
    assert course("exam", 3, "ada", "--key")[1].count("```text") == 1


def test_too_few_schedules_to_replay_are_said_in_one_sentence(course, monkeypatch):
    monkeypatch.setattr(exam, "check_isolated", lambda its, *_: Verdict(its.number, its.points, stopped="killed"))
    status, out, err = course("exam", 3, "ada")
    assert (status, out, err.count("\n")) == (2, "", 1) and "0 answers can be replayed, which is fewer than 1" in err


def test_a_workflow_has_the_points_of_each_exercise(course):
    told = yaml.safe_load(course("workflow", 2, 4)[1])
    steps = told["jobs"]["check"]["steps"]
    assert [it["with"]["max-score"] for it in steps if "id" in it] == [4, 4]
    assert "concmodels.course grade answers/lost_update.py" in steps[3]["with"]["command"]
    assert steps[2]["run"] == "pip install ."
    told = yaml.safe_load(course("workflow", 2, "--project", "concmodels @ ../a: b")[1])
    assert told["jobs"]["check"]["steps"][2]["run"] == "pip install 'concmodels @ ../a: b'"


def all_answers():
    """The answers of two exercises, and every solution; the others with --thorough.

    The channel of the last one takes as long as the ten next ones, and is graded anyway: it is the first model.
    """
    for number, its in exercises().items():
        for answer in answers(its):
            is_first = number in COMPLETE or answer.name == ("start.py" if number == LAST else "solution.py")
            name = f"{number}-{answer.stem}"
            yield pytest.param(its, answer, id=name, marks=() if is_first else pytest.mark.thorough)


def test_the_solution_of_the_last_exercise_is_the_first_model():
    """`tests/conformance/test_conformance_command.py` counts the guarantees that this keeps."""
    example = PROJECT / "examples" / "my_first_model.py"
    solution, first = (ast.parse(text) for text in (exercise(LAST).text("solution.py"), example.read_text()))
    assert [*map(ast.dump, solution.body[1:])] == [*map(ast.dump, first.body[1:])]


@pytest.mark.timeout(180)
@pytest.mark.parametrize(("its", "answer"), list(all_answers()))
def test_an_answer_is_told_apart(its, answer, on_few_schedules):
    is_quick = answer.name == "solution.py" and its.number not in COMPLETE
    with on_few_schedules() if is_quick else contextlib.nullcontext():
        assert tried(its, answer, isolated.check_isolated).wrong == ""


@needs_posix
def test_the_first_commands_of_the_readme_begin_an_exercise(tmp_path):
    readme = (PROJECT / "README.md").read_text()
    commands = re.search(r"`(export PATH.*?)`,\s+then `(python -m concmodels.course start 1)`", readme)
    (tmp_path / ".venv").symlink_to(sys.prefix)
    environment = os.environ | {"PYTHONPATH": str(PROJECT)}
    subprocess.run("; ".join(commands.groups()), shell=True, cwd=tmp_path, env=environment, check=True)
    assert (tmp_path / "answers/you_are_the_scheduler.py").exists()


@pytest.mark.parametrize("notes", ["[" * 100_000, '{"current": "x", "points": {}, "hints": {}, "given_up": []}', None])
def test_notes_that_can_not_be_read_are_named(course, notes):
    if notes is None:
        Path(".concmodels-course.json").mkdir()
    else:
        Path(".concmodels-course.json").write_text(notes)
    status, out, err = course("next")
    assert (status, out, err.count("\n")) == (2, "", 1) and ".concmodels-course.json" in err


@pytest.mark.parametrize(
    "arguments",
    [
        ["grade", ".", "--jobs", "-2"], ["grade", ".", "--jobs", "0"], ["grade", ".", "--seconds", "1e300"],
        ["grade", ".", "--memory", "1"], ["grade", ".", "--memory", "99999999999999"],
        ["exam", "5", "ada", "--questions", "-1"], ["exam", "5", "ada", "--replays", "-1"],
    ],
    ids=" ".join,
)  # fmt: skip
def test_a_number_has_bounds(course, arguments):
    status, out, err = course(*arguments)
    assert (status, out, err.count("\n")) == (2, "", 1) and arguments[-1].lstrip("-") in err


@pytest.mark.parametrize("schedule", ["two_threads_add:x", "nothing:3.14-5f0c9a-a-6@2"])
def test_a_replay_of_nothing_is_bad_input(course, schedule):
    course("start", 2)
    status, out, err = course("check", "--replay", schedule)
    assert (status, out, err.count("\n")) == (2, "", 1)


def test_a_closed_output_stops_nothing(course, monkeypatch):
    monkeypatch.setattr(sys, "stdout", None)
    assert course_command(["start", "2"]) == 0
    assert Path("lost_update.py").exists()


@needs_posix
def test_a_deleted_folder_is_named(course, tmp_path):
    (tmp_path / "gone").mkdir()
    os.chdir(tmp_path / "gone")
    Path(tmp_path / "gone").rmdir()
    assert "the current folder has been deleted" in course("list")[2]


@needs_posix
def test_a_file_that_can_not_be_renamed_is_named(course, monkeypatch):
    def refuse(*_):
        raise PermissionError(13, "Permission denied")

    course("start", 2)
    monkeypatch.setattr(Path, "rename", refuse)
    status, out, err = course("reset")
    assert (status, out) == (2, "") and "can't rename lost_update.py: Permission denied" in err


@needs_posix
@pytest.mark.parametrize("what", ["folder", "dangling link"])
def test_what_is_no_file_is_no_answer(course, what):
    file = Path("lost_update.py")
    file.mkdir() if what == "folder" else file.symlink_to("nothing")
    assert "lost_update.py is in this folder, but is no file" in course("start", 2)[2]
    assert "can't read lost_update.py" in course("check", 2)[2]
    assert "yours is lost_update_before_1.py now" in course("reset", 2)[1] and file.is_file()


def test_a_verdict_is_said_before_it_is_written_down(course, monkeypatch):
    def refuse(*_):
        raise BadInput("can't write")

    course("start", 2)
    monkeypatch.setattr(Progress, "save", refuse)
    status, out, err = course("check")
    assert status == 2 and "0 of 4 points" in out and "can't write" in err


@pytest.mark.parametrize("option", ["--csv", "--junit", "--gradescope", "--reports"])
def test_what_can_not_be_written_is_told_before_the_grading(course, option, monkeypatch):
    def never(*_):
        raise AssertionError("it is graded")

    monkeypatch.setattr(grading, "check_isolated", never)
    Path("lost_update.py").write_text(RIGHT)
    Path("file").touch()
    status, out, err = course("grade", "lost_update.py", option, "file/grades")
    assert (status, out) == (2, "") and "can't write 'file/grades'" in err


@needs_posix
def test_an_interrupted_grading_writes_what_is_done(course, monkeypatch):
    """The second of three is done, the first one goes on for ever, and Ctrl-C comes while the third one is checked."""
    ended = threading.Event()

    def check(its, answer, limits):
        if answer == b"2":
            return Verdict(its.number, its.points, stopped="done")
        if answer == b"3":
            signal.pthread_kill(threading.main_thread().ident, signal.SIGINT)
        ended.wait()
        return Verdict(its.number, its.points, stopped="it was killed")

    monkeypatch.setattr(grading, "check_isolated", check)
    monkeypatch.setattr(grading, "end_running", ended.set)
    for number in "123":
        Path(number).mkdir()
        Path(number, "lost_update.py").write_text(number)
    assert course("grade", ".", "--jobs", "2", "--csv", "g.csv")[0] == 130
    assert [row["verdict"] for row in csv.DictReader(Path("g.csv").read_text().splitlines())] == ["done"]


@needs_posix
def test_a_running_check_can_be_ended():
    """It ends without a word, and long before its time."""
    with ThreadPoolExecutor(1) as pool:
        limits = Limits(cpu_s=500, wall_s=500)
        found = pool.submit(isolated.check_isolated, exercise(2), b"while True: pass", limits)
        while not found.done():
            isolated.end_running()
            wait([found], 0.05)
        assert found.result().score == 0


def test_half_a_copy_is_no_copy(course, monkeypatch):
    def refuse(*_, **__):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(shutil, "copy2", refuse)
    status, _, err = course("hand-out", "copy")
    assert status == 2 and "No space left" in err and list(Path().iterdir()) == []


def test_what_can_not_be_compiled_is_said_once_and_without_the_folder(course):
    course("start", 2)
    Path("lost_update.py").write_text("class Counter(")
    out = course("check")[1]
    assert "checking-" not in out and out.count("be compiled") == 1 and "the same" in out


def test_a_constant_may_have_an_annotation(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    its = exercise(1)
    Path(its.file).write_text('SCHEDULE: str = "an id"\n')
    assert checking._value(its, "SCHEDULE") == "an id"


@pytest.mark.parametrize(
    ("is_right", "pressed", "status"), [(False, "q", 1), (False, "n", None), (True, "n", None), (True, "q", 0)]
)
def test_a_key_leads_to_the_next_exercise(course, monkeypatch, is_right, pressed, status):
    its, said = exercise(2), []
    points = its.points if is_right else 0
    found = Verdict(2, its.points, (Judged("", points, its.points, ""),))
    course("start", 2)
    monkeypatch.setattr(watching, "_is_terminal", lambda: True)
    monkeypatch.setattr(watching, "_keys", lambda: contextlib.nullcontext(lambda seconds: pressed))
    assert watch(Progress.of(Path.cwd()), its, said.append, lambda: found) == status
    assert "n: the next exercise" in said[-1]


def test_the_next_exercise_is_watched_after_that(course, monkeypatch):
    watched, statuses = [], iter([None, 1])

    def watch_one(progress, its, *_):
        watched.append(its.number)
        return next(statuses)

    monkeypatch.setattr(command, "watch", watch_one)
    course("start", 2)
    assert course("check", "--watch")[0] == 1
    assert watched == [2, 3] and Path(exercise(3).file).exists()


def test_what_an_answer_prints_is_shown(course):
    course("start", 2)
    Path("lost_update.py").write_text(
        RIGHT.replace("self.value += number", "self.value += number; print('\\a', number)")
    )
    out = course("check")[1]
    assert "4 of 4 points" in out
    assert re.search(r"It printed, at the end:\n\n(    \? \d\n){1,10}", out)


def test_the_end_of_a_long_print_is_kept():
    tail = Tail()
    for number in range(10_000):
        print("x" * number, number, file=tail)
    assert len(tail.text) == Tail.LONGEST and tail.text.endswith("x 9999\n")
