"""An exercise: what its folder says about it."""

import tomllib
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from concmodels import catalog
from concmodels.programs.output.streams import BadInput

type Diagnoses = dict[str, str]
"""What to say of a failure, by the name of its exception."""


@dataclass(frozen=True)
class Step:
    """One thing that an answer must do, with its points.

    * `says`: the sentence for the student
    * `function`: the function of check.py that is explored; with a parameter, it gets the model
    * `replay`: instead, the name in the student's file of a replay id; `function` is what it must break
    * `fewest`: the forced switches that this id needs
    * `number`: instead, the name in the student's file of a number, and what it must be
    * `suite`: instead, a chapter of guarantees for the channel in the student's file, and how many there are to keep
    * `models`: the real models on which the function is also run, once
    * `is_main`: whether the other functions count only if this one holds; by default that is the first
    * `in_all`: whether all schedules can be run, so that a task that polls is a mistake
    """

    says: str
    points: int
    function: str = ""
    replay: str = ""
    fewest: int = 0
    number: tuple[str, int] | None = None
    suite: tuple[str, int] = ("", 0)
    models: tuple[str, ...] = ()
    is_main: bool = False
    in_all: bool = True
    schedules: int = 400
    seconds: float = 20.0
    steps: int = 500
    diagnoses: Diagnoses = field(default_factory=dict)

    @classmethod
    def of(cls, table: dict[str, Any]) -> Step:
        """Read a step from its table."""
        values: dict[str, Any] = {name: tuple(it) if isinstance(it, list) else it for name, it in table.items()}
        return cls(**values)


@dataclass(frozen=True)
class Exercise:
    """An exercise: its place in the course, the student's file, and the steps of its check."""

    number: int
    title: str
    session: int
    steps: tuple[Step, ...]
    folder: Path
    imports: tuple[str, ...] = ()
    """What answers import, besides `threading`."""
    without: tuple[str, ...] = ()
    """Names that an answer may not use: what it is to build, or more than that."""
    given: tuple[str, ...] = ()
    """Files that the student gets, but does not change."""
    mistakes: tuple[str, ...] = ()
    """Guarantees that one mistake breaks, each before those that are also broken then."""
    check: str = "check.py"
    """The file whose functions are run; it may be one of those that are given."""

    @classmethod
    def of(cls, folder: Path) -> Exercise:
        """Read the folder of an exercise."""
        table = tomllib.loads((folder / "exercise.toml").read_text(encoding="utf-8"))
        steps = tuple(map(Step.of, table.pop("steps")))
        table |= {name: tuple(table.get(name, ())) for name in ("imports", "without", "given", "mistakes")}
        return cls(steps=steps, folder=folder, **table)

    @property
    def module(self) -> str:
        """The name of the module that the student writes."""
        return self.folder.name.partition("_")[2]

    @property
    def file(self) -> str:
        """The name of the file that the student writes."""
        return f"{self.module}.py"

    @property
    def points(self) -> int:
        """The points of all steps."""
        return sum(step.points for step in self.steps)

    @property
    def main(self) -> Step:
        """The step without which the others that run a function have no points."""
        return next((step for step in self.steps if step.is_main), self.steps[0])

    @property
    def shares_memory(self) -> bool:
        """Whether it is run on models that reserve memory for several processes."""
        return any(catalog.facts(model).family == "boundary" for step in self.steps for model in step.models)

    def text(self, name: str) -> str:
        """Return the text of a file of its folder."""
        return (self.folder / name).read_text(encoding="utf-8")

    @property
    def hints(self) -> list[str]:
        """The hints, from the first to the last."""
        return [it.read_text(encoding="utf-8") for it in sorted(self.folder.glob("hint*.md"))]

    @property
    def solution(self) -> str:
        """The solution. Raises `BadInput` if this is a copy without solutions."""
        self.must_have_solution()
        return self.text("solution.py")

    def must_have_solution(self) -> None:
        """Raise `BadInput` if this is a copy without solutions, as students get it."""
        if not (self.folder / "solution.py").exists():
            raise BadInput("this copy of the course is without solutions")

    def answers(self, kind: str) -> list[Path]:
        """Return the answers of a kind that come with it: `right` or `wrong`."""
        return sorted((self.folder / kind).glob("*.py"))
