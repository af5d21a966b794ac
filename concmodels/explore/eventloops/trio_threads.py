"""Threads of an explored trio program: `trio.to_thread`, `trio.from_thread`, and a token's `run_sync_soon`."""

import sys
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, Protocol
from weakref import WeakKeyDictionary

import outcome
from greenlet import GreenletExit

from concmodels.explore.eventloops.findings import findings_of
from concmodels.explore.eventloops.unwatched import CodeInThread
from concmodels.explore.threads.program import library
from concmodels.models.simulated.world import current

if TYPE_CHECKING:
    from concmodels.models.simulated.steps import Runner
    from concmodels.models.simulated.world import World

_threads: Any = sys.modules["trio._threads"]


class Loop(Protocol):
    """The event loop that another thread gives work to."""

    entry_queue: Any

    def announce_another_thread(self) -> None:
        """Stop before the step in which another thread schedules something."""

    def wake(self) -> None:
        """Let the loop go on, if it waits."""


class _Job:
    """A job, as a task of the world."""

    runner: Runner
    waiter = None

    def __init__(self, function: Callable[[], Any], deliver: Callable[[Any], object], name: str | None) -> None:
        self.name = f"thread of {str(name or 'a job').partition(' from ')[0]}"
        self._function = function
        self._deliver = deliver

    def run(self) -> None:
        """Do the job, and hand its outcome to trio."""
        result: Any
        try:
            result = outcome.Value(self._function())
        except GreenletExit:
            raise
        except BaseException as error:  # noqa: BLE001 - whatever it is, the task that awaits it gets it
            result = outcome.Error(error)
        self._deliver(result)

    def must_stop(self) -> bool:
        """Nothing can end a thread."""
        return False


_loops: WeakKeyDictionary[World, list[Loop]] = WeakKeyDictionary()


def loops_of(world: World) -> list[Loop]:
    """Return the loops of a run, to which another thread may give work."""
    return _loops.setdefault(world, [])


def _start(real: Callable[..., Any]) -> Callable[..., Any]:
    def start_thread_soon(fn: Any, deliver: Any, name: str | None = None) -> Any:
        world = current()
        if world is None:
            return real(fn, deliver, name)
        if not findings_of(world).is_watched:
            world.cut(CodeInThread())
        return world.start(_Job(fn, deliver, name))

    return start_thread_soon


def _soon(real: Callable[..., Any]) -> Callable[..., Any]:
    def run_sync_soon(self: Any, *args: Any, **options: Any) -> None:
        world = current()
        loops = [] if world is None else [it for it in loops_of(world) if it.entry_queue is self]
        for loop in loops:
            loop.announce_another_thread()
        real(self, *args, **options)
        for loop in loops:
            loop.wake()

    return run_sync_soon


def _send(real: Callable[..., Any]) -> Callable[..., Any]:
    def send_message_to_trio(token: Any, message: Any) -> Any:
        if current() is not None:
            object.__setattr__(message, "queue", library().modules["queue"].SimpleQueue())
        return real(token, message)

    return send_message_to_trio


def replacements() -> Iterator[tuple[Any, str, Callable[[Any], Any]]]:
    """Yield what is replaced: the owner, the name, and what makes the new one from the old one."""
    yield _threads, "start_thread_soon", _start
    yield _threads, "_send_message_to_trio", _send
    yield sys.modules["trio._core._entry_queue"].EntryQueue, "run_sync_soon", _soon
