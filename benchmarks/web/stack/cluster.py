"""PostgreSQL's data: a table of a hundred thousand rows, made once, kept in `.python/web`, and locked while in use."""

import ctypes
import fcntl
import os
import shutil
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from benchmarks.cell import NotHere
from benchmarks.web.ports import reserved
from benchmarks.web.stack import database, postgres
from benchmarks.web.stack.account import Account
from benchmarks.web.stack.components import Components

ROWS = 100_000
_LETTERS = "(select string_agg(chr(97 + (g * 31 + i * 17 + g / (i + 1)) % 26), '') from generate_series(1, 20) i)"
_TABLE = "create table test (a int primary key, b text)"
_FILL = f"insert into test select g, {_LETTERS} from generate_series(1, {{rows}}) g"
_LOCKED_S = 20
_ENDING_S = 5
_PAUSE_S = 0.02
_REMOVE_SEGMENT = 0  # IPC_RMID


@contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Keep others out of a folder of data; wait for one that is about to leave. The kernel unlocks it at our end.

    Raises `NotHere` if another run does not leave, or the folder can't be written.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        lock = os.open(folder / "lock", os.O_RDONLY | os.O_CREAT | os.O_CLOEXEC, 0o644)
    except OSError as error:
        raise NotHere(f"PostgreSQL's data can't be kept in .python/web: {error.strerror}") from None
    try:
        deadline = time.monotonic() + _LOCKED_S
        while not _taken(lock):
            if time.monotonic() > deadline:
                raise NotHere("another run of the benchmarks uses the PostgreSQL of this checkout")
            time.sleep(_PAUSE_S)
        yield
    finally:
        os.close(lock)


def _taken(lock: int) -> bool:
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def ready(components: Components, account: Account, folder: Path) -> Path:
    """Return the data folder, which is made if it is missing, somebody else's, or was not shut down in order."""
    data = folder / f"cluster-{components.major}-{ROWS}"
    if data.exists() and not _is_usable(data, account):
        shutil.rmtree(data)
    if not data.exists():
        _make(components, account, data)
    return data


def _is_usable(data: Path, account: Account) -> bool:
    if data.stat().st_uid != account.owner:
        return False
    pid_file = data / "postmaster.pid"
    deadline = time.monotonic() + _ENDING_S
    while pid_file.exists() and _is_running(pid_file):
        if time.monotonic() > deadline:
            raise RuntimeError(f"PostgreSQL still runs on {data.name}; end the process in its postmaster.pid")
        time.sleep(_PAUSE_S)
    if not pid_file.exists():
        return True
    remove_segment(pid_file)
    return False


def _is_running(pid_file: Path) -> bool:
    """Return whether the process in this file runs, and works in the data folder: numbers are used again."""
    try:
        pid = pid_file.read_text().splitlines()[0]
        return Path(f"/proc/{pid}/cwd").samefile(pid_file.parent)
    except OSError, IndexError:
        return False


def remove_segment(pid_file: Path) -> None:
    """Remove the segment of System V's shared memory that a killed server has left, if nobody uses it."""
    words = [line.split() for line in pid_file.read_text().splitlines()]
    if len(words) < 7 or len(words[6]) != 2:
        return
    key, segment = map(int, words[6])
    with open("/proc/sysvipc/shm") as table:
        names, *rows = [line.split() for line in table]
    for row in (dict(zip(names, row, strict=True)) for row in rows):
        if int(row["shmid"]) == segment and int(row["key"]) & 0xFFFFFFFF == key & 0xFFFFFFFF and row["nattch"] == "0":
            ctypes.CDLL(None).shmctl(segment, _REMOVE_SEGMENT, None)


def _make(components: Components, account: Account, data: Path) -> None:
    """Make the data folder under another name, and rename it when the table is in it."""
    new = data.with_name(data.name + ".new")
    shutil.rmtree(new, ignore_errors=True)
    new.mkdir()
    account.own(new)
    postgres.initialise(components, account, new)
    with reserved(1) as (port,):
        server = postgres.server(components, account, new, port, data.with_name("make.log"))
        try:
            server.start(lambda: postgres.answers(port))
            for text in (_TABLE, _FILL.format(rows=ROWS), "vacuum analyze test", "checkpoint"):
                database.query(port, postgres.DATABASE, postgres.USER, text)
        finally:
            server.end()
    new.rename(data)
