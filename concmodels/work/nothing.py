"""Empty tasks, so that only the pool is measured.

A task is given its number and returns it. By that the program knows that each task was done once, and in order.
"""

from concmodels.work import Work as _Work

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["Work", "async_nothing", "nothing"]


def nothing(number: int) -> int:
    """Return the number of the task."""
    return number


async def async_nothing(number: int) -> int:
    """The async form of `nothing`."""
    return number


class Work(_Work):
    """Empty tasks."""

    name = "nothing"

    def choose(self) -> None:
        """Choose the function; in an async model, its async form."""
        self.function = async_nothing if self.facts.is_async else nothing

    def items(self) -> Iterable[int]:
        """Return the numbers of the tasks."""
        return range(self.tasks)

    def expected(self) -> Iterable[int]:
        """Return the same numbers."""
        return range(self.tasks)

    def plain(self) -> object:
        """Return the sync function, which the plain loop uses in all models."""
        return nothing
