"""Random programs of pools, small enough that every schedule of them can be run.

A program has a pool of one worker, one call or one map, and one operation of main or two; and of one thing more: a
second worker, a second call, another operation, or a second task beside main. Calls send to a channel or do nothing. As
in `channel_programs.py`, the tasks share nothing else.
"""

from concurrent.futures import CancelledError, wait
from random import Random

from concmodels.errors import ChannelClosed, TaskCancelled, WouldBlock
from concmodels.explore.running.scenario import Scenario
from concmodels.models.simulated import sim

TIMEOUT_S = 0.1
THEMES = (
    ("result", "result in time", "cancel", "done", "running", "callback", "wait"),
    ("map", "map at once", "part of a map", "length"),
    ("submit", "submit", "shut down", "shut down at once"),
)
"""The operations of a program are those of one of these: so a small one has several that have to do with each other."""
MORE = ("", "", "call", "call", "call", "operation", "operation", "operation", "worker", "task")
"""What there is one more of. A second worker or task makes most programs too large: they have several thousand runs."""


class Program:
    """The random program of this number; `scenario` runs it, and `text` shows it."""

    def __init__(self, number):
        draw = Random(number)
        self.operations = draw.choice(THEMES)
        more = draw.choice(MORE)
        self.workers = 2 if more == "worker" else 1
        self.fails = draw.random() < (0.5 if "submit" in self.operations else 0.1)
        """Whether the initializer fails."""
        self.calls = [draw.choice(("send", "fail", "length", "nothing")) for _ in range(2 if more == "call" else 1)]
        count = 2 if "submit" in self.operations or more == "operation" else 1
        self.main_does = [self._operation(draw) for _ in range(count)]
        self.other_does = [self._operation(draw)] if more == "task" else []
        self.has_jobs = "map" not in self.operations and "submit" not in self.operations
        """Whether the pool has something to do before main goes on."""
        self.scenario = Scenario(self.main, label=f"pool program {number}")

    @property
    def text(self):
        """The program, one line for each task."""
        begin = "initializer fails, " if self.fails else ""
        lines = [f"{self.workers} workers, {begin}calls: {self.calls}", f"main: {self.main_does}"]
        return "\n".join([*lines, f"another task: {self.other_does}"])

    def _operation(self, draw):
        return draw.choice(self.operations), draw.randrange(len(self.calls))

    def main(self):
        """Run the program; return what each task has seen."""
        run = _Run(self)
        with sim.Pool(self.workers, initializer=run.fail if self.fails else None) as run.pool:
            if self.has_jobs:
                run.submit(self.calls)
            if self.other_does:
                with sim.TaskGroup() as group:
                    group.spawn(run.work, "other", self.other_does)
                    run.work("main", self.main_does)
            else:
                run.work("main", self.main_does)
        return repr(sorted(run.seen.items()))


class _Run:
    """One run of a program: its objects, and what its tasks see."""

    def __init__(self, program):
        self.calls = program.calls
        self.channel = sim.Channel(2, "told")
        self.seen = {}
        self.futures = []

    def submit(self, calls):
        seen = self.seen["begin"] = []
        for kind in calls:
            try:
                self.futures.append(self.pool.submit(self.call, kind))
            except RuntimeError as error:
                seen.append(str(error))

    def call(self, kind):
        match kind:
            case "send":
                self.channel.send_nowait("item")
            case "length":
                return len(self.channel)
            case "fail":
                self.fail()
        return kind

    def fail(self):
        raise ArithmeticError

    def work(self, name, operations):
        seen = self.seen[name] = []
        for kind, number in operations:
            try:
                seen.append(self._do(name, kind, number))
            except (CancelledError, TaskCancelled, TimeoutError, RuntimeError, ArithmeticError) as error:
                seen.append(f"{type(error).__name__}: {error}")
            except (ChannelClosed, WouldBlock) as error:
                seen.append(type(error).__name__)

    def _do(self, name, kind, number):
        match kind:
            case "submit":
                return self.pool.submit(self.call, self.calls[number]).result()
            case "map":
                return list(self.pool.map(self.call, self.calls))
            case "map at once":
                return list(self.pool.map(self.call, self.calls, timeout=0))
            case "part of a map":
                for first in self.pool.map(self.call, self.calls):
                    return first
            case "receive":
                return self.channel.receive_nowait()
            case "length":
                return len(self.channel)
            case "wait":
                done, _ = wait(self.futures, timeout=0)
                return [future in done for future in self.futures]
            case "shut down":
                return self.pool.shutdown(wait=False)
            case "shut down at once":
                return self.pool.shutdown(cancel_futures=True)
        if number >= len(self.futures):
            return None
        future = self.futures[number]
        match kind:
            case "result":
                return future.result()
            case "result in time":
                return future.result(timeout=TIMEOUT_S)
            case "callback":
                return future.add_done_callback(lambda it: self.seen.setdefault(f"callback of {name}", it.cancelled()))
        return getattr(future, kind)()
