"""The exercises' programs: the mended ones are right, and those that are to be mended go wrong as the page says."""

import csv
import os
import re
import signal
import sys
import time
from pathlib import Path

import interruptible
import pytest
from site_runs import ran

from concmodels.conformance import grade

pytestmark = pytest.mark.docs

EXAMPLES = Path(__file__).parents[2] / "examples"
TEACHERS = EXAMPLES / "teachers"
WHISTLES = ["whistle 1", "whistle 2", "whistle 3", "whistle 4"]
PRINTED = {
    "pipeline": ["sum of squares: 30"],
    "first_answer": ["first: quick"],
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
ONE_TEST = "items_arrive_in_order(capacity=1)"
BAD_CHANNEL = """\
import ctypes, os

class Channel:
    def __init__(self, capacity=1, name=None):
        pass

    def send(self, item, timeout=None):
        {}

    receive = send
"""
HAND_INS = {
    "crashes": BAD_CHANNEL.format("ctypes.string_at(0)"),
    "empty": "",
    "floods": BAD_CHANNEL.format("while True: os.write(1, bytes(10**6))"),
    "floods_at_once": "import os\nwhile True: os.write(2, bytes(10**6))",
    "hangs": BAD_CHANNEL.format("while True: pass"),
    "hangs_at_once": "while True: pass",
    "no_python": "class Channel(",
    "says_it_is_done": "import os\nos._exit(0)",
}


def marking(folder, *options):
    """The command that marks the files of a folder, in a folder of its own."""
    script, solution = TEACHERS / "grade_folder.py", EXAMPLES / "my_first_model.py"
    temporary = folder.parent / "temporary"
    temporary.mkdir()
    environment = os.environ | {"PYTHONPATH": str(EXAMPLES.parent), "TMPDIR": str(temporary)}
    command = [sys.executable, str(script), str(solution), str(folder), *options]
    return {"args": command, "cwd": folder.parent, "env": environment}, temporary


def marks(folder):
    with (folder.parent / "grades.csv").open() as file:
        return {row["hand-in"]: row for row in csv.DictReader(file)}


@pytest.fixture
def hand_ins(tmp_path):
    folder = tmp_path / "hand-ins"
    folder.mkdir()
    return folder


@pytest.mark.timeout(150)
def test_a_folder_is_marked_whatever_its_files_do(hand_ins):
    for name, text in HAND_INS.items():
        (hand_ins / f"{name}.py").write_text(text)
    (hand_ins / "ada").mkdir()
    (hand_ins / "ada" / "right.py").write_text((EXAMPLES / "my_first_model.py").read_text())
    options, temporary = marking(hand_ins, "-k", ONE_TEST, "--patience", "4", "--points", "delivery=40")
    command = options.pop("args")
    done = interruptible.run(command, timeout=140, **options)
    assert (done.returncode, done.stderr) == (0, "")
    found = marks(hand_ins)
    assert {name for name, row in found.items() if row["points"] != "0.0"} == {"ada/right.py"}
    assert found["ada/right.py"] == {
        "hand-in": "ada/right.py", "points": "40.0", "passed": "yes", "delivery": "1/1", "broken": "0", "note": ""
    }  # fmt: skip
    assert [found[f"{name}.py"]["broken"] for name in ("crashes", "floods", "hangs")] == ["1", "1", "1"]
    assert {name: found[f"{name}.py"]["note"] for name in sorted({*HAND_INS} - {"crashes", "floods", "hangs"})} == {
        "empty": "empty.py has no Channel: define a class Channel with the methods send and receive",
        "floods_at_once": "floods_at_once.py can't be graded: loading it printed more than 64 MiB",
        "hangs_at_once": "hangs_at_once.py can't be graded: it was not loaded within 4 seconds",
        "no_python": "no_python.py can't be imported: SyntaxError: '(' was never closed (line 1)",
        "says_it_is_done": "says_it_is_done.py can't be graded: loading it ended Python with status 0",
    }
    assert "  40.0     yes    1/1         0  ada/right.py\n" in done.stdout
    assert list(temporary.iterdir()) == []


@pytest.mark.timeout(150)
def test_enough_points_pass_only_if_a_chapter_is_complete(hand_ins):
    right = (EXAMPLES / "my_first_model.py").read_text()
    (hand_ins / "right.py").write_text(right)
    (hand_ins / "swaps.py").write_text(right.replace("return self._items.popleft()", "return self._items.pop()"))
    scheme = ("--points", "delivery=40", "--pass", "1")
    for complete, swaps in ((), "yes"), (("--complete", "delivery"), "no"):
        options, temporary = marking(hand_ins, "-k", "sent", *scheme, *complete)
        done = interruptible.run(options.pop("args"), timeout=70, **options)
        assert (done.returncode, done.stderr) == (0, "")
        temporary.rmdir()
        assert {name: row["passed"] for name, row in marks(hand_ins).items()} == {"right.py": "yes", "swaps.py": swaps}


def test_a_chapter_that_the_solution_lacks_is_refused(hand_ins):
    options, _ = marking(hand_ins, "-k", ONE_TEST, "--complete", "delivery", "closings")
    done = interruptible.run(options.pop("args"), timeout=50, **options)
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert "keeps nothing of closings: --complete takes delivery" in done.stderr


def test_a_hand_in_that_hangs_in_every_test_is_stopped(hand_ins):
    (hand_ins / "hangs.py").write_text(HAND_INS["hangs"])
    options, temporary = marking(hand_ins, "-k", "items_arrive_in_order", "--patience", "40", "--limit", "6")
    command = options.pop("args")
    done = interruptible.run(command, timeout=50, **options)
    assert (done.returncode, done.stderr) == (0, "")
    assert marks(hand_ins)["hangs.py"]["note"] == "stopped after 6 seconds"
    assert list(temporary.iterdir()) == []


@pytest.mark.skipif(os.name != "posix", reason="it sends a signal")
def test_ctrl_c_writes_what_is_marked_by_then(hand_ins, tmp_path):
    begun = tmp_path / "begun"
    note = f"import os\nwith open({str(begun)!r}, 'w') as file: file.write(str(os.getpid()))\n"
    (hand_ins / "hangs.py").write_text(f"{note}while True: pass")
    options, temporary = marking(hand_ins, "-k", ONE_TEST, "--patience", "40")
    process = interruptible.popen(options.pop("args"), **options)
    while not (begun.exists() and begun.read_text()):
        assert process.poll() is None
        time.sleep(0.05)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=40)
    assert (process.returncode, err) == (130, "")
    assert out.splitlines() == ["points  passed     kept  broken  hand-in"] and marks(hand_ins) == {}
    with pytest.raises(ProcessLookupError):
        os.kill(int(begun.read_text()), 0)
    assert list(temporary.iterdir()) == []


