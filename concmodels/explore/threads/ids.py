"""`id` in an explored program: the same numbers on the same schedule.

Programs take locks in the order of the `id` of what these guard, so that no two wait for each other. The real ones
are addresses, which differ from run to run: the same schedule would lead to other steps. Here an object gets its number
when it is first asked for. Which task does so may depend on the schedule, so to ask is a step; a lock has its number
from the beginning.
"""

import builtins
from collections.abc import Callable
from typing import Any
from weakref import ref

from concmodels.explore.threads.locks import Shared
from concmodels.models.simulated.world import current, new_key

NEED_ADDRESSES = (b"__deepcopy__", b"ctypes")
"""Where the text has one of these, code of the library knows objects by the real `id`: `memo[id(self)]`."""

_FIRST_ADDRESS = 1 << 46
_BITS = (1 << 40) - 1


def id_in_a_run() -> Callable[[Any], int]:
    """Return what stands for `id` in one run."""
    numbers: dict[int, tuple[int, Any]] = {}
    key = new_key("map")

    def id(it: Any, /) -> int:
        world, real = current(), builtins.id(it)
        if world is None:
            return real
        if issubclass(type(it), Shared):
            return _address(it.key[1])
        if len(world.runners) > 1:
            world.point("look at", ((key, False),))
        known = numbers.get(real)
        if known is None:
            world.touch(key, True)
            known = numbers[real] = _address(world.new_identity("id")), _held(it, numbers)
        return known[0]

    id.__module__ = "builtins"
    return id


def _held(it: Any, numbers: dict[int, Any]) -> Any:
    """Return what forgets the number when the object is freed, or keeps it alive: another one may get its address."""
    real = builtins.id(it)
    try:
        return ref(it, lambda _: numbers.pop(real, None))
    except TypeError:
        return it


def _address(identity: tuple[int, ...]) -> int:
    return _FIRST_ADDRESS + (hash(identity) & _BITS) * 16
