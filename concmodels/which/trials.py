"""Measures a function in processes of its own, within a limit of time and of memory.

A way is a process (`child.py`). All ways do their rounds in turn, so that what disturbs one disturbs the others too;
a way that fails, or for which there is no time left, is left out with the reason.
"""

import contextlib
import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from queue import Empty, SimpleQueue
from tempfile import TemporaryFile
from threading import Thread
from typing import Any, Self

import concmodels
from concmodels.platform import measuring
from concmodels.which.function import CantCall, Place
from concmodels.which.measured import (
    AT_ONCE,
    FREE_LOOP,
    FREE_THREADS,
    INTERPRETERS,
    LOOP,
    MANY,
    PROCESSES,
    TASKS,
    THREADS,
    Measured,
    Round,
    Way,
)

ROUNDS = 5
ROUND_S = 0.25
MOST_WORKERS = 4
"""More workers than that tell nothing new, and take memory."""
KINDS = {THREADS: "Thread", PROCESSES: "Process", INTERPRETERS: "Interpreter"}
_CHUNK_S = 0.004
_MOST_IN_CHUNK = 10_000
_MOST_BYTES = 16 * 1024**2
_LOOK_S = 0.2
_WARM_UP_S = 0.02
_END_S = 1.0


class OutOfTime(Exception):
    """A process has not answered in time."""


class Failed(Exception):
    """A way can't call the function; the message says why."""


@dataclass
class Budget:
    """The time and the memory that all trials together may take."""

    seconds: float
    bytes: int = field(default_factory=lambda: min((free for free, _ in measuring.free_memory()), default=1 << 40) // 2)
    began: float = field(default_factory=time.monotonic)

    @property
    def left(self) -> float:
        """The seconds that are left."""
        return self.began + self.seconds - time.monotonic()


class Child:
    """A process that calls the function in one way, as a context manager: `with Child(...) as child`."""

    def __init__(
        self,
        place: Place,
        arguments: tuple[str, ...],
        budget: Budget,
        way: Way,
        kind: str,
        *,
        python: str = "",
        first: bool = False,
    ) -> None:
        self.way, self._budget = way, budget
        order = {"place": place, "arguments": arguments, "kind": kind, "first": first}
        order |= {"workers": way.workers, "ahead": way.ahead, "chunk": way.chunk}
        path = [place.folder, str(Path(concmodels.__file__).parent.parent), os.environ.get("PYTHONPATH", "")]
        self._errors = TemporaryFile()  # noqa: SIM115 - it outlives this function
        self._process = subprocess.Popen(
            [python or sys.executable, "-m", "concmodels.which.child", json.dumps(order)],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self._errors, start_new_session=True,
            env=os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, path))},
        )  # fmt: skip
        self._answers: SimpleQueue[str] = SimpleQueue()
        self._reader = Thread(target=self._read, daemon=True)
        self._reader.start()

    def _read(self) -> None:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            self._answers.put(line.decode())
        self._answers.put("")

    def answer(self, seconds: float) -> dict[str, Any]:
        """Wait for the next answer. Raises `OutOfTime`, `CantCall`, and `Failed`, also if it takes too much memory."""
        end, line = time.monotonic() + seconds, None
        while line is None:
            with contextlib.suppress(Empty):
                line = self._answers.get(timeout=min(_LOOK_S, max(0.0, end - time.monotonic())))
            if (size := self._bytes()) > self._budget.bytes:
                raise Failed(f"stopped, because it took {size / 1024**3:.1f} GiB of memory")
            if line is None and time.monotonic() >= end:
                raise OutOfTime
        if not line:
            raise Failed(self._how_it_ended())
        told: dict[str, Any] = json.loads(line)
        if refused := told.get("refused"):
            raise CantCall(refused)
        if failed := told.get("failed"):
            raise Failed(failed)
        return told

    def round(self, seconds: float, most_s: float) -> Round:
        """Have it do a round. Raises what `answer` does."""
        busy, began = measuring.busy(), time.monotonic()
        told = self._told("round", seconds, most_s)
        took, after = time.monotonic() - began, measuring.busy()
        found = Round(**told)
        if busy is None or after is None or found.cpu_s is None:
            return found
        ours = told["cpu_s"] + told["children_s"]
        return Round(**told | {"others": max(0.0, (after - busy - ours) / took)})

    def holds_gil(self, seconds: float, most_s: float) -> float:
        """Have it find out for which share of its time a call holds the GIL. Raises what `answer` does."""
        share: float = self._told("holds_gil", seconds, most_s)["holds_gil"]
        return share

    def _told(self, what: str, seconds: float, most_s: float) -> dict[str, Any]:
        assert self._process.stdin is not None
        with contextlib.suppress(BrokenPipeError):  # the answer says why
            self._process.stdin.write(f"{json.dumps([what, seconds, most_s])}\n".encode())
            self._process.stdin.flush()
        return self.answer(most_s + self._budget.left / 4)

    def _bytes(self) -> int:
        # Not the PSS: to count it, the kernel stops what these processes do with their memory.
        pid = self._process.pid
        return sum(measuring.peak(it) or 0 for it in (pid, *(measuring.descendants(pid) or ())))

    def _how_it_ended(self) -> str:
        try:
            status = self._process.wait(_END_S)
        except subprocess.TimeoutExpired:
            status = 0
        self._errors.seek(0)
        last = self._errors.read().decode(errors="replace").strip().rpartition("\n")[2]
        if status < 0:
            return f"its process was killed by {signal.Signals(-status).name}"
        return f"its process ended with status {status}{f': {last}' if last else ''}"

    def end(self) -> None:
        """End the process and its workers: by the end of its input, or else by signals."""
        assert self._process.stdin is not None
        with contextlib.suppress(OSError):
            self._process.stdin.close()
        try:
            self._process.wait(_END_S)
        except subprocess.TimeoutExpired:
            if os.name == "posix":
                with contextlib.suppress(ProcessLookupError):
                    os.killpg(self._process.pid, signal.SIGTERM)
            self._process.kill()
            self._process.wait()
        self._reader.join(_END_S)
        if self._process.stdout is not None and not self._reader.is_alive():
            self._process.stdout.close()
        self._errors.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.end()


