"""The monitor of a program whose tasks all run in one event loop: nothing switches between two of its instructions."""

from contextlib import contextmanager, nullcontext
from typing import TYPE_CHECKING, Any, Protocol

from concmodels.explore.errors import CannotExplore

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator
    from contextlib import AbstractContextManager

    from concmodels.explore.monitor import RaceDetector, Switches
    from concmodels.models.simulated.steps import Step


class Follower(Protocol):
    """A follower tells what callbacks access."""

    @property
    def is_possible(self) -> bool:
        """Whether all of the program can be followed."""

    def begin(self) -> None:
        """As `Monitor.begin`."""

    def forget(self) -> None:
        """Begin a callback."""

    def following(self, footprint: Any) -> AbstractContextManager[None]:
        """Tell of all accesses. Raises `CannotExplore` while another tool is monitoring."""


class CodeInThread(CannotExplore):
    """A thread is to run what may be code of the program, so the program has to be watched."""

    def __init__(self) -> None:
        super().__init__("a thread runs code of the program, and its instructions are not watched")


class Unwatched:
    """A `Monitor` that watches nothing: what a task does between two awaits is ordered among all steps of all tasks.

    `racing` follows what steps access. What it finds is no race, but whether all schedules do the same.
    """

    def __init__(self, make_follower: Callable[[], Follower] | None) -> None:
        self.unexplored: list[str] = []
        """As `Monitor.unexplored`."""
        self._make_follower = make_follower
        self._follower: Follower | None = None
        self._is_following = False
        self.are_alike = False
        """Whether all schedules do the same as the one that was followed last."""

    @property
    def may_follow(self) -> bool:
        """Whether what a program accesses can be followed on the event loops that it uses: on asyncio's alone."""
        return self._make_follower is not None

    @property
    def can_follow(self) -> bool:
        """Whether all of this program can be followed."""
        if self._follower is None and self._make_follower is not None:
            self._follower = self._make_follower()
        return self._follower is not None and self._follower.is_possible

    def begin(self) -> None:
        """As `Monitor.begin`."""
        if self._is_following and self._follower is not None:
            self._follower.begin()

    def switching(self, switches: Switches, *, notes: bool = True) -> AbstractContextManager[None]:
        """As `Monitor.switching`."""
        return nullcontext()

    @contextmanager
    def racing(self, points: Collection[Any]) -> Iterator[RaceDetector]:
        """Follow what callbacks access; only if `can_follow` says so. Raises `CannotExplore`."""
        from concmodels.explore.eventloops.followed import Followed  # it imports asyncio

        assert self._follower is not None
        followed = Followed(self._follower.forget)
        with self._follower.following(followed):
            self._is_following = True
            try:
                yield followed
            finally:
                self._is_following = False
                self.are_alike = followed.is_proof

    def is_left_out(self, step: Step, points: Collection[Any]) -> bool:
        """As `Monitor.is_left_out`."""
        return False
