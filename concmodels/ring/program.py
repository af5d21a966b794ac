"""The ring as a program: a function for Python, and a command with arguments."""

import math
from argparse import ArgumentParser, Namespace

from concmodels.programs.measure import measure
from concmodels.programs.options import add_message_options, whole, whole_or
from concmodels.programs.program import Program
from concmodels.ring.plan import Plan, Result
from concmodels.ring.timer import RingTimer


class Ring(Program[Plan, Result]):
    """The command `python -m concmodels.ring`."""

    name = "concmodels.ring"
    description = (
        "Send MESSAGES round a ring of NODES tasks, check that all come round once and in order, and "
        "report setup, run and teardown apart."
    )
    plan = Plan
    timer = RingTimer
    result = Result

    def add_arguments(self, parser: ArgumentParser) -> None:
        add = parser.add_argument
        add("nodes", metavar="NODES", nargs="?", type=whole, help="how many tasks stand in the circle")
        add("messages", metavar="MESSAGES", nargs="?", type=whole, help="how many messages go round")
        add("--in-flight", metavar="N|all", type=whole_or("all", None), default=None,
            help="how many messages are under way at a time; default all, 1 is a token")  # fmt: skip
        add_message_options(parser)

    def planned(self, options: Namespace, model: str) -> Plan:
        if options.nodes is None or options.messages is None:
            raise ValueError("NODES and MESSAGES are needed, as in: python -m concmodels.ring 300 10000")
        return Plan(model, options.nodes, options.messages, options.in_flight, options.capacity, options.payload)

    def note(self, plan: Plan) -> str | None:
        if plan.in_flight is None or plan.in_flight <= plan.messages:
            return None
        return f"--in-flight {plan.in_flight:,} is more than there are messages: taken as {plan.messages:,}"


def ring(
    model: str = "threads",
    *,
    nodes: int,
    messages: int,
    in_flight: int | None = None,
    capacity: float = math.inf,
    payload: int | None = None,
    timeout: float | None = None,
) -> Result:
    """Send `messages` messages round a ring of `nodes` nodes in this process, and return the figures.

    At most `in_flight` messages are under way at a time: None means all of them (a stream), 1 is a token. `capacity` is
    the capacity of each channel; 0 makes each a rendezvous. `payload` is the size of a message in bytes, at least 8;
    without it a message is a bare number. `timeout` limits the whole run (set-up, run and teardown), in seconds.

    A ring that fails also returns a result: its `verified` is False and its `error` says why. Raises `ValueError` for
    sizes that make no ring or a ring that this machine can't hold, `UnknownModel`, `ModelUnavailable`, `TimeoutError`,
    `KeyboardInterrupt`, and `RuntimeError` for a timeout outside the main thread.

        >>> from concmodels.ring import ring
        >>> result = ring("asyncio", nodes=10, messages=100)
        >>> result.hops, result.verified, result.error
        (1000, True, None)
        >>> result.ns_per_hop == result.run_s / result.hops * 1e9
        True
    """

    plan = Plan(model, nodes, messages, in_flight, capacity, payload)
    plan.check_limits()
    return measure(Ring(), plan, timeout=timeout)
