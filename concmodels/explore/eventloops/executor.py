"""Jobs of threads: `asyncio.to_thread`, `loop.run_in_executor`, and `asyncio.wrap_future`.

Each job of the default executor has a simulated thread of its own, so that no job waits for another one's end. A job
that may run code of the program is explored like any other thread. A function of Python's own that is given only
numbers and texts is one step, at a time that the schedule decides; if it turns out to call code of the program (an
unpickled object's, a handler of logging), the program is explored once more, and watched.
"""

import sys
from asyncio import events, futures, tasks, to_thread
from collections import deque
from contextvars import Context
from functools import partial
from types import BuiltinFunctionType, FunctionType, ModuleType, NoneType
from typing import TYPE_CHECKING, Any, Protocol

from greenlet import GreenletExit

from concmodels.explore.eventloops.history import PROGRAM
from concmodels.explore.threads.given import callers, given
from concmodels.explore.threads.installed import is_generated_by_others, is_of_python
from concmodels.explore.threads.program import library

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import FrameType

    from concmodels.explore.eventloops.history import History
    from concmodels.models.simulated.steps import Runner


class Loop(Protocol):
    """The event loop that a job belongs to."""

    history: History

    def create_future(self) -> Any: ...
    def is_closed(self) -> bool: ...
    def job_is_done(self, job: Job) -> None:
        """Take note of the end of a job."""

    def touch(self) -> None:
        """Note that the step under way schedules something."""

    def announce_another_thread(self) -> None:
        """Stop before the step in which another thread schedules something."""

    def is_watched(self) -> bool:
        """Return whether the code of the program is watched."""

    def must_be_watched(self) -> None:
        """End this run: what seemed to be one step ran code of the program."""

    def append(self, callback: Callable[..., object], *args: Any) -> Any:
        """Schedule a callback from another thread, in a step that was announced."""


class Job:
    """A job, as a task of the world."""

    runner: Runner
    waiter = None

    def __init__(self, loop: Loop, function: Callable[[], Any]) -> None:
        self.future = loop.create_future()
        called, args = _call(function)
        function = _seen(function)
        self.name = f"thread of {getattr(called, '__qualname__', 'a job')}"
        self.is_plain = _is_of_python(called) and _ATOMS.issuperset(map(type, args))
        self.is_pure = self.is_plain and any(called is it for it in _PURE)
        self.is_one_step = self.is_plain and not _is_simulated(called)
        self.identity = loop.history.new_identity()
        self.is_given = True
        """Whether the loop is still giving it to its thread. If it ends by then, its future is done from the start."""
        self._loop = loop
        self._function = _Looked(function) if self.is_one_step and not loop.is_watched() else function

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
        if isinstance(self._function, _Looked) and self._function.ran_code_of_the_program:
            loop.must_be_watched()
        if self.is_one_step:
            loop.touch()
        else:
            loop.announce_another_thread()
        if self.is_given:
            set_outcome(self.future, value)
        elif not loop.is_closed():
            loop.append(set_outcome, self.future, value)
        if not loop.is_closed():
            loop.job_is_done(self)
        if self.is_one_step:
            loop.history.end()

    def must_stop(self) -> bool:
        """Nothing can end a thread."""
        return False


class _Looked:
    """A function that is called once, and whether it has called code of the program: in C, nothing else tells."""

    def __init__(self, function: Callable[[], Any]) -> None:
        self._function = function
        self.ran_code_of_the_program = False

    def __call__(self) -> Any:
        before = sys.getprofile()
        sys.setprofile(self._note)
        try:
            return self._function()
        finally:
            sys.setprofile(before)

    def _note(self, frame: FrameType, event: str, _: Any) -> None:
        if event == "call" and not self.ran_code_of_the_program:
            code = frame.f_code
            self.ran_code_of_the_program = not is_of_python(code.co_filename) or is_generated_by_others(
                code, frame.f_globals
            )


def _set_exception_unless_cancelled(future: Any, error: BaseException) -> None:
    if not future.cancelled():
        future.set_exception(futures._convert_future_exc(error))  # type: ignore[attr-defined]


def _call(function: Any) -> tuple[Any, tuple[Any, ...]]:
    """Return what a job calls in the end, and with what: `to_thread` has the context of its caller call it.

    Where one of our own functions calls it, `stands_for` says what that calls.
    """
    args: tuple[Any, ...] = ()
    function = getattr(function, "stands_for", function)
    while isinstance(function, partial):
        args = (*function.args, *args, *function.keywords.values())
        function = function.func
        if args and getattr(function, "__name__", "") == "run" and isinstance(function.__self__, Context):
            function, *rest = args
            args = tuple(rest)
    return function, args


def _seen(function: Any) -> Any:
    """Return what does the same, and calls what is written in C so that it can be looked at."""
    if isinstance(function, partial) and isinstance(getattr(function.func, "__self__", None), Context):
        called, *rest = function.args
        return partial(function.func, given(called), *rest, **function.keywords)
    return given(function)


_ATOMS = frozenset({bool, bytes, complex, float, int, str, type(None)})
"""What can't be changed."""
_PURE = frozenset(
    {abs, ascii, bin, bool, bytes, chr, complex, divmod, float, hash, hex, int, len, oct, ord, pow, repr, round, str}
)
"""What reads and changes nothing if it is given atoms."""
_CONTAINERS = frozenset({list, dict, set, deque, bytearray})
_RUN_TEXTS = frozenset(
    {"bdb", "cProfile", "code", "doctest", "importlib", "pdb", "pkgutil", "profile", "runpy", "timeit", "trace"}
)
"""Modules whose functions execute code that they are given as a text, or find by a name."""


def _is_of_python(called: Any) -> bool:
    """Return whether this is a function of Python's own, or a method of one of its containers."""
    if any(called is it for it in (exec, eval, __import__)):
        return False
    if isinstance(called, FunctionType):
        if str(called.__module__).partition(".")[0] in _RUN_TEXTS:
            return False
        return is_of_python(called.__code__.co_filename) and not is_generated_by_others(
            called.__code__, called.__globals__
        )
    if isinstance(called, BuiltinFunctionType):
        return isinstance(called.__self__, (ModuleType, NoneType)) or type(called.__self__) in _CONTAINERS
    return isinstance(called, type) and called.__module__ == "builtins"


def _is_simulated(called: Any) -> bool:
    """Return whether this is a function of a simulated module: it may stop at scheduling points, as `time.sleep`."""
    return str(getattr(called, "__module__", "")).startswith("concmodels.")


callers.add(to_thread)


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
        if loop.is_closed():
            return
        if events._get_running_loop() is loop:
            copy()  # it was done before anybody could await it
        else:
            loop.call_soon_threadsafe(copy)

    future.add_done_callback(cancel)
    job.add_done_callback(is_done)
    return future
