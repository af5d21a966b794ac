"""The ring as a program: how a run is measured, a command with arguments, and a function for Python."""

import math
from argparse import ArgumentParser, Namespace
from typing import Any

from concmodels.programs.measure import measure
from concmodels.programs.options import add_message_options, whole
from concmodels.programs.program import Program
from concmodels.programs.stopwatch import Phase, Stopwatch
from concmodels.ring import tasks
from concmodels.ring.plan import Plan, Result


class RingTimer(Stopwatch[Plan, Phase]):
    """Measures one ring. The program spawns `node` and `feed`."""

    def __init__(self, plan: Plan) -> None:
        super().__init__(plan)
        self.steps = plan.hops
        prefix = "async_" if plan.facts.is_async else ""
        kind = "measured_" if plan.facts.separate else prefix
        self.program = getattr(tasks, f"{prefix}circle")
        self.node, self.feed = getattr(tasks, f"{kind}node"), getattr(tasks, f"{kind}feed")

    def spawned(self, tasks: list[Any], links: list[Any]) -> None:
        """Take note of the tasks that were started and of the channels between them."""
        self.tasks, self._links = tasks, links

    def warm_up(self) -> Phase:
        """Return the first phase: one message, which shows that every task has been started."""
        return Phase(0, 1, 1, self.plan.payload or 0)

    def counted(self) -> Phase:
        return Phase(1, 1 + self.plan.messages, self.plan.window, self.plan.payload or 0)

    def steps_done(self) -> int:
        """Return how many hops the counted messages have made so far."""
        return self.phase.begun * self.plan.nodes + sum(len(link) * behind for behind, link in enumerate(self._links))

    def speed(self, run_s: float) -> dict[str, Any]:
        return {"hops_per_s": self.plan.hops / run_s, "ns_per_hop": run_s / self.plan.hops * 1e9}

    def worker(self, names: dict[str, Any]) -> str | None:
        """Recognise a task by its outgoing channel; `link 0` belongs to the feeder."""
        name = str(getattr(names.get("outbox"), "name", ""))
        if not name.startswith("link "):
            return None
        return "the feeder" if name == "link 0" else f"node {name.removeprefix('link ')}"

    def stopped_short(self) -> str:
        return f"only {self.phase.begun - 1:,} of {self.plan.messages:,} messages came round"


class Ring(Program[Plan, Result]):
    """The command `python -m concmodels.ring`."""

    name = "concmodels.ring"
    description = (
        "Send MESSAGES round a ring of NODES tasks, check that each comes round once and in order, and report setup, "
        "run and teardown separately."
    )
    plan = Plan
    timer = RingTimer
    result = Result

    def add_arguments(self, parser: ArgumentParser) -> None:
        add = parser.add_argument
        add("nodes", metavar="NODES", nargs="?", type=whole(), help="number of tasks in the ring")
        add("messages", metavar="MESSAGES", nargs="?", type=whole(), help="number of messages that go round")
        add("--in-flight", metavar="N|all", type=whole("all", None), default=None,
            help="most messages under way at a time; default all; 1 is a token")  # fmt: skip
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
    """Send `messages` messages round a ring of `nodes` nodes, and return the figures.

    At most `in_flight` messages are under way at a time: None means all of them (a stream), 1 is a token. `capacity` is
    the capacity of each channel; 0 makes each a rendezvous. `payload` is the size of a message in bytes, at least 8;
    without it a message is a bare number. `timeout` limits the whole run (set-up, run and teardown), in seconds.
    Where an event loop runs already, as in a notebook, an async model runs in a thread of its own.

    A ring that fails also returns a result: its `verified` is False and its `error` says why. Raises `ValueError` for
    sizes that make no sense or that this machine can't hold, `UnknownModel`, `ModelUnavailable`, `TimeoutError`,
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
