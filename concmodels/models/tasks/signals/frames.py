"""The frames of a task, the innermost first: those of a stack, or of a suspended coroutine."""

import gc
import os
import sys
from types import SimpleNamespace

from concmodels import platform
from concmodels.facts import LIBRARIES
from concmodels.models import FOLDER, tools

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import FrameType, TracebackType
    from typing import Any


def stack(frame: FrameType | None) -> list[FrameType]:
    """Return the frames of a thread or a greenlet."""
    frames = []
    while frame is not None:
        frames.append(frame)
        frame = frame.f_back
    return frames


def raised(trace: TracebackType | None) -> list[Any]:
    """Return the frames of a stack as they were when an exception was raised there."""
    frames: list[Any] = []
    while trace is not None:
        frame = trace.tb_frame
        then = SimpleNamespace(f_code=frame.f_code, f_globals=frame.f_globals, f_locals={}, f_lineno=trace.tb_lineno)
        frames.insert(0, then)
        trace = trace.tb_next
    return frames


def awaits(coroutine: Any) -> list[FrameType]:
    """Return the frames of a coroutine, as far as it can be followed (an async generator hides what it awaits)."""
    frames: list[FrameType] = []
    while frame := getattr(coroutine, "cr_frame", None) or getattr(coroutine, "gi_frame", None):
        frames.insert(0, frame)
        coroutine = _inside(getattr(coroutine, "cr_await", None) or getattr(coroutine, "gi_yieldfrom", None))
    return frames


def _inside(awaited: Any) -> Any:
    """Return what is awaited; if an `__await__` has handed out a coroutine, that coroutine, which it hides."""
    return gc.get_referents(awaited)[0] if type(awaited).__name__ == "coroutine_wrapper" else awaited


def place(frames: list[FrameType]) -> str:
    """Return where in the program this is, as ` at file:line`; an empty string if no frame is the program's."""
    found = line_of_program(frames)
    return "" if found is None else f" at {short(found[0])}:{found[1]}"


def line_of_program(frames: list[Any]) -> tuple[str, int] | None:
    """Return the file and the line of the first frame that is the program's; None if there is none."""
    for frame in frames:
        if of_program(frame):
            return frame.f_code.co_filename, frame.f_lineno
    return None


def of_program(frame: FrameType) -> bool:
    """Return whether this frame is the program's own: not a model's, the standard library's or a model's library's."""
    name = str(frame.f_globals.get("__name__", ""))
    if frame.f_code.co_filename.startswith((FOLDER, platform.FOLDER)) or name.startswith(tuple(tools)):
        return False
    root = name.partition(".")[0]
    return root not in sys.stdlib_module_names and root not in LIBRARIES


def short(path: str) -> str:
    """Return the path of a file as it is shown: relative to the working directory, if that is shorter."""
    try:
        relative = os.path.relpath(path)
    except OSError, ValueError:  # the working directory is gone, or on another drive
        return path
    return min(path, relative, key=len)
