"""The channel program: how a run is measured, a command with arguments, and a function for Python."""

import math
from argparse import ArgumentParser, Namespace
from typing import Any

from concmodels.channel import tasks
from concmodels.channel.plan import PATTERNS, SEVERAL, ChannelPlan, ChannelResult, check_pattern
from concmodels.programs.measure import measure
from concmodels.programs.options import add_message_options, is_whole, whole
from concmodels.programs.program import Program
from concmodels.programs.stopwatch import Phase, Stopwatch

_PROGRAMS = {"pingpong": "bounce", "fanout": "spread"}


class ChannelTimer(Stopwatch[ChannelPlan, Phase]):
    """Measures one run. The program spawns `send`, `echo` or `receive`."""

    def __init__(self, plan: ChannelPlan) -> None:
        super().__init__(plan)
        self.steps = plan.messages
        prefix = "async_" if plan.facts.is_async else ""
        self.program = getattr(tasks, prefix + _PROGRAMS.get(plan.pattern, "converge"))
        kind = "measured_" if plan.facts.separate else prefix
        self.send, self.echo, self.receive = (getattr(tasks, kind + name) for name in ("send", "echo", "receive"))

    def spawned(self, tasks: list[Any], channels: list[Any]) -> None:
        """Take note of the tasks that were started and of the channels that carry the messages."""
        self.tasks, self._channels = tasks, channels

    def warm_up(self) -> Phase:
        """Return the first phase: one message for each task."""
        return Phase(0, self.plan.units, self.plan.units, self.plan.payload or 0)

    def counted(self) -> Phase:
        first, count = self.plan.units, self.plan.messages
        return Phase(first, first + count, count, self.plan.payload or 0)

    def steps_done(self) -> int:
        """Return how many messages have arrived. In a fanout, messages that are still in the channel have not."""
        waiting = sum(map(len, self._channels)) if self.plan.pattern == "fanout" else 0
        return max(0, self.phase.begun - waiting)

    def speed(self, run_s: float) -> dict[str, Any]:
        messages = self.plan.messages
        return {"messages_per_s": messages / run_s, "ns_per_message": run_s / messages * 1e9}

    def worker(self, names: dict[str, Any]) -> str | None:
        """Recognise a task by a channel that only it has: that of its orders, or the one on which an echo answers."""
        if getattr(names.get("outbox"), "name", None) == "back":
            return "the echo"
        name = str(getattr(names.get("orders"), "name", ""))
        return name if name.startswith(tuple(SEVERAL.values())) else None

    def stopped_short(self) -> str:
        return f"only {max(0, self.phase.begun - 1):,} of {self.plan.messages:,} messages arrived"


class ChannelCommand(Program[ChannelPlan, ChannelResult]):
    """The command `python -m concmodels.channel`."""

    name = "concmodels.channel"
    description = (
        "Send MESSAGES through channels in this PATTERN, check that each arrives once and that those of one sender "
        "arrive in order, and report setup, run and teardown separately."
    )
    plan = ChannelPlan
    timer = ChannelTimer
    result = ChannelResult

    def add_arguments(self, parser: ArgumentParser) -> None:
        add = parser.add_argument
        add("pattern", metavar="PATTERN", nargs="?", help=f"one of {', '.join(PATTERNS)}; default stream")
        add("messages", metavar="MESSAGES", nargs="?", help="number of messages; in a pingpong, of round trips")
        add_message_options(parser)
        add("--tasks", metavar="N", type=whole(),
            help="number of senders (fanin, select) or receivers (fanout); default 4")  # fmt: skip

    def planned(self, options: Namespace, model: str) -> ChannelPlan:
        pattern, messages = options.pattern, options.messages
        if messages is None and (pattern is None or is_whole(pattern)):  # PATTERN was left out
            pattern, messages = "stream", pattern
        check_pattern(pattern)
        if messages is None:
            raise ValueError("MESSAGES is needed, as in: python -m concmodels.channel stream 100000")
        if not is_whole(messages):
            raise ValueError(f"MESSAGES must be a whole number, not {messages!r}")
        return ChannelPlan(model, int(messages), pattern, options.tasks, options.capacity, options.payload)


def channel(
    model: str = "threads",
    *,
    pattern: str = "stream",
    messages: int,
    tasks: int | None = None,
    capacity: float = math.inf,
    payload: int | None = None,
    timeout: float | None = None,
) -> ChannelResult:
    """Send `messages` messages through channels in this pattern, and return the figures.

    `pattern` is `stream`, `pingpong` (where `messages` is the number of round trips), `fanin`, `fanout` or `select`.
    `tasks` is the number of senders (fanin, select) or receivers (fanout), 4 by default. `capacity` is the capacity of
    each channel; 0 makes each a rendezvous. `payload` is the size of a message in bytes, at least 8; without it a
    message is a bare number. `timeout` limits the whole run (set-up, run and teardown), in seconds.
    Where an event loop runs already, as in a notebook, an async model runs in a thread of its own.

    A run that fails also returns a result: its `verified` is False and its `error` says why. Raises `ValueError` for an
    unknown pattern, and for sizes that make no sense or that this machine can't hold, `UnknownModel`,
    `ModelUnavailable`, `TimeoutError`, `KeyboardInterrupt`, and `RuntimeError` for a timeout outside the main thread.

        >>> from concmodels.channel import channel
        >>> result = channel("asyncio", pattern="fanin", messages=100, tasks=2)
        >>> result.messages, result.tasks, result.verified
        (100, 2, True)
    """

    plan = ChannelPlan(model, messages, pattern, tasks, capacity, payload)
    plan.check_limits()
    return measure(ChannelCommand(), plan, timeout=timeout)
