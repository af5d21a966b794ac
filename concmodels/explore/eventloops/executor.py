"""Jobs of threads: `asyncio.to_thread`, `loop.run_in_executor`, and `asyncio.wrap_future`.

Each job of the default executor has a simulated thread of its own, so that no job waits for another one's end. A job
that runs code of the program is explored like any other thread. Any other is one step, at a time that the schedule
decides.
"""

import builtins
from asyncio import events, futures, tasks
from functools import partial
from types import FunctionType, MethodType
from typing import TYPE_CHECKING, Any, Protocol

from greenlet import GreenletExit

from concmodels.explore.eventloops.history import PROGRAM
from concmodels.explore.threads.installed import is_of_python
from concmodels.explore.threads.program import library

if TYPE_CHECKING:
    from collections.abc import Callable

    from concmodels.explore.eventloops.history import History
    from concmodels.models.simulated.steps import Runner


class Loop(Protocol):
    """The event loop that a job belongs to."""

    history: History
    jobs: set[Job]

    def create_future(self) -> Any: ...
    def is_closed(self) -> bool: ...
    def touch(self) -> None:
        """Note that the step under way schedules something."""

    def announce_another_thread(self) -> None:
        """Stop before the step in which another thread schedules something."""

    def append(self, callback: Callable[..., object], *args: Any) -> Any:
        """Schedule a callback from another thread, in a step that was announced."""


class Job:
    """A job, as a task of the world."""

    runner: Runner
    waiter = None

    def __init__(self, loop: Loop, function: Callable[[], Any]) -> None:
        self.future = loop.create_future()
        called = _called(function)
        self.name = f"thread of {getattr(called, '__qualname__', 'a job')}"
        self.is_pure = _is_pure(function)
        self.is_of_program = _is_of_program(called)
        self.is_one_step = not (self.is_of_program or _is_simulated(called))
        self.identity = loop.history.new_identity()
        self._loop = loop
        self._function = function

    def run(self) -> None:
        """Do the job, and hand the result to the loop."""
        loop = self._loop
        if self.is_one_step:
            loop.history.begin(self.identity, *(() if self.is_pure else (PROGRAM,)))
        try:
            outcome = futures._set_result_unless_cancelled, self._function()  # type: ignore[attr-defined]
        except GreenletExit:
            raise
        except BaseException as error:  # noqa: BLE001 - whatever it is, the task that awaits it gets it
            outcome = _set_exception_unless_cancelled, error
        set_outcome, value = outcome
        if self.is_one_step:
            loop.touch()
        else:
            loop.announce_another_thread()
        if not loop.is_closed():
            loop.append(set_outcome, self.future, value)
        loop.jobs.discard(self)
        if self.is_one_step:
            loop.history.end()

    def must_stop(self) -> bool:
        """Nothing can end a thread."""
        return False


def _set_exception_unless_cancelled(future: Any, error: BaseException) -> None:
    if not future.cancelled():
        future.set_exception(futures._convert_future_exc(error))  # type: ignore[attr-defined]


def _called(function: Any) -> Any:
    """Return what a job calls in the end: `to_thread` has the context of its caller call it."""
    while isinstance(function, partial):
        runs_in_context = getattr(function.func, "__name__", "") == "run" and function.args
        function = function.args[0] if runs_in_context else function.func
    return function


_ATOMS = frozenset({bool, bytes, complex, float, int, str, type(None)})


def _is_pure(function: Any) -> bool:
    """Return whether this is a built-in function or type that is given nothing but numbers and texts."""
    args: tuple[Any, ...] = ()
    while isinstance(function, partial):
        args = (*function.args, *args, *function.keywords.values())
        function = function.func
    if getattr(function, "__name__", "") == "run" and args:
        function, *rest = args
        return _is_pure(partial(function, *rest))
    owner = getattr(function, "__self__", builtins)
    return (
        getattr(function, "__module__", "") == "builtins"
        and owner is builtins
        and function not in (open, print, input, exec, eval, __import__)
        and _ATOMS.issuperset(map(type, args))
    )


def _is_simulated(called: Any) -> bool:
    """Return whether this is a function of a simulated module: it may stop at scheduling points, as `time.sleep`."""
    return str(getattr(called, "__module__", "")).startswith("concmodels.")


def _is_of_program(called: Any) -> bool:
    """Return whether this may be, or may call, code of the program."""
    if isinstance(called, MethodType):
        called = called.__func__
    if isinstance(called, FunctionType):
        return not is_of_python(called.__code__.co_filename)
    kind = called if isinstance(called, type) else type(called)
    return kind.__module__ not in ("builtins", "functools")


def run_coroutine_threadsafe(coroutine: Any, loop: Any) -> Any:
    """As `asyncio.run_coroutine_threadsafe`; the future is one of simulated threads."""
    job = library().modules["concurrent.futures"].Future()

    def begin() -> None:
        task = tasks.ensure_future(coroutine, loop=loop)
        task.add_done_callback(partial(futures._set_concurrent_future_state, job))  # type: ignore[attr-defined]
        job.add_done_callback(lambda _: job.cancelled() and loop.call_soon_threadsafe(task.cancel))

    loop.call_soon_threadsafe(begin)
    return job


def awaitable(job: Any, loop: Any = None) -> Any:
    """As `asyncio.wrap_future`, of a future that belongs to a simulated thread."""
    loop = loop or events.get_running_loop()
    future = loop.create_future()

    def cancel(_: Any) -> None:
        if future.cancelled():
            job.cancel()

    def copy() -> None:
        if not future.done():
            futures._copy_future_state(job, future)  # type: ignore[attr-defined]

    def is_done(_: Any) -> None:
        if not loop.is_closed():
            loop.call_soon_threadsafe(copy)

    future.add_done_callback(cancel)
    job.add_done_callback(is_done)
    return future
