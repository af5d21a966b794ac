"""The greenlets of a simulated run, each of which can run one task after the other.

Making a greenlet and ending it takes ten times as long as switching to one, because CPython maps memory for its frames.
So the runs of a search share theirs: a unit that has done its job waits for the next one.
"""

from contextlib import suppress
from contextvars import Context

from greenlet import GreenletExit, getcurrent, greenlet

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

_left_behind: list[greenlet] = []


class Unit(greenlet):
    """A greenlet that does the job it is given when it is switched to."""

    job: Callable[[], greenlet] | None = None
    """The function that it has to call, which returns the greenlet that goes on then; None while it is idle."""
    has_begun = False

    def __init__(self, units: Units) -> None:
        super().__init__()
        self._units = units

    def run(self, starter: greenlet) -> None:
        """Wait for jobs and do them, until it is switched to without one."""
        following = starter
        while True:
            following.switch()
            if self.job is None:
                return
            following = self._do(self.job)

    def _do(self, job: Callable[[], greenlet]) -> greenlet:
        """Do a job; return the greenlet that goes on. Whatever the job raises ends the unit, but for `GreenletExit`."""
        self.has_begun = True
        try:
            following = Context().run(job)
        except GreenletExit:
            assert self.parent is not None
            following = self.parent
        finally:
            self.has_begun = False
            self.job = None
        self._units.idle.append(self)
        return following


class Units:
    """The units of one run, or of several, one after the other; all in one thread."""

    def __init__(self) -> None:
        self.idle: list[Unit] = []
        self._launcher = greenlet(_enter)
        self._launcher.switch(getcurrent(), None)

    def take(self, job: Callable[[], greenlet], parent: greenlet) -> Unit:
        """Return a unit that does this when it is switched to. What it raises goes on in `parent`.

        The launcher enters a new unit, and it comes straight back. A greenlet counts its recursion depth from where it
        was first entered, which may be deep inside of a chain of others.
        """
        if self.idle:
            unit = self.idle.pop()
        else:
            unit = Unit(self)
            self._launcher.switch(unit, getcurrent())
        unit.job = job
        unit.parent = parent
        return unit

    def give_back(self, unit: Unit) -> None:
        """End the job of a unit by `GreenletExit`; one that swallows that is left where it is, for ever."""
        if unit.has_begun:
            unit.parent = getcurrent()
            with suppress(Exception):  # a clean-up has raised it, and nothing waits for that
                unit.throw(GreenletExit)
            if unit.has_begun:
                _left_behind.append(unit)
        elif unit.job is not None:
            unit.job = None
            self.idle.append(unit)

    def end(self) -> None:
        """End the idle units and the launcher: a greenlet that has been entered and has not ended is never freed."""
        here = getcurrent()
        for unit in self.idle:
            unit.parent = here
            unit.switch()
        self.idle.clear()
        self._launcher.parent = here
        self._launcher.throw(GreenletExit)


def _enter(unit: greenlet, starter: greenlet | None) -> None:
    """Enter the new units, all from the same place: this is the launcher."""
    while True:
        unit, starter = unit.switch(starter)
