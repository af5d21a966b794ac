"""Sleeps that end too soon: how `asyncio.sleep(0.1)` in the place of `await task` is found.

Time is virtual, so a sleep never ends before what others do in the meantime, and no schedule shows what happens if that
takes longer. So a program that has held is run once more, and now a few sleeps of each run may end at any time: the
clock jumps to their end, though not over a time limit, and whatever else should have happened by then is late. If the
program fails then, it is right only if that sleep is long enough. A sleep that is cancelled before its end, as one that
stands for long work, takes as long as ever.
"""

from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

from concmodels.models.tasks.signals.frames import short

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from concmodels.models.simulated.world import World

    type Place = tuple[str, int]

SLACK_S = 0.05
"""How long the callbacks that are ready may take, in virtual seconds."""

PATIENCE = 2_000
"""After so many callbacks, a timer expires however far ahead it lies: so a task that polls for it comes to an end."""

END_OF_SLEEP = "end of a sleep"
"""In the place of `TIMER`, where a task sleeps for it."""

ONCE, AGAIN = 1, 3
"""How many sleeps of a run end too soon: one, then several, for a program that sleeps in a loop."""


class Haste:
    """The sleeps that may still end too soon in a run, and those that have."""

    def __init__(
        self, most: int, among: Collection[Place] = (), spared: Collection[Place] = (), only: Place | None = None
    ) -> None:
        self.left = most
        self.passed: set[Place] = set()
        """The places of sleeps that have ended when they should."""
        self.met: set[Place] = set()
        """The places of sleeps that could have ended too soon."""
        self.ended: dict[Place, float] = {}
        """How long the sleeps should have taken that have ended too soon, by their places."""
        self._among = among
        self._spared = spared
        self._only = only

    def begin(self, world: World) -> None:
        """Let sleeps of this run end too soon."""
        _hastes[world] = self

    def may_end(self, place: Place | None) -> bool:
        """Return whether the sleep at this place of the program may end too soon."""
        if self.left == 0 or place not in self._among or place in self._spared:
            return False
        return self._only is None or place == self._only

    def meet(self, places: Iterable[Place | None]) -> None:
        """Take note of sleeps that may end too soon now."""
        self.met.update(place for place in places if place is not None)

    def end(self, place: Place, seconds: float) -> None:
        """Take note of a sleep that ends too soon."""
        self.left -= 1
        self.ended[place] = seconds

    @property
    def sentences(self) -> list[str]:
        """Say on which sleeps the program relies, as it has failed."""
        return [
            f"right only if {_shown(seconds)} s is long enough at {short(file)}:{line}"
            for (file, line), seconds in self.ended.items()
        ]


def _shown(seconds: float) -> str:
    return f"{seconds:.6f}".rstrip("0").rstrip(".")


_hastes: WeakKeyDictionary[World, Haste] = WeakKeyDictionary()


def haste_of(world: World) -> Haste | None:
    """Return which sleeps of a run may end too soon; None if all end when they should, as in most runs."""
    return _hastes.get(world)
