"""The surroundings of a run: the models that a program loads, and threads of the system that it starts.

While a search is made, `load` of any name gives the explored program the simulated model. A thread of the system that
is started in a run, by a library or by a model that was loaded before, is let go; but then nothing is proved.
"""

import _thread
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from concmodels import catalog
from concmodels.explore.eventloops.replaced import event_loops_replaced
from concmodels.models.simulated.world import current
from concmodels.models.tasks.signals.frames import place, stack

if TYPE_CHECKING:
    from concmodels.contract import Model
    from concmodels.facts import Facts

_STARTERS = ((threading, "_start_joinable_thread"), (_thread, "start_joinable_thread"), (_thread, "start_new_thread"))


class Surroundings:
    """`unseen` says in a sentence each what of it was met in a run: with one of them, nothing is proved."""

    def __init__(self) -> None:
        self.unseen: list[str] = []

    @contextmanager
    def watched(self) -> Iterator[None]:
        """During this `with`, give explored programs the simulated models, and note the threads that they start."""
        real = [getattr(module, name) for module, name in _STARTERS]
        instead = catalog.give_instead(self._model)
        for (module, name), start in zip(_STARTERS, real, strict=True):
            setattr(module, name, self._noting(start))
        try:
            with event_loops_replaced():
                yield
        finally:
            catalog.give_instead(instead)
            for (module, name), start in zip(_STARTERS, real, strict=True):
                setattr(module, name, start)

    def _model(self, entry: Facts) -> Model | None:
        """Return the model that a program gets instead of this one; None outside of a run, and for a simulated one."""
        if current() is None or catalog.is_simulated(entry):
            return None
        if entry.family in ("boundary", "cluster"):
            self._note(
                f"the program loads {catalog.name_of(entry)}, whose tasks share no memory; it was explored on sim, "
                "whose tasks share all of it"
            )
        return catalog.load("sim:async" if entry.is_async else "sim")

    def _noting(self, start: Callable[..., Any]) -> Callable[..., Any]:
        def start_noted(*args: Any, **options: Any) -> Any:
            if current() is not None:
                where = place(stack(sys._getframe(1)))
                self._note(f"a thread of the system is started{where}, and no schedule decides what it does")
            return start(*args, **options)

        return start_noted

    def _note(self, sentence: str) -> None:
        if sentence not in self.unseen:
            self.unseen.append(sentence)
