"""Records a trace into a file: `with trace.to("ring.json"):`."""

import contextlib
import os
import shutil
from collections.abc import Iterator
from io import FileIO
from threading import RLock

from concmodels.trace import installed
from concmodels.trace.chrome import write
from concmodels.trace.collecting import collect
from concmodels.trace.recorder import Recorder, forget
from concmodels.trace.rows import ROWS


@contextlib.contextmanager
def to(path: str | os.PathLike[str], *, rows: int = ROWS, program: str = "") -> Iterator[Recorder]:
    """Record into this file whatever the models run in this block; it is written at the end of the block.

    The models that were loaded before are traced too, and in the processes and interpreters that they start. Names that
    were imported from a model's module (`from concmodels.models.threads import Channel`) are not. A trace has about
    `rows` rows; of a longer run it keeps some of the messages, but each with both its ends: every second, fourth ...

    The file is opened first, so that one that can't be written is refused with `OSError` before anything runs. If the
    disk is full at the end, the file contains what there was space for, and `OSError` is raised. `program` is how the
    run was started, for a title.

    Whatever the block raises (Ctrl-C, a deadlock) is raised, and the file says how the run ended.

    A trace inside of a trace takes what runs there. Raises `RuntimeError` if another thread records one.
    """
    if not _by_one_thread.acquire(blocking=False):
        raise RuntimeError("another thread records a trace already, and that takes what all threads do: record one at "
                           "a time")  # fmt: skip
    try:
        with open(path, "w+b", buffering=0) as file:
            yield from _recorded(file, Recorder(rows), program)
    finally:
        _by_one_thread.release()


_by_one_thread = RLock()


def _recorded(file: FileIO, recorder: Recorder, program: str) -> Iterator[Recorder]:
    installed.activate(recorder)
    ended: str | None = None
    try:
        yield recorder
    except BaseException as error:
        ended = None if isinstance(error, SystemExit) and not error.code else sentence(error)
        raise
    finally:
        installed.restore(recorder)
        if os.getpid() == recorder.pid:  # else it is a fork, in which the block ends too
            _write(file, recorder, program, ended)


def _write(file: FileIO, recorder: Recorder, program: str, ended: str | None) -> None:
    try:
        recording = collect(recorder, recorder.model, program, ended or recorder.ended)
        recording.waits = recorder.waits
        write(file, recording)
    finally:
        if recorder.folder is not None:
            forget(recorder.folder)
            shutil.rmtree(recorder.folder, ignore_errors=True)


def sentence(error: BaseException) -> str:
    """Return what an exception says, in one line."""
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return f"{type(error).__name__}: {error}".partition("\n")[0].removesuffix(": ")
