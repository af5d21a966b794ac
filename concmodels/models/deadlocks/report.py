"""Describes a deadlock: one line per task, which says what the task waits for and where.

*What* is noted by the wait itself: a waiter has a `purpose`, and a task that waits has its waiter noted on it
(`native_waits` in `waiting/waiter.py` says where). *Where* is read from the task's frames, and only when a deadlock was
found.
"""

import math
import signal
import sys
import time
from _thread import get_ident

from concmodels.errors import Deadlock
from concmodels.models import FOLDER
from concmodels.models.tasks.signals.frames import of_program, place
from concmodels.models.tasks.signals.handlers import is_ours

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from types import FrameType
    from typing import Any

    from concmodels.models.waiting.waiter import Wait

DEADLOCK_AFTER = 1.0
"""The seconds without any progress that are called a deadlock, in the models that have to wait for that."""

SENTENCE = "all tasks are waiting, and none can continue"


def patience(deadlock_after: Any) -> float | None:
    """Check `run`'s argument, and return the seconds; None means never to look for deadlocks. Raises `ValueError`."""
    if deadlock_after is None or deadlock_after == math.inf:
        return None
    if isinstance(deadlock_after, bool) or not isinstance(deadlock_after, (int, float)) or not deadlock_after >= 0:
        raise ValueError(f"deadlock_after is a number of seconds from 0, or None for never, not {deadlock_after!r}")
    return deadlock_after


class NoProgress:
    """Tells when every task has been in the same wait for so many seconds."""

    def __init__(self, seconds: float) -> None:
        self.pause = max(seconds / 2, 0.01)  # between two looks
        self._seconds = seconds
        self._waits: Mapping[Any, object] = {}
        self._since = math.inf

    def lasts(self, waits: Mapping[Any, object]) -> bool:
        """Note each task's current wait (no waits: something can move), and return whether all of them have lasted."""
        moment = time.monotonic()
        if waits and waits == self._waits:
            return moment - self._since >= self._seconds
        self._waits, self._since = waits, moment
        return False


def outside_helper(ours: Iterable[int]) -> str:
    """Return, in words, what outside of the run could send; an empty string if nothing could."""
    if sys._current_frames().keys() - set(ours):
        return "a thread that the run did not start"
    if any(map(_may_send, signal.valid_signals() - {signal.SIGINT})):  # that one is the model's
        return "a signal handler"
    return ""


def _may_send(signum: signal.Signals) -> bool:
    handler = signal.getsignal(signum)
    return callable(handler) and not is_ours(handler)


def endless_waits[T](tasks: Iterable[T], wait_of: Callable[[T], Wait | None]) -> dict[T, Wait]:
    """Return each task's wait; an empty dict if one can go on, or if something outside of the run could send.

    All tasks belong to the calling thread. `wait_of` returns what a task waits for without a timeout, None if it can
    go on.
    """
    found = {}
    for task in tasks:
        wait = wait_of(task)
        if wait is None:
            return {}
        found[task] = wait
    return {} if outside_helper({get_ident()}) else found


def deadlock(tasks: Iterable[tuple[str, Wait | None, list[FrameType]]]) -> Deadlock:
    """Return the exception, with a line for each task (its name, its wait and its frames), main first."""
    ordered = sorted(tasks, key=lambda task: (task[0] != "main", len(task[0]), task[0]))
    return Deadlock(SENTENCE, tuple(f"{name}: {_activity(wait)}{place(frames)}" for name, wait, frames in ordered))


def _activity(wait: Any) -> str:
    """Say what a task waits for; a task that is in no wait of this library just "waits"."""
    return "waits" if wait is None or wait.purpose is None else str(wait.purpose.describe_wait(wait))


# Across a memory boundary no task can see another one's waits: each task itself says what it does, by its own frames.


def doing(frames: list[FrameType]) -> str:
    """Say what the task with these frames is doing, and where."""
    if any(frame.f_code.co_name == "wait_for_work" for frame in frames):
        return "waits for work"  # a pool's worker
    return _verb_in(frames) + place(frames)


def _verb_in(frames: list[FrameType]) -> str:
    """Say what the task is doing, by the frame of a model that the program's innermost frame has called."""
    verb = None
    for frame in frames:
        if frame.f_code.co_filename.startswith(FOLDER):
            verb = frame
        elif of_program(frame):
            break
    return "waits" if verb is None else _verb(verb.f_code.co_name, verb.f_locals)


def _verb(name: str, names: Mapping[str, Any]) -> str:
    if "cases" in names:
        return "select of " + ", ".join(map(_case, names["cases"]))
    if name in ("__exit__", "__aexit__"):
        return "waits for the end of its group"
    if name == "_take":
        return "waits for the next result of a map"
    if name == "shutdown":
        return "waits for the end of its pool"
    if name == "result":
        return f"waits for the result of {names['self'].name}"
    if name == "send":
        return f"send on {_channel(names['self'])}"
    if name in ("receive", "__iter__", "__anext__"):
        return f"receive on {_channel(names['self'])}"
    return "waits"


def _case(case: Any) -> str:
    return f"send on {_channel(case[0])}" if isinstance(case, tuple) else f"receive on {_channel(case)}"


def _channel(channel: Any) -> str:
    return f"channel {channel.name!r}" if channel.name else "a channel without a name"
