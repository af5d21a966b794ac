"""An explored program may start no process."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache

_STARTS = {"os.fork", "os.forkpty", "os.exec", "os.posix_spawn", "os.spawn", "os.system", "subprocess.Popen"}

_explored: list[None] = []


@contextmanager
def no_new_process() -> Iterator[None]:
    """During this `with`, starting a process raises `RuntimeError`.

    The copy of an explored program would explore on by itself, in simulated time, and start copies of its own.
    """
    _have_hook()
    _explored.append(None)
    try:
        yield
    finally:
        _explored.pop()


@cache
def _have_hook() -> None:
    sys.addaudithook(_refuse)  # there is no way to remove it


def _refuse(event: str, arguments: tuple[object, ...]) -> None:
    if _explored and event in _STARTS:
        raise RuntimeError(f"a program may start no process while it is explored ({event})")
