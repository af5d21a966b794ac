"""The command as a student uses it, in an empty folder, and as a teacher uses it."""

import csv
import json
import re
from pathlib import Path
from xml.etree import ElementTree

import pytest
import yaml
from hostile import RIGHT

from concmodels.course import isolated
from concmodels.course.catalogue import exercise, exercises
from concmodels.course.command import course_command
from concmodels.course.grading import note
from concmodels.course.hand_out import PROJECT
from concmodels.course.limits import Limits
from concmodels.course.progress import Progress
from concmodels.course.selftest import answers, tried
from concmodels.course.watching import watch


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
        Path(name) for name in ("Makefile", "pyproject.toml", "concmodels/course/exercises/02_lost_update/start.py")
    } <= there
    assert (PROJECT / "README.md").read_text() != Path("copy/README.md").read_text()


def test_an_exam_has_other_questions_for_another_student(course):
    ada, again, bob = (course("exam", 5, name)[1] for name in ("ada", "ada", "bob"))
    assert ada == again and ada.partition("\n")[2] != bob.partition("\n")[2]
    assert "Diagnosis" not in ada and ada.count("```python") == 3
    key = course("exam", 5, "ada", "--key")[1]
    assert key.count("**Key:**") == 3 and re.sub(r"\n\n\*\*Key.*", "", key) == ada


def test_a_workflow_has_the_points_of_each_exercise(course):
    told = yaml.safe_load(course("workflow", 2, 4)[1])
    steps = told["jobs"]["check"]["steps"]
    assert [it["with"]["max-score"] for it in steps if "id" in it] == [4, 4]
    assert "concmodels.course grade lost_update.py" in steps[3]["with"]["command"]


def all_answers():
    """The answers of two exercises, and every solution; the others with --thorough."""
    for number, its in exercises().items():
        for answer in answers(its):
            is_first = number in (2, 4) or answer.name == "solution.py"
            name = f"{number}-{answer.stem}"
            yield pytest.param(its, answer, id=name, marks=() if is_first else pytest.mark.thorough)


@pytest.mark.timeout(180)
@pytest.mark.parametrize(("its", "answer"), list(all_answers()))
def test_an_answer_is_told_apart(its, answer):
    assert tried(its, answer, isolated.check_isolated).wrong == ""