def test_a_solution_that_is_wrong_is_refused(hand_ins):
    options, _ = marking(hand_ins, "-k", "iteration_ends(capacity=1)")
    command = options.pop("args")
    command[2] = str(EXAMPLES / "my_first_model_buggy.py")
    done = interruptible.run(command, timeout=50, **options)
    assert done.returncode == 2 and "the solution must keep all that it guarantees" in done.stderr


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


def test_the_scheme_gives_100_points_and_has_the_chapters_of_the_solution():
    page, scripts = ((SESSIONS / f"{name}.md").read_text() for name in ("marking", "marking-scripts"))
    rows = re.findall(r"^\| `(\w+)` \|.*\| (\d+) \|$", page, re.MULTILINE)
    scheme = {chapter: int(points) for chapter, points in rows}
    command = re.search(r"--points (.*) \\$", scripts.partition("hand-ins \\")[2], re.MULTILINE)[1]
    assert sum(scheme.values()) == 100
    assert command == " ".join(f"{chapter}={points}" for chapter, points in scheme.items())
    kept = printed("gradebook", "", "examples/my_first_model.py")[0]
    assert set(re.findall(r"(\w+) \d+/\d+", kept)) == set(scheme)


def test_a_command_in_lines_is_the_one_whose_output_follows():
    page = (SESSIONS / "marking-scripts.md").read_text()
    pattern = r"is from this command -->\n```console\n\$ (.*?)```\n\n```\{output-of\} (\S+)\n:args: (.*?)\n"
    found = re.findall(pattern, page, re.DOTALL)
    assert len(found) == page.count("is from this command") == 3
    for command, file, arguments in found:
        assert command.replace("\\\n", " ").split() == ["python", file, *arguments.split()]


