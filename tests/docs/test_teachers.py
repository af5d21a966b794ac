"""The exercises' programs: the mended ones are right, and those that are to be mended go wrong as the page says."""

import re
from pathlib import Path

import pytest
from site_runs import ran

from concmodels.conformance import grade
from concmodels.course.catalogue import exercises

pytestmark = pytest.mark.docs

EXAMPLES = Path(__file__).parents[2] / "examples"
TEACHERS = EXAMPLES / "teachers"
WHISTLES = ["whistle 1", "whistle 2", "whistle 3", "whistle 4"]
PRINTED = {
    "blocking": [WHISTLES[0], "the report has begun", "the report is done", *WHISTLES[1:]],
    "blocking_mended": [WHISTLES[0], "the report has begun", *WHISTLES[1:], "the report is done"],
    "philosophers_mended": ["all have eaten"],
    "withdraw_locked": ["balance: 20"],
    "withdraw_owner": ["balance: 20"],
    "letters_anywhere": ["{'e': 60000, 'o': 80000, 'z': 20000}"],
    "letters": ["{'e': 60000, 'o': 80000, 'z': 20000}"],
}


def printed(name, *arguments):
    done = ran(TEACHERS / f"{name}.py", *arguments)
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout.splitlines()


@pytest.mark.parametrize("name", PRINTED)
def test_it_prints(name):
    assert printed(name) == PRINTED[name]


def test_the_philosophers_wait_in_a_circle():
    first, main, *philosophers = printed("philosophers")
    assert "none can continue" in first and "main: waits for the end of its group" in main
    waiting = [line.split("'")[1] for line in philosophers]
    assert waiting == ["fork 1", "fork 2", "fork 0"]


def test_the_rendezvous_keeps_all_it_guarantees():
    report = grade(TEACHERS / "rendezvous.py", only="nowait")
    assert report.kept
    assert [line.guarantee for line in report.broken] == []


SESSIONS = Path(__file__).parents[2] / "docs" / "teachers"


def rows_of_the_table():
    """The sessions of "Which computers do the sessions need?": models, and what there is on each system."""
    text = (SESSIONS / "systems.md").read_text()
    rows = re.findall(r"^\| \[(\d)\]\(session-\d\.md\)" + 5 * r" \| (.*)" + r" \|$", text, re.MULTILINE)
    return {number: columns for number, *columns in rows}


@pytest.mark.parametrize("session", "123456")
def test_the_table_of_systems_names_the_models_of_a_session(session):
    models, linux, arm, macos, windows = rows_of_the_table()[session]
    page = (SESSIONS / f"session-{session}.md").read_text()
    shown = re.findall(r"\} (examples/teachers/\w+\.py)", page)
    used = {name for file in shown for name in re.findall(r'load\("(\w+)"\)', (EXAMPLES.parent / file).read_text())}
    assert used <= set(re.findall(r"\w+", models))
    assert (linux, arm, macos) == ("all", "all", "all")
    assert windows.startswith("all but processes") == ("processes" in re.findall(r"\w+", models))


def test_the_gradebook_goes_on_after_a_file_that_has_nothing():
    lines = printed("gradebook", "with_closes", TEACHERS / "letters.py", EXAMPLES / "my_first_model.py")
    assert "letters.py has no Channel" in lines[0]
    assert lines[1:] == ["my_first_model.py: 1 of 1 guarantee kept; closing 1/1"]


def shown_on(*pages):
    """The programs whose text is on these pages."""
    text = "".join((SESSIONS / f"{page}.md").read_text() for page in pages)
    return {EXAMPLES.parent / name for name in re.findall(r"\{code-of\} (\S+)", text)}


def test_only_the_solutions_page_shows_solutions():
    solutions = shown_on("solutions")
    sessions = shown_on(*(f"session-{number}" for number in range(1, 7)))
    assert len(solutions) >= 6 and not solutions & sessions


def test_a_number_is_that_of_an_exercise_of_the_course():
    """The exercises that a session has of its own are called by letters."""
    for number in range(1, 7):
        page = (SESSIONS / f"session-{number}.md").read_text()
        assert not re.search(r"^## Exercise \d", page, re.MULTILINE)
        plan = page.partition("## Plan")[2].partition("##")[0]
        assert re.search(r"\d–\d+ \| Exercise \d+", plan), f"the plan of session {number} has no time for its exercises"


def test_every_exercise_of_the_course_is_named_by_its_session():
    for it in exercises().values():
        page = (SESSIONS / f"session-{it.session}.md").read_text()
        assert re.search(rf"^\| {it.number} \| {re.escape(it.title)} \|", page, re.MULTILINE), it.title


def minutes_in_class():
    """By the number of an exercise, the minutes that the plan of its session gives it."""
    plans = "".join((SESSIONS / f"session-{number}.md").read_text() for number in range(1, 7))
    rows = re.findall(r"^\| (\d+)–(\d+) \| Exercise (\d+)\b", plans, re.MULTILINE)
    return {int(number): f"{int(end) - int(begin)}" for begin, end, number in rows}


def test_the_table_of_the_course_has_every_exercise_with_its_session_points_and_minutes():
    page = (SESSIONS / "course.md").read_text()
    rows = re.findall(r"^\| (\d+) \| (.+) \| \[(\d)\]\(session-\d\.md\) \| (\d+) \| (\d*) ?\|$", page, re.MULTILINE)
    minutes = minutes_in_class()
    assert rows == [
        (f"{it.number}", it.title, f"{it.session}", f"{it.points}", minutes.get(it.number, ""))
        for it in exercises().values()
    ]
