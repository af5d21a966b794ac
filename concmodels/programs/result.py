"""The result of one run of a program: its figures, and their conversion to JSON and back."""

import functools
import os
import platform
import sys
from abc import ABC, abstractmethod
from dataclasses import MISSING, dataclass, field, fields
from typing import TYPE_CHECKING, Any, ClassVar, Self

import concmodels
from concmodels.errors import Terminated
from concmodels.programs.output.formats import WAYS

if TYPE_CHECKING:
    from concmodels.programs.plan import AnyPlan

OK, FAILED, BAD_INPUT, TIMED_OUT, HUNG_UP, INTERRUPTED, TERMINATED = 0, 1, 2, 124, 129, 130, 143
"""The exit statuses. If several runs end differently, the greatest status counts."""

STOPPED = (HUNG_UP, INTERRUPTED, TERMINATED)
"""The exit statuses of a program that a signal has stopped: 128 plus the number of the signal, as in shells."""

STOPPING = (KeyboardInterrupt, Terminated, TimeoutError)
"""The exceptions with which `measure` ends if a signal or `--timeout` has ended the run."""

_SHARED = {
    "setup": ("setup_s", "seconds"),
    "run": ("run_s", "seconds"),
    "down": ("teardown_s", "seconds"),
    "CPU": ("cpu_s", "seconds"),
    "peak": ("peak_rss_bytes", "size"),
    "PSS": ("peak_pss_bytes", "size"),
    "switch": ("switches", "short"),
}
"""The columns that the tables of all programs have, after a program's own."""


@functools.cache
def _system() -> str:
    """Return system, release and machine. `platform.platform()` would start a process to say more."""
    here = platform.uname()
    return f"{here.system}-{here.release}-{here.machine}"


