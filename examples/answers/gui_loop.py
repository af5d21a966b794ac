"""The main loop of a window, or where there is no display, a loop of the same shape: calls one function at a time."""

import time
from collections.abc import Callable
from heapq import heappop, heappush
from itertools import count
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import tkinter


class MainLoop:
    """The three methods of `tkinter.Tk` that the programs of this page use."""

    def __init__(self) -> None:
        self._calls: list[tuple[float, int, Callable[..., object], tuple[object, ...]]] = []
        self._numbers, self._quit = count(), False

    def after(self, ms: int, function: Callable[..., object], *args: object) -> None:
        heappush(self._calls, (time.monotonic() + ms / 1000, next(self._numbers), function, args))

    def mainloop(self) -> None:
        while not self._quit:
            when, _, function, args = heappop(self._calls)
            time.sleep(max(0, when - time.monotonic()))
            function(*args)  # nothing else happens until it returns

    def quit(self) -> None:
        self._quit = True


def main_loop() -> MainLoop | tkinter.Tk:
    """Open a window if that is possible here."""
    try:
        import tkinter
    except ImportError:
        return MainLoop()
    try:
        return tkinter.Tk()
    except tkinter.TclError:  # no display
        return MainLoop()


if __name__ == "__main__":
    loop = main_loop()
    print("here:", "a loop of the same shape, as there is no window" if isinstance(loop, MainLoop) else "tkinter")
    loop.after(20, print, "second")
    loop.after(10, print, "first")
    loop.after(30, loop.quit)
    loop.mainloop()
