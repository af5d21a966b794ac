"""The student's folder: the files that they write, and beside them what has been done, in plain JSON."""

import itertools
import json
import os
from dataclasses import dataclass, field
from pathlib import Path

from concmodels.course.exercise import Exercise
from concmodels.programs.output.streams import BadInput

STATE = ".concmodels-course.json"


@dataclass
class Progress:
    """A folder with exercises. `hints` counts those that were shown, by number; `points` are the best so far."""

    folder: Path
    current: int | None = None
    points: dict[int, int] = field(default_factory=dict)
    hints: dict[int, int] = field(default_factory=dict)
    given_up: list[int] = field(default_factory=list)

    @classmethod
    def of(cls, folder: Path) -> Progress:
        """Read what has been done in a folder. Raises `BadInput`."""
        try:
            told = json.loads((folder / STATE).read_text(encoding="utf-8"))
            counts = {name: {int(key): int(it) for key, it in told[name].items()} for name in ("points", "hints")}
            current = None if told["current"] is None else int(told["current"])
            return cls(folder, current, given_up=list(map(int, told["given_up"])), **counts)
        except FileNotFoundError:
            return cls(folder)
        except OSError as error:
            raise BadInput(f"can't read {STATE} in this folder: {error.strerror}") from None
        except ValueError, KeyError, TypeError, AttributeError, RecursionError:
            raise BadInput(f"{STATE} is damaged: remove it, which leaves your answers as they are") from None

    def save(self) -> None:
        """Write it down. Raises `BadInput`."""
        told = {
            "current": self.current, "points": self.points, "hints": self.hints, "given_up": self.given_up
        }  # fmt: skip
        self._write(STATE, json.dumps(told, indent=1) + "\n", "w")

    def start(self, exercise: Exercise) -> list[str]:
        """Put the files of an exercise into the folder; return the names of the new ones. None is overwritten.

        Raises `BadInput`, also if there is something else by such a name.
        """
        files = self._files(exercise)
        there = [name for name in files if os.path.lexists(self.folder / name)]
        if odd := [name for name in there if not (self.folder / name).is_file()]:
            raise BadInput(f"{odd[0]} is in this folder, but is no file: give it another name")
        new = [name for name in files if name not in there]
        for name in new:
            self._write(name, files[name], "x")
        self.current = exercise.number
        self.save()
        return new

    def reset(self, exercise: Exercise) -> str:
        """Put the first file of an exercise back; return the name that the student's own has now. Raises `BadInput`."""
        file, kept = self.folder / exercise.file, ""
        if os.path.lexists(file):
            names = (f"{exercise.module}_before_{number}.py" for number in itertools.count(1))
            kept = next(name for name in names if not os.path.lexists(self.folder / name))
            try:
                file.rename(self.folder / kept)
            except OSError as error:
                raise BadInput(f"can't rename {exercise.file}: {error.strerror}") from None
        self.start(exercise)
        return kept

    def answer(self, exercise: Exercise) -> bytes:
        """Return the student's file. Raises `BadInput`."""
        try:
            return (self.folder / exercise.file).read_bytes()
        except OSError as error:
            if os.path.lexists(self.folder / exercise.file):
                raise BadInput(f"can't read {exercise.file}: {error.strerror}") from None
            number = exercise.number
            raise BadInput(f"there is no {exercise.file} here: python -m concmodels.course start {number}") from None

    def number(self, wanted: int | None) -> int:
        """Return the exercise that is meant: by default the one that was started last. Raises `BadInput`."""
        found = self.current if wanted is None else wanted
        if found is None:
            raise BadInput("no exercise was started in this folder: python -m concmodels.course start 1")
        return found

    def is_solved(self, exercise: Exercise) -> bool:
        """Whether an answer had all points here."""
        return self.points.get(exercise.number, 0) >= exercise.points

    def following(self, exercises: list[Exercise]) -> Exercise | None:
        """Return that of these exercises that comes next, of those that are neither solved nor given up."""
        left = [it for it in exercises if not self.is_solved(it) and it.number not in self.given_up]
        return next((it for it in left if it.number > (self.current or 0)), left[0] if left else None)

    def _files(self, exercise: Exercise) -> dict[str, str]:
        return {exercise.file: exercise.text("start.py")} | {name: exercise.text(name) for name in exercise.given}

    def _write(self, name: str, text: str, mode: str) -> None:
        try:
            with open(self.folder / name, mode, encoding="utf-8") as file:
                file.write(text)
        except OSError as error:
            raise BadInput(f"can't write {name} in this folder: {error.strerror}") from None