def test_the_gradebook_goes_on_after_a_file_that_has_nothing():
    lines = printed("gradebook", "with_closes", TEACHERS / "pipeline.py", EXAMPLES / "my_first_model.py")
    assert "pipeline.py has no Channel" in lines[0]
    assert lines[1:] == ["my_first_model.py: 1 of 1 guarantee kept; closing 1/1"]


WITHDRAWALS = EXAMPLES.parent / "tests" / "docs" / "withdrawals"
CRASHES = "import ctypes\n\ndef main(model):\n    ctypes.string_at(0)\n"
PROGRAMS = {
    "nobody_withdraws": ("def main(model):\n    return 100\n", "broken", "main returned 100 instead of 20"),
    "cannot_be_imported": ("import nothing_of_this_name\n\ndef main(model):\n    return 20\n", "broken", "No module"),
    "empty": ("", "not checked", "has no function main"),
    "no_python": ("def main(", "not checked", "can't be compiled"),
    "crashes": (CRASHES, "not checked", "ended Python with status -11"),
    "says_it_is_done": ("import os\nos._exit(0)\ndef main(model):\n    return 20\n", "not checked", "with status 0"),
    "floods": (
        "import os\n\ndef main(model):\n    while True:\n        os.write(1, bytes(10**6))\n",
        "not checked",
        "",
    ),
    "hangs": ("def main(model):\n    sum(range(10**15))\n", "not checked", "stopped after 6 seconds"),
}


def check_schedules(*arguments, cwd):
    """Run the script that marks on every schedule; return its exit status, its lines, and the CSV file by hand-in."""
    environment = os.environ | {"PYTHONPATH": str(EXAMPLES.parent), "COLUMNS": "500"}
    command = [sys.executable, TEACHERS / "check_schedules.py", *arguments, "--csv", "marks.csv"]
    done = interruptible.run(command, cwd=cwd, env=environment, timeout=100)
    assert done.stderr == ""
    with (cwd / "marks.csv").open() as file:
        return done.returncode, done.stdout, {Path(row["hand-in"]).stem: row for row in csv.DictReader(file)}


def test_the_withdrawals_are_marked_on_every_schedule(tmp_path):
    right = (TEACHERS / "withdraw_locked.py", TEACHERS / "withdraw_owner.py")
    status, _, found = check_schedules("--returns", "20", *right, cwd=tmp_path)
    assert (status, {row["verdict"] for row in found.values()}) == (0, {"held in all"})
    assert [row["returned"] for row in found.values()] == ["20", "20"]
    status, shown, found = check_schedules("--returns=20", "--seconds=2", "--reports", WITHDRAWALS, cwd=tmp_path)
    assert (status, {name: row["verdict"] for name, row in found.items()}) == (1, {
        "forgets_to_return": "broken", "locks_too_late": "broken", "loops": "not checked", "no_main": "not checked",
        "takes_it_twice": "broken",
    })  # fmt: skip
    assert "main returned -60 instead of 20" in found["locks_too_late"]["note"]
    assert "What happened" in shown and 'account["balance"] -= amount' in shown
    assert "3 broken, 2 not checked" in shown


@pytest.mark.timeout(120)
def test_programs_are_marked_whatever_they_do(hand_ins, tmp_path):
    for name, (text, _, _) in PROGRAMS.items():
        (hand_ins / f"{name}.py").write_text(text)
    (hand_ins / "not_named.txt").write_text("")
    status, _, found = check_schedules("--returns", "20", "--seconds=2", "--limit=6", hand_ins, cwd=tmp_path)
    assert status == 1
    assert {name: row["verdict"] for name, row in found.items()} == {name: it[1] for name, it in PROGRAMS.items()}
    for name, (_, _, note) in PROGRAMS.items():
        assert note in found[name]["note"]