@dataclass(frozen=True, kw_only=True)
class Outcome(ABC):
    """The figures of one run of a program. A figure that could not be measured is None."""

    SPEED: ClassVar[str]
    """The name of the figure by which the table ranks the models."""

    model: str
    variant: str | None
    """The name of the variant, also of the default one; None if the model has no variants."""
    setup_s: float | None = None
    """The time from the start until the uncounted warm-up was over."""
    run_s: float | None = None
    """The time of the counted steps, from the first to the last."""
    teardown_s: float | None = None
    """The time from the last counted step until `run` had returned."""
    total_s: float | None = None
    """The sum of the three."""
    cpu_user_s: float | None = None
    """The user time of all processes during the counted steps. The three figures below are of the same time."""
    cpu_system_s: float | None = None
    voluntary_switches: int | None = None
    involuntary_switches: int | None = None
    peak_rss_bytes: int | None = None
    """The sum of the peaks of all processes: a page that two processes share counts twice."""
    peak_pss_bytes: int | None = None
    """The memory at the end of the counted steps, while all processes exist: a shared page counts once."""
    other_cpus: float | None = None
    """The number of processors that other programs had meanwhile; None if that is unknown, or the time too short."""
    verified: bool = False
    """Whether every message arrived as it should, or every result was right."""
    error: str | None = None
    repeat: int = 1
    status: int = FAILED
    """The exit status of the command: 0 verified, 1 failed, 124 timed out, 130 interrupted, 143 or 129 ended by
    SIGTERM or SIGHUP."""
    python: str = field(default_factory=platform.python_version)
    gil: bool = field(default_factory=sys._is_gil_enabled)
    cpus: int | None = field(default_factory=os.process_cpu_count)
    platform: str = field(default_factory=_system)
    library_version: str | None = None
    """The version of the library that the model is built on; None if that is the standard library."""
    concmodels: str = concmodels.__version__

    @property
    def name(self) -> str:
        """The shortest name of the model or variant, as `load` takes it."""
        from concmodels import catalog

        return catalog.name_of(catalog.facts(f"{self.model}:{self.variant}" if self.variant else self.model))

    @property
    def switches(self) -> int | None:
        """The context switches of both kinds."""
        if self.voluntary_switches is None or self.involuntary_switches is None:
            return None
        return self.voluntary_switches + self.involuntary_switches

    @property
    def cpu_s(self) -> float | None:
        """The user time and the system time together."""
        return None if self.cpu_user_s is None or self.cpu_system_s is None else self.cpu_user_s + self.cpu_system_s

    @abstractmethod
    def columns(self) -> dict[str, tuple[str, str]]:
        """Return the program's own columns of the table, the speed first: by header, a figure and its format."""

    def all_columns(self) -> dict[str, tuple[str, str]]:
        """Return all columns of the table but the name, as `columns` does."""
        return self.columns() | _SHARED

    def legend(self) -> dict[str, str]:
        """Return what words of the second line and headers of the table mean."""
        return {
            "CPU": "seconds of all processors",
            "peak": "memory, shared pages once per process",
            "PSS": "memory, shared pages once",
            "switch": "context switches",
        }

    @abstractmethod
    def headline(self) -> str:
        """Return what was run, for the first line of the table."""

    @abstractmethod
    def details(self) -> str:
        """Return with which options it was run, for the second line of the table."""

    @abstractmethod
    def proven(self) -> str:
        """Return what was verified, for the line under the table."""

    def _repr_html_(self) -> str:
        """Return the table of this one run as HTML; a notebook shows it for a cell that ends in a result."""
        from concmodels.programs.output import html  # for notebooks alone

        cells = {"model": self.name}
        for header, (figure, way) in self.all_columns().items():
            value = getattr(self, figure)
            cells[header] = "-" if value is None else WAYS[way](value)
        under = f"verified: {self.proven()}" if self.verified else f"not verified: {self.error}"
        return html.table(self.headline(), f"{self.details()}; {self.where()}", cells, under)

    def where(self) -> str:
        """Return on what Python and on how many CPUs it was run, for the second line of the table."""
        return f"Python {self.python}, GIL {'on' if self.gil else 'off'}, {self.cpus} CPUs"

    def to_json(self) -> dict[str, Any]:
        """Return the figures as a dict for JSON."""
        return {name: getattr(self, name) for name in self._order()}

    @classmethod
    def _order(cls) -> list[str]:
        """The names of the figures in their order in JSON.

        The parameters come after the model, and the program's own figures after the times that all programs have.
        """
        common = [it.name for it in fields(Outcome)]
        own = [it for it in fields(cls) if it.name not in common]
        parameters = [it.name for it in own if it.default is MISSING]
        measured = [it.name for it in own if it.default is not MISSING]
        after_the_times = common.index("total_s") + 1
        return [*common[:2], *parameters, *common[2:after_the_times], *measured, *common[after_the_times:]]

    @classmethod
    def from_json(cls, figures: dict[str, Any]) -> Self:
        """Return the result with these figures; unknown ones are ignored."""
        known = {it.name for it in fields(cls)}
        return cls(**{name: value for name, value in figures.items() if name in known})

    @classmethod
    @abstractmethod
    def parameters(cls, plan: Any) -> dict[str, Any]:
        """Return the parameters of a plan as this result has them."""

    @classmethod
    def of(cls, plan: AnyPlan, **figures: Any) -> Self:
        """Return the result of one run of this plan, with these figures."""
        facts = plan.facts
        version = _version(facts.needs[0]) if facts.needs else None
        its = cls.parameters(plan)
        return cls(model=facts.model, variant=facts.variant, library_version=version, **its, **figures)


def how_it_stopped(interrupt: BaseException) -> tuple[int, str]:
    """Return the exit status and the message for a run that `STOPPING` has ended."""
    if isinstance(interrupt, TimeoutError):
        return TIMED_OUT, str(interrupt)
    if isinstance(interrupt, Terminated):
        return 128 + interrupt.signum, str(interrupt)
    return INTERRUPTED, "interrupted"


def capacity_of(capacity: float) -> int | str:
    """Return a capacity as a value for JSON, which has no infinity."""
    return "inf" if capacity == float("inf") else int(capacity)


def size_of_one(payload_bytes: int) -> str:
    """Return the size of a message, in words."""
    return f"{payload_bytes:,} bytes each" if payload_bytes else "bare numbers"


def count(number: int, what: str) -> str:
    """Return `1 node`, `2,000 nodes`."""
    return f"{number:,} {what}{'' if number == 1 else 's'}"


@functools.cache
def _version(library: str) -> str | None:
    if version := getattr(sys.modules.get(library), "__version__", None):
        return str(version)
    from importlib import metadata  # an eighth of a short run's CPU time, and few libraries don't say it themselves

    try:
        return metadata.version(library)
    except metadata.PackageNotFoundError:
        return None
