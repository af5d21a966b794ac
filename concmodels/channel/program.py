"""The channel program as a command: its arguments."""

from argparse import Namespace

from concmodels.channel.plan import PATTERNS, ChannelPlan, ChannelResult, check_pattern, tasks_of
from concmodels.programs.options import Parser, add_message_options, flags, read, whole
from concmodels.programs.output import BadInput
from concmodels.programs.program import Program


class ChannelCommand(Program):
    """`python -m concmodels.channel`."""

    name = "concmodels.channel"
    description = (
        "Send MESSAGES through channels in this PATTERN, check that all arrive once and those of each sender in order, "
        "and report setup, run and teardown apart."
    )
    outcome = ChannelResult

    def add_sizes(self, parser: Parser) -> None:
        add = parser.add_argument
        add("pattern", metavar="PATTERN", nargs="?", help=f"one of {', '.join(PATTERNS)}; default stream")
        add("messages", metavar="MESSAGES", nargs="?", help="how many messages; in a pingpong how many round trips")

    def add_options(self, parser: Parser) -> None:
        add_message_options(parser)
        parser.add_argument("--tasks", metavar="N", type=whole(1),
            help="how many senders (fanin, select) or receivers (fanout); default 4")  # fmt: skip

    def check(self, options: Namespace) -> None:
        if options.messages is None and str(options.pattern).isdecimal():  # only the number was given
            options.pattern, options.messages = "stream", options.pattern
        if options.messages is None and options.pattern in (None, *PATTERNS):
            raise BadInput("MESSAGES is needed, as in: python -m concmodels.channel stream 100000")
        try:
            check_pattern(options.pattern)
            tasks_of(options.pattern, options.tasks)
        except ValueError as error:
            raise BadInput(str(error)) from None
        options.messages = read("MESSAGES", whole(1), options.messages)

    def plan(self, options: Namespace, model: str) -> ChannelPlan:
        tasks = tasks_of(options.pattern, options.tasks)
        return ChannelPlan(model, options.messages, options.pattern, tasks, options.capacity, options.payload)

    def arguments(self, options: Namespace) -> list[str]:
        own = {"--capacity": options.capacity, "--payload": options.payload, "--tasks": options.tasks}
        return [options.pattern, str(options.messages), *flags(own)]
