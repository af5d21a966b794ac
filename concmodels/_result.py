"""The figures of one run, immutable, and their way to JSON and back."""

import functools
import os
import platform
import sys
from dataclasses import asdict, dataclass, field, fields
from importlib import metadata
from typing import Any, Self

import concmodels
from concmodels._plan import Plan

OK, FAILED, BAD_INPUT, TIMED_OUT, INTERRUPTED = 0, 1, 2, 124, 130
"""The exit statuses; of several the greatest is the gravest."""


@dataclass(frozen=True, kw_only=True)
class Result:
    """What one run of the ring took. A figure that could not be taken is None."""

    model: str
    variant: str | None
    """The variant by its name, also where it is the default; None: the model has none."""
    nodes: int
    messages: int
    hops: int
    in_flight: int | str
    """The most messages under way, or `all`."""
    capacity: int | str
    """Of each channel, or `inf`."""
    payload_bytes: int
    """0: the bare number."""
    setup_s: float | None = None
    """From the start until an uncounted warm-up message had been round."""
    run_s: float | None = None
    """From the first message counted until the last one was collected."""
    teardown_s: float | None = None
    """From there until `run` had returned."""
    total_s: float | None = None
    """The three laps together; the probe of an estimate is in none of them."""
    hops_per_s: float | None = None
    ns_per_hop: float | None = None
    cpu_user_s: float | None = None
    """Of the run lap, all processes together; so are the three below."""
    cpu_system_s: float | None = None
    voluntary_switches: int | None = None
    involuntary_switches: int | None = None
    peak_rss_bytes: int | None = None
    """The peaks of all processes, added up: a page that two processes share counts twice."""
    peak_pss_bytes: int | None = None
    """At the end of the run lap, all processes still alive: a shared page counts once, divided among them."""
    verified: bool = False
    """Whether all messages came round, once each and in order."""
    error: str | None = None
    repeat: int = 1
    status: int = FAILED
    """What the command line exits with: 0 verified, 1 failed, 124 timed out, 130 interrupted."""
    probe_s: float | None = None
    """How long the probe for the estimate took, where there was one."""
    python: str = field(default_factory=platform.python_version)
    gil: bool = field(default_factory=sys._is_gil_enabled)
    cpus: int | None = field(default_factory=os.process_cpu_count)
    platform: str = field(default_factory=platform.platform)
    library_version: str | None = None
    """Of the library that the model stands on; None: the standard library."""
    concmodels: str = concmodels.__version__

    @property
    def name(self) -> str:
        """The model or variant as `load` takes it, in its shortest form."""
        from concmodels import catalog

        return catalog.name_of(catalog.facts(f"{self.model}:{self.variant}" if self.variant else self.model))

    @property
    def cpu_s(self) -> float | None:
        """User and system together."""
        return None if self.cpu_user_s is None or self.cpu_system_s is None else self.cpu_user_s + self.cpu_system_s

    def to_json(self) -> dict[str, Any]:
        """Return the figures as JSON has them."""
        return asdict(self)

    @classmethod
    def from_json(cls, figures: dict[str, Any]) -> Self:
        """Return the result of which these are the figures."""
        known = {it.name for it in fields(cls)}
        return cls(**{name: value for name, value in figures.items() if name in known})

    @classmethod
    def of(cls, plan: Plan, **figures: Any) -> Self:
        """Return the result of this plan with these figures."""
        facts = plan.facts
        return cls(
            model=facts.model,
            variant=facts.variant,
            nodes=plan.nodes,
            messages=plan.messages,
            hops=plan.hops,
            in_flight="all" if plan.in_flight is None else plan.window,
            capacity="inf" if plan.capacity == float("inf") else int(plan.capacity),
            payload_bytes=plan.payload or 0,
            library_version=_version(facts.needs[0]) if facts.needs else None,
            **figures,
        )

    def raise_stopped(self) -> Self:
        """Raise `TimeoutError` or `KeyboardInterrupt` if one of them ended the run; else return the result."""
        if self.status == TIMED_OUT:
            raise TimeoutError(self.error)
        if self.status == INTERRUPTED:
            raise KeyboardInterrupt
        return self


@functools.cache
def _version(library: str) -> str | None:
    try:
        return metadata.version(library)
    except metadata.PackageNotFoundError:
        return None
