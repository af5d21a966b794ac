"""Numbers the objects that a library keeps in sets, or orders by their addresses: the same order in each run."""

from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

from concmodels.models.simulated.world import current

if TYPE_CHECKING:
    from concmodels.models.simulated.world import World

_numbers: WeakKeyDictionary[World, dict[int, tuple[int, Any]]] = WeakKeyDictionary()


def number(it: Any) -> int:
    """Return the number of an object in this run; outside of one, its `id`."""
    world = current()
    if world is None:
        return id(it)
    numbers = _numbers.setdefault(world, {})
    found, _ = numbers.setdefault(id(it), (len(numbers), it))  # kept alive, or another one may get its id
    return int(found)


def forget_numbers(world: World) -> None:
    """Let go of the objects of a run that has ended."""
    _numbers.pop(world, None)
