"""Files of grades: CSV, JUnit's XML, Gradescope's results.json, and a text for each author."""

import csv
import json
import re
import tempfile
from collections.abc import Iterable
from pathlib import Path
from xml.etree import ElementTree

from concmodels.course import showing
from concmodels.course.grading import Graded
from concmodels.course.verdict import Judged, plain
from concmodels.programs.output.streams import BadInput

_NOT_XML = re.compile(r"[^\t\n\r -\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def try_to_write(*files: Path | None, folders: Iterable[Path | None]) -> None:
    """Find out before the work begins whether its outcome can be written. Raises `BadInput`."""
    for file in filter(None, files):
        try:
            open(file, "a").close()
        except OSError as error:
            raise _cannot(file, error) from None
    for folder in filter(None, folders):
        try:
            folder.mkdir(parents=True, exist_ok=True)
            tempfile.TemporaryFile(dir=folder).close()
        except OSError as error:
            raise _cannot(folder, error) from None


def write_csv(graded: list[Graded], path: Path) -> None:
    """Write a line for each hand-in. Raises `BadInput`, as all of these do, if the file can't be written."""
    try:
        with open(path, "w", newline="", encoding="utf-8") as file:
            table = csv.writer(file)
            table.writerow(["file", "exercise", "score", "max_score", "verdict", "look_at_it"])
            for it in graded:
                verdict = it.verdict
                score = [it.exercise.number, verdict.score, verdict.max_score]
                note = "yes" if verdict.note else ""
                table.writerow([_cell(plain(str(it.file))), *score, _cell(verdict.sentence), note])
    except OSError as error:
        raise _cannot(path, error) from None


def _cell(text: str) -> str:
    """Return a text that no spreadsheet takes for a formula."""
    return f"'{text}" if text.startswith(("=", "+", "-", "@")) else text


def write_junit(graded: list[Graded], path: Path) -> None:
    """Write a test suite for each hand-in, with a test for each step."""
    suites = ElementTree.Element("testsuites", name="concmodels.course")
    for it in graded:
        steps = _steps(it)
        failures = sum(not step.is_right for step in steps)
        counts = {"tests": len(steps), "failures": failures, "errors": 0, "skipped": 0}
        suite = ElementTree.SubElement(suites, "testsuite", name=str(it.file))
        suite.attrib.update({name: str(count) for name, count in counts.items()})
        for step in steps:
            case = ElementTree.SubElement(suite, "testcase", classname=it.exercise.module, name=step.says)
            if not step.is_right:
                failure = ElementTree.SubElement(case, "failure", message=_xml(step.sentence))
                failure.text = _xml(step.picture)
    try:
        ElementTree.ElementTree(suites).write(path, encoding="utf-8", xml_declaration=True)
    except OSError as error:
        raise _cannot(path, error) from None


def _xml(text: str) -> str:
    return _NOT_XML.sub("?", text)


def write_gradescope(graded: list[Graded], folder: Path) -> None:
    """Write a results.json for each hand-in, in a folder of its own."""
    for number, it in enumerate(graded):
        tests = [
            {
                "name": step.says,
                "score": step.points,
                "max_score": step.max_points,
                "status": "passed" if step.is_right else "failed",
                "output": f"{step.sentence}\n\n{step.picture}".strip(),
                "visibility": "visible",
            }
            for step in _steps(it)
        ]
        told = {"score": it.verdict.score, "output": it.verdict.sentence, "tests": tests}
        _write(folder / _name(it, number) / "results.json", json.dumps(told, indent=1) + "\n")


def write_reports(graded: list[Graded], folder: Path) -> None:
    """Write a text for each hand-in: what is wrong, the picture, and how to play it again."""
    for number, it in enumerate(graded):
        _write(folder / f"{_name(it, number)}.txt", showing.verdict(it.exercise, it.verdict) + "\n")


def _steps(it: Graded) -> tuple[Judged, ...]:
    """Return the steps of a hand-in; one that was not checked to the end has failed as a whole."""
    if it.verdict.stopped:
        return (Judged("it can be checked", 0, it.verdict.max_score, it.verdict.sentence),)
    return it.verdict.steps


def _name(it: Graded, number: int) -> str:
    """Return a name that no other hand-in has."""
    return f"{number + 1:03}-{it.file.parent.name or 'here'}-{it.file.stem}"


def _write(path: Path, text: str) -> None:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise _cannot(path, error) from None


def _cannot(path: Path, error: OSError) -> BadInput:
    return BadInput(f"can't write {str(path)!r}: {error.strerror}")
