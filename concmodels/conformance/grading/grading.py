"""Grades a model from a program, for teachers."""

import os
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

from concmodels import catalog
from concmodels.conformance.grading import candidate, simulated, values
from concmodels.conformance.grading.report import Outcome, Report, outcome_of
from concmodels.conformance.grading.runner import PATIENCE_S, Grader
from concmodels.conformance.grading.verdict import verdict
from concmodels.conformance.suite import Guarantee, guarantees
from concmodels.facts import FACTS


def select(text: str = "") -> list[Guarantee]:
    """Return the guarantees whose name or sentence contains this text, in upper or lower case; all if it is empty."""
    return [it for it in guarantees() if text.lower() in f"{it} {it.sentence}".lower()]


def grade(
    model: str | Path | ModuleType | object,
    *,
    only: str = "",
    patience: float = PATIENCE_S,
    schedules: int | None = None,
    tell: Callable[[Outcome], None] = lambda outcome: None,
) -> Report:
    """Test a model for the guarantees whose name or sentence contains `only`; call `tell` with each outcome at once.

    The model is a name of the catalog (`"trio"`), the path of a file, a module, a model, or any object that has a
    `Channel`. A model with a name or a file runs in a process of its own, which is killed when a guarantee takes more
    than `patience` seconds. Any other object has to run in this process, where nothing can stop a model that hangs.

    If the simulated world can see what a file waits for, the file is tested there, each guarantee on 3 schedules or on
    as many as `schedules` says. With `schedules=0`, and for all other models, the test is in real time.

    Raises `UnknownModel`, `ModelUnavailable`, and `Refused` for an object that is not a model, each with a message of
    one sentence.
    """
    name = _name(model)
    if name is None:
        values.show_values()
        here = candidate.Candidate(getattr(model, "__name__", type(model).__name__), model)
        here.warm_up()
        return _collect(here.name, lambda it: outcome_of(it, **verdict(it, here, Exception)), only, tell)
    candidate.check(name)
    with Grader(name, patience, simulated.schedules_for(name, schedules)) as grader:
        return _collect(grader.label, grader.hold, only, tell)


def _collect(name: str, hold: Callable[[Guarantee], Outcome], only: str, tell: Callable[[Outcome], None]) -> Report:
    report = Report(name)
    for guarantee in select(only):
        report.outcomes.append(hold(guarantee))
        tell(report.outcomes[-1])
    return report


def _name(model: Any) -> str | None:
    """Return the name or path by which another process finds this model; None if there is none."""
    if isinstance(model, (str, Path)):
        return str(model)
    return next(_names(model), None)


def _names(model: Any) -> Iterator[str]:
    name = getattr(model, "name", None)
    if isinstance(name, str) and name in catalog.names(variants=True):
        yield name
    if isinstance(model, ModuleType):
        yield from (it.model for it in FACTS if model.__name__ == f"concmodels.models.{it.file}")
        if (file := getattr(model, "__file__", None)) and os.path.isfile(file):
            yield file
