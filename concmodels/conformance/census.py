"""Checks that a run leaves nothing behind: it counts everything before and after, as far as the system shows it."""

import os
import signal
import tempfile
import threading
import time
from types import TracebackType

from concmodels.models.memory.leftovers import owner
from concmodels.models.tasks.signals import ENDING

PATIENCE = 2
"""Seconds that things may take to end, such as the stack of a raw thread. The garbage collector is not called: garbage
that only it would find has been left behind."""

SEMAPHORES = f"/mp.{os.getpid()}"
"""The prefix of the named semaphores of this process; see `know_own_semaphores`."""


def know_own_semaphores() -> None:
    """Let `multiprocessing` name its semaphores so that they can be told from those of other programs."""
    from multiprocessing import current_process

    current_process()._config["semprefix"] = SEMAPHORES  # type: ignore[attr-defined]


def _listed(folder: str) -> list[str]:
    """Return the names in a folder; an empty list if the system has no such folder."""
    return os.listdir(folder) if os.path.isdir(folder) else []


def descendants() -> set[str]:
    """Return the descendants of this process, zombies included."""
    children: dict[int, list[tuple[int, str]]] = {}
    for entry in _listed("/proc"):
        if entry.isdigit():
            try:
                with open(f"/proc/{entry}/stat") as file:
                    text = file.read()
            except OSError:
                continue  # it has ended meanwhile
            parent = text.rpartition(")")[2].split()[1]
            name = text.partition("(")[2].rpartition(")")[0]
            children.setdefault(int(parent), []).append((int(entry), f"process {entry} ({name})"))
    found: set[str] = set()
    queue = [os.getpid()]
    while queue:
        for child, label in children.get(queue.pop(), ()):
            found.add(label)
            queue.append(child)
    return found


def descriptors() -> set[str]:
    """Return the open file descriptors, and what they refer to."""
    found: set[str] = set()
    for entry in _listed("/proc/self/fd"):
        try:
            found.add(f"descriptor {entry} ({os.readlink(f'/proc/self/fd/{entry}')})")
        except OSError:
            pass  # the descriptor of the listing itself
    return found


def interpreters() -> set[str]:
    """Return the subinterpreters."""
    try:
        from concurrent.interpreters import list_all
    except ImportError:
        return set()
    return {f"interpreter {interpreter.id}" for interpreter in list_all()}


def shared_memory() -> set[str]:
    """Return the named shared memory, without the semaphores of other programs."""
    own, other = (f"sem.{SEMAPHORES[1:]}", f"sem.concmodels-{owner()}"), "sem."
    return {
        f"/dev/shm/{entry}" for entry in _listed("/dev/shm") if entry.startswith(own) or not entry.startswith(other)
    }


def threads() -> set[str]:
    """Return the native threads; on Linux also those that `threading` doesn't know."""
    if os.path.isdir("/proc/self/task"):
        return {f"thread {entry}" for entry in os.listdir("/proc/self/task")}
    return {f"thread {it.native_id}" for it in threading.enumerate()}


def temporary_files() -> set[str]:
    """Return the files in this program's folder for temporary files."""
    return {os.path.join(tempfile.gettempdir(), entry) for entry in os.listdir(tempfile.gettempdir())}


def take() -> set[str]:
    """Return everything that is there now."""
    found = {f"{signum.name} handler {signal.getsignal(signum)}" for signum in ENDING}
    for count in (descriptors, threads, descendants, interpreters, shared_memory, temporary_files):
        found |= count()
    return found


class NothingLeft:
    """`with NothingLeft():` fails if its block leaves something behind."""

    def __enter__(self) -> None:
        self.before = take()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if error is None:
            left = self.left()
            assert not left, f"left behind: {', '.join(sorted(left))}"

    def left(self) -> set[str]:
        """Return what is there and was not there before the block; wait for what is about to end."""
        end = time.monotonic() + PATIENCE
        while (left := take() - self.before) and time.monotonic() < end:
            time.sleep(0.01)
        return left
