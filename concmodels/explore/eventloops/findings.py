"""Failures that asyncio and Python only log. They fail the run: nobody reads a log during an exploration.

    an exception that nobody retrieves    its task or future was freed, and the exception was not looked at
    a task that is destroyed pending      nothing but the task itself held it, so it was freed before its end
    a coroutine that is never awaited     it was called, and what it should do is not done
    an exception in a callback

They are noticed when the objects are freed: at once, or by the garbage collector. So one collection is made after the
program has returned.
"""

import gc
from typing import TYPE_CHECKING, Any, Protocol
from weakref import WeakKeyDictionary

from concmodels.models.simulated.world import current
from concmodels.models.tasks.signals.frames import place, raised, short

if TYPE_CHECKING:
    from concmodels.models.simulated.world import World

    class Abandoned(Protocol):
        """An event loop of a run."""

        def abandon(self) -> None:
            """End the tasks that a run has left behind, without a word."""


class NeverRetrieved(RuntimeError):
    """A task or future has failed, and nobody has looked at its exception."""


class DestroyedPending(RuntimeError):
    """A task was freed before its end, because nothing held it."""


class NeverAwaited(RuntimeError):
    """A coroutine function was called, and the coroutine was not awaited."""


class FailedCallback(RuntimeError):
    """A callback of the event loop has raised an exception, which ends up in the log."""


class Findings:
    """The failures of one run, the event loops that were made in it, and whether it has time limits."""

    def __init__(self) -> None:
        self.loops: list[Abandoned] = []
        self.is_watched = True
        """Whether switches are tried between two instructions of the program."""
        self.has_limits = False
        """Whether the program has set a time limit, or a timer otherwise than by a sleep."""
        self._found: list[Exception] = []

    def logged(self, context: dict[str, Any]) -> None:
        """Note what an event loop would log."""
        message, error = str(context.get("message", "")), context.get("exception")
        task = context.get("task") or context.get("future")
        if "was destroyed" in message:
            self._found.append(DestroyedPending(f"{_named(task)} was destroyed, but it is pending{_made_at(task)}"))
        elif "never retrieved" in message:
            self._found.append(NeverRetrieved(f"the exception of {_named(task)} was never retrieved: {_told(error)}"))
        else:
            self._found.append(FailedCallback(f"{message}: {_told(error)}" if error is not None else message))

    def unawaited(self, coroutine: Any) -> None:
        """Note a coroutine that was freed before it had begun."""
        name = getattr(coroutine, "__qualname__", "a coroutine")
        self._found.append(NeverAwaited(f"coroutine {name} was never awaited{_origin(coroutine)}"))

    def check(self) -> None:
        """Raise the first finding, if there is any, now that the program has ended."""
        gc.collect(0)
        if self._found:
            raise self._found[0]


def _named(task: Any) -> str:
    get_name = getattr(task, "get_name", None)
    if get_name is None:
        return "a future"
    coroutine = task.get_coro()
    return f"task {get_name()}" + (f" ({coroutine.__qualname__})" if hasattr(coroutine, "__qualname__") else "")


def _made_at(task: Any) -> str:
    coroutine = getattr(task, "get_coro", lambda: None)()
    return _origin(coroutine) or _defined(coroutine)


def _origin(coroutine: Any) -> str:
    for file, line, _ in getattr(coroutine, "cr_origin", None) or ():
        return f", created at {short(file)}:{line}"
    return ""


def _defined(coroutine: Any) -> str:
    code = getattr(coroutine, "cr_code", None)
    return "" if code is None else f", defined at {short(code.co_filename)}:{code.co_firstlineno}"


def _told(error: Any) -> str:
    where = place(raised(getattr(error, "__traceback__", None)))
    return f"{error!r}, raised{where}" if where else repr(error)


_findings: WeakKeyDictionary[World, Findings] = WeakKeyDictionary()


def findings_of(world: World) -> Findings:
    """Return the findings of a run."""
    found = _findings.get(world)
    if found is None:
        found = _findings[world] = Findings()
    return found


def is_over(world: World) -> bool:
    """Return whether a run is over or was cut: what is freed then says nothing about the program."""
    return world.dying or current() is not world
