"""The conformance suite: what every model guarantees, as tests that receive a model and never name a library.

    python -m concmodels.conformance threads          hold a model of the catalog to its guarantees
    python -m concmodels.conformance my_model.py      ... or your own: a file with a class Channel, and whatever else
    pytest --model my_model.py                        the same as tests: see plugin.py

and from a program:

    >>> from concmodels.conformance import grade
    >>> report = grade("threads", only="close_is_idempotent")
    >>> report.grade, [line.guarantee for line in report.broken]
    ('1 of 1 guarantee kept', [])

How it is laid out:

    guarantees/      the guarantees, one function each; the docstring is the contract's sentence. Written once, with
    `await` sync/          the same text with `async` and `await` taken away, made at import: what the sync models are
    given suite.py       finds the guarantees and holds a model to one of them census.py      what a run may leave
    behind: nothing grading/candidate.py  a model of one's own, and grading/lent.py: what it has not grading/runner.py
    holds the guarantees in a process of its own, grading/worker.py, that may hang or crash

A guarantee is a function that gets the model as `model`. `async def` runs inside `model.run`, a plain `def` outside of
any run. Other parameters it may ask for: `effort` (how much is enough for this model), `facts` (the catalog's), and
those that `@guarantee(capacity=...)` gives a range of values. `@guarantee(by=cooperative)` says which models guarantee
it, and `NEEDS` of a chapter or `@guarantee(needs=...)` what a model must have made itself to guarantee it.

Processes and subinterpreters import the guarantees too, so nothing there imports pytest, or anything else that is
heavy.
"""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from concmodels.conformance.grading.candidate import Refused
    from concmodels.conformance.grading.grading import grade
    from concmodels.conformance.grading.report import Line, Outcome, Report

__all__ = ["Line", "Outcome", "Refused", "Report", "grade"]

_HOMES = {"grade": "grading", "Refused": "candidate", "Line": "report", "Outcome": "report", "Report": "report"}


def __getattr__(name: str) -> object:
    """Import what teachers need when they ask for it: children import this package too, and it stays light."""
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    found: object = getattr(import_module(f"{__name__}.grading.{_HOMES[name]}"), name)
    return found
