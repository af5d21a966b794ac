"""The figures of one run of a program, immutable, and their way to JSON and back."""

import functools
import os
import platform
import sys
from dataclasses import MISSING, dataclass, field, fields
from typing import Any, ClassVar, Self

import concmodels
from concmodels.errors import Terminated
from concmodels.facts import Facts

OK, FAILED, BAD_INPUT, TIMED_OUT, HUNG_UP, INTERRUPTED, TERMINATED = 0, 1, 2, 124, 129, 130, 143
"""The exit statuses; of several the greatest is the gravest."""

STOPPED = (HUNG_UP, INTERRUPTED, TERMINATED)
"""Those of a program that somebody has stopped: 128 and the number of the signal, as shells have it."""


@functools.cache
def _system() -> str:
    """System, release and machine; `platform.platform()` would start a process and search an executable for more."""
    here = platform.uname()
    return f"{here.system}-{here.release}-{here.machine}"


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """What one run of a program took. A figure that could not be taken is None."""

    SPEED: ClassVar[str]
    """The figure by which the table ranks."""

    model: str
    variant: str | None
    """The variant by its name, also where it is the default; None: the model has none."""
    setup_s: float | None = None
    """From the start until an uncounted warm-up was over."""
    run_s: float | None = None
    """What is counted, from its first step to its last."""
    teardown_s: float | None = None
    """From there until `run` had returned."""
    total_s: float | None = None
    """The three phases together; the probe of an estimate is in none of them."""
    cpu_user_s: float | None = None
    """Of the run phase, all processes together; so are the three below."""
    cpu_system_s: float | None = None
    voluntary_switches: int | None = None
    involuntary_switches: int | None = None
    peak_rss_bytes: int | None = None
    """The peaks of all processes, added up: a page that two processes share counts twice."""
    peak_pss_bytes: int | None = None
    """At the end of the run phase, all processes still alive: a shared page counts once, divided among them."""
    verified: bool = False
    """Whether everything arrived, or every result was right."""
    error: str | None = None
    repeat: int = 1
    status: int = FAILED
    """What the command line exits with: 0 verified, 1 failed, 124 timed out, 130 interrupted, 143 or 129 ended by
    SIGTERM or SIGHUP."""
    probe_s: float | None = None
    """How long the probe for the estimate took, where there was one."""
    python: str = field(default_factory=platform.python_version)
    gil: bool = field(default_factory=sys._is_gil_enabled)
    cpus: int | None = field(default_factory=os.process_cpu_count)
    platform: str = field(default_factory=_system)
    library_version: str | None = None
    """Of the library that the model stands on; None: the standard library."""
    concmodels: str = concmodels.__version__

    @property
    def name(self) -> str:
        """The model or variant as `load` takes it, in its shortest form."""
        from concmodels import catalog

        return catalog.name_of(catalog.facts(f"{self.model}:{self.variant}" if self.variant else self.model))

    @property
    def switches(self) -> int | None:
        """Context switches of both kinds."""
        if self.voluntary_switches is None or self.involuntary_switches is None:
            return None
        return self.voluntary_switches + self.involuntary_switches

    @property
    def cpu_s(self) -> float | None:
        """User and system together."""
        return None if self.cpu_user_s is None or self.cpu_system_s is None else self.cpu_user_s + self.cpu_system_s

    def columns(self) -> dict[str, tuple[str, str]]:
        """The program's own columns of the table, the speed first: under each header a figure, and how to write it."""
        raise NotImplementedError

    def headline(self) -> str:
        """What was done, for the top of the table."""
        raise NotImplementedError

    def details(self) -> str:
        """How, for the line below."""
        raise NotImplementedError

    def proven(self) -> str:
        """What was verified, for the line under the table."""
        raise NotImplementedError

    def to_json(self) -> dict[str, Any]:
        """Return the figures as JSON has them."""
        return {name: getattr(self, name) for name in self._order()}

    @classmethod
    def _order(cls) -> list[str]:
        """The names of the figures: what was asked for stands behind the model, the program's own behind the phases."""
        common = [it.name for it in fields(Outcome)]
        own = [it for it in fields(cls) if it.name not in common]
        asked = [it.name for it in own if it.default is MISSING]
        measured = [it.name for it in own if it.default is not MISSING]
        behind_the_phases = common.index("total_s") + 1
        return [*common[:2], *asked, *common[2:behind_the_phases], *measured, *common[behind_the_phases:]]

    @classmethod
    def from_json(cls, figures: dict[str, Any]) -> Self:
        """Return the result of which these are the figures."""
        known = {it.name for it in fields(cls)}
        return cls(**{name: value for name, value in figures.items() if name in known})

    @classmethod
    def of_model(cls, facts: Facts, **figures: Any) -> Self:
        """Return the result of a run on this model with these figures."""
        version = _version(facts.needs[0]) if facts.needs else None
        return cls(model=facts.model, variant=facts.variant, library_version=version, **figures)

    def raise_stopped(self) -> Self:
        """Raise `TimeoutError`, `KeyboardInterrupt` or `Terminated` if one of them ended the run; else return self."""
        if self.status == TIMED_OUT:
            raise TimeoutError(self.error)
        if self.status == INTERRUPTED:
            raise KeyboardInterrupt
        if self.status in STOPPED:
            raise Terminated(self.status - 128)
        return self


def how_it_stopped(interrupt: KeyboardInterrupt | Terminated) -> tuple[int, str]:
    """Return the status and the words for a run that Ctrl-C or a signal like it has ended."""
    if isinstance(interrupt, Terminated):
        return 128 + interrupt.signum, str(interrupt)
    return INTERRUPTED, "interrupted"


def capacity_of(capacity: float) -> int | str:
    """Return a capacity as JSON can have it."""
    return "inf" if capacity == float("inf") else int(capacity)


def size_of_one(payload_bytes: int) -> str:
    """Return what a message is, in words."""
    return f"{payload_bytes:,} bytes each" if payload_bytes else "bare numbers"


def count(number: int, what: str) -> str:
    """Return `1 node`, `2,000 nodes`."""
    return f"{number:,} {what}{'' if number == 1 else 's'}"


@functools.cache
def _version(library: str) -> str | None:
    from importlib import metadata  # half of what this command imports, and most models need it not

    try:
        return metadata.version(library)
    except metadata.PackageNotFoundError:
        return None
