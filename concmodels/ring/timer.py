"""The timer of the ring: which messages are sent in which phase, and how fast they went round."""

from collections.abc import Callable
from typing import Any

from concmodels.programs.stopwatch import Phase, Stopwatch
from concmodels.ring.plan import Plan
from concmodels.ring.tasks import (
    async_circle,
    async_feed,
    async_node,
    circle,
    feed,
    measured_feed,
    measured_node,
    node,
)


class RingTimer(Stopwatch[Plan, Phase]):
    """Measures one ring. The program spawns `node` and `feed`."""

    node: Callable[..., Any]
    feed: Callable[..., Any]

    def __init__(self, plan: Plan) -> None:
        super().__init__(plan)
        self.steps = plan.hops
        self.program = async_circle if plan.facts.is_async else circle
        if plan.facts.separate:
            self.node, self.feed = measured_node, measured_feed
        elif plan.facts.is_async:
            self.node, self.feed = async_node, async_feed
        else:
            self.node, self.feed = node, feed

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