def test_the_philosophers_are_marked_on_every_schedule(tmp_path):
    files = (TEACHERS / "philosophers.py", TEACHERS / "philosophers_mended.py")
    status, _, found = check_schedules(*files, cwd=tmp_path)
    assert (status, [row["verdict"] for row in found.values()]) == (1, ["broken", "held in all"])
    without_sleep = (TEACHERS / "philosophers.py").read_text().replace("    model.sleep(0.1)\n", "")
    (tmp_path / "without_sleep.py").write_text(without_sleep)
    status, shown, _ = check_schedules("without_sleep.py", cwd=tmp_path)
    assert status == 1 and "Deadlock" in shown


def test_no_schedule_breaks_the_pipeline(tmp_path):
    status, _, found = check_schedules("--returns=30", "--seconds=2", TEACHERS / "pipeline.py", cwd=tmp_path)
    assert (status, found["pipeline"]["verdict"], found["pipeline"]["returned"]) == (0, "held so far", "30")


def test_only_files_of_a_name_are_marked(hand_ins, tmp_path):
    (hand_ins / "ada").mkdir()
    (hand_ins / "ada" / "mine.py").write_text("def main(model):\n    return 20\n")
    (hand_ins / "ada" / "other.py").write_text("")
    status, _, found = check_schedules("--name", "mine.py", hand_ins, cwd=tmp_path)
    assert (status, [*found]) == (0, ["mine"])
    for script in ["check_schedules.py"], ["grade_folder.py", EXAMPLES / "my_first_model.py", "-k", ONE_TEST]:
        command = [sys.executable, TEACHERS / script[0], *script[1:], hand_ins, "--name", "nobody.py"]
        done = interruptible.run(command, cwd=tmp_path, timeout=50)
        assert (done.returncode, "is named nobody.py" in done.stderr) == (2, True)


def test_what_differs_in_names_only_is_alike(tmp_path):
    original = (EXAMPLES / "my_first_model.py").read_text()
    renamed = re.sub(r"\b(_items|item|capacity|_changed|timeout)\b", r"its_\1", original)
    assert renamed != original
    (tmp_path / "ada.py").write_text(original)
    (tmp_path / "bob.py").write_text(renamed)
    (tmp_path / "eve.py").write_text((EXAMPLES.parent / "tests/conformance/wrong/look_then_act.py").read_text())
    (tmp_path / "no_python.py").write_text("def main(")
    assert [" ".join(line.split()) for line in printed("alike", tmp_path)] == [
        f"100 % {tmp_path / 'ada.py'} {tmp_path / 'bob.py'}"
    ]


def shown_on(*pages):
    """The programs whose text is on these pages."""
    text = "".join((SESSIONS / f"{page}.md").read_text() for page in pages)
    return {EXAMPLES.parent / name for name in re.findall(r"\{code-of\} (\S+)", text)}


def test_only_the_solutions_page_shows_solutions():
    solutions = shown_on("solutions")
    sessions = shown_on(*(f"session-{number}" for number in range(1, 7)))
    assert len(solutions) >= 9 and not solutions & sessions


def test_the_copy_for_students_runs_and_has_no_solution(tmp_path):
    copy = tmp_path / "for-students"
    assert printed("hand_out", copy) == []
    there = {file.relative_to(copy) for file in copy.rglob("*") if file.is_file()}
    assert not {file.relative_to(EXAMPLES.parent) for file in shown_on("solutions")} & there
    sessions = shown_on(*(f"session-{number}" for number in range(1, 7)))
    assert {file.relative_to(EXAMPLES.parent) for file in sessions} <= there
    assert not {file.name for file in there if re.search("mended|fixed|my_first_model", file.name)}
    environment = os.environ | {"PYTHONPATH": str(copy)}
    where = "import concmodels, concmodels.ring; print(concmodels.__file__)"
    for command in ["-c", where], ["-m", "concmodels.ring", "3", "10"], ["examples/tutorial/races.py"]:
        done = interruptible.run([sys.executable, *command], cwd=copy, env=environment, timeout=50)
        assert (done.returncode, done.stderr) == (0, "")
        assert command[0] != "-c" or Path(done.stdout.strip()).is_relative_to(copy)


def test_the_copy_for_students_replaces_nothing(tmp_path):
    done = interruptible.run([sys.executable, TEACHERS / "hand_out.py", tmp_path], cwd=tmp_path, timeout=50)
    assert (done.returncode, list(tmp_path.iterdir())) == (2, [])
    assert "exists: name a folder that doesn't" in done.stderr
