"""One worker process: starts it, waits for it, and leaves nothing of it behind."""

import json
import os
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
        command = [python.path, "-m", "benchmarks.worker", path, str(output), str(number), str(loops)]
        with errors.open("w") as stderr:
            code = finished([*command, *(["quick"] if quick else [])], stderr.fileno(), modules)
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
