"""The interface of the code that watches plain Python for the search: scheduling points, and data races.

The search has two kinds of phases. A sample switches wherever `switches` allows it; each of its runs shows a failure or
proves nothing. The complete search switches only at the model's operations and at locks, which are far fewer points,
and looks for data races in each of its runs. If there is none, the program behaves as if it could switch nowhere else,
so "held in all schedules" holds for every preemption. If there is a race, its sites become scheduling points too, and
the search starts again, until it finds no new race. So a race that does no harm is proved to do none, if memory is
sequentially consistent, which means that all threads see all reads and writes in one order. A build with the GIL comes
close to that. Without the GIL Python specifies no such order, and a program with a data race is not proved to hold
there.

While a step runs, the world records its footprint: which keys it touches, and whether it writes them. Two steps of
different tasks that touch the same key, one of them writing, are ordered. This is the happens-before relation of the
run, and all that the detector needs to know about locks, channels, groups and threads.
"""

from collections.abc import Hashable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, Protocol

if TYPE_CHECKING:
    from collections.abc import Collection
    from contextlib import AbstractContextManager

    from concmodels.models.simulated.steps import Step
    from concmodels.models.simulated.world import World

type Switches = Literal["checkpoints", "gil in the program", "gil", "anywhere"]
"""Where another task may run: at verbs and locks; where a build with the GIL can switch in the program's own code; in
that of Python's library too; before any shared access."""

ONLY_IF = "right only if"
"""How a sentence begins of two accesses that nothing orders but a clock."""

NOT_ONE_STEP = "is not one step, and no switch is tried before it is done"
"""How a sentence ends of a call in the middle of which other tasks may see what it changes."""

type Site = Hashable
"""A place in the code that can be made a scheduling point; the code that watches knows what it is."""


@dataclass(frozen=True)
class Access:
    """One side of a race: `counter` is written at this line."""

    file: str
    line: int
    task: str
    writes: bool


@dataclass(frozen=True)
class Race:
    """Two accesses to the same thing, at least one of which writes, and nothing orders them."""

    what: str
    """What is accessed, as in the source: `counter`, `account.balance`."""
    first: Access
    second: Access
    sites: frozenset[Site]
    """What becomes a scheduling point, so that both orders are searched."""
    is_atomic: bool = False
    """Whether each access is one step, as `list.append` is: then the order may matter, but it is no data race."""


class RaceDetector(Protocol):
    """The part of a monitor that looks for races in the runs of one phase."""

    found: list[Race]
    """Each race once, in the order in which they were found, over all runs of the phase."""
    sites: set[Site]
    """The sites of all these."""
    unseen: list[str]
    """Accesses that it cannot follow, a sentence each, with the line: with one of them, nothing is proved."""

    def begin(self, world: World) -> None:
        """Begin a run: nothing has happened in this world yet."""

    def is_over(self, step: Step) -> None:
        """Take note that a step has been done; its footprint is complete, and its accesses are those since the last."""


class Monitor(Protocol):
    """Watches the code of a scenario, for the length of a phase."""

    @property
    def unexplored(self) -> list[str]:
        """The modules that two tasks of a run have used and that are not explored, a sentence each."""

    def begin(self) -> None:
        """Begin a run: what was known of the tasks of the last one is forgotten."""

    def switching(self, switches: Switches, *, notes: bool = True) -> AbstractContextManager[None]:
        """Let other tasks run wherever `switches` allows it.

        With "checkpoints" and "gil", the accesses between two points are noted in the footprint of their step by
        `World.touch`, because a complete search relies on footprints. A sample does not: without `notes` its runs take
        the same steps in half the time.
        """

    def racing(self, points: Collection[Site]) -> AbstractContextManager[RaceDetector]:
        """Let other tasks run at verbs, locks and these sites, and look for races at all others."""

    def is_left_out(self, step: Step, points: Collection[Site]) -> bool:
        """Return whether `racing(points)` would not stop before this step, which `switching` has stopped before.

        So a schedule of the complete search can be told as one of the other kind.
        """
