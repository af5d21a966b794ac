"""Names in the file system that a run needs while it lasts, and what removes them when it could not do so itself.

A run of a memory boundary model has 129 semaphores, which are files on Linux; and a process that starts others
through multiprocessing's forkserver has a folder for that one's socket. Each name says which process it belongs to, so
that the leftovers of a dead one can be told from what is in use:

    /dev/shm/sem.concmodels-OWNER-RANDOM-NUMBER        OWNER is WORLD-PID-START:
    $TMPDIR/pymp-OWNER                                 the namespaces, the process in them, and when it was started
    $TMPDIR/concmodels-dask-OWNER-RANDOM               (the folder of an embedded cluster)

Other systems don't list semaphores, and macOS has no names of more than 30 characters for them. There a run has an
empty file beside them whose name says what they are called and how many there are:

    /concmodels-RANDOM-NUMBER                          the semaphores
    $TMPDIR/concmodels-locks-OWNER-RANDOM-COUNT        START is when the run began

There are four ways in which they are removed, and one is enough:

1. the run, when it ends; SIGTERM and SIGHUP end it in order;
2. multiprocessing's resource tracker, which knows the semaphores, removes them when the process is killed;
3. the forkserver, which outlives the process, removes the folder: `forkserver_exit.py`;
4. the next run removes what is left of processes that are dead; of a process's runs, the first removes folders.
"""

import os
import re
import tempfile
from contextlib import suppress
from functools import cache
from shutil import rmtree

from concmodels.models.tasks.signals.handlers import held_back
from concmodels.platform import measuring, memory

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import Any

_SEMAPHORE = re.compile(r"(?:sem\.)?concmodels-([0-9a-f]{6})-(\d+)-(\d+)-[0-9a-f]+-\d+")
_FOLDER = re.compile(r"(?:pymp|concmodels-dask)-([0-9a-f]{6})-(\d+)-(\d+)(?:-\w+)?")
_NOTE = re.compile(r"concmodels-locks-([0-9a-f]{6})-(\d+)-(\d+)-([0-9a-f]+)-(\d+)")
_SOCKET_PATH = measuring.SOCKET_PATH - len("/sock-0123456789ab")  # how long the path of the folder may be


# Who owns a name.


def owner() -> str:
    """Return this process as it is written in a name."""
    try:
        return f"{measuring.world()}-{os.getpid()}-{measuring.born()}"
    except OSError:  # that can't be told here: the names will never be taken for leftovers
        return f"000000-{os.getpid()}-0"


def is_dead(world: str, pid: int, start: int) -> bool:
    """Return whether the process that this name belongs to has ended; False in doubt."""
    try:
        return world == measuring.world() and measuring.has_ended(pid, start)
    except OSError, OverflowError:
        return False


# Semaphores.


