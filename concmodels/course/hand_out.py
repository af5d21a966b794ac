"""Things that teachers give to students: a copy of the project without solutions, a workflow for GitHub Classroom."""

import json
import os
import shlex
import shutil
import tempfile
from pathlib import Path

from concmodels.course.exercise import Exercise
from concmodels.programs.output.streams import BadInput

PACKAGE = Path(__file__).parents[1]
PROJECT = PACKAGE.parent
COPIED = ["concmodels", "requirements", "tools", "Makefile", "pyproject.toml", "LICENSE", "Dockerfile",
          ".dockerignore", ".devcontainer", "examples/tutorial", "examples/shared_iterator.py",
          "examples/teachers/blocking.py", "examples/teachers/philosophers.py"]  # fmt: skip
LEFT_OUT = shutil.ignore_patterns("__pycache__", "solution.py", "right", "wrong", "*_mended*.py")

README = """# Concurrency: exercises

    make setup                                    # once
    mkdir answers && cd answers
    ../.venv/bin/python -m concmodels.course list
    ../.venv/bin/python -m concmodels.course start 1
    ../.venv/bin/python -m concmodels.course check --watch

`hint` gives a hint, `next` the next exercise. Without `make`: `pip install .` in this folder, then `python -m
concmodels.course list` in any other.
"""


def hand_out(folder: Path) -> None:
    """Copy the project without solutions. Raises `BadInput` if that folder exists, or if this is no checkout."""
    if not (PROJECT / "pyproject.toml").exists():
        raise BadInput("hand-out copies a checkout of the project, and this is an installed package")
    if os.path.lexists(folder):
        raise BadInput(f"{folder} exists: name a folder that doesn't")
    if folder.resolve().is_relative_to(PACKAGE):
        raise BadInput(f"{folder} is inside the package that is copied: name a folder elsewhere")
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=folder.parent, prefix=".hand-out-") as unfinished:
            copy = Path(unfinished, "copy")
            for name in COPIED:
                _copy(PROJECT / name, copy / name)
            (copy / "README.md").write_text(README, encoding="utf-8")
            copy.rename(folder)
    except OSError as error:
        raise BadInput(f"can't make the copy: {error}") from None


def _copy(source: Path, target: Path) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    if source.is_dir():
        shutil.copytree(source, target, ignore=LEFT_OUT)
    else:
        shutil.copy2(source, target)


def workflow(exercises: list[Exercise], project: str) -> str:
    """Return a workflow for GitHub Classroom: a test for each exercise, with its points.

    `project` is what pip installs: "." in a repository that is made of the copy for students.
    """
    lines = [
        "name: Check the exercises",
        "on: [push]",
        "permissions: {}",
        "jobs:",
        "  check:",
        "    runs-on: ubuntu-latest",
        "    steps:",
        "      - uses: actions/checkout@v5",
        "        with: {persist-credentials: false}",
        "      - uses: actions/setup-python@v6",
        "        with: {python-version: '3.14'}",
        f"      - run: {json.dumps(f'pip install {shlex.quote(project)}')}",
    ]
    for it in exercises:
        lines += [
            f"      - id: {it.module}",
            "        uses: classroom-resources/autograding-command-grader@v1",
            "        with:",
            f"          test-name: {it.number} {it.title}",
            f"          command: python -m concmodels.course grade answers/{it.file}",
            "          timeout: 2",
            f"          max-score: {it.points}",
        ]
    lines += ["      - uses: classroom-resources/autograding-grading-reporter@v1", "        env:"]
    lines += [f"          {it.module.upper()}_RESULTS: ${{{{steps.{it.module}.outputs.result}}}}" for it in exercises]
    return "\n".join([*lines, "        with:", f"          runners: {','.join(it.module for it in exercises)}"])
