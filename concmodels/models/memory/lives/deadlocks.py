"""Deadlocks of the models with memory boundaries: `run(main, deadlock_after=seconds)` ends one; else it is reported.

A task that waits without a timeout says so in its record (WAITING, the number of that wait). When for so many seconds
the supervisor has found every task in the same wait, and none of them woken, it wakes them all once and asks where they
are: only the task itself can read its stack. Each answers from inside its wait and waits on. If all of them are then in
the same wait again, none of them will ever go on: one that a partner had woken meanwhile would be in another wait, or
in none.
"""

import sys
import threading
from _thread import _count

from concmodels.errors import Deadlock
from concmodels.models.deadlocks.report import SENTENCE, NoProgress, doing
from concmodels.models.memory.arena import ALERT, ANSWERED, ASKED, PLACE_AT, PLACE_SIZE, SPAWNED, WAITING
from concmodels.models.memory.participant import now
from concmodels.models.tasks.signals.frames import stack
from concmodels.platform.waking import is_any_woken

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from types import FrameType

    from concmodels.models.memory.participant import Participant, WaitSlot

_SOON_S = 0.01  # between the first two looks at what has been asked; each pause is twice as long as the one before

_QUESTION = 4  # the byte of ALERT; on no machine the one that a 1 in the word sets


class DeadlockDetector:
    """Looks, now and then, whether any task of the run can still go on."""

    def __init__(self, participant: Participant, seconds: float, *, ends_run: bool = True) -> None:
        self.ends_run = ends_run
        """Whether what it finds ends the run. If that is only reported, a thread that might send does not matter."""
        self.told: dict[int, int] = {}
        """The waits of the last deadlock that was found."""
        self._participant = participant
        self._still = NoProgress(seconds)
        self._asked: dict[int, int] = {}  # the waits in which the tasks were asked where they are
        self._pause = self._still.pause
        self._next = now()

    def patience(self) -> float:
        """Return the seconds until the next look."""
        return max(0.0, self._next - now())

    def look(self, names: dict[int, str], own_threads: Iterable[int]) -> Deadlock | None:
        """Look, if it is time; return the deadlock if there is one. `names` are those of all tasks, by record."""
        if now() < self._next:
            return None
        self._next = now() + self._pause
        waits = {} if self.ends_run and self._is_foreign(own_threads) else self._waits(names)
        if self._asked:
            self._pause = min(2 * self._pause, self._still.pause)
            return self._conclude(names, waits)
        if self._still.lasts(waits) and waits != self.told:
            self._ask(waits)
        return None

    def _waits(self, names: dict[int, str]) -> dict[int, int]:
        """Return the number of the wait that each task is in; an empty dict if a task can go on."""
        words = self._participant.words
        waits = {at: words[at + WAITING] for at in names}
        if words[SPAWNED] or not all(waits.values()) or is_any_woken(words[at] for at in names):
            return {}
        return waits

    @staticmethod
    def _is_foreign(own_threads: Iterable[int]) -> bool:
        """Return whether there are threads in the parent that the run did not start: they may send."""
        return bool(sys._current_frames().keys() - set(own_threads) - {threading.get_ident()})

    def _ask(self, waits: dict[int, int]) -> None:
        self._asked, self._pause = waits, _SOON_S
        ask_places(self._participant)
        for at in waits:
            self._participant.notify(at)
        self._next = now() + self._pause

    def _conclude(self, names: dict[int, str], waits: dict[int, int]) -> Deadlock | None:
        """Return the deadlock once all tasks have answered and wait again; return None until then."""
        words, ordered, asked = self._participant.words, self._participant.ordered, self._asked
        if not waits or (waits == asked and any(ordered[at + ANSWERED] != words[ASKED] for at in names)):
            return None
        self._asked, self._pause = {}, self._still.pause
        _mark_question(self._participant, False)
        if waits != asked:
            return None  # something has moved
        if self.ends_run and any(words[at + PLACE_SIZE] < 0 for at in names):
            return None
        self.told = waits
        return Deadlock(SENTENCE, places(self._participant, names))


def ask_places(participant: Participant) -> None:
    """Have each waiting task say where it waits, when it is next woken: ALERT tells it that it is asked."""
    participant.words[ASKED] += 1
    _mark_question(participant, True)


def _mark_question(participant: Participant, on: bool) -> None:
    """Say in ALERT that tasks are asked where they wait, or that they no longer are.

    That is a byte of its own in the word: clearing it can't wipe out a cancellation, which comes at any time and sets
    the whole word to 1. A task that loads the word finds it not 0 in either case.
    """
    participant.arena.bytes[8 * ALERT + _QUESTION] = on


def places(participant: Participant, names: dict[int, str]) -> tuple[str, ...]:
    """Return a line for each of these tasks that has answered the last question."""
    words, arena = participant.words, participant.arena
    return tuple(
        f"{name}: {arena.get(words[at + PLACE_AT], abs(words[at + PLACE_SIZE])).decode()}"
        for at, name in sorted(names.items())
        if participant.ordered[at + ANSWERED] == words[ASKED]
    )


def tell(participant: Participant, slot: WaitSlot, frame: FrameType) -> None:
    """Say in the arena where the calling task waits."""
    words, arena = participant.words, participant.arena
    text = doing(stack(frame)).encode()
    with arena.claim:
        if words[slot.at + PLACE_SIZE]:
            arena.free(words[slot.at + PLACE_AT], abs(words[slot.at + PLACE_SIZE]))
        words[slot.at + PLACE_AT] = arena.put(text)
        # Negative if there are threads here that might send, so that this is not taken for a deadlock.
        is_foreign = _count() > participant.own_threads + len(participant.service)
        words[slot.at + PLACE_SIZE] = -len(text) if is_foreign else len(text)
        participant.ordered[slot.at + ANSWERED] = words[ASKED]
    participant.notify_supervisor()
