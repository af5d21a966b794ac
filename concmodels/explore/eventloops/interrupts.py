"""Ctrl-C as a choice of the schedule: a signal that comes once in a run, before any callback, or while all tasks wait.

Only in an exploration that wants it: as a rule, nothing interrupts a program. asyncio's `Runner` handles SIGINT by
cancelling the main task, and gets it here; so do the handlers that a program gives to `loop.add_signal_handler`, for
SIGINT or for any other signal. trio raises `KeyboardInterrupt` in its main task.

A program that ends by `KeyboardInterrupt` after that has not failed.
"""

import signal
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

from concmodels.models.simulated.world import current

if TYPE_CHECKING:
    from collections.abc import Callable

    from concmodels.models.simulated.steps import Identity
    from concmodels.models.simulated.world import World


OUTSIDE: Identity = (0, 1)
"""In the place of a task's identity: of who presses Ctrl-C."""


class Interrupts:
    """The signals that may come in a run, and what they call. `have_come` says whether one has."""

    def __init__(self) -> None:
        self.have_come = False
        self.handlers: dict[int, Callable[[], object]] = {}

    def may_come(self) -> list[int]:
        """Return the signals of which one may come now."""
        return [] if self.have_come else sorted(it for it, handler in self.handlers.items() if not _is_late(handler))

    def come(self, number: int) -> None:
        """Have this signal come."""
        self.have_come = True
        self.handlers[number]()


_interrupts: WeakKeyDictionary[World, Interrupts] = WeakKeyDictionary()


def interrupts_of(world: World) -> Interrupts | None:
    """Return which signals may come in a run; None if none may, as in most runs."""
    found = _interrupts.get(world)
    if found is None and world.may_be_interrupted:
        found = _interrupts[world] = Interrupts()
    return found


def _is_late(handler: Any) -> bool:
    """Return whether a handler is one of asyncio's `Runner` whose main task has ended: it would interrupt the loop."""
    main_task = getattr(getattr(handler, "given", None), "keywords", {}).get("main_task")
    return main_task is not None and bool(main_task.done())


def name_of(number: int) -> str:
    """Return the name of a signal, as pictures show it."""
    return "Ctrl-C" if number == signal.SIGINT else signal.Signals(number).name


class Signals:
    """In place of the module `signal`, for asyncio's `Runner`: in a run in which a signal may come, it gets that."""

    def __getattr__(self, name: str) -> Any:
        return getattr(signal, name)

    def getsignal(self, number: int) -> Any:
        """As `signal.getsignal`."""
        interrupts = _of_run()
        if interrupts is None:
            return signal.getsignal(number)
        handler = interrupts.handlers.get(number)
        return signal.default_int_handler if handler is None else getattr(handler, "given", None)

    def signal(self, number: int, handler: Any) -> Any:
        """As `signal.signal`."""
        interrupts = _of_run()
        if interrupts is None:
            return signal.signal(number, handler)
        if handler is signal.default_int_handler:
            return interrupts.handlers.pop(number, None)

        def call() -> None:
            handler(number, None)

        call.given = handler  # type: ignore[attr-defined]
        return interrupts.handlers.setdefault(number, call)


def _of_run() -> Interrupts | None:
    world = current()
    return None if world is None else interrupts_of(world)
