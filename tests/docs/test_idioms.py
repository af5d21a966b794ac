"""The same tasks in the libraries' own idioms: each program prints what all of its task print, and ends.

A program has ended when nothing that it has started holds its standard output any more: that is what `communicate`
waits for.
"""

import ast
import os
import re
import signal
import sys
import tomllib
from pathlib import Path

import interruptible
import pytest

from concmodels import catalog

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "examples" / "idioms"
IDIOMS = tomllib.loads((FOLDER / "idioms.toml").read_text())
LIBRARIES, TASKS = IDIOMS["libraries"], IDIOMS["tasks"]
LONGEST = 40
COMPLAINS = {"gevent/fail_together": "OSError: disk full"}
"""What is on standard error all the same: gevent prints the traceback of a greenlet that fails."""


def missing(library):
    """Why the programs of a library can't run here; None if they can."""
    return catalog.why_not(library) if library in ("anyio", "gevent", "trio") else None


@pytest.fixture
def started():
    """Starts programs with warnings as errors, each in a session of its own; none is left in the end."""
    processes = []

    def started(program):
        environment = os.environ | {"PYTHONPATH": str(ROOT)}
        command = [sys.executable, "-W", "error", str(program)]
        processes.append(interruptible.popen(command, env=environment, start_new_session=True))
        return processes[-1]

    yield started
    for process in processes:
        with process:
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)


def trouble(name, process, prints):
    """What is wrong with how a program has ended, and with what it has printed, in one text."""
    said = _interrupted_at_its_first_line(process) if name.endswith("/ctrl_c") else ""
    output, complaint = process.communicate(timeout=40)
    expected = COMPLAINS.get(name, "")
    is_expected = expected in complaint if expected else not complaint
    is_well = process.returncode == 0 and said + output == prints and is_expected
    return "" if is_well else f"{name} ended with status {process.returncode}:\n{said}{output}{complaint}"


def _interrupted_at_its_first_line(process):
    said = process.stdout.readline()
    interruptible.until_its_main_thread_waits(process)
    process.send_signal(signal.SIGINT)
    return said


@pytest.mark.docs
@pytest.mark.parametrize("task", TASKS)
def test_its_programs_print_the_same(task, started, tmp_path):
    names = [f"{library}/{task}" for library in LIBRARIES if not missing(library)]
    programs = {name: FOLDER / f"{name}.py" for name in names} | on_other_models(task, tmp_path)
    processes = {name: started(path) for name, path in programs.items() if path.exists()}
    found = [trouble(name, process, TASKS[task]["prints"]) for name, process in processes.items()]
    assert not any(found), "\n".join(filter(None, found))


def on_other_models(task, folder):
    """Our programs, made to load another model of their kind."""
    found = {}
    for ours, model, other in (("concmodels", "threads", "greenlet"), ("concmodels_async", "asyncio", "trio")):
        path = FOLDER / ours / f"{task}.py"
        if path.exists() and not catalog.why_not(other):
            found[f"{other}, ours/{task}"] = folder / f"{task}_{other}.py"
            found[f"{other}, ours/{task}"].write_text(path.read_text().replace(f'load("{model}")', f'load("{other}")'))
    return found


@pytest.mark.parametrize("task", TASKS)
def test_each_library_has_a_program_or_a_reason(task):
    programs = {library for library in LIBRARIES if (FOLDER / library / f"{task}.py").exists()}
    reasons = TASKS[task].get("without", {})
    assert not programs & reasons.keys()
    assert programs | reasons.keys() == LIBRARIES.keys()
    assert all(reason.endswith(".") for reason in reasons.values())


def test_every_program_belongs_to_a_task():
    found = {(path.parent.name, path.stem) for path in FOLDER.rglob("*.py")}
    assert found <= {(library, task) for library in LIBRARIES for task in TASKS}


def test_every_page_of_the_tutorial_shows_one():
    pages = [path for path in (ROOT / "docs" / "tutorial").glob("*.md") if path.stem != "index"]
    assert pages and [path.name for path in pages if "{same-in} " not in path.read_text()] == []


def test_each_program_is_short_and_says_what_its_idiom_is():
    for path in FOLDER.rglob("*.py"):
        text = path.read_text()
        assert len(text.splitlines()) <= LONGEST, path
        assert text.startswith('"""'), path


def test_the_two_forms_of_ours_differ_in_the_words_async_and_await_and_in_types_alone():
    for path in (FOLDER / "concmodels").glob("*.py"):
        awaited = _unformatted((FOLDER / "concmodels_async" / path.name).read_text()).replace("asyncio", "threads")
        for word in "async ", "await ", "Async":  # the last one begins the names of types
            awaited = awaited.replace(word, "")
        awaited = re.sub(r"sorted\(\[it for it in (\w+)\]\)", r"sorted(\1)", awaited)
        awaited = re.sub(r"\[it for it in (.+)\]", r"list(\1)", awaited)
        assert _unformatted(awaited) == _unformatted(path.read_text()), path.name


def _unformatted(source):
    return ast.unparse(ast.parse(source))
