"""Accesses that nothing orders but a clock: `time.sleep(0.1)` in the place of `join()`.

Time is virtual, so what comes after a sleep never comes before what others do in the meantime, and no schedule shows
what happens if that takes longer. Two accesses are *late* to each other if neither a start, an end nor a wait for
another task orders them, and if they were made at different moments in all runs. A lock orders nothing here: it lets
either come first. But two single accesses of which either has come first in some run, each time because of a lock, are
not late: it is the lock that decides, and both orders were tried.
"""

from dataclasses import dataclass, field
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


@dataclass
class _Late:
    """Two single accesses at different moments."""

    sentence: str
    first: set[Any] = field(default_factory=set)
    """Which of them has come first in any run because of a lock."""
    is_by_lock: bool = True
    """Whether a lock has ordered them in all runs."""


class Waits:
    """The waits for a moment that were met in the runs of a search. `are_seen` says whether there were any."""

    def __init__(self) -> None:
        self.are_seen = False
        self._sleeps: list[_Sleep] = []
        self._late: dict[Any, dict[frozenset[Any], _Late]] = {}
        """Of each pair of sites, what was seen of the single accesses."""
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

    def met(self, pair: Any, ones: tuple[Any, Any], earlier: float, now: float, *, by_lock: bool) -> None:
        """Take note that nothing but a clock or a lock may order two accesses.

        `pair` are their sites. `ones` are the accesses themselves, the earlier one first: task, site and number.
        """
        if earlier == now:
            self._free.add(pair)
            self._late.pop(pair, None)
        elif pair not in self._free:
            known = self._late.setdefault(pair, {})
            late = known.get(frozenset(ones))
            if late is None:
                ended = [it for it in self._sleeps if earlier < it.end <= now]
                if not ended:
                    return
                late = known[frozenset(ones)] = _Late(_sentence(ended, ones[1][0]))
            late.first.add(ones[0])
            late.is_by_lock &= by_lock

    @property
    def sentences(self) -> list[str]:
        """Say for which accesses no other moment was seen."""
        late = [it for known in self._late.values() for it in known.values()]
        return list(dict.fromkeys(it.sentence for it in late if not it.is_by_lock or len(it.first) < 2))


def _sentence(ended: list[_Sleep], identity: Any) -> str:
    """Return what it is that two accesses rely on: if possible a sleep of the task that has made the second."""
    last = max(ended, key=lambda it: (it.runner.identity == identity, it.end))
    seconds = f"{last.end - last.begin:.6f}".rstrip("0").rstrip(".")
    return f"{ONLY_IF} {seconds} s is long enough at {last.place}"
