"""Deadlocks of the models with memory boundaries, found if `run(main, deadlock_after=seconds)` asks for it.

A task that waits without a timeout says so in its record (WAITING, the number of that wait). When for so many seconds
the keeper has found every task in the same wait, with a silent bell, it rings them all once and asks where they are:
the stack of a task can be read only by itself. Each answers from inside its wait and waits on. If then all of them wait
again, none of them will ever go on.
"""

import sys
import threading
from _thread import _count
from select import POLLIN, poll

from concmodels.errors import Deadlock
from concmodels.models.deadlocks.report import SENTENCE, NoProgress, doing
from concmodels.models.memory.arena import ALERT, KEEPS_INTERPRETERS, PLACE_AT, PLACE_SIZE, SPAWNED, TELL, TOLD, WAITING
from concmodels.models.memory.participant import now
from concmodels.models.tasks.frames import stack

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from types import FrameType

    from concmodels.models.memory.participant import Parker, Unit

_FOREIGN = -1


class Watch:
    """Looks, now and then, whether anybody in the run can still go on."""

    def __init__(self, unit: Unit, seconds: float) -> None:
        self._unit = unit
        self._still = NoProgress(seconds)
        self._asked = False
        self._next = now()

    def patience(self) -> float:
        """The seconds until the next look."""
        return max(0.0, self._next - now())

    def look(self, names: dict[int, str], own_threads: Iterable[int]) -> Deadlock | None:
        """Look, if it is time. `names` are those of all tasks, by record."""
        if now() < self._next:
            return None
        self._next = now() + self._still.pause
        waits = {} if self._is_foreign(own_threads) else self._waits(names)
        if self._asked:
            return self._conclude(names, waits)
        if self._still.lasts(waits):
            self._ask(names)
        return None

    def _waits(self, names: dict[int, str]) -> dict[int, int]:
        """Which wait each task is in; nothing if somebody can go on."""
        words = self._unit.words
        waits = {at: words[at + WAITING] for at in names}
        rings_count = not words[KEEPS_INTERPRETERS]  # those of 'subinterp:queue' look for themselves
        if words[SPAWNED] or not all(waits.values()) or (rings_count and self._is_rung(names)):
            return {}
        return waits

    def _is_rung(self, names: Iterable[int]) -> bool:
        """Whether somebody has been woken and has not noticed yet."""
        bells = poll()
        for at in names:
            bells.register(self._unit.words[at], POLLIN)
        return bool(bells.poll(0))

    @staticmethod
    def _is_foreign(own_threads: Iterable[int]) -> bool:
        """Whether there are threads in the parent that the run did not start: they may send."""
        return bool(sys._current_frames().keys() - set(own_threads) - {threading.get_ident()})

    def _ask(self, names: Iterable[int]) -> None:
        self._asked = True
        self._unit.words[TELL] += 1
        self._unit.words[ALERT] = 1
        for at in list(names):
            self._unit.ring(at)
        self._next = now()

    def _conclude(self, names: dict[int, str], waits: dict[int, int]) -> Deadlock | None:
        """All have been asked. Have all answered, and do all wait again?"""
        words, lines = self._unit.words, []
        if not waits or any(words[at + TOLD] != words[TELL] for at in names):
            return None
        self._asked = False
        for at, name in sorted(names.items()):
            size = words[at + PLACE_SIZE]
            if size == _FOREIGN:
                return None
            lines.append(f"{name}: {self._unit.arena.get(words[at + PLACE_AT], size).decode()}")
        return Deadlock(SENTENCE, tuple(lines))


def tell(unit: Unit, parker: Parker, frame: FrameType) -> None:
    """In a task that waits: say where."""
    words, arena = unit.words, unit.arena
    text = doing(stack(frame)).encode()
    with arena.claim:
        if words[parker.at + PLACE_SIZE] > 0:
            arena.free(words[parker.at + PLACE_AT], words[parker.at + PLACE_SIZE])
        words[parker.at + PLACE_AT] = arena.put(text)
        words[parker.at + PLACE_SIZE] = _FOREIGN if _count() > unit.own_threads + len(unit.service) else len(text)
        words[parker.at + TOLD] = words[TELL]
    unit.alarm()
