"""Measures a function in processes of its own, within a limit of time and of memory.

A way is a process (`child.py`), which does a few rounds. All ways have their turn, and then again, so that what
disturbs one disturbs the others too; a way that fails, or for which there is no time left, is left out with the reason.
"""

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path
from tempfile import TemporaryFile
from typing import Any

import concmodels
from concmodels.platform import measuring, sessions
from concmodels.which import measured as names
from concmodels.which.function import CantCall, Place
from concmodels.which.measured import AT_ONCE, Measured, Round, Way

TURNS, ROUNDS = 2, 3
"""How often each way has its turn, and the rounds in each of them."""
ROUND_S = 0.25
MOST_WORKERS = 4
"""More workers than that tell nothing new, and take memory."""
_CHUNK_S = 0.004
_MOST_IN_CHUNK = 10_000
_MOST_BYTES = 16 * 1024**2
_LOOK_S = 0.1
_SAMPLE_S = 0.02
_START_S = 1.0


class Failed(Exception):
    """A way can't call the function; the message says why."""


@dataclass
class Trials:
    """Measures one function: `Trials(place, arguments, seconds).measured()`."""

    place: Place
    arguments: tuple[str, ...]
    seconds: float
    most_bytes: int = field(
        default_factory=lambda: min((free for free, _ in measuring.free_memory()), default=1 << 40) // 2
    )
    cpus: int = field(default_factory=lambda: os.process_cpu_count() or 1)
    planned: int = 1
    """So many turns are planned."""
    done: int = 0
    began: float = field(default_factory=time.monotonic)

    @property
    def left(self) -> float:
        """The seconds that are left."""
        return self.began + self.seconds - time.monotonic()

    def measured(self) -> Measured:
        """Return what was found out. Raises `CantCall` if the function can't be called, or takes too long."""
        loop = Way(names.LOOP)
        about, sample = self._first_calls(loop)
        others = list(self._planned(about, sample))
        turns = [(loop, "Tasks" if about["is_async"] else "Loop", ""), *others] * TURNS
        self.planned = len(turns)
        for way, kind, python in turns:
            self._take_turn(way, kind, python, sample)
            self.done += 1
        loop.rounds = loop.rounds or [sample]
        return Measured(
            name=self.place.function, module=self.place.module, arguments=self.arguments, loop=loop,
            ways={way.name: way for way, _, _ in others}, cpus=self.cpus, **about,
        )  # fmt: skip

    def _first_calls(self, loop: Way) -> tuple[dict[str, Any], Round]:
        """Return what is known after the first call, and a short round of the loop: by it the others are planned."""
        name, most_s = self.place.function, 0.8 * self.left
        answers, problem = self._asked(loop, "Loop", "", most_s, most_s, first=True)
        what, why = (
            (f"the import of {self.place.file}", 'put what it does under `if __name__ == "__main__":`'),
            (f"a call of {name}", "have it do less"),
            (f"the second call of {name}", "have it do less"),
        )[min(len(answers), 2)]
        if isinstance(problem, TimeoutError):
            raise CantCall(f"{what} had not ended after {most_s:.1f} s: {why}, or give more time with --seconds")
        if isinstance(problem, Failed):
            raise CantCall(f"{name} failed{' when it was called again' if len(answers) > 1 else ''}: {problem}")
        if problem is not None:
            raise problem
        return answers[0] | answers[1], Round(**answers[2])

    def _planned(self, about: dict[str, Any], sample: Round) -> Iterator[tuple[Way, str, str]]:
        """Yield the other ways, each with its kind and the interpreter that it takes, if that is another one."""
        if about["is_async"]:
            yield Way(names.TASKS, AT_ONCE), "Tasks", ""
            return
        workers = max(2, min(self.cpus, MOST_WORKERS))
        call_s, size = sample.calm_s / sample.calls, about["result_bytes"] or 1
        chunk = max(1, min(int(_CHUNK_S / call_s), _MOST_IN_CHUNK, _MOST_BYTES // size))
        few = (workers, chunk, workers * (1 if call_s > ROUND_S / 4 else 2))
        if sample.thread_s < 0.7 * sample.calm_s:
            yield Way(names.MANY, AT_ONCE, chunk, AT_ONCE), "Thread", ""
        yield Way(names.THREADS, *few), "Thread", ""
        yield Way(names.PROCESSES, *few), "Process", ""
        yield Way(names.INTERPRETERS, *few), "Interpreter", ""
        if about["gil"] and (python := shutil.which(f"python{sys.version_info[0]}.{sys.version_info[1]}t")):
            yield Way(names.FREE_THREADS, *few), "Thread", python

    def _take_turn(self, way: Way, kind: str, python: str, sample: Round) -> None:
        """Have a way do some rounds, if there is time; leave it out from now on if it can't."""
        call_s = way.chunk * sample.calm_s / sample.calls
        if way.why_not or self.left < _START_S + 2 * call_s * max(1, way.ahead // way.workers):
            way.why_not = way.why_not or ("" if way.rounds else "there was no time left for it")
            return
        # Long enough for calls that take turns on a busy machine. Fifty threads or tasks need not wait until each has
        # had its turn: that they take turns is clear after a few calls.
        most_s = min(max(20 * ROUND_S, (3 if way.workers == AT_ONCE else 20 * way.workers) * call_s), 0.8 * self.left)
        answers, problem = self._asked(way, kind, python, min(self.left, 3 * most_s), most_s)
        if answers:
            way.holds_gil = answers[0].get("holds_gil", way.holds_gil)
        rounds = [Round(**it) for it in answers[1:]]
        way.rounds += [it for it in rounds if not it.unfinished or way.name == names.MANY]
        if way.name == names.FREE_THREADS and answers and answers[0]["gil"]:
            problem = Failed("something that it imports switches the GIL on again")
        if isinstance(problem, TimeoutError) or any(it.unfinished for it in rounds):
            way.why_not = "its calls had not ended in time"
        elif problem is not None:
            way.why_not, way.has_failed = str(problem), True

    def _asked(
        self, way: Way, kind: str, python: str, seconds: float, most_s: float, *, first: bool = False
    ) -> tuple[list[dict[str, Any]], Exception | None]:
        """Run the process of a way; return what it has told, and why it told no more, if anything went wrong."""
        order = {
            "place": self.place, "arguments": self.arguments, "kind": kind, "is_first": first, "most_s": most_s,
            "round_s": _SAMPLE_S if first else ROUND_S, "seconds": 0 if first else ROUNDS * ROUND_S,
            "limit_s": seconds + 1, "asks_gil": way.name == names.THREADS and way.holds_gil is None,
        } | asdict(way)  # fmt: skip
        path = [self.place.folder, str(Path(concmodels.__file__).parent.parent), os.environ.get("PYTHONPATH", "")]
        with TemporaryFile() as out:
            process = subprocess.Popen(
                [python or sys.executable, "-m", "concmodels.which.child", json.dumps(order)],
                stdin=subprocess.DEVNULL, stdout=out, stderr=subprocess.DEVNULL, start_new_session=True,
                env=os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, path))},
            )  # fmt: skip
            problem: Exception | None = None
            try:
                self._watch(process, seconds)
            except (Failed, TimeoutError) as error:
                problem = error
            finally:
                _end(process)
            out.seek(0)
            answers: list[dict[str, Any]] = [json.loads(line) for line in out if line.endswith(b"\n")]
        if answers and "refused" in answers[-1]:
            problem = CantCall(answers.pop()["refused"])
        elif answers and "failed" in answers[-1]:
            problem = Failed(answers.pop()["failed"])
        elif problem is None and len(answers) < (3 if first else 2):
            problem = Failed("its process ended before it had answered")
        return answers, problem

    def _watch(self, process: subprocess.Popen[bytes], seconds: float) -> None:
        """Wait for the end of a process. Raises `TimeoutError`, and `Failed`, also if it takes too much memory."""
        end, status = time.monotonic() + seconds, None
        while status is None:
            # Not the PSS: to count it, the kernel stops what these processes do with their memory.
            pids = (process.pid, *(measuring.descendants(process.pid) or ()))
            if (size := sum(measuring.peak(it) or 0 for it in pids)) > self.most_bytes:
                raise Failed(f"stopped, because it took {size / 1024**3:.1f} GiB of memory")
            if time.monotonic() >= end:
                raise TimeoutError
            status = _status(process, min(_LOOK_S, end - time.monotonic()))
        if status:
            number = {it.value: it.name for it in signal.Signals}.get(-status, f"signal {-status}")
            raise Failed(f"its process {f'was killed by {number}' if status < 0 else f'ended with status {status}'}")


def _status(process: subprocess.Popen[bytes], seconds: float) -> int | None:
    """Wait so long for the end of a process; return its status, or None if it goes on."""
    try:
        return process.wait(seconds)
    except subprocess.TimeoutExpired:
        return None


def _end(process: subprocess.Popen[bytes]) -> None:
    """End a process and its workers, also those that it has left behind: they are a group of their own."""
    sessions.kill(process)
    process.wait()
