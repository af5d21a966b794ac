"""Candidates, which are what is measured, by the suite and the cell that they stand in.

Suites only describe. What they describe is called in a fresh process by `benchmarks.worker`, so this module and the
suites import nothing heavy: the children of that process may import them once more.
"""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

KINDS = ("model", "baseline", "peer", "language", "past")
"""A model, its hand-written baseline, what one might pick instead, another language, an article's own figure."""


class NotHere(Exception):
    """The candidate can't be measured on this machine or this Python; the message says why."""


class Candidate:
    """One thing to be measured, with all its sizes.

    `call` names a function, `module:function`; it is called with `sizes` as keyword arguments and returns the seconds
    of the work itself, or those and a dict of other figures (of which "versions" is a dict of texts). It raises
    `NotHere` for what can't be had there.
    """

    __slots__ = (
        "call", "cell", "kind", "loops", "model", "name", "needs", "parameters", "rounds", "sizes", "step", "steps",
        "suite",
    )  # fmt: skip

    def __init__(
        self,
        path: str,
        call: str,
        *,
        kind: str,
        model: str | None,
        steps: int,
        step: str,
        sizes: dict[str, Any],
        parameters: dict[str, Any] | None = None,
        needs: tuple[str, ...] = (),
        rounds: int = 0,
        loops: int = 1,
    ) -> None:
        self.suite, self.cell, self.name = path.split("/", 2)
        self.call = call
        self.kind = kind
        self.model = model
        self.steps = steps  # how many are timed in one call
        self.step = step  # what they are
        self.sizes = sizes
        self.parameters = sizes if parameters is None else parameters  # what the result says of it
        self.needs = needs  # distributions that are installed for it alone
        self.rounds = rounds  # 0: as many as the session has
        self.loops = loops  # how often the work is repeated in one go; 0: as pyperf's calibration finds

    @property
    def path(self) -> str:
        """The path of the candidate on the command line: `ring/stream/threads`."""
        return f"{self.suite}/{self.cell}/{self.name}"

    def __repr__(self) -> str:
        return f"<{self.path}>"
