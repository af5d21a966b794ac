"""The channel program: a function for Python, and a command with arguments."""

import math
from argparse import ArgumentParser, Namespace

from concmodels.channel.plan import PATTERNS, ChannelPlan, ChannelResult, check_pattern
from concmodels.channel.timer import ChannelTimer
from concmodels.programs.measure import measure
from concmodels.programs.options import add_message_options, whole
from concmodels.programs.program import Program


class ChannelCommand(Program[ChannelPlan, ChannelResult]):
    """The command `python -m concmodels.channel`."""

    name = "concmodels.channel"
    description = (
        "Send MESSAGES through channels in this PATTERN, check that all arrive once and those of each sender in order, "
        "and report setup, run and teardown apart."
    )
    plan = ChannelPlan
    timer = ChannelTimer
    result = ChannelResult

    def add_arguments(self, parser: ArgumentParser) -> None:
        add = parser.add_argument
        add("pattern", metavar="PATTERN", nargs="?", help=f"one of {', '.join(PATTERNS)}; default stream")
        add("messages", metavar="MESSAGES", nargs="?", help="how many messages; in a pingpong how many round trips")
        add_message_options(parser)
        add("--tasks", metavar="N", type=whole,
            help="how many senders (fanin, select) or receivers (fanout); default 4")  # fmt: skip

    def planned(self, options: Namespace, model: str) -> ChannelPlan:
        pattern, messages = options.pattern, options.messages
        if messages is None and (pattern is None or pattern.isdecimal()):  # PATTERN was left out
            pattern, messages = "stream", pattern
        check_pattern(pattern)
        if messages is None:
            raise ValueError("MESSAGES is needed, as in: python -m concmodels.channel stream 100000")
        try:
            number = int(messages)
        except ValueError:
            raise ValueError(f"MESSAGES must be a whole number, not {messages!r}") from None
        return ChannelPlan(model, number, pattern, options.tasks, options.capacity, options.payload)


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
    """Send `messages` messages in this pattern in this process, and return the figures.

    `pattern` is `stream`, `pingpong` (where `messages` is the number of round trips), `fanin`, `fanout` or `select`.
    `tasks` is the number of senders (fanin, select) or receivers (fanout), 4 by default. `capacity` is the capacity of
    each channel; 0 makes each a rendezvous. `payload` is the size of a message in bytes, at least 8; without it a
    message is a bare number. `timeout` limits the whole run (set-up, run and teardown), in seconds.

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
