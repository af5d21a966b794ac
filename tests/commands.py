"""The programs as a user has them: in a process of their own, under observation."""

import os
import pty
import re
import select
import signal
import subprocess
import sys
import time
import uuid
from pathlib import Path

import interruptible
import pytest
from undisturbed import undisturbed

import concmodels
from concmodels import catalog

NAMES = catalog.names(variants=True)
ENDS_WITHIN_S = 50  # of an interrupted program on a busy machine; usually it is a tenth of a second
GONE_WITHIN_S = 1
FOREVER = 10**9  # messages
OF_A_RING = {"processes": 8, "processes:spawn": 7, "processes:fork": 7, "subinterp": 2}
"""The processes of a ring of four nodes once all are there: the program, its nodes and feeder, CPython's helpers."""


class Program:
    """`python -m concmodels.ring ...` under observation: a session of its own, and a mark in its environment."""

    def __init__(self, folder, *arguments, module="concmodels.ring", prefix=(), env=(), **options):
        self.mark = uuid.uuid4().hex
        self.temporary = folder / f"tmp-{self.mark}"
        self.temporary.mkdir()
        root = str(Path(concmodels.__file__).parent.parent)
        path = os.pathsep.join([*dict(env).pop("PYTHONPATH", "").split(os.pathsep), root]).lstrip(os.pathsep)
        environment = os.environ | dict(env) | {"TMPDIR": str(self.temporary), "MARK": self.mark, "PYTHONPATH": path}
        command = [*prefix, sys.executable, "-m", module, *map(str, arguments)]
        options = {"stdin": subprocess.DEVNULL} | options
        self.others = set(os.listdir("/proc"))
        self.began = time.time()
        self.process = interruptible.popen(command, env=environment, start_new_session=True, **options)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        """Whatever became of the test, the machine is clean after it."""
        for pid in self.alive():
            os.kill(pid, signal.SIGKILL)
        self.process.communicate()

    def end(self, timeout=60):
        """Wait for the end; return status, standard output, standard error."""
        out, err = self.process.communicate(timeout=timeout)
        return self.process.returncode, out, err

    def alive(self):
        """The processes that descend from this one, wherever they hang in the tree now, without zombies."""
        found = []
        for entry in filter(str.isdecimal, set(os.listdir("/proc")) - self.others):
            try:
                if f"MARK={self.mark}".encode() in Path("/proc", entry, "environ").read_bytes():
                    found.append(int(entry))
            except OSError:
                pass
        return found

    def parents(self):
        """The parent of every process that is alive."""
        found = {}
        for pid in self.alive():
            try:
                found[pid] = int(Path("/proc", str(pid), "stat").read_text().rpartition(")")[2].split()[1])
            except OSError:
                pass
        return found

    def left(self, within=GONE_WITHIN_S):
        """What is still there that long after the end: processes, temporary files, semaphores."""
        ended = undisturbed()
        until(lambda: not self.alive() or undisturbed() - ended > within or None)
        return self.alive() + os.listdir(self.temporary) + self.named()

    def named(self, places=("/dev/shm", "/tmp")):
        """The semaphores and temporary folders that are named after it, wherever they are.

        Not those that were there before: a process that was killed earlier may have had the same number.
        """
        return [
            name
            for place in places
            for name in os.listdir(place)
            if f"-{self.process.pid}-" in name and self._is_new(f"{place}/{name}")
        ]

    def _is_new(self, path):
        """Whether a file was made since the program began, by the clock of files, which may be a tick behind."""
        try:
            return os.lstat(path).st_mtime > self.began - 0.1
        except FileNotFoundError:
            return False


def until(condition, within=50):
    """Return the condition's first result that is not None; None if there is none in this many seconds."""
    end = time.monotonic() + within
    while (result := condition()) is None and time.monotonic() < end:
        time.sleep(0.005)
    return result


def ring(folder, *arguments, **options):
    """Run the program to its end."""
    with Program(folder, *arguments, **options) as program:
        status, out, err = program.end()
        assert not program.left(), (status, out, err)
    return status, out, err


def skip_unless_here(name):
    """Skip a model that can't run here."""
    if why := catalog.why_not(name):
        pytest.skip(f"{name}: {why}")


def on_a_terminal(folder, *arguments, look_for, within=50, **options):
    """Run it with standard error on a terminal until this shows there; then Ctrl-C. Return all that it wrote."""
    ours, theirs = pty.openpty()
    written = ""
    with Program(folder, *arguments, stderr=theirs, env={"TERM": "xterm-256color"}, **options) as program:
        os.close(theirs)
        end = time.monotonic() + within
        while not re.search(look_for, written) and time.monotonic() < end:
            if select.select([ours], [], [], 0.1)[0]:
                written += os.read(ours, 4096).decode(errors="replace")
        program.process.send_signal(signal.SIGINT)
        while chunk := _read(ours):
            written += chunk
        assert program.end(ENDS_WITHIN_S)[0] == 130
        assert not program.left()
    os.close(ours)
    return written


def _read(terminal):
    try:
        return os.read(terminal, 4096).decode(errors="replace")
    except OSError:  # the other side is closed
        return ""
