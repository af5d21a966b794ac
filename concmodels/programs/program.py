"""A program as the common parts of the programs see it. Each of the programs that are measured has one such object."""

from abc import ABC, abstractmethod
from argparse import ArgumentParser, Namespace
from typing import Any

from concmodels.programs.plan import AnyPlan
from concmodels.programs.result import Outcome
from concmodels.programs.stopwatch import Stopwatch


class Program[P: AnyPlan, R: Outcome](ABC):
    """One of the programs: its command line, the plan and the timer of a run, and its result."""

    name: str
    """The name of its module, with which its messages begin."""
    description: str
    plan: type[P]
    timer: type[Stopwatch[P, Any]]
    result: type[R]

    @abstractmethod
    def add_arguments(self, parser: ArgumentParser) -> None:
        """Add the program's own arguments and options."""

    @abstractmethod
    def planned(self, options: Namespace, model: str) -> P:
        """Return the plan that these options make for this model. Raises `ValueError` for options that make none."""

    def note(self, plan: P) -> str | None:
        """Return a note that the user should read before the run starts, if there is one."""
        return None
