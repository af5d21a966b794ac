"""Futures and tasks of an explored event loop. Futures tell the history of the run when they are touched.

Both have the same hash in each run, because asyncio and programs go through sets of them: those that a `TaskGroup`
cancels, and what `asyncio.wait` returns. They are gone through in the order in which they were made.
"""

import asyncio
from collections.abc import Generator
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from concmodels.explore.eventloops.history import History


class Future(asyncio.Future[Any]):
    """As `asyncio.Future`. All that reads or changes it goes through one of these methods.

    What awaits it has gone on because it was done, and so after that; then it changes no more.
    """

    def __init__(self, history: History, *, loop: asyncio.AbstractEventLoop) -> None:
        self._number = history.next_number()
        super().__init__(loop=loop)
        self._history = history
        self.identity = history.new_identity()

    def __await__(self) -> Generator[Any, None, Any]:
        self._history.touch(self.identity)
        return super().__await__()

    __iter__ = __await__

    def __hash__(self) -> int:
        return self._number

    def __repr__(self) -> str:
        self._history.touch(self.identity)
        return super().__repr__()


class Task(asyncio.Task[Any]):
    """As `asyncio.Task`."""

    def __init__(self, coro: Any, *, history: History, **options: Any) -> None:
        self._number = history.next_number()
        super().__init__(coro, **options)

    def __hash__(self) -> int:
        return self._number


def _telling(name: str) -> Any:
    method = getattr(asyncio.Future, name)

    def tell(self: Future, *args: Any, **options: Any) -> Any:
        self._history.touch(self.identity)
        return method(self, *args, **options)

    tell.__name__, tell.__doc__ = name, f"As `asyncio.Future.{name}`."
    return tell


for _name in (
    "add_done_callback", "cancel", "cancelled", "done", "exception", "remove_done_callback", "result", "set_exception",
    "set_result",
):  # fmt: skip
    setattr(Future, _name, _telling(_name))
