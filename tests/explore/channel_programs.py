"""Random programs of the vocabulary, small enough that every schedule of them can be run.

A program has one to two channels, and one to three tasks with one to three operations each, in one group or in two of
which one is inside of the other. The tasks share nothing but the channels, the groups and each other's handles, for
what else they shared no footprint would show. What a program has come to is what each task has seen, in its own order,
and how the run ended.
"""

import math
from random import Random

from concmodels.errors import ChannelClosed, TaskCancelled, WouldBlock
from concmodels.explore.running.scenario import Scenario
from concmodels.models.simulated import sim

TIMEOUT_S = 0.1
OF_OTHERS = ("cancel", "cancel the group", "done", "result", "result in time")
"""Operations for which a task must know the others."""
MESSAGES = (
    *("send", "send", "receive", "receive", "select", "select of two", "select in time", "send_nowait"),
    *("receive_nowait", "receive in time", "send in time", "close", "length", "sleep"),
)
ENDS = ("result", "result in time", "done", "cancel", "fail")
GROUPS = ("spawn in", "spawn in", "cancel the group", "fail")
THEMES = (
    MESSAGES,
    (*MESSAGES, *ENDS, *GROUPS),
    (*ENDS, "cancel", "send", "receive", "sleep"),
    ("done", "done", "result in time", "length"),
    (*GROUPS, "send_nowait", "length"),
)
"""The operations of a program are those of one of these: so a small one has several that have to do with each other."""


class Program:
    """The random program of this number; `scenario` runs it, and `text` shows it."""

    def __init__(self, number):
        draw = Random(number)
        theme = draw.randrange(len(THEMES))
        self.operations = THEMES[theme]
        self.capacities = [draw.choice((0, 0, 1, 2, math.inf)) for _ in range(draw.choice((1, 2)) if theme < 2 else 1)]
        few = theme > 1 and "spawn in" in self.operations
        count = draw.choice((1, 2, 2) if few else (2, 2, 2, 3))
        self.tasks = [self._operations(draw, task) for task in range(count)]
        inner = draw.choice((0, 0, 0, 1)) if "spawn in" not in self.operations else draw.choice((0, 1))
        self.groups = [draw.choice((0, inner)) for _ in self.tasks]
        """The group of each task: the outer one or the inner one."""
        self.has_inner_group = bool(inner)
        self.scenario = Scenario(self.main, label=f"channel program {number}")

    @property
    def text(self):
        """The program, one line for each task."""
        lines = [f"channels: {self.capacities}"]
        for number, operations in enumerate(self.tasks):
            lines.append(f"task {number} in group {self.groups[number]}: {operations}")
        return "\n".join(lines)

    def _operations(self, draw, task):
        count = draw.choice((1, 1, 2)) if len(self.capacities) == 2 or task else draw.choice((1, 2, 2, 3))
        return [self._operation(draw, f"{task}{'abc'[number]}") for number in range(count)]

    def _operation(self, draw, item):
        channel, other = draw.randrange(len(self.capacities)), draw.randrange(len(self.capacities))
        match kind := draw.choice(self.operations):
            case "send" | "send_nowait" | "send in time":
                return kind, channel, item
            case "select" | "select in time":
                return kind, (channel, None), (other, item)
            case "select of two":
                return "select", (channel, None), (other, None)
            case "sleep":
                return kind, draw.choice((0, TIMEOUT_S))
            case "cancel" | "done" | "result" | "result in time":
                return kind, draw.choice((0, 0, 1, 1, 2))
            case "cancel the group":
                return kind, draw.randrange(2)
            case "spawn in":
                return kind, draw.randrange(2), channel, item
            case "fail":
                return kind, item
        return kind, channel

    def main(self):
        """Run the program; return what each task has seen."""
        channels = [sim.Channel(capacity, "ab"[number]) for number, capacity in enumerate(self.capacities)]
        run = _Run(channels, len(self.tasks), any(it[0] in OF_OTHERS for operations in self.tasks for it in operations))
        with run.groups[0]:
            self._spawn(run, 0)
            if self.has_inner_group:
                with run.groups[1]:
                    self._spawn(run, 1)
                    run.is_complete()
            else:
                run.is_complete()
        return repr(sorted(run.seen.items()))

    def _spawn(self, run, group):
        for number, operations in enumerate(self.tasks):
            if self.groups[number] == group:
                name = f"task {number}"
                run.handles[number] = run.groups[group].spawn(run.work, name, operations, name=name)


class _Run:
    """One run of a program: its objects, and what its tasks see."""

    def __init__(self, channels, tasks, wait_for_each_other):
        self.channels = channels
        self.groups = [sim.TaskGroup(), sim.TaskGroup()]
        self.handles = [None] * tasks
        self.seen = {}
        self.complete = sim.Channel(0, "all tasks are there") if wait_for_each_other else None

    def is_complete(self):
        """All tasks have been started, and may ask for each other."""
        if self.complete is not None:
            self.complete.close()

    def work(self, name, operations):
        seen = self.seen[name] = []
        for operation in operations:
            try:
                seen.append(self._do(*operation))
            except (ChannelClosed, WouldBlock, TimeoutError, TaskCancelled, RuntimeError) as error:
                seen.append(f"{type(error).__name__}: {error}")

    def _do(self, kind, number=None, *more):
        match kind:
            case "send" | "receive" | "send_nowait" | "receive_nowait" | "close":
                return getattr(self.channels[number], kind)(*more)
            case "send in time" | "receive in time":
                return getattr(self.channels[number], kind.split()[0])(*more, timeout=TIMEOUT_S)
            case "length":
                return len(self.channels[number])
            case "sleep":
                return sim.sleep(number)
            case "select" | "select in time":
                return self._select(TIMEOUT_S if "time" in kind else None, number, *more)
            case "fail":
                raise ArithmeticError(number)
            case "spawn in":
                channel, item = more
                name = f"task of {item}"
                self.groups[number].spawn(self.work, name, [("send_nowait", channel, item)], name=name)
                return "spawned"
        for _ in self.complete:
            pass  # the others are known now
        return self._do_to_others(kind, number)

    def _do_to_others(self, kind, number):
        if kind == "cancel the group":
            if hasattr(self.groups[number], "_owner"):  # else the program has one group only
                self.groups[number].cancel()
            return None
        task = self.handles[number] if number < len(self.handles) else None
        if task is None or task.runner is sim.here().running:
            return None
        match kind:
            case "cancel":
                return task.cancel()
            case "done":
                return task.done()
        return task.result(timeout=TIMEOUT_S if "time" in kind else None)

    def _select(self, timeout, *cases):
        wanted = [self.channels[it] if item is None else (self.channels[it], item) for it, item in cases]
        done = sim.select(*wanted, timeout=timeout)
        return self.channels.index(done.channel), done.item, done.sent, done.closed
