"""What the machinery has to know of a program: each of the three brings one such object."""

from abc import ABC, abstractmethod
from argparse import ArgumentParser, Namespace
from typing import Any

from concmodels.programs.plan import AnyPlan
from concmodels.programs.result import Outcome
from concmodels.programs.stopwatch import Listener, Stopwatch


class Program(ABC):
    """A program as a command."""

    name: str
    """Of its module, and what its messages begin with."""
    description: str
    outcome: type[Outcome]

    @abstractmethod
    def add_sizes(self, parser: ArgumentParser) -> None:
        """Add what is given without a flag."""

    @abstractmethod
    def add_options(self, parser: ArgumentParser) -> None:
        """Add the program's own options."""

    @abstractmethod
    def check(self, options: Namespace) -> None:
        """Complete the options. Raises `BadInput` for what does not go together."""

    @abstractmethod
    def plan(self, options: Namespace, model: str) -> AnyPlan[Any]:
        """Return what these options ask of this model."""

    @abstractmethod
    def timer(self, plan: Any, listener: Listener) -> Stopwatch[Any, Any]:
        """Return what measures one run of this plan."""

    @abstractmethod
    def arguments(self, options: Namespace) -> list[str]:
        """Return the program's own part of a command line that asks the same."""

    def note(self, options: Namespace) -> str | None:
        """Return what the user should know before it starts."""
        return None
