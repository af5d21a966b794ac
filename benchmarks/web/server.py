"""A server in a process of its own: its start, its end, and what is left of it then."""

import contextlib
import http.client
import json
import os
import select
import signal
import ssl
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import BinaryIO, Self

from benchmarks.interpreters import ROOT
from concmodels.platform import measuring

READY_S = 20.0
STOP_S = 5.0
"""After so long a server that was asked to end is killed."""
LEFT_S = 0.5
"""So long its children may take to notice."""
_TICK_S = 0.02
_ENABLED = "global interpreter lock (GIL) has been enabled"
"""What a free-threaded Python says when a library has switched the GIL on."""


class ServerFailed(Exception):
    """The server did not come up, or answers wrongly; the message says which, and what it said last."""


@dataclass(frozen=True)
class Stopped:
    """The end of a server."""

    seconds: float
    """From SIGTERM to the end of the process that was started."""
    killed: bool
    left: int
    """How many of its processes were still there."""


class Server:
    """Starts the program and waits until it answers; ends it with the `with`."""

    def __init__(self, name: str, command: list[str], port: int, tls: str | None = None) -> None:
        self._name, self._command = name, command
        self.port = port
        self.tls = tls
        """The file of its certificate, if it speaks TLS."""
        self._log: BinaryIO | None = None
        self._said = ""
        """What it has said, once it has ended."""
        self.stopped: Stopped | None = None
        self.start_s = 0.0
        """From the start to the first answer."""

    def __enter__(self) -> Self:
        begin = time.monotonic()
        path = os.pathsep.join(filter(None, [str(ROOT), os.environ.get("PYTHONPATH")]))
        self._log = tempfile.TemporaryFile()
        self.process = subprocess.Popen(
            self._command, cwd=ROOT, env=os.environ | {"PYTHONPATH": path, "PYTHONUNBUFFERED": "1"},
            stdin=subprocess.DEVNULL, stdout=self._log, stderr=self._log,
        )  # fmt: skip
        try:
            self._wait_until_ready(begin + READY_S)
        except ServerFailed as reason:
            self.stop()
            raise ServerFailed(f"{reason}; its last line: {self._last_line()}") from None
        except BaseException:
            self.stop()
            raise
        self.start_s = time.monotonic() - begin
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()
        for line in self._said.splitlines():
            if _ENABLED in line:
                raise ServerFailed(f"{self._name} has switched the GIL on: {line}")

    @property
    def pid(self) -> int:
        """The number of the process that was started; it may have started others."""
        return self.process.pid

    def _wait_until_ready(self, deadline: float) -> None:
        while self.process.poll() is None:
            with contextlib.suppress(OSError, http.client.HTTPException):
                self.body("/json")
                return
            if time.monotonic() > deadline:
                break
            time.sleep(_TICK_S)
        ended = f"did not answer within {READY_S:g} s" if self.process.poll() is None else "ended at once"
        raise ServerFailed(f"{self._name} {ended}")

    def body(self, path: str) -> bytes:
        """Return the body of the answer. Raises `ServerFailed` if that is not what the service has there."""
        with contextlib.closing(self._connection()) as connection:
            connection.request("GET", path)
            answer = connection.getresponse()
            found = answer.read()
        if answer.status != 200 or not is_right(path, found):
            raise ServerFailed(f"{self._name} answered {path} with status {answer.status} and {found[:60]!r}")
        return found

    def _connection(self) -> http.client.HTTPConnection:
        if self.tls is None:
            return http.client.HTTPConnection("127.0.0.1", self.port, timeout=READY_S)
        context = ssl.create_default_context(cafile=self.tls)
        return http.client.HTTPSConnection("127.0.0.1", self.port, timeout=READY_S, context=context)

    def _last_line(self) -> str:
        lines = self._said.strip().splitlines()
        return lines[-1].strip() if lines else "it did not say why"

    def stop(self) -> Stopped:
        """End the server: by SIGTERM, and by SIGKILL where that takes too long. Nothing of it is left then."""
        if self.stopped is not None:
            return self.stopped
        started = {pid: measuring.started(pid) for pid in measuring.descendants(self.pid) or ()}
        begin = time.monotonic()
        self.process.terminate()
        killed = not ended(self.process, STOP_S)
        if killed:
            self.process.kill()
            self.process.wait()
        seconds = time.monotonic() - begin
        self.stopped = Stopped(seconds, killed, kill_rest(started))
        if self._log is not None:
            with self._log as log:
                log.seek(0)
                self._said = log.read().decode(errors="replace")
        return self.stopped


def ended(process: subprocess.Popen[bytes], limit_s: float) -> bool:
    """Wait until a process has ended, at most so long; return whether it has.

    `Popen.wait` with a limit would look now and then, and after a while every 50 ms, which is more than many ends take.
    """
    if process.poll() is not None:
        return True
    handle = os.pidfd_open(process.pid)
    try:
        waiting = select.poll()
        waiting.register(handle, select.POLLIN)
        waiting.poll(limit_s * 1000)
    finally:
        os.close(handle)
    return process.poll() is not None


def is_right(path: str, body: bytes) -> bool:
    """Return whether this is what the service answers."""
    if path != "/json":
        return bool(body)
    try:
        return bool(json.loads(body) == {"message": "Hello, world!"})
    except ValueError:
        return False


def kill_rest(started: dict[int, int | None]) -> int:
    """Kill those of the processes that have outlived the one that was asked to end; return how many these were."""
    deadline = time.monotonic() + LEFT_S
    while (left := still_there(started)) and time.monotonic() < deadline:
        time.sleep(_TICK_S)
    for pid in left:
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
    return len(left)


def still_there(started: dict[int, int | None]) -> list[int]:
    """Return which of these processes have not ended; another one may have the number of one that has."""
    return [pid for pid, when in started.items() if when is not None and measuring.started(pid) == when]


@contextlib.contextmanager
def no_orphans() -> Iterator[None]:
    """Have everything that this process starts end with it, also when it is killed: by a shell that waits for its end.

    The shell belongs to the process group, and kills that. So it can be done only where the group is our own, as that
    of a worker is.
    """
    if os.getpgrp() != os.getpid() or sys.platform == "win32":
        yield
        return
    ours, its = os.pipe()[::-1]
    with subprocess.Popen(["sh", "-c", "read -r _; kill -KILL 0"], stdin=its) as shell:
        os.close(its)
        try:
            yield
        finally:
            shell.kill()
            os.close(ours)
