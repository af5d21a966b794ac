"""The door for teachers: grade a model from a program."""

import os
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

from concmodels import catalog
from concmodels.conformance.grading import candidate, values
from concmodels.conformance.grading.reasons import reason
from concmodels.conformance.grading.report import BROKEN, KEPT, NOT_GUARANTEED, Outcome, Report
from concmodels.conformance.grading.runner import PATIENCE_S, Grader
from concmodels.conformance.suite import Guarantee, Model, NotGuaranteed, guarantees
from concmodels.facts import FACTS


def select(text: str = "") -> list[Guarantee]:
    """Return the guarantees whose name or sentence contains this text, whatever the case; all, without one."""
    return [it for it in guarantees() if text.lower() in f"{it} {it.sentence}".lower()]


def grade(
    model: str | Path | ModuleType | object,
    *,
    only: str = "",
    patience: float = PATIENCE_S,
    tell: Callable[[Outcome], None] = lambda outcome: None,
) -> Report:
    """Hold a model to the guarantees (those that contain `only`); `tell` hears of each outcome at once.

    The model is a name of the catalog (`"trio"`), the path of a file, a module, a model, or any object that has a
    `Channel`. What has a name or a file runs in a process of its own, which is killed when a guarantee takes more than
    `patience` seconds. Any other object has to run right here: there, nobody can stop a model that hangs.

    Raises `UnknownModel`, `ModelUnavailable`, and `Refused` for what is no model at all; each with one sentence.
    """
    name = _name(model)
    if name is None:
        values.show()
        here = candidate.Candidate(getattr(model, "__name__", type(model).__name__), model)
        here.warm_up()
        return _collect(here.name, (_hold(guarantee, here) for guarantee in select(only)), tell)
    with Grader(name, patience) as grader:
        return _collect(grader.label, (grader.hold(guarantee) for guarantee in select(only)), tell)


def _collect(name: str, outcomes: Iterable[Outcome], tell: Callable[[Outcome], None]) -> Report:
    report = Report(name)
    for outcome in outcomes:
        report.outcomes.append(outcome)
        tell(outcome)
    return report


def _name(model: Any) -> str | None:
    """How another process finds this model; None if it can't."""
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


def _hold(guarantee: Guarantee, model: Model) -> Outcome:
    verdict, text = KEPT, ""
    try:
        guarantee.hold(model)
    except NotGuaranteed as error:
        verdict, text = NOT_GUARANTEED, str(error)
    except Exception as error:  # noqa: BLE001 - whatever it is, it is the model's
        verdict, text = BROKEN, reason(error)
    return Outcome(guarantee.full_name, guarantee.label, guarantee.sentence, verdict, text)
