"""A program as the common parts of the programs see it. Each of the three programs has one such object."""

from abc import ABC, abstractmethod
from argparse import ArgumentParser, Namespace
from typing import Any

from concmodels.programs.plan import AnyPlan
from concmodels.programs.result import Outcome
from concmodels.programs.stopwatch import Listener, Stopwatch


class Program(ABC):
    """One of the programs, as a command."""

    name: str
    """The name of its module, with which its messages begin."""
    description: str
    outcome: type[Outcome]

    @abstractmethod
    def add_sizes(self, parser: ArgumentParser) -> None:
        """Add the arguments that are given without a flag."""

    @abstractmethod
    def add_options(self, parser: ArgumentParser) -> None:
        """Add the program's own options."""

    @abstractmethod
    def check(self, options: Namespace) -> None:
        """Complete the options. Raises `BadInput` for options that do not go together."""

    @abstractmethod
    def plan(self, options: Namespace, model: str) -> AnyPlan[Any]:
        """Return the plan that these options make for this model."""

    @abstractmethod
    def timer(self, plan: Any, listener: Listener) -> Stopwatch[Any, Any]:
        """Return the stopwatch that measures one run of this plan."""

    @abstractmethod
    def arguments(self, options: Namespace) -> list[str]:
        """Return the program's own part of a command line with the same meaning as these options."""

    def note(self, options: Namespace) -> str | None:
        """Return a note that the user should read before the run starts, if there is one."""
        return None
