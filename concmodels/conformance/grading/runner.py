"""Tests a model for the guarantees in a process of its own, so that the model may hang or crash.

One child tests one guarantee after the other. A child that does not answer in time is killed. After that, after the
child has died, and after every broken guarantee (which may have left something running), the next guarantee is tested
in a new child.
"""

import contextlib
import json
import os
import queue
import secrets
import signal
import subprocess
import sys
import tempfile
import threading
import time
from functools import partial
from types import TracebackType
from typing import Any, Self

from concmodels.conformance.grading import candidate, guard
from concmodels.conformance.grading.report import BROKEN, KEPT, NOT_GUARANTEED, Outcome, outcome_of
from concmodels.conformance.suite import Guarantee
from concmodels.platform import sessions

PATIENCE_S = 20.0
_AFTER_A_REPORT_S = 0.5  # an exception was reported: the guarantee will not be kept any more, and may hang
_TO_START_S = 60.0
_TO_END_S = 5.0
_OUTPUT_SHOWN = 4000  # characters, the last ones
_MOST_PRINTED = 64 * 2**20  # bytes: one that prints more is ended before it fills the disk
_LOOK_S = 0.1


_LONGEST_LINE = 2**20
_NOT_OURS = "it wrote to the grader's own pipe, where only verdicts belong"
_FIELDS = ("reason", "traceback", "output", "replay", "explanation")


class PrintsTooMuch(Exception):
    """The model has printed more than anybody will read."""


class Child:
    """A process that has loaded the model. Raises `Refused` if the model can't be loaded."""

    usable = True
    """Whether the child can be asked again: it is alive, and no broken guarantee has left something running in it."""

    def __init__(self, model: str, patience: float, schedules: int = 0, replay: str = "") -> None:
        self._answers: queue.Queue[dict[str, Any] | None] = queue.Queue()
        self._nonce = secrets.token_hex(16)
        self._patience, self._label = patience, candidate.label(model)
        self._is_simulated = schedules > 0  # then a broken guarantee leaves nothing running: its tasks were all ended
        self._folder = tempfile.TemporaryDirectory(prefix="concmodels-", ignore_cleanup_errors=True)
        self._log = tempfile.TemporaryFile()  # noqa: SIM115 - it lives as long as the child
        self._logged = 0  # bytes, before the present question
        self._process = self._start([model, str(schedules), replay])
        self._reader = threading.Thread(target=self._read, name="answers", daemon=True)
        self._reader.start()
        try:
            self.why_not = self._wait_until_ready()
        except BaseException:
            self.end(patiently=False)
            raise

    def _start(self, arguments: list[str]) -> subprocess.Popen[bytes]:
        flags = subprocess._args_from_interpreter_flags()  # type: ignore[attr-defined]
        # Unbuffered, because what the model prints is shown also when the child had to be killed.
        command = [sys.executable, *flags, "-u", "-m", "concmodels.conformance.grading.worker", *arguments]
        process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self._log,
            env=os.environ | {"TMPDIR": self._folder.name}, start_new_session=os.name == "posix",
        )  # fmt: skip
        self._say(process, self._nonce)
        return process

    @staticmethod
    def _say(process: subprocess.Popen[bytes], line: str) -> None:
        assert process.stdin is not None
        with contextlib.suppress(OSError):  # the child has died: the answer will be that
            process.stdin.write(f"{line}\n".encode())
            process.stdin.flush()

    def _read(self) -> None:
        """Read the answers, in a thread: not every system can read a pipe with a timeout."""
        assert self._process.stdout is not None
        while line := self._process.stdout.readline(_LONGEST_LINE):
            answer = _answer_in(line, self._nonce)
            self._answers.put(answer)
            if answer is _FORGED:
                return
        self._answers.put(None)

    def _wait_until_ready(self) -> dict[str, str]:
        try:
            answer = self._next_answer(time.monotonic() + _TO_START_S)
            if answer is not None:  # Python has started: from here on the time is the model's own
                answer = self._next_answer(time.monotonic() + self._patience)
        except queue.Empty:
            why = f"it was not loaded within {self._patience:g} seconds"
            raise candidate.Refused(f"{self._label} can't be graded: {why}") from None
        except PrintsTooMuch as error:
            raise candidate.Refused(f"{self._label} can't be graded: loading it {error}") from None
        if answer is None:
            raise candidate.Refused(f"{self._label} can't be graded: loading it {self._death()}{self._last_words()}")
        if "refused" in answer:
            raise candidate.Refused(answer["refused"])
        if "ready" not in answer:
            raise candidate.Refused(f"{self._label} can't be graded: {_NOT_OURS}")
        ready: dict[str, str] = answer["ready"]
        return ready

    def ask(self, guarantee: Guarantee) -> Outcome:
        """Test the model for the guarantee. The child may be dead afterwards: see `usable`."""
        self._logged = self._printed()
        self._say(self._process, str(guarantee))
        found = self._answer()
        if "verdict" not in found or found.pop("guarantee", str(guarantee)) != str(guarantee):
            self.kill()
            found = {"verdict": BROKEN, "reason": _NOT_OURS}
        self.usable = self.usable and self._printed() <= _MOST_PRINTED
        if found["verdict"] == BROKEN:
            self.usable = self.usable and self._is_simulated and self._process.poll() is None
            found["output"] = self._logged_since(self._logged)
        return outcome_of(guarantee, **found)

    def _answer(self) -> dict[str, Any]:
        """Return the answer of the child, or what is to be said of one that hangs or has died."""
        end, told = time.monotonic() + self._patience, None
        while True:
            try:
                answer = self._next_answer(end)
            except PrintsTooMuch as error:
                self.kill()
                return {"verdict": BROKEN, "reason": f"the program {error}"}
            except queue.Empty:
                self.kill()
                hangs = f"did not end within {self._patience:g} seconds (deadlock or endless loop?)"
                return told or {"verdict": BROKEN, "reason": hangs}
            if answer is None:
                return {"verdict": BROKEN, "reason": f"the program {self._death()}"}
            if "told" not in answer:
                return answer
            if "seconds" in answer:  # it is known, and is being explained
                told, end = answer["told"], time.monotonic() + answer["seconds"]
            elif told is None:
                told, end = answer["told"], min(end, time.monotonic() + _AFTER_A_REPORT_S)

    def _next_answer(self, end: float) -> dict[str, Any] | None:
        """Return the next answer; None if the child has died. Raises `queue.Empty` at the end, and `PrintsTooMuch`."""
        while True:
            rest = end - time.monotonic()
            try:
                return self._answers.get(timeout=max(0, min(rest, _LOOK_S)))
            except queue.Empty:
                if self._printed() - self._logged > _MOST_PRINTED:
                    raise PrintsTooMuch(f"printed more than {_MOST_PRINTED // 2**20} MiB") from None
                if rest <= _LOOK_S:
                    raise

    def _printed(self) -> int:
        return os.fstat(self._log.fileno()).st_size

    def _death(self) -> str:
        status = self._process.wait()
        if status >= 0:
            return f"ended Python with status {status}"
        try:
            return f"crashed Python: {signal.Signals(-status).name}"
        except ValueError:
            return f"crashed Python: signal {-status}"

    def _last_words(self) -> str:
        lines = self._logged_since(0).split("\n")
        return "".join(f" ({line.strip()})" for line in [it for it in lines if it.strip()][-1:])

    def _logged_since(self, start: int) -> str:
        self._log.seek(max(start, self._printed() - 4 * _OUTPUT_SHOWN))  # a character has at most 4 bytes
        return self._log.read().decode(errors="replace")[-_OUTPUT_SHOWN:]

    def end(self, patiently: bool = True) -> None:
        """End the child, which takes moments if it ends by itself, and remove everything that belongs to it."""
        assert self._process.stdin is not None and self._process.stdout is not None
        with contextlib.suppress(OSError):
            self._process.stdin.close()
        if self.usable and patiently:
            with contextlib.suppress(subprocess.TimeoutExpired):
                self._process.wait(_TO_END_S)
        self.kill()
        self._process.stdout.close()
        self._log.close()
        self._folder.cleanup()

    def kill(self) -> None:
        """Kill the child and all that it has started."""
        self.usable = False
        if guard.HERE and self._process.poll() is None:
            self._process.send_signal(signal.SIGTERM)
            self._process.send_signal(signal.SIGCONT)  # for a guard that the model has stopped
            with contextlib.suppress(subprocess.TimeoutExpired):
                self._process.wait(_TO_END_S)
        sessions.kill(self._process)
        self._process.wait()
        self._reader.join(_TO_END_S)  # something that could not be found may hold the pipe


