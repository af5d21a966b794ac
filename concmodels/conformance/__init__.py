"""The conformance suite: the guarantees of the contract as tests, which are given a model and never name a library.

    python -m concmodels.conformance threads          test a model of the catalog
    python -m concmodels.conformance my_model.py      test your own: a file with a class Channel, and what else it has
    pytest --model my_model.py                        the same as pytest tests: see plugin.py

and from a program:

    >>> from concmodels.conformance import grade
    >>> report = grade("threads", only="close_is_idempotent")
    >>> report.grade, [line.guarantee for line in report.broken]
    ('1 of 1 guarantee kept', [])

The files:

    guarantees/             the guarantees, one function each, written once, with `await`; the docstring of a function
                            is the sentence of the contract
    sync/                   the same text without `async` and `await`, made at import, for the sync models
    suite.py                finds the guarantees, and tests a model for one of them
    census.py               checks that a run leaves nothing behind
    grading/candidate.py    a model that somebody wrote, and grading/completion.py: the parts that it lacks
    grading/runner.py       tests a model in a process of its own, grading/worker.py, which may hang or crash
    grading/verdict.py      whether a guarantee is kept, and why not; of a simulated model simulated_verdict.py, and on
                            which schedule it is not: explanation.py
    grading/report.py       the outcomes of a model; terminal.py shows them

A guarantee is a function with a parameter `model`. An `async def` is called inside `model.run`, a plain `def` outside
of any run. It may have further parameters: `effort` (how much to do on this model), `facts` (those of the catalog), and
parameters that `@guarantee(capacity=...)` gives a range of values. `@guarantee(by=cooperative)` says which models give
the guarantee. `NEEDS` of a chapter, or `@guarantee(needs=...)`, names what a model must implement itself to give it.

Processes and subinterpreters import the guarantees too, so they import neither pytest nor anything else that is heavy.
"""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from concmodels.conformance.grading.candidate import Refused
    from concmodels.conformance.grading.grading import grade
    from concmodels.conformance.grading.report import Line, Outcome, Report

__all__ = ["Line", "Outcome", "Refused", "Report", "grade"]

_HOMES = {"grade": "grading", "Refused": "candidate", "Line": "report", "Outcome": "report", "Report": "report"}


def __getattr__(name: str) -> object:
    """Import the tools for grading only when they are used, because children import this package too."""
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    found: object = getattr(import_module(f"{__name__}.grading.{_HOMES[name]}"), name)
    return found
