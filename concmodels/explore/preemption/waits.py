"""Accesses that nothing orders but a clock: `time.sleep(0.1)` in the place of `join()`.

Time is virtual, so what comes after a sleep never comes before what others do in the meantime, and no schedule shows
what happens if that takes longer. Two accesses are *late* to each other if neither a start, an end nor a wait for
another task orders them, and if they were made at different moments in all runs. A lock orders nothing here: it lets
either come first.
"""

from typing import TYPE_CHECKING, Any, NamedTuple

from concmodels.explore.monitor import ONLY_IF
from concmodels.models.tasks.signals.frames import place, stack

if TYPE_CHECKING:
    from types import FrameType

    from concmodels.models.simulated.steps import Runner


class _Sleep(NamedTuple):
    runner: Runner
    begin: float
    end: float
    place: str


class Waits:
    """The waits for a moment that were met in the runs of a search. `are_seen` says whether there were any."""

    def __init__(self) -> None:
        self.are_seen = False
        self._sleeps: list[_Sleep] = []
        self._late: dict[Any, str] = {}
        self._free: set[Any] = set()

    def forget(self) -> None:
        """Begin a search."""
        self._late.clear()
        self._free.clear()

    def begin(self) -> None:
        """Begin a run."""
        self._sleeps.clear()

    def begins(self, runner: Runner, begin: float, end: float, frame: FrameType) -> None:
        """Take note that a task waits for a moment."""
        self.are_seen = True
        if where := place(stack(frame)).removeprefix(" at "):
            self._sleeps.append(_Sleep(runner, begin, end, where))

    def met(self, pair: Any, earlier: float, runner: Runner, now: float) -> None:
        """Take note that nothing but a clock may order two accesses, of which `runner` has just made the second."""
        if earlier == now:
            self._free.add(pair)
            self._late.pop(pair, None)
        elif pair not in self._free and pair not in self._late:
            ended = [it for it in self._sleeps if earlier < it.end <= now]
            if ended:
                last = max(ended, key=lambda it: (it.runner is runner, it.end))
                seconds = f"{last.end - last.begin:.6f}".rstrip("0").rstrip(".")
                self._late[pair] = f"{ONLY_IF} {seconds} s is long enough at {last.place}"

    @property
    def sentences(self) -> list[str]:
        """Say for which accesses no other moment was seen."""
        return list(dict.fromkeys(self._late.values()))
