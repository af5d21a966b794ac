"""Checks that a run leaves nothing behind: it counts everything before and after, as far as the system shows it."""

import os
import signal
import tempfile
import time
from types import TracebackType

from concmodels.models.memory.lives.leftovers import owner
from concmodels.models.tasks.signals.handlers import ENDING
from concmodels.platform import measuring, memory

PATIENCE, AT_MOST = 2, 10
"""Seconds that things may take to end, such as the stack of a raw thread: those in which nothing waited for a
processor, and all. The garbage collector is not called: garbage that only it would find has been left behind."""

SEMAPHORES = f"/mp.{os.getpid()}"
"""The prefix of the named semaphores of this process; see `know_own_semaphores`."""


def know_own_semaphores() -> None:
    """Let `multiprocessing` name its semaphores so that they can be told from those of other programs."""
    from multiprocessing import current_process

    current_process()._config["semprefix"] = SEMAPHORES  # type: ignore[attr-defined]


def _listed(folder: str) -> list[str]:
    """Return the names in a folder; an empty list if the system has no such folder."""
    return os.listdir(folder) if os.path.isdir(folder) else []


def descendants(numbers: set[int]) -> set[str]:
    """Return those of these processes that descend from this one, by number and name."""
    known: dict[int, tuple[int, str]] = {}
    found = set()
    for number in numbers:
        ancestor = number
        while ancestor not in (os.getpid(), 0):
            if ancestor not in known:
                known[ancestor] = measuring.parent_and_name(ancestor) or (0, "")
            ancestor = known[ancestor][0]
        if ancestor == os.getpid() != number:
            found.add(f"process {number} ({known[number][1]})")
    return found


def descriptors() -> set[str]:
    """Return the open file descriptors, and what they refer to."""
    return {f"descriptor {fd} ({what})" for fd, what in (measuring.open_descriptors() or {}).items()}


def interpreters() -> set[str]:
    """Return the subinterpreters."""
    try:
        from concurrent.interpreters import list_all
    except ImportError:
        return set()
    return {f"interpreter {interpreter.id}" for interpreter in list_all()}


def shared_memory() -> set[str]:
    """Return the named shared memory whose name says that it is of this process: semaphores, and arrays.

    Other programs of the machine, a database say, have theirs in the same folder, and it comes and goes with them.
    """
    own = (f"sem.{SEMAPHORES[1:]}", f"sem.concmodels-{owner()}", f"pym-{os.getpid()}-")
    folder = memory.SEMAPHORES
    names = [] if folder is None else _listed(folder)
    return {f"{folder}/{name}" for name in names if name.startswith(own)}


def threads() -> set[str]:
    """Return the native threads; on Linux also those that `threading` doesn't know."""
    return {f"thread {number}" for number in measuring.threads() or ()}


def temporary_files() -> set[str]:
    """Return the files in this program's folder for temporary files, in which there may be thousands."""
    folder = tempfile.gettempdir()
    return {f"{folder}{os.sep}{name}" for name in os.listdir(folder)}


def take() -> set[str]:
    """Return everything but processes that is there now."""
    found = {f"{signum.name} handler {signal.getsignal(signum)}" for signum in ENDING}
    for count in (descriptors, threads, interpreters, shared_memory, temporary_files):
        found |= count()
    return found


class NothingLeft:
    """`with NothingLeft():` fails if its block leaves something behind."""

    def __enter__(self) -> None:
        self.before, self.processes = take(), measuring.processes()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if error is None:
            left = self.left()
            assert not left, f"left behind: {', '.join(sorted(left))}"

    def left(self) -> set[str]:
        """Return what is there and was not there before the block; wait for what is about to end.

        Only processes that are new are asked for their parents: there may be hundreds of others.
        """
        begin, held_up, pause = time.monotonic(), measuring.held_up(), 0.002
        while left := self._new():
            passed = time.monotonic() - begin
            if passed > AT_MOST or passed - (measuring.held_up() - held_up) > PATIENCE:
                break
            time.sleep(pause)
            pause = min(pause * 1.5, 0.05)  # what takes long to end is not looked at all the time
        return left

    def _new(self) -> set[str]:
        return take() - self.before | descendants(measuring.processes() - self.processes)
