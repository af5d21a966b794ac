"""Gives explored programs simulated event loops in place of the real ones.

While a search is made, `asyncio.new_event_loop`, which `asyncio.run` and `anyio.run` call, makes a loop of the run if
it is called in one, and what asyncio and Python would log is noted. Where no run is, all is as it was.
"""

import sys
import warnings
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from threading import get_ident
from typing import Any

from concmodels.explore.eventloops.refused import refuse
from concmodels.models.simulated.world import current


@contextmanager
def event_loops_replaced() -> Iterator[None]:
    """During this `with`, give explored programs simulated event loops, of the libraries that were imported before."""
    with ExitStack() as stack:
        if sys.modules.get("asyncio"):
            for context in _of_asyncio():
                stack.enter_context(context)
            stack.enter_context(_origins_kept())
        if sys.modules.get("anyio"):
            from concmodels.explore.eventloops.anyio_ import anyio_replaced

            stack.enter_context(anyio_replaced())
        if sys.modules.get("trio"):
            from concmodels.explore.eventloops.trio_ import trio_replaced

            stack.enter_context(trio_replaced())
        yield


def _of_asyncio() -> Iterator[Any]:
    import asyncio
    from asyncio import events, futures, runners, selector_events, streams, tasks

    from concmodels.explore.eventloops import executor
    from concmodels.explore.eventloops.interrupts import Signals
    from concmodels.explore.eventloops.numbered import in_drawn_order

    for module in (asyncio, events):
        yield _replaced(module, "new_event_loop", _new_event_loop)
    for name in ("EventLoop", "SelectorEventLoop"):
        yield _replaced(asyncio, name, _event_loop)
    yield _replaced(runners, "signal", lambda _: Signals())
    yield _replaced(tasks, "_GatheringFuture", _gathering)
    yield _replaced(tasks, "set", lambda _: in_drawn_order)
    for module in (asyncio, tasks):
        yield _replaced(module, "run_coroutine_threadsafe", _in_a_run(executor.run_coroutine_threadsafe))
    for module in (asyncio, futures):
        yield _replaced(module, "wrap_future", _wrap_future)
    yield _replaced(selector_events.BaseSelectorEventLoop, "__init__", _refusing)
    yield _replaced(streams.StreamWriter, "__del__", lambda _: _nothing)
    yield _replaced(warnings, "_warn_unawaited_coroutine", _warn_unawaited)


@contextmanager
def _replaced(owner: Any, name: str, by: Callable[[Any], Any]) -> Iterator[None]:
    """Replace an attribute by what this makes of it; a builtin function, which is none, only in this module."""
    real = vars(owner).get(name, _MISSING)
    setattr(owner, name, by(getattr(owner, name, None)))
    try:
        yield
    finally:
        if real is _MISSING:
            delattr(owner, name)
        else:
            setattr(owner, name, real)


_MISSING = object()


def _new_event_loop(real: Callable[[], Any]) -> Callable[[], Any]:
    def new_event_loop() -> Any:
        """As `asyncio.new_event_loop`."""
        world = current()
        if world is None:
            return real()
        from concmodels.explore.eventloops.loop import SimulatedLoop

        return SimulatedLoop(world)

    return new_event_loop


def _event_loop(real: Any) -> Any:
    """Return a class of event loops, for a program that names it as its `loop_factory`."""

    class EventLoop(real):  # type: ignore[misc]
        def __new__(cls, *_: Any, **__: Any) -> Any:
            world = current()
            if world is None or cls is not EventLoop:
                return super().__new__(cls)
            from concmodels.explore.eventloops.loop import SimulatedLoop

            return SimulatedLoop(world)

    return EventLoop


def _in_a_run(instead: Callable[..., Any]) -> Callable[[Any], Callable[..., Any]]:
    """Return what makes, of a function, one that is another in a run."""

    def make(real: Callable[..., Any]) -> Callable[..., Any]:
        def function(*args: Any, **options: Any) -> Any:
            return (real if current() is None else instead)(*args, **options)

        return function

    return make


def _wrap_future(real: Callable[..., Any]) -> Callable[..., Any]:
    from concmodels.explore.eventloops.executor import awaitable
    from concmodels.explore.threads.program import library

    def wrap_future(future: Any, *, loop: Any = None) -> Any:
        """As `asyncio.wrap_future`."""
        is_simulated = isinstance(future, library().modules["concurrent.futures"].Future)
        return awaitable(future, loop) if is_simulated else real(future, loop=loop)

    return wrap_future


def _gathering(real: Callable[..., Any]) -> Callable[..., Any]:
    from concmodels.explore.eventloops.futures import Gathering

    def gathering(children: Any, *, loop: Any) -> Any:
        history = getattr(loop, "history", None)
        if history is None or history.followed is None:
            return real(children, loop=loop)
        return Gathering(children, history=history, loop=loop)

    return gathering


def _refusing(real: Callable[..., None]) -> Callable[..., None]:
    def __init__(self: Any, *args: Any, **options: Any) -> None:
        self._closed = True  # its finalizer looks
        refuse(f"makes an event loop of its own, a {type(self).__name__}", "run it by asyncio.run without loop_factory")
        real(self, *args, **options)

    return __init__


def _nothing(_: Any) -> None:
    """Be called when a writer is freed: as a rule, of a run that was cut before it was closed."""


def _warn_unawaited(real: Callable[[Any], None]) -> Callable[[Any], None]:
    from concmodels.explore.eventloops.findings import findings_of

    thread = get_ident()

    def warn(coroutine: Any) -> None:
        world = current()
        if world is not None and not world.dying:
            findings_of(world).unawaited(coroutine)
        elif get_ident() != thread:  # between two runs, what is freed is of a run that was cut
            real(coroutine)

    return warn


@contextmanager
def _origins_kept() -> Iterator[None]:
    """Have coroutines know where they were made."""
    depth = sys.get_coroutine_origin_tracking_depth()
    sys.set_coroutine_origin_tracking_depth(1)
    try:
        yield
    finally:
        sys.set_coroutine_origin_tracking_depth(depth)
