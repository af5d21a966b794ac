"""The two callbacks: one is called at every switch of tasklets, the other at every use of a channel."""

import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    type Channel = Any  # a `channel`, and a `tasklet` below: the modules that define them import this one
    type Tasklet = Any

on_schedule: Callable[[Tasklet, Tasklet], object] | None = None
on_channel: Callable[[Channel, Tasklet, int, int], object] | None = None


def set_schedule_callback(callback: Callable[[Tasklet, Tasklet], object] | None) -> Any:
    """Call `callback(previous, next)` at every switch from now on; return the callback that it replaces."""
    global on_schedule
    _check_callback(callback)
    old, on_schedule = on_schedule, callback
    return old


def get_schedule_callback() -> Any:
    """Return the callback that `set_schedule_callback` has set."""
    return on_schedule


def set_channel_callback(callback: Callable[[Channel, Tasklet, int, int], object] | None) -> Any:
    """Call `callback(channel, tasklet, sending, willblock)` at every send and receive; return the old callback."""
    global on_channel
    _check_callback(callback)
    old, on_channel = on_channel, callback
    return old


def get_channel_callback() -> Any:
    """Return the callback that `set_channel_callback` has set."""
    return on_channel


def _check_callback(callback: object) -> None:
    if callback is not None and not callable(callback):
        raise TypeError("a callback must be callable, or None")


def call_back(callback: Callable[..., object], *args: Any) -> None:
    """Call the callback; print an exception that it raises, and go on."""
    try:
        callback(*args)
    except Exception:  # noqa: BLE001 - in the middle of a switch it can only be shown
        sys.excepthook(*sys.exc_info())
