"""The two callbacks: what is to be told of every switch and of every use of a channel. This is their one home."""

import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    type Channel = Any  # a `channel`, and a `tasklet`: what they are is written on top of this file
    type Tasklet = Any

on_schedule: Callable[[Tasklet, Tasklet], object] | None = None
on_channel: Callable[[Channel, Tasklet, int, int], object] | None = None


def set_schedule_callback(callback: Callable[[Tasklet, Tasklet], object] | None) -> Any:
    """Have `callback(previous, next)` called at every switch; return the callback it replaces."""
    global on_schedule
    _check_callback(callback)
    old, on_schedule = on_schedule, callback
    return old


def get_schedule_callback() -> Any:
    """Return what `set_schedule_callback` has set."""
    return on_schedule


def set_channel_callback(callback: Callable[[Channel, Tasklet, int, int], object] | None) -> Any:
    """Have `callback(channel, tasklet, sending, willblock)` called at every send and receive; return the old one."""
    global on_channel
    _check_callback(callback)
    old, on_channel = on_channel, callback
    return old


def get_channel_callback() -> Any:
    """Return what `set_channel_callback` has set."""
    return on_channel


def _check_callback(callback: object) -> None:
    if callback is not None and not callable(callback):
        raise TypeError("a callback must be callable, or None")


def call_back(callback: Callable[..., object], *args: Any) -> None:
    """Call it; an exception in it is shown and goes no further."""
    try:
        callback(*args)
    except Exception:  # noqa: BLE001 - a switch is half done: it can only be shown
        sys.excepthook(*sys.exc_info())
