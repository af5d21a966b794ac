"""Who minds a pool of processes or interpreters, and how one waits for it.

There is one word that says whom the workers ring: the OWNER of their group's record. It is the caller that waits for
the pool, and while nobody waits, a thread of the pool's own. Whoever leaves looks once more after it has written
somebody else's name there, and a worker that has rung looks whether the name is still the same: so no news is left.
"""

import threading
from _thread import allocate_lock, get_ident

from concmodels.models.memory.arena import BROKEN, LIVE, OWNER, PARENT, Cancelled
from concmodels.models.memory.group import TaskGroup, cancel
from concmodels.models.memory.participant import Unit, now

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from concmodels.models.memory.pool.dispatcher import Floor


class Crew(TaskGroup):
    """The workers of a pool: a group beside the body of the `with`, which one of them can leave without the others.

    Whoever is cancelled around the pool cancels the workers too; the workers never cancel anybody.
    """

    expendable = True

    def open(self, foreman: int) -> None:
        """Make the record; its owner is rung by the workers, and by the keeper when one of them has ended."""
        unit, words = self.unit, self.unit.words
        with unit.arena.claim:
            self._at = unit.arena.new_record()
        words[self._at + OWNER], words[self._at + PARENT] = foreman, unit.parker().scope
        self._open = True

    @property
    def at(self) -> int:
        """Its record."""
        return self._at

    def any_left(self) -> bool:
        """Whether a worker still lives."""
        return bool(self.unit.words[self._at + LIVE]) and not self.unit.words[BROKEN]

    def dissolve(self, foreman: int) -> None:
        """All have ended: give the records back, the foreman's too. A late ring for him does the next one no harm."""
        self._open = False
        if not self.unit.words[BROKEN] and not self.any_left():
            with self.unit.arena.claim:
                for task in self._tasks:
                    self._forget(task)
                self.unit.arena.free_record(self._at)
                self.unit.arena.free_record(foreman)


class Foreman:
    """Minds the pool when nobody else does; gives everybody who waits for it the post meanwhile."""

    def __init__(self, baseline: Floor, unit: Unit, at_end: Callable[[], object]) -> None:
        self.gone = False
        self._floor = baseline
        self._unit = unit
        self._at_end = at_end
        self._parker = unit.new_parker()
        self.crew = baseline.crew = Crew(unit)
        self.crew.open(self._parker.at)
        self._waiting: list[int] = []  # the records of those who wait for the pool; the last one has the post
        self._changing = allocate_lock()
        self._fence = allocate_lock()
        self._thread = threading.Thread(target=self._mind, name="foreman of a pool")

    def start(self) -> None:
        """Begin to mind the pool."""
        self._thread.start()

    def ring(self) -> None:
        """There is something to do, or to be seen: everybody looks."""
        for at in [*self._waiting, self._parker.at]:
            self._unit.ring(at)

    def help_until(self, done: Callable[[], bool], until: float | None = None) -> bool:
        """Wait for the pool, and mind it meanwhile; False when the moment has come first.

        A checkpoint, if it has to wait. Raises `Cancelled`, or a pending Ctrl-C.
        """
        unit, step = self._unit, self.step
        step()
        if done():
            return True
        unit.begin_wait()
        with _Post(self, unit.parker().at):
            while True:
                step()
                if done():
                    return True
                if until is not None and now() >= until:
                    return False
                unit.wait(_soonest(until, self._floor.next_look()))

    def step(self) -> None:
        """Mind the pool for a moment."""
        if self._floor.step():
            self._tell()
        if not self.gone and self._floor.is_over():
            self._unit.ring(self._parker.at)  # the thread has to end it

    def cancel(self) -> None:
        """Cancel the workers, as long as there are any."""
        with self._changing:
            if not self.gone:
                cancel(self._unit, self.crew.at)

    def join(self) -> None:
        """Wait for the end of the thread, which has nothing left to do."""
        if self._thread.ident != get_ident():
            self._thread.join()

    def take_post(self, at: int) -> None:
        """From now on the workers ring this one."""
        with self._changing:
            self._waiting.append(at)
            self._name(at)

    def leave_post(self, at: int) -> None:
        """Hand it to the next; he is told if there may be news that he was not rung for."""
        with self._changing:
            self._waiting.remove(at)
            heir = self._waiting[-1] if self._waiting else self._parker.at
            self._name(heir)
        with self._fence:
            if self._floor.has_news():
                self._unit.ring(heir)

    def _name(self, at: int) -> None:
        """Write down whom the workers ring; once all have left, the record is somebody else's."""
        if not self.gone:
            self._unit.words[self.crew.at + OWNER] = at

    def _tell(self) -> None:
        """Something has ended: everybody else who waits for the pool looks again."""
        mine = self._unit.parker().at
        for at in list(self._waiting):
            if at != mine:
                self._unit.ring(at)

    # The thread.

    def _mind(self) -> None:
        self._unit.begin_service()
        self._unit.sit(self._parker)
        try:
            while not self._floor.is_over():
                if self._floor.step():
                    self._tell()
                if not self._floor.is_over():
                    self._unit.wait(self._next_look())
        except Cancelled:
            pass  # the run is broken off
        except BaseException as error:  # noqa: BLE001 - else everybody would wait for ever
            self._floor.give_up(error)
        finally:
            self._leave()

    def _next_look(self) -> float | None:
        """While somebody else minds the pool, only a ring is a reason to look."""
        look: float | None = None if self._waiting else self._floor.next_look()
        return look

    def _leave(self) -> None:
        self._floor.end()
        self._at_end()
        with self._changing:
            self.gone = True
        self.crew.dissolve(self._parker.at)
        self._tell()
        self._unit.end_service()


def _soonest(one: float | None, other: float | None) -> float | None:
    return other if one is None else one if other is None else min(one, other)


class _Post:
    """`with`: having the post."""

    __slots__ = ("_at", "_foreman")

    def __init__(self, foreman: Foreman, at: int) -> None:
        self._foreman = foreman
        self._at = at

    def __enter__(self) -> None:
        self._foreman.take_post(self._at)

    def __exit__(self, *_: object) -> None:
        self._foreman.leave_post(self._at)
