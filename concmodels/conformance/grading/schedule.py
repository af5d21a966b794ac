"""The schedules that guarantees are held on: how they are told, and read.

3.14-5f0c9a-c-few-6@2           Python 3.14, the checksum of the model and the guarantee, switches "checkpoints",
                                with few items, then the schedule, as in the replay ids of `concmodels.explore`
3.14-5f0c9a-a-all-random2       with as many items as always, on the third schedule that is drawn
"""

from dataclasses import dataclass
from hashlib import blake2s
from typing import TYPE_CHECKING

from concmodels.explore.errors import CannotExplore
from concmodels.explore.failures.replay_id import PYTHON, ReplayId, checksum
from concmodels.explore.search import strategy_of
from concmodels.models.simulated.schedules import Replay, Schedule

if TYPE_CHECKING:
    from concmodels.conformance.suite import Guarantee
    from concmodels.explore.threads.program import Program
    from concmodels.models.simulated.schedules import Strategy

PLAINEST = "plainest"
"""The source of the plainest order, which has no number."""

_SIZES = {"few": True, "all": False}


@dataclass(frozen=True)
class HeldOn:
    """A schedule that a guarantee was held on."""

    replay_id: ReplayId
    few: bool
    """Whether the guarantee was held with few items and rounds, so that there is less to read."""

    def __str__(self) -> str:
        size = next(size for size, few in _SIZES.items() if few == self.few)
        python, total, switches, rest = str(self.replay_id).split("-", 3)
        return "-".join([python, total, switches, size, rest])

    def strategy(self) -> Strategy:
        """Return a strategy that takes this schedule."""
        schedule = self.replay_id.schedule
        return strategy_from(self.replay_id.source) if schedule is None else Replay(schedule)

    @classmethod
    def parse(cls, text: str, program: Program, guarantee: Guarantee) -> HeldOn:
        """Read what `str` has written. Raises `CannotExplore`, with a sentence."""
        parts = text.strip().split("-", 4)
        if len(parts) < 5 or parts[3] not in _SIZES:
            raise CannotExplore(f"{text!r} is no replay id: copy it as the report has it, as in 3.14-5f0c9a-c-few-6@2")
        python, total, switches, size, rest = parts
        right = checksum_of(program, guarantee)
        if python == PYTHON and total != right:
            raise CannotExplore(
                "this replay id is of another version of the model, or of another guarantee: grade the model anew"
            )
        return cls(ReplayId.parse(f"{python}-{total}-{switches}-{rest}", right), _SIZES[size])


def strategy_from(source: str) -> Strategy:
    """Return the strategy of a source, as the replay ids have it, or of the plainest order."""
    return Replay(Schedule({})) if source == PLAINEST else strategy_of(source)


def checksum_of(program: Program, guarantee: Guarantee) -> str:
    """Return six characters that change when the bytecode of the model does, or the guarantee is another one."""
    return blake2s(f"{checksum(program.codes)} {guarantee}".encode()).hexdigest()[:6]
