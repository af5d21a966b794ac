"""The ring as a command: its arguments."""

from argparse import Namespace

from concmodels.programs.options import Parser, add_message_options, flags, whole
from concmodels.programs.output import BadInput
from concmodels.programs.plan import Plan
from concmodels.programs.program import Program
from concmodels.programs.result import Result


class Ring(Program):
    """`python -m concmodels.ring`."""

    name = "concmodels.ring"
    description = (
        "Send MESSAGES round a ring of NODES tasks, check that all come round once and in order, and "
        "report setup, run and teardown apart."
    )
    outcome = Result

    def add_sizes(self, parser: Parser) -> None:
        add = parser.add_argument
        add("nodes", metavar="NODES", nargs="?", type=whole(1), help="how many tasks stand in the circle")
        add("messages", metavar="MESSAGES", nargs="?", type=whole(1), help="how many messages go round")

    def add_options(self, parser: Parser) -> None:
        parser.add_argument("--in-flight", metavar="N|all", type=whole(1, "all", None), default=None,
            help="how many messages are under way at a time; default all, 1 is a token")  # fmt: skip
        add_message_options(parser)

    def check(self, options: Namespace) -> None:
        if options.nodes is None or options.messages is None:
            raise BadInput("NODES and MESSAGES are needed, as in: python -m concmodels.ring 300 10000")

    def plan(self, options: Namespace, model: str) -> Plan:
        return Plan(model, options.nodes, options.messages, options.in_flight, options.capacity, options.payload)

    def arguments(self, options: Namespace) -> list[str]:
        own = {"--in-flight": options.in_flight, "--capacity": options.capacity, "--payload": options.payload}
        return [str(options.nodes), str(options.messages), *flags(own)]

    def note(self, options: Namespace) -> str | None:
        if options.in_flight is None or options.in_flight <= options.messages:
            return None
        return f"--in-flight {options.in_flight:,} is more than there are messages: taken as {options.messages:,}"
