"""Random programs of the vocabulary, small enough that every schedule of them can be run.

A program has one to two channels, and two to three tasks with one to three operations each. The tasks share nothing but
the channels and each other's handles, for what else they shared no footprint would show. What a program has come to is
what each task has seen, in its own order, and how the run ended.
"""

import math
from random import Random

from concmodels.errors import ChannelClosed, TaskCancelled, WouldBlock
from concmodels.explore.scenario import Scenario
from concmodels.models import sim

TIMEOUT_S = 0.1


class Program:
    """The random program of this number; `scenario` runs it, and `text` shows it."""

    def __init__(self, number):
        draw = Random(number)
        self.capacities = [draw.choice((0, 0, 1, 2, math.inf)) for _ in range(draw.choice((1, 2)))]
        self.tasks = [self._operations(draw, task) for task in range(draw.choice((2, 2, 2, 3)))]
        self.scenario = Scenario(self.main, label=f"program {number}")

    @property
    def text(self):
        """The program, one line for each task."""
        lines = [f"channels: {self.capacities}"]
        return "\n".join([*lines, *(f"task {number}: {operations}" for number, operations in enumerate(self.tasks))])

    def _operations(self, draw, task):
        count = draw.choice((1, 1, 2)) if len(self.capacities) == 2 or task else draw.choice((1, 2, 2, 3))
        return [self._operation(draw, f"{task}{'abc'[number]}") for number in range(count)]

    def _operation(self, draw, item):
        channel, other = draw.randrange(len(self.capacities)), draw.randrange(len(self.capacities))
        return draw.choice(
            [
                ("send", channel, item),
                ("send", channel, item),
                ("receive", channel),
                ("receive", channel),
                ("select", (channel, None), (other, item)),
                ("select", (channel, None), (other, None)),
                ("select in time", (channel, None), (other, item)),
                ("send_nowait", channel, item),
                ("receive_nowait", channel),
                ("receive in time", channel),
                ("send in time", channel, item),
                ("close", channel),
                ("length", channel),
                ("cancel", draw.randrange(3)),
                ("cancel the group",),
                ("result", draw.randrange(3)),
                ("sleep", draw.choice((0, TIMEOUT_S))),
            ]
        )

    def main(self):
        """Run the program; return what each task has seen."""
        channels = [sim.Channel(capacity, "ab"[number]) for number, capacity in enumerate(self.capacities)]
        seen = [[] for _ in self.tasks]
        handles = []
        complete = sim.Channel(0, "all tasks are there")

        def work(number, operations):
            for operation in operations:
                try:
                    seen[number].append(do(*operation))
                except (ChannelClosed, WouldBlock, TimeoutError, TaskCancelled) as error:
                    seen[number].append(type(error).__name__)

        def do(kind, first=None, second=None):
            match kind:
                case "send":
                    return channels[first].send(second)
                case "receive":
                    return channels[first].receive()
                case "send in time":
                    return channels[first].send(second, timeout=TIMEOUT_S)
                case "receive in time":
                    return channels[first].receive(timeout=TIMEOUT_S)
                case "send_nowait":
                    return channels[first].send_nowait(second)
                case "receive_nowait":
                    return channels[first].receive_nowait()
                case "close":
                    return channels[first].close()
                case "length":
                    return len(channels[first])
                case "sleep":
                    return sim.sleep(first)
                case "select" | "select in time":
                    return select(kind, first, second)
            for _ in complete:
                pass  # the others are known now
            match kind:
                case "cancel the group":
                    return group.cancel()
                case "cancel":
                    return handles[first].cancel() if first < len(handles) else None
            return handles[first].result() if first < len(handles) and not is_own(first) else None

        def is_own(number):
            return handles[number].runner is sim.here().running

        def select(kind, *cases):
            wanted = [channels[number] if item is None else (channels[number], item) for number, item in cases]
            done = sim.select(*wanted, timeout=TIMEOUT_S if kind == "select in time" else None)
            return channels.index(done.channel), done.item, done.sent, done.closed

        with sim.TaskGroup() as group:
            for number, operations in enumerate(self.tasks):
                handles.append(group.spawn(work, number, operations, name=f"task {number}"))
            complete.close()
        return repr(seen)
