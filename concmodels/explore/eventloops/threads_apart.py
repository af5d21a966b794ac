"""Keeps apart what asyncio keeps for each thread, its running loop and task: simulated threads share a real one."""

from asyncio import events, tasks
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from weakref import WeakKeyDictionary

import greenlet

_swap_current_task: Any = tasks._swap_current_task  # type: ignore[attr-defined]


@contextmanager
def threads_apart() -> Iterator[None]:
    """During this `with`, exchange the running loop and task whenever another simulated thread goes on."""
    kept: WeakKeyDictionary[Any, tuple[Any, Any]] = WeakKeyDictionary()

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

    before: Any = greenlet.settrace(switched)
    try:
        yield
    finally:
        greenlet.settrace(before)
