"""Numbers the objects that a library keeps in sets, or orders by their addresses: the same order in each run."""

from collections.abc import Iterable
from inspect import iscoroutine
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

from concmodels.explore.eventloops.history import history_of
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


def in_drawn_order(items: Iterable[Any] = ()) -> Any:
    """Be `set` for asyncio: coroutines have no order in a set, so the schedule draws one."""
    world, given = current(), list(items)
    if world is None or not any(map(iscoroutine, given)):
        return set(given)
    left = list({id(it): it for it in given}.values())
    drawn: list[Any] = []
    while len(left) > 1:
        lot = world.branch(len(left))
        history_of(world).draw(lot)
        drawn.append(left.pop(lot))
    return [*drawn, *left]
