"""Runs programs of an event loop, as functions that an exploration can call again and again."""

import gc
from collections.abc import Callable, Coroutine
from contextlib import AbstractContextManager, nullcontext
from typing import TYPE_CHECKING, Any

from concmodels.explore.eventloops.findings import findings_of
from concmodels.explore.eventloops.history import history_of
from concmodels.explore.eventloops.interrupts import interrupts_of
from concmodels.models.simulated.world import current, enter, leave

if TYPE_CHECKING:
    from concmodels.models.simulated.world import World

type CoroutineFunction = Callable[..., Coroutine[Any, Any, Any]]


def run_on(library: str) -> Callable[..., Any]:
    """Return what runs a coroutine function with its arguments on the event loop of this library."""
    if library == "trio":
        import trio

        return trio.run
    import asyncio

    def run(function: CoroutineFunction, *args: Any) -> Any:
        return asyncio.run(function(*args))

    return run


_OFTEN = 50
"""So many runs are made between two whole collections of garbage."""


class Checked:
    """A program that runs event loops: what they would only log makes a run fail that has not failed otherwise."""

    def __init__(self, function: Callable[..., Any], *, is_watched: bool) -> None:
        self.function = function
        self._is_watched = is_watched
        self._runs = 0
        self.has_limits = False
        """Whether the program has set a time limit in any run."""
        self.unseen: dict[str, None] = {}
        """What could not be followed in any run, a sentence each."""
        self._threads_apart: Callable[[], AbstractContextManager[None]] = nullcontext
        if is_watched:
            from concmodels.explore.eventloops.threads_apart import threads_apart  # it imports asyncio

            self._threads_apart = threads_apart
        self.__globals__ = getattr(function, "__globals__", {})

    def __call__(self, *args: Any) -> Any:
        """Run the program once."""
        world = current()
        assert world is not None
        self._free_garbage(world)
        findings = findings_of(world)
        findings.is_watched = self._is_watched
        history_of(world).is_complete = not self._is_watched
        try:
            with self._threads_apart():
                value = self._call(world, args)
            findings.check()
        finally:
            self.has_limits |= findings.has_limits
            self.unseen |= history_of(world).unseen
            for loop in findings.loops:
                loop.abandon()
            findings.loops.clear()  # they know the world, which would never be freed
        return value

    def _free_garbage(self, world: World) -> None:
        """Free what earlier runs have left, outside of this one: its finalizers do no steps of this program.

        What they have left is old by now. Only a whole collection finds it, and that takes longer.
        """
        self._runs += 1
        leave()
        try:
            gc.collect(0 if self._runs % _OFTEN else 2)
        finally:
            enter(world)

    def _call(self, world: World, args: tuple[Any, ...]) -> Any:
        """Call the program; to end by `KeyboardInterrupt` after a Ctrl-C is what it should do."""
        try:
            return self.function(*args)
        except BaseException as error:
            interrupts = interrupts_of(world)
            if interrupts is None or not interrupts.have_come or not _is_interrupt(error):
                raise
            return None


def _is_interrupt(error: BaseException) -> bool:
    """Return whether this is a `KeyboardInterrupt`, or a group of nothing else."""
    if isinstance(error, BaseExceptionGroup):
        return all(map(_is_interrupt, error.exceptions))
    return isinstance(error, KeyboardInterrupt)
