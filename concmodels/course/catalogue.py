"""All exercises of the course, in their order."""

from functools import cache
from pathlib import Path

from concmodels.course.exercise import Exercise
from concmodels.programs.output.streams import BadInput

FOLDER = Path(__file__).parent / "exercises"


@cache
def exercises() -> dict[int, Exercise]:
    """Return the exercises by their numbers."""
    found = [Exercise.of(file.parent) for file in FOLDER.glob("*/exercise.toml")]
    return {exercise.number: exercise for exercise in sorted(found, key=lambda it: it.number)}


def exercise(number: int) -> Exercise:
    """Return the exercise with this number. Raises `BadInput`."""
    try:
        return exercises()[number]
    except KeyError:
        raise BadInput(f"there is no exercise {number}: the last one is {max(exercises())}") from None