_FORGED: dict[str, Any] = {}
"""Stands for a line that is no answer."""


def _answer_in(line: bytes, nonce: str) -> dict[str, Any]:
    """Return the answer that this line is, or `_FORGED`: the model has the same descriptors, so anything may come."""
    try:
        before, _, text = line.decode().partition(" ")
        answer = json.loads(text) if before == nonce else _FORGED
    except ValueError, RecursionError:
        return _FORGED
    return answer if isinstance(answer, dict) and _is_answer(answer) else _FORGED


def _is_answer(answer: dict[str, Any]) -> bool:
    match answer:
        case {"started": True}:
            return True
        case {"refused": str()}:
            return True
        case {"ready": dict(ready)}:
            return all(isinstance(it, str) for it in ready.values())
        case {"told": dict(told)}:
            return _is_answer(told) and isinstance(answer.get("seconds", 0), (int, float))
        case {"verdict": str(verdict), **fields}:
            known = fields.keys() <= {"guarantee", *_FIELDS} and all(isinstance(it, str) for it in fields.values())
            return known and verdict in (KEPT, BROKEN, NOT_GUARANTEED)
    return False


class Grader:
    """`with Grader(model) as grader:` tests one model, in as many children as needed. Raises `Refused`.

    With `schedules`, it is tested in the simulated world, each guarantee on so many; see `simulated.py`. With the id of
    a schedule, `replay`, on that one.
    """

    def __init__(self, model: str, patience: float = PATIENCE_S, schedules: int = 0, replay: str = "") -> None:
        candidate.check(model)
        self.label = candidate.label(model)
        self._new_child = partial(Child, model, patience, schedules, replay)
        self._child: Child | None = self._new_child()
        self.why_not = self._child.why_not
        """The guarantees that the model does not give, with reasons, as far as that is known before any test."""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        child, self._child = self._child, None
        if child is not None:
            child.end(patiently=error is None)

    def hold(self, guarantee: Guarantee) -> Outcome:
        """Test the model for one guarantee."""
        if why := self.why_not.get(str(guarantee)):
            return outcome_of(guarantee, verdict=NOT_GUARANTEED, reason=why)
        if self._child is None:
            self._child = self._new_child()
        outcome = self._child.ask(guarantee)
        if not self._child.usable:
            child, self._child = self._child, None
            child.end()
        return outcome