def make_semaphores(count: int) -> tuple[str, Callable[[], object]]:
    """Make so many semaphores, each free; return what their names begin with, and a function that removes them all.

    The rest of each name is a number from 0 on. They are removed when the process ends, at the latest.
    """
    if not memory.NAMES_STAY:
        return _make_vanishing(count)
    from multiprocessing import resource_tracker, util

    sweep(again=False)
    with held_back():  # the tracker must outlive the signals that end this process, and ignores only two of three
        resource_tracker.ensure_running()
    its = f"{owner()}-{os.urandom(4).hex()}"
    prefix = _prefix(its)
    names = [f"{prefix}{number}" for number in range(count)]
    made: list[str] = []
    note = os.path.join(tempfile.gettempdir(), f"concmodels-locks-{its}-{count}")
    remove = util.Finalize(None, _remove_semaphores, (made, note), exitpriority=0)
    try:
        if memory.SEMAPHORES is None:
            os.close(os.open(note, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
        for name in names:
            resource_tracker.register(name, "semaphore")
            made.append(name)
            memory.make_semaphore(name)
    except BaseException:
        remove()
        raise
    return prefix, remove


def _make_vanishing(count: int) -> tuple[str, Callable[[], object]]:
    """Do the same where the system itself removes them when the process ends."""
    prefix = f"/concmodels-{os.getpid()}-{os.urandom(4).hex()}-"
    names = [f"{prefix}{number}" for number in range(count)]

    def remove() -> None:
        for name in names:
            with suppress(FileNotFoundError):
                memory.remove_semaphore(name)

    for name in names:
        memory.make_semaphore(name)
    return prefix, remove


def _prefix(its: str) -> str:
    """Return what the names of a run's semaphores begin with: where they can't be listed, only with RANDOM."""
    return f"/concmodels-{its if memory.SEMAPHORES is not None else its.rpartition('-')[2]}-"


def _remove_semaphores(names: list[str], note: str) -> None:
    from multiprocessing.resource_tracker import _resource_tracker, unregister

    tracker: Any = _resource_tracker
    for name in reversed(names):
        with suppress(FileNotFoundError):
            memory.remove_semaphore(name)
    if memory.SEMAPHORES is None:
        with suppress(OSError):
            os.unlink(note)
    # The program may have started the tracker itself, where SIGHUP could kill it: a new one would know no name.
    if tracker._fd is not None and tracker._check_alive():
        for name in names:
            unregister(name, "semaphore")


# The folder of the forkserver.


def name_the_folder() -> None:
    """Make multiprocessing's temporary folder, if there is none yet, with a name that says which process it is for."""
    from multiprocessing import process, util

    config = process.current_process()._config  # type: ignore[attr-defined]
    if config.get("tempdir") is not None:
        return
    folder = next((it for it in _folders() if len(it) <= _SOCKET_PATH), None)
    if folder is None:
        return  # it would be too long for the path of a socket: multiprocessing knows what to do
    with suppress(OSError):  # multiprocessing has other names
        os.mkdir(folder, 0o700)
        config["tempdir"] = folder
        util.Finalize(None, _remove_folder, (folder, config), exitpriority=-100)


def owner_of(folder: str) -> tuple[str, int, int] | None:
    """Return the process that a folder belongs to; None if its name does not say so."""
    found = _FOLDER.fullmatch(os.path.basename(folder))
    if found is None or not int(found[3]):  # 0: it was made where that can't be told
        return None
    return found[1], int(found[2]), int(found[3])


def _folders() -> Iterable[str]:
    return (os.path.join(parent, f"pymp-{owner()}") for parent in _parents())


def _parents() -> list[str]:
    """Return where the folder may be: /tmp if the path would be too long elsewhere, as multiprocessing does it."""
    return list(dict.fromkeys((tempfile.gettempdir(), "/tmp")))


def _remove_folder(folder: str, config: dict[str, object]) -> None:
    config["tempdir"] = None
    rmtree(folder, ignore_errors=True)


# Sweeping.


def sweep(*, semaphores: bool = True, again: bool = True) -> None:
    """Remove what dead processes have left; the semaphores may be left to their resource tracker.

    Without `again`, a folder for temporary files that this process has swept is not swept again: reading the names of
    the 180,000 files that one had took a tenth of a second in every run.
    """
    if semaphores and memory.SEMAPHORES is not None:
        _sweep(memory.SEMAPHORES, _SEMAPHORE, os.unlink)
    if semaphores and memory.SEMAPHORES is None:
        _sweep(tempfile.gettempdir(), _NOTE, _remove_noted)
    for parent in _parents():
        if again:
            _sweep_folder(parent)
        else:
            _sweep_folder_once(parent)


def _sweep_folder(parent: str) -> None:
    _sweep(parent, _FOLDER, lambda path: rmtree(path, ignore_errors=True))


_sweep_folder_once = cache(_sweep_folder)


def _remove_noted(note: str) -> None:
    """Remove the semaphores of a dead run, and then the file that names them."""
    found = _NOTE.fullmatch(os.path.basename(note))
    assert found is not None
    for number in range(int(found[5])):
        with suppress(OSError):
            memory.remove_semaphore(f"{_prefix(found[4])}{number}")
    os.unlink(note)


def _sweep(parent: str, pattern: re.Pattern[str], remove: Callable[[str], object]) -> None:
    """Remove the entries with such a name that belong to this user, and to a process that is dead."""
    try:
        entries = [(entry, found) for entry in os.scandir(parent) if (found := pattern.fullmatch(entry.name))]
    except OSError:
        return
    dead: dict[tuple[str, ...], bool] = {}
    for entry, found in entries:
        its = found.groups()[:3]
        if its not in dead:
            dead[its] = is_dead(found[1], int(found[2]), int(found[3]))
        with suppress(OSError):  # another run sweeps too
            if dead[its] and entry.stat(follow_symlinks=False).st_uid == os.geteuid():
                remove(entry.path)
