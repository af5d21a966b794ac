"""A run inside another one, in one thread: the error that refuses it, and the loops that are in its way.

A run may be started inside a run of another model: it stops the outer one's tasks while it lasts, as any blocking call
would. A run is refused only if it needs the same thing, such as a second loop of asyncio in the thread.
"""

import signal
from _thread import _local

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Self

_here = _local()


def refusal(model: str, running: str, instead: str = "call the function directly") -> RuntimeError:
    """Return the error that the `run` of a model raises inside a run of the model `running`."""
    return RuntimeError(f"{model}.run was called inside a run of {running}: {instead}")


class Loop:
    """Notes, during its `with`, that this model runs the thread's event loop of this library."""

    def __init__(self, model: str, library: str, *, needs_wakeup_fd: bool = False) -> None:
        self.model = model
        self.library = library
        self._needs_wakeup_fd = needs_wakeup_fd
        self._wakeup = -1

    def __enter__(self) -> Self:
        vars(_here).setdefault("loops", []).append(self)
        if self._needs_wakeup_fd:
            self._wakeup = _take_wakeup_fd()
        return self

    def __exit__(self, *_: object) -> None:
        _here.loops.remove(self)
        if self._wakeup != -1:
            signal.set_wakeup_fd(self._wakeup, warn_on_full_buffer=False)


def _take_wakeup_fd() -> int:
    """Unset and return the descriptor that signals are written to, such as that of processes; -1 if there is none.

    trio's loop warns if there is one. While it runs, signals go to its own descriptor, which the thread waits for.
    """
    try:
        return signal.set_wakeup_fd(-1)
    except ValueError:
        return -1  # not the main thread, or not the main interpreter: the loop leaves it alone too


def refusal_in_loop(model: str, library: str) -> RuntimeError:
    """Return the error that a model's `run` raises if any loop of this library, a model's or not, runs here."""
    loops: list[Loop] = [loop for loop in getattr(_here, "loops", ()) if loop.library == library]
    if loops:
        return refusal(model, loops[-1].model, "await the function instead")
    return refusal(model, f"{library} itself", "await the function instead; a notebook's cell says `await main(model)`")
