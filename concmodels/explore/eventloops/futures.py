"""Futures and tasks of an explored event loop. Futures tell the history of the run when they are touched.

Both have the same hash in each run, because asyncio and programs go through sets of them: those that a `TaskGroup`
cancels, and what `asyncio.wait` returns. Tasks are gone through in the order in which they were made.
"""

import asyncio
import sys
from asyncio import events, tasks
from collections.abc import Generator
from typing import TYPE_CHECKING, Any

from concmodels.explore.eventloops.history import TASKS

if TYPE_CHECKING:
    from concmodels.explore.eventloops.history import History


class Future(asyncio.Future[Any]):
    """As `asyncio.Future`. All that reads or changes it goes through one of these methods.

    What awaits it has gone on because it was done, and so after that; then it changes no more.
    """

    def __init__(self, history: History, *, loop: asyncio.AbstractEventLoop) -> None:
        self.identity = history.new_identity()
        super().__init__(loop=loop)
        self._history = history

    def __await__(self) -> Generator[Any, None, Any]:
        self._history.touch(self.identity, False)
        return super().__await__()

    __iter__ = __await__

    def __hash__(self) -> int:
        return self.identity

    def __repr__(self) -> str:
        self._history.touch(self.identity, False)
        return super().__repr__()


class Task(asyncio.Task[Any]):
    """As `asyncio.Task`."""

    def __init__(self, coro: Any, *, history: History, **options: Any) -> None:
        self._number = history.next_number()
        history.touch(TASKS)
        super().__init__(coro, **options)

    def __hash__(self) -> int:
        return self._number


class FollowedTask(Task):
    """As `Task`, in a run that is followed or that has threads: it too tells the history when it is touched."""

    def __init__(self, coro: Any, *, history: History, **options: Any) -> None:
        self.identity = history.new_identity()
        self._history = history
        super().__init__(coro, history=history, **options)
        history.touch(self.identity)

    def ended_badly(self) -> bool:
        """Return whether it was cancelled, or has failed."""
        return asyncio.Task.cancelled(self) or _has_failed(self)


FollowedTask.__name__ = Task.__name__


_GatheringFuture: Any = tasks._GatheringFuture  # type: ignore[attr-defined]


class Gathering(_GatheringFuture):  # type: ignore[misc]
    """As what `asyncio.gather` returns, in a run that is followed."""

    def __init__(self, children: Any, *, history: History, loop: asyncio.AbstractEventLoop) -> None:
        self.identity = history.new_identity()
        self._history = history
        super().__init__(children, loop=loop)


Gathering.__name__ = _GatheringFuture.__name__


def _has_failed(task: asyncio.Task[Any]) -> bool:
    return getattr(task, "_exception", None) is not None


def _telling(kind: type, name: str) -> Any:
    method, changes = getattr(kind, name), name not in _READ

    def tell(self: Any, *args: Any, **options: Any) -> Any:
        loop = self._loop
        if loop.is_running() and events._get_running_loop() is not loop:
            self._history.note_thread(sys._getframe(1))
        self._history.touch(self.identity, changes)
        return method(self, *args, **options)

    tell.__name__, tell.__doc__ = name, f"As `{kind.__name__}.{name}`."
    return tell


_READ = frozenset(
    {"cancelled", "done", "exception", "result", "cancelling", "get_name", "get_coro", "__await__", "__iter__"}
)
_OF_BOTH = ("add_done_callback", "cancel", "cancelled", "done", "exception", "remove_done_callback", "result")
_OF_TASKS = ("cancelling", "uncancel", "get_name", "set_name", "get_coro", "get_stack", "print_stack", "get_context")

for _name in (*_OF_BOTH, "set_exception", "set_result"):
    setattr(Future, _name, _telling(asyncio.Future, _name))
    setattr(Gathering, _name, _telling(_GatheringFuture, _name))
for _name in ("__await__", "__iter__", "__repr__"):
    setattr(Gathering, _name, _telling(_GatheringFuture, _name))
for _name in (*_OF_BOTH, *_OF_TASKS, "__await__", "__iter__", "__repr__"):
    setattr(FollowedTask, _name, _telling(asyncio.Task, _name))
