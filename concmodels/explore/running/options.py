"""The options of a search: where tasks may switch, how it searches, and for how long."""

import sys
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal, get_args

from concmodels.explore.errors import CannotExplore
from concmodels.explore.monitor import Switches

if TYPE_CHECKING:
    from collections.abc import Callable

SEARCHES = ("auto", "random", "pct", "pos", "all")
type Order = Literal["kept", "any"]
"""In which order an event loop of asyncio calls the callbacks that are ready: in that of `call_soon`, or in any."""

ORDERS: tuple[str, ...] = get_args(Order.__value__)
SWITCHES: tuple[str, ...] = get_args(Switches.__value__)


@dataclass(frozen=True)
class Options:
    """The options of a search; what they mean is said at `explore`. Raises `CannotExplore` if one makes no sense."""

    switches: Switches = "anywhere"
    search: str = "auto"
    schedules: int = 20_000
    seconds: float = 10.0
    steps: int = 10_000
    seed: int = 0
    check: Callable[[Any], object] | None = None
    order: Order = "kept"
    interrupt: bool = False

    def for_play(self) -> Options:
        """Return the options with which somebody plays, who may think for an hour between two steps."""
        return replace(self, schedules=sys.maxsize, seconds=max(self.seconds, 3600.0))

    def __post_init__(self) -> None:
        _must_be_one_of("switches", self.switches, SWITCHES)
        _must_be_one_of("order", self.order, ORDERS)
        _must_be_one_of("search", self.search, SEARCHES)
        for name, least in (("schedules", 1), ("steps", 1), ("seed", 0)):
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, int) or value < least:
                raise CannotExplore(f"{name} must be a whole number of at least {least}, not {value!r}")
        if isinstance(self.seconds, bool) or not self.seconds > 0:
            raise CannotExplore(f"seconds must be a number above 0, not {self.seconds!r}")


def _must_be_one_of(name: str, value: object, values: tuple[str, ...]) -> None:
    if value not in values:
        raise CannotExplore(f"{name} is one of {', '.join(values)}, not {value!r}")
