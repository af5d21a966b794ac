"""The checks of a pool's arguments, sync or async, and the messages that say what is wrong."""

import os
import time
from itertools import count
from operator import index

from concmodels.models.waiting.timeouts import deadline

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, NoReturn

UNOPENED = "this pool is not open: `async with` opens it"
WAITS_FOR_ITSELF = "a task can't wait for the end of the pool that it is in: use shutdown(wait=False)"
CANCELLED_AT_WORK = "the task was cancelled while it was at work"


_numbers = count(1)


def next_name() -> str:
    """Return the name of the next pool of this process, for messages."""
    return f"pool-{next(_numbers)}"


def refusal(broken: BaseException | None) -> RuntimeError:
    """Return the error that says why a pool takes nothing more: it is shut down, or its initializer raised `broken`."""
    if broken is None:
        return RuntimeError("this pool is shut down: it takes nothing more")
    return broken_by(broken, "the initializer of the pool failed, so its workers are not ready for work")


def refuse(error: RuntimeError) -> NoReturn:
    """Raise a `refusal` where the inbox was found closed.

    Its cause is that of the refusal itself, so that the `ChannelClosed` that is being handled does not show.
    """
    raise error from error.__cause__


def broken_by(cause: BaseException, message: str) -> RuntimeError:
    """Return the `BrokenExecutor` of a pool that can do nothing any more because of `cause`."""
    from concurrent.futures import BrokenExecutor

    error = BrokenExecutor(message)
    error.__cause__ = cause
    return error


def all_wait(size: int) -> str:
    """Return the message of a `Deadlock` in a pool of so many workers."""
    who = f"all {size} workers of the pool wait" if size > 1 else "the pool's only worker waits"
    return f"{who} for tasks that no worker is left to begin"


def number_of_workers(workers: Any) -> int:
    """Return the number of workers of a pool in one process. Raises `TypeError` or `ValueError`."""
    if workers is None:
        return min(32, (os.process_cpu_count() or 1) + 4)
    return at_least_one("workers", workers)


def at_least_one(name: str, number: Any) -> int:
    """Check that a number is 1 or more, and return it. Raises `TypeError` or `ValueError`."""
    try:
        whole = index(number)
    except TypeError:
        raise TypeError(f"{name} is a whole number from 1, or None, not {number!r}") from None
    if whole < 1:
        raise ValueError(f"{name} is a whole number from 1, or None, not {number!r}")
    return whole


def check_initializer(initializer: Any) -> None:
    """Check that the initializer can be called, if there is one. Raises `TypeError`."""
    if initializer is not None and not callable(initializer):
        raise TypeError(f"the initializer of a pool is a function, or None, not {initializer!r}")


def check_map(
    timeout: Any, chunksize: Any, buffersize: Any, clock: Callable[[], float] = time.monotonic
) -> float | None:
    """Check the options of `map`; return when its timeout expires, by this clock. Raises `TypeError` or `ValueError`.

    In one process a chunk would be of no use: `chunksize` is checked, and then ignored.
    """
    for name, size in (("chunksize", chunksize), ("buffersize", buffersize)):
        if size is not None:
            at_least_one(name, size)
    return deadline(timeout, clock)
