"""The figures of a run, and notes on how to read them."""

import os
import platform
from dataclasses import asdict, dataclass
from typing import Any

from benchmarks.web.latencies import Latencies
from benchmarks.web.plan import Kind, Plan

_BUSY = 0.9
_KEPT_UP = 0.97
_STARVED = 0.1
_LATE_S = 0.001


@dataclass(frozen=True, kw_only=True)
class Report:
    """The figures of a run. A figure that is unknown, or could be chance, is None."""

    plan: Plan
    goodput: float
    """Right answers per second, without those that came after the end."""
    offered: float | None
    """Requests per second that were due; None in a closed loop."""
    answers: int
    errors: dict[str, int]
    unanswered: int
    """Requests that had no answer when the time for late answers was over. Their ages are among the latencies."""
    lost: int
    """Requests that were sent, or waited for a connection of their own, when an error ended that connection."""
    unsent: int
    """Those of the unanswered that never had a connection; 0 in a closed loop."""
    latencies: Latencies
    by_kind: tuple[tuple[Kind, Latencies], ...]
    least_served: float | None
    """The answers of the connection with the fewest, divided by the mean: 0 says that some connection had none."""
    starved: int
    """The number of connections without an answer; 0 if there were too few answers to tell."""
    reopened: int
    """How often the generator opened a connection again because the server had closed it."""
    most_waiting: int
    """The most requests that were due and had no connection."""
    opened_s: float
    generator_cores: float
    """The share of the time in which the generator computed."""
    generator_waited: float | None
    """The share of the time in which it waited for a processor that other programs used."""
    lag_p99_s: float | None
    """How late the generator noticed that a request was due, as a P99. This is part of the latency."""

    def to_json(self) -> dict[str, Any]:
        """Return the figures as a dict for JSON."""
        plan = self.plan
        figures = {name: value for name, value in asdict(self).items() if name not in ("plan", "by_kind", "latencies")}
        return {
            "target": f"{plan.target.address}{plan.target.path}",
            "loop": "closed" if plan.rate is None else "open",
            "connections": plan.connections,
            "seconds": plan.seconds,
            "warmup_s": plan.warmup_s,
            "rate": plan.rate,
            "arrivals": None if plan.rate is None else "even" if plan.even else "poisson",
            "seed": plan.seed,
            **figures,
            "latencies": asdict(self.latencies),
            "by_kind": [asdict(kind) | asdict(its) for kind, its in self.by_kind],
            "notes": self.notes(),
            "python": platform.python_version(),
            "cpus": os.process_cpu_count(),
        }

    def notes(self) -> list[str]:
        """Return a sentence for everything that a reader of the figures must know."""
        found = [self._about_the_generator(), self._about_the_rate(), self._about_the_connections()]
        if self.unanswered:
            found.append(
                f"{self.unanswered:,} requests were never answered; they count with their age at the end, so the "
                "latencies are lower bounds"
            )
        return [sentence for sentence in found if sentence]

    def _about_the_generator(self) -> str:
        waited = self.generator_waited or 0
        if self.generator_cores + waited >= _BUSY:
            return (
                f"the generator itself was the bottleneck: it computed {self.generator_cores:.0%} of the time, and "
                f"waited {waited:.0%} for a processor; the server may be faster than this"
            )
        if self.lag_p99_s is not None and self.lag_p99_s >= _LATE_S:
            return (
                f"the generator noticed one request in a hundred {self.lag_p99_s * 1000:.1f} ms late or later; that is "
                f"in the latencies; it waited {waited:.0%} of the time for a processor"
            )
        return ""

    def _about_the_rate(self) -> str:
        if self.offered is None or self.goodput >= _KEPT_UP * self.offered:
            return ""
        return (
            f"the server did not keep up: it answered {self.goodput:,.0f} of {self.offered:,.0f} requests/s in time; "
            f"up to {self.most_waiting:,} waited for a connection; a longer run would have higher latencies"
        )

    def _about_the_connections(self) -> str:
        if self.least_served is None or self.least_served >= _STARVED:
            return ""
        if self.starved:
            return f"{self.starved:,} of {self.plan.connections:,} connections had no answer in time"
        return f"the connection served least had {self.least_served:.0%} of the answers of the mean one"
