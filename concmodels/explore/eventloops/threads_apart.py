"""Keeps apart what event loops keep for each thread, as the running task: simulated threads share a real one."""

import sys
from asyncio import events, tasks
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from weakref import WeakKeyDictionary

import greenlet

_LOCALS = (
    ("trio._core._run", "GLOBAL_RUN_CONTEXT"),
    ("trio._threads", "PARENT_TASK_DATA"),
    ("anyio._core._eventloop", "threadlocals"),
    ("sniffio._impl", "thread_local"),
)
"""Where libraries keep it, in objects of `threading.local`."""

_swap_current_task: Any = tasks._swap_current_task  # type: ignore[attr-defined]


@contextmanager
def threads_apart() -> Iterator[None]:
    """During this `with`, exchange the running loop and task whenever another simulated thread goes on."""
    kept: WeakKeyDictionary[Any, tuple[Any, Any]] = WeakKeyDictionary()
    locals_ = [getattr(sys.modules[module], name) for module, name in _LOCALS if module in sys.modules]
    kept_locals: WeakKeyDictionary[Any, list[dict[str, Any]]] = WeakKeyDictionary()

    def switched(_: str, between: tuple[Any, Any]) -> None:
        origin, target = between
        loop = events._get_running_loop()
        if loop is not None:
            kept[origin] = loop, _swap_current_task(loop, None)
            events._set_running_loop(None)
        loop, task = kept.pop(target, (None, None))
        if loop is not None:
            events._set_running_loop(loop)
            if task is not None:
                _swap_current_task(loop, task)
        if locals_:
            kept_locals[origin] = [dict(vars(it)) for it in locals_]
            for it, values in zip(locals_, kept_locals.pop(target, [{}] * len(locals_)), strict=True):
                vars(it).clear()
                vars(it).update(values)

    before: Any = greenlet.settrace(switched)
    try:
        yield
    finally:
        greenlet.settrace(before)