@dataclass
class Trials:
    """Measures one function: `Trials(place, arguments, budget).measured()`."""

    place: Place
    arguments: tuple[str, ...]
    budget: Budget
    cpus: int = field(default_factory=lambda: os.process_cpu_count() or 1)
    planned: int = 1
    """So many steps, most of them rounds, are planned."""
    done: int = 0

    @property
    def percent(self) -> int:
        """The part of what is planned that is done, in hundredths."""
        return min(100, 100 * self.done // self.planned)

    def measured(self) -> Measured:
        """Return what was found out. Raises `CantCall` if the function can't be called, or takes too long."""
        with contextlib.ExitStack() as stack:
            loop = stack.enter_context(self._child(Way(LOOP), "Loop", first=True))
            about, sample = self._first_calls(loop)
            planned = list(self._planned(about, sample))
            self.planned = 1 + (1 + len(planned)) * (1 + ROUNDS)
            children = [loop, *(stack.enter_context(self._child(*it)) for it in planned)]
            self._make_ready(children[1:])
            self._rounds(children, sample)
            if not loop.way.rounds:
                loop.way.rounds.append(sample)
        return self._found(about, children)

    def _child(self, way: Way, kind: str, python: str = "", first: bool = False) -> Child:
        return Child(self.place, self.arguments, self.budget, way, kind, python=python, first=first)

    def _first_calls(self, loop: Child) -> tuple[dict[str, Any], Round]:
        """Return what is known after the first call, and a short round of the loop: by it the others are planned."""
        name, most_s = self.place.function, self.budget.left / 2
        what, why = f"the import of {self.place.file}", 'put what it does under `if __name__ == "__main__":`'
        try:
            about = loop.answer(most_s)
            what, why, most_s = f"a call of {name}", "have it do less", self.budget.left / 2
            about |= loop.answer(most_s)
            what, most_s = f"the second call of {name}", self.budget.left
            return about, loop.round(_WARM_UP_S, most_s)
        except Failed as error:
            again = " when it was called again" if what.startswith("the second") else ""
            raise CantCall(f"{name} failed{again}: {error}") from None
        except OutOfTime:
            raise CantCall(
                f"{what} had not ended after {most_s:.1f} s: {why}, or give more time with --seconds"
            ) from None

    def _planned(self, about: dict[str, Any], sample: Round) -> Iterator[tuple[Way, str, str]]:
        """Yield the other ways, each with its kind and the interpreter that it takes, if that is another one."""
        if about["is_async"]:
            yield Way(TASKS, AT_ONCE, ahead=AT_ONCE), "Tasks", ""
            return
        workers = max(2, min(self.cpus, MOST_WORKERS))
        call_s, size = sample.calm_s / sample.calls, about["result_bytes"] or 1
        chunk = max(1, min(int(_CHUNK_S / call_s), _MOST_IN_CHUNK, _MOST_BYTES // size))
        ahead = workers * (1 if call_s > ROUND_S / 4 else 2)
        if sample.thread_s < 0.7 * sample.calm_s:
            yield Way(MANY, AT_ONCE, chunk, AT_ONCE), "Thread", ""
        for name in (THREADS, PROCESSES, INTERPRETERS):
            yield Way(name, workers, chunk, ahead), KINDS[name], ""
        if about["gil"] and (python := shutil.which(f"python{sys.version_info[0]}.{sys.version_info[1]}t")):
            yield Way(FREE_LOOP), "Loop", python
            yield Way(FREE_THREADS, workers, chunk, ahead), "Thread", python

    def _make_ready(self, children: list[Child]) -> None:
        """Wait until all have imported the function, and start their workers by a short round."""
        for child in children:
            with self._excused(child):
                told = child.answer(self.budget.left / 2)
                if told["gil"] and child.way.name in (FREE_LOOP, FREE_THREADS):
                    raise Failed("something that it imports switches the GIL on again")
        for child in children:
            self.done += 1
            if child.way.why_not:
                continue
            with self._excused(child):
                child.round(_WARM_UP_S, self.budget.left / 2)
                if child.way.name == THREADS:
                    child.way.holds_gil = child.holds_gil(ROUND_S, self.budget.left / 2)

    def _rounds(self, children: list[Child], sample: Round) -> None:
        took: dict[str, float] = {}
        for _ in range(ROUNDS):
            for child in children:
                self.done += 1
                call_s = child.way.chunk * sample.calm_s / sample.calls
                expected = took.get(child.way.name, max(self._longest(child.way, sample) / 20, call_s))
                if child.way.why_not or self.budget.left < 1.5 * expected + _END_S:
                    continue
                with self._excused(child):
                    found = child.round(ROUND_S, min(self._longest(child.way, sample), self.budget.left))
                    took[child.way.name] = found.wall_s
                    if not found.unfinished or child.way.name == MANY:
                        child.way.rounds.append(found)
                    if found.unfinished:
                        child.end()
                        raise OutOfTime

    def _longest(self, way: Way, sample: Round) -> float:
        """Return how many seconds a round of a way may take: long enough for calls that take turns on a busy machine.

        Fifty threads or tasks need not wait until each has had its turn: after a few calls it is clear that they take
        turns.
        """
        turns = 3 if way.name in (MANY, TASKS) else 20 * way.workers
        return max(20 * ROUND_S, turns * way.chunk * sample.calm_s / sample.calls)

    @contextlib.contextmanager
    def _excused(self, child: Child) -> Iterator[None]:
        """Leave the way of this child out from now on if it fails here."""
        try:
            yield
        except (CantCall, Failed) as error:
            child.way.why_not, child.way.has_failed = str(error), True
        except OutOfTime:
            child.way.why_not = "its calls had not ended in time"

    def _found(self, about: dict[str, Any], children: list[Child]) -> Measured:
        loop, *others = (child.way for child in children)
        for way in others:
            if not way.rounds and not way.why_not:
                way.why_not = "there was no time left for it"
        return Measured(
            name=self.place.function, module=self.place.module, arguments=self.arguments, is_async=about["is_async"],
            hindrances=tuple(about["hindrances"]), result_bytes=about["result_bytes"], shared=tuple(about["shared"]),
            import_s=about["import_s"], loop=loop, ways={way.name: way for way in others}, cpus=self.cpus,
            gil=about["gil"], seconds=self.budget.seconds - self.budget.left,
        )  # fmt: skip
