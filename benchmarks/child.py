"""One worker process: starts it, waits for it, and leaves nothing of it behind.

In a quick run, which is no measurement, a worker is a fork: most of its time is what it would import.
"""

import atexit
import functools
import json
import os
import select
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from benchmarks.interpreters import ROOT, SESSION_PYTHON, Interpreter, environment, last_line

LIMIT_S = 120.0
"""For one measurement, its set-up and its end included."""
GRACE_S = 10.0
"""For its own end, once it has been interrupted."""
TICK_S = 0.02


class Failed(Exception):
    """The worker ended without a result; the message says why."""

    def __init__(self, why: str, *, fault: bool = True) -> None:
        super().__init__(why)
        self.fault = fault  # False: it can't be had here, which is no error


def measure(python: Interpreter, path: str, number: int, loops: int, quick: bool, modules: str | None) -> str:
    """Measure one candidate once; return what the worker wrote. Raises `Failed` and `KeyboardInterrupt`."""
    with tempfile.TemporaryDirectory(prefix="concmodels-bench-") as folder:
        output, errors = Path(folder, "run.json"), Path(folder, "errors")
        words = [path, str(output), str(number), str(loops), *(["quick"] if quick else [])]
        if quick and modules is None:
            code = forked(python.path, [str(errors), *words])
        else:
            with errors.open("w") as stderr:
                code = finished([python.path, "-m", "benchmarks.worker", *words], stderr.fileno(), modules)
        if code:
            raise Failed(cause(code, errors.read_text(errors="replace")))
        text = output.read_text()
    if "left_out" in (found := json.loads(text)):
        raise Failed(found["left_out"], fault=False)
    return text


def finished(command: list[str], stderr: int, modules: str | None) -> int:
    """Run a worker in a session of its own, and return how it ended.

    Ctrl-C at the terminal reaches this process alone, which passes it on once, so that the models end their own units.
    """
    worker = subprocess.Popen(
        command, cwd=ROOT, env=environment(modules) | {SESSION_PYTHON: sys.executable}, stdin=subprocess.DEVNULL,
        stdout=stderr, stderr=stderr, start_new_session=True,
    )  # fmt: skip
    try:
        if not ended(worker, LIMIT_S):
            raise Failed(f"took more than {LIMIT_S:g} s")
    finally:
        end(worker)
    return worker.returncode


def forked(python: str, words: list[str]) -> int:
    """Run a worker that is a fork, with the file for what it says and its arguments; return how it ended."""
    forks = forks_of(python)
    assert forks.stdin is not None and forks.stdout is not None
    forks.stdin.write(f"{json.dumps(words)}\n".encode())
    worker = int(forks.stdout.readline())
    try:
        if not says_more(forks, LIMIT_S):
            raise Failed(f"took more than {LIMIT_S:g} s")
    finally:
        code = end_fork(forks, worker)
    return code


@functools.cache
def forks_of(python: str) -> subprocess.Popen[bytes]:
    """Return the process that forks the workers of this Python; it ends with this one, which closes its input."""
    forks = subprocess.Popen(
        [python, "-m", "benchmarks.worker", "forks"], cwd=ROOT, env=environment() | {SESSION_PYTHON: sys.executable},
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0, start_new_session=True,
    )  # fmt: skip
    atexit.register(forks.__exit__, None, None, None)
    return forks


def says_more(forks: subprocess.Popen[bytes], limit_s: float) -> bool:
    """Wait until the worker has ended, which is the next thing to be told."""
    return bool(select.select([forks.stdout], [], [], limit_s)[0])


def end_fork(forks: subprocess.Popen[bytes], worker: int) -> int:
    """As `end`, for a fork; return how it ended."""
    assert forks.stdout is not None
    old = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        if not says_more(forks, 0):
            os.kill(worker, signal.SIGINT)
            says_more(forks, GRACE_S)
        os.killpg(worker, signal.SIGKILL)
        return int(forks.stdout.readline())
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, old)


def ended(worker: subprocess.Popen[bytes], limit_s: float) -> bool:
    """Wait until a worker has ended, without reaping it: until it is reaped, the id of its process group
    stays its own."""
    deadline = time.monotonic() + limit_s
    while time.monotonic() < deadline:
        if os.waitid(os.P_PID, worker.pid, os.WEXITED | os.WNOWAIT | os.WNOHANG):
            return True
        time.sleep(TICK_S)
    return False


def end(worker: subprocess.Popen[bytes]) -> None:
    """End a worker and everything that it has started; a further Ctrl-C waits until that is done."""
    old = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        if not ended(worker, TICK_S):
            worker.send_signal(signal.SIGINT)
            ended(worker, GRACE_S)
        os.killpg(worker.pid, signal.SIGKILL)
        worker.wait()
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, old)


def cause(code: int, errors: str) -> str:
    """Return in one line why a worker failed."""
    if code < 0:
        return f"was ended by {signal.Signals(-code).name}"
    return last_line(errors)
