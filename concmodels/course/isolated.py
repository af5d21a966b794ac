"""An answer, checked in a process of its own: whatever it does, a verdict comes back in time."""

import hmac
import json
import os
import signal
import subprocess
import sys
import tempfile
from contextlib import suppress
from dataclasses import asdict, replace
from pathlib import Path
from typing import IO, Any

import concmodels
from concmodels.course.checking import lay_out
from concmodels.course.child import KEY_BYTES
from concmodels.course.exercise import Exercise
from concmodels.course.limits import OVER_TIME, Limits
from concmodels.course.verdict import Verdict
from concmodels.platform import sessions
from concmodels.programs.output.streams import BadInput

PATIENCE_S = 5.0
"""How much longer than its limit a process is waited for: it ends what it has started by itself."""

_running: set[subprocess.Popen[bytes]] = set()
"""The children of all threads of this process."""

_SEAL = 64
_LONGEST = 10_000
"""How much of what a hand-in prints is looked at."""

_SIGNALS = {
    "SIGXCPU": "it computed for more than {cpu_s} s",
    "SIGXFSZ": "it wrote a file of more than {file_mib} MiB",
    "SIGKILL": "it was killed",
}


def check_isolated(exercise: Exercise, answer: bytes, limits: Limits) -> Verdict:
    """Check an answer; the verdict says so if it could not be checked."""
    told, why = _run(exercise, answer, limits, None)
    try:
        return Verdict.from_json(told)
    except KeyError, TypeError, AttributeError:
        return Verdict(exercise.number, exercise.points, stopped=why)


def replay_isolated(exercise: Exercise, answer: bytes, function: str, schedule: str) -> str:
    """Return what happens on one schedule, step by step. Raises `BadInput` if it can't be run."""
    told, why = _run(exercise, answer, Limits(), [function, schedule])
    played: str | None = told and told.get("played")
    if played is None:
        raise BadInput(told["refused"] if told else why)
    return played


def _run(exercise: Exercise, answer: bytes, limits: Limits, schedule: list[str] | None) -> tuple[Any, str]:
    """Return what the child has told, and if that is nothing, why."""
    key = os.urandom(KEY_BYTES)
    with tempfile.TemporaryDirectory(prefix="checking-", ignore_cleanup_errors=True) as name:
        folder = Path(name)
        lay_out(exercise, answer, folder)
        limits = replace(limits, shares=exercise.shares_memory)
        order = {"exercise": exercise.number, "limits": asdict(limits), "replay": schedule}
        with open(folder / ".said", "w+b") as said:
            out, status = _child(order, folder, key, said, limits.wall_s + PATIENCE_S)
            said.seek(0)
            last = said.read(_LONGEST).decode(errors="replace").strip().rpartition("\n")[2]
    seal, body = out[:_SEAL], out[_SEAL:]
    if body and hmac.compare_digest(seal, hmac.new(key, body, "sha256").hexdigest().encode()):
        return json.loads(_without(folder, body.decode())), ""
    if out:
        return None, "it wrote into the grader's own pipe"
    return None, _reason(status, last, limits)


def _without(folder: Path, text: str) -> str:
    """Take the name of the temporary folder out of JSON: it says nothing to a student."""
    return text.replace(json.dumps(f"{folder.resolve()}{os.sep}")[1:-1], "")


def _child(
    order: dict[str, Any], folder: Path, key: bytes, said: IO[bytes], seconds: float
) -> tuple[bytes, int | None]:
    """Run the child; return what it told, and its exit status, or None if it had to be ended."""
    command = [sys.executable, "-P", "-m", "concmodels.course.child", json.dumps(order)]
    process = subprocess.Popen(
        command, cwd=folder, env=_environment(folder), stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=said,
        start_new_session=True,
    )  # fmt: skip
    _running.add(process)
    try:
        out, _ = process.communicate(key, timeout=seconds)
        return out, process.returncode
    except subprocess.TimeoutExpired:
        return b"", None
    finally:
        _running.discard(process)
        _end(process)


def end_running() -> None:
    """End the checks that other threads are waiting for."""
    for process in tuple(_running):
        if process.returncode is None:
            sessions.kill(process)


def _end(process: subprocess.Popen[bytes]) -> None:
    """End the child and its session."""
    sessions.kill(process)
    process.wait()
    for pipe in (process.stdin, process.stdout):
        if pipe is not None:
            with suppress(OSError):
                pipe.close()


def _environment(folder: Path) -> dict[str, str]:
    kept = {name: os.environ[name] for name in ("PATH", "SYSTEMROOT", "LANG") if name in os.environ}
    own = {name: str(folder) for name in ("HOME", "TMPDIR", "TEMP", "TMP")}
    package = str(Path(concmodels.__file__).parents[1])
    plain = {"PYTHONDONTWRITEBYTECODE": "1", "PYTHONHASHSEED": "0"}
    plain["MALLOC_ARENA_MAX"] = "2"  # glibc would reserve 64 MiB of addresses for each thread
    return kept | own | plain | {"PYTHONPATH": package}


def _reason(status: int | None, last: str, limits: Limits) -> str:
    if status is None or status == OVER_TIME:
        return f"it did not end within {limits.wall_s:g} seconds"
    for name, text in _SIGNALS.items():
        if status == 128 + getattr(signal, name, -999):
            return text.format(**asdict(limits))
    if status == 0:
        return "it ended Python before the check was done"
    return f"it ended Python with status {status}" + (f": {last}" if last else "")
