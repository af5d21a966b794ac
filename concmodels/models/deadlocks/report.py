"""What a deadlock looks like: one line per task, read from the stacks, and only when a deadlock was found.

A task that waits has a chain of frames: the program's own call (`channel.receive()`), the model's verb below it, and
the waiting of `waiting/channel.py` or `waiting/awaited.py` below that. The verb says what the task waits for, the
program's frame where.
"""

import math
import signal
import sys
import time

from concmodels.errors import Deadlock
from concmodels.models import FOLDER
from concmodels.models.tasks.frames import of_program, place
from concmodels.models.tasks.signals import is_ours
from concmodels.models.waiting import awaited, cooperative
from concmodels.models.waiting.channel import wait

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from types import CodeType, FrameType
    from typing import Any

    from concmodels.models.waiting.channel import Waiter

_WAITS = (wait.__code__, *cooperative.WAITS, *awaited.WAITS)

DEADLOCK_AFTER = 1.0
"""Seconds in which nothing may move before it is called a deadlock, in the models that have to wait for that."""

SENTENCE = "every task waits for another one, and nobody is left who could go on"


def patience(deadlock_after: Any) -> float | None:
    """Check the argument of `run`; None means: never look. Raises `ValueError`."""
    if deadlock_after is None or deadlock_after == math.inf:
        return None
    if isinstance(deadlock_after, bool) or not isinstance(deadlock_after, (int, float)) or not deadlock_after >= 0:
        raise ValueError(f"deadlock_after is a number of seconds from 0, or None for never, not {deadlock_after!r}")
    return deadlock_after


class Stillness:
    """Tells when every task has been in the same wait for so many seconds."""

    def __init__(self, seconds: float) -> None:
        self.pause = max(seconds / 2, 0.01)  # between two looks
        self._seconds = seconds
        self._waits: Mapping[Any, object] = {}
        self._since = math.inf

    def lasts(self, waits: Mapping[Any, object]) -> bool:
        """Take note of who is in which wait now (nobody: something can move), and say whether it has lasted."""
        moment = time.monotonic()
        if waits and waits == self._waits:
            return moment - self._since >= self._seconds
        self._waits, self._since = waits, moment
        return False


def strangers(ours: Iterable[int]) -> bool:
    """Whether something outside of the run could send: a thread that it did not start, a signal handler."""
    threads = sys._current_frames().keys() - set(ours)
    return bool(threads) or any(map(_may_send, signal.valid_signals() - {signal.SIGINT}))  # that one is the model's


def _may_send(signum: signal.Signals) -> bool:
    handler = signal.getsignal(signum)
    return callable(handler) and not is_ours(handler)


def endless_wait(frames: list[FrameType], exits: tuple[CodeType, ...] = ()) -> object:
    """What a task waits for without a timeout, in a wait of the library's own that nobody has ended; None if it isn't.

    `exits` is the code of the models' own ways to wait for the end of a group.
    """
    for frame in frames:
        if frame.f_code in _WAITS:
            waiter: Waiter | None = frame.f_locals.get("waiter")  # None: it is about to wait
            return waiter if waiter and frame.f_locals.get("timeout") is None and waiter.waits() else None
        if frame.f_code in exits:
            return frame.f_locals["self"]
        if of_program(frame):
            break
    return None


def deadlock(tasks: Iterable[tuple[str, list[FrameType]]]) -> Deadlock:
    """The exception, with a line for each task (its name and its frames), main first."""
    ordered = sorted(tasks, key=lambda task: (task[0] != "main", len(task[0]), task[0]))
    return Deadlock(SENTENCE, tuple(f"{name}: {doing(frames)}" for name, frames in ordered))


def doing(frames: list[FrameType]) -> str:
    """What the task with these frames is doing, and where."""
    if any(frame.f_code.co_name == "wait_for_work" for frame in frames):
        return "waits for work"  # a pool's worker
    return _activity(frames) + place(frames)


def _activity(frames: list[FrameType]) -> str:
    """What the task is doing, told by the outermost frame of a model below the program's."""
    verb = None
    for frame in frames:
        if frame.f_code.co_filename.startswith(FOLDER):
            if frame.f_code.co_name == "_do_jobs":
                break  # of a pool's worker; what lies below is the task, or the worker's wait for the next one
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
