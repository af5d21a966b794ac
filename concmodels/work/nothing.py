"""Nothing: an empty task, so that what is measured is the pool.

A task gets its number and gives it back: that is how the program knows that each was done once, and in its turn.
"""

from concmodels.work import Work as _Work

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["Work", "async_nothing", "nothing"]


def nothing(number: int) -> int:
    """Do nothing."""
    return number


async def async_nothing(number: int) -> int:
    """The async form of `nothing`."""
    return number


class Work(_Work):
    """Empty tasks."""

    name = "nothing"

    def choose(self) -> None:
        """A function, sync or async as the model is."""
        self.function = async_nothing if self.facts.is_async else nothing

    def items(self) -> Iterable[int]:
        """Their numbers."""
        return range(self.tasks)

    def expected(self) -> Iterable[int]:
        """The same numbers."""
        return range(self.tasks)

    def plain(self) -> object:
        """The plain one, in any model."""
        return nothing
