"""The report of a check: on which machine it was made, and for each model what worked and what broke."""

import os
import platform
import sys
import time
from dataclasses import asdict, dataclass, field
from importlib import metadata
from typing import Any

import concmodels
from concmodels import catalog
from concmodels.platform import CHOSEN, tried

WORKED, BROKEN, NOT_GUARANTEED = "worked", "broken", "not guaranteed"


@dataclass(frozen=True)
class Found:
    """The outcome of one test of a model."""

    test: str
    """The name of a guarantee, with its values; or `ring`, `pool`, `Ctrl-C`."""
    verdict: str
    """`worked`, `broken` or `not guaranteed`."""
    reason: str = ""
    details: str = ""
    """A traceback, and what was printed."""


@dataclass
class ModelReport:
    """The outcomes of the tests of one model."""

    model: str
    why_not: str | None = None
    """Why the model can't run here; then nothing was tested."""
    found: list[Found] = field(default_factory=list)
    seconds: float = 0

    @property
    def broken(self) -> list[Found]:
        """The tests that found something wrong."""
        return [it for it in self.found if it.verdict == BROKEN]


def _machine() -> dict[str, Any]:
    """Return what is known of this machine and its Python."""
    system = platform.uname()
    return {
        "system": tried.system(), "release": system.release, "version": system.version, "processor": tried.machine(),
        "the_library_was": tried.how(), "cpus": os.process_cpu_count(),
        "libc": " ".join(platform.libc_ver()).strip(), "page_bytes": _page(), "python": sys.version,
        "implementation": sys.implementation.name, "gil": sys._is_gil_enabled(), "platform_chosen": CHOSEN,
    }  # fmt: skip


def _page() -> int:
    from mmap import PAGESIZE

    return PAGESIZE


def _libraries() -> dict[str, str]:
    """Return the versions of the libraries that the models need, as far as they are installed."""
    names = {library for name in catalog.names() for library in catalog.facts(name).needs}
    found = {}
    for name in sorted(names | {"rich"}):
        try:
            found[name] = metadata.version(name)
        except metadata.PackageNotFoundError:
            pass  # its model says so
    return found


@dataclass
class Report:
    """The check of a machine."""

    concmodels: str = concmodels.__version__
    checked: str = field(default_factory=lambda: time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()))
    machine: dict[str, Any] = field(default_factory=_machine)
    libraries: dict[str, str] = field(default_factory=_libraries)
    seconds: float = 0
    is_whole: bool = False
    """Whether the check came to its end: not after Ctrl-C, or when the machine crashed."""
    models: list[ModelReport] = field(default_factory=list)

    @property
    def broken(self) -> list[tuple[str, Found]]:
        """The tests that found something wrong, each with the name of its model."""
        return [(it.model, found) for it in self.models for found in it.broken]

    def to_json(self) -> dict[str, Any]:
        """Return everything as a dict for JSON."""
        return asdict(self)
