"""The machine and the versions that figures were measured on: of one run, and of a whole session."""

import json
import os
import platform
import sys
from collections.abc import Iterator
from importlib import metadata
from typing import Any

from benchmarks.cell import Candidate
from benchmarks.interpreters import ROOT
from benchmarks.web.groups import distributions
from concmodels import catalog

KEPT = (
    "aslr", "cpu_count", "cpu_model_name", "date", "duration", "inner_loops", "load_avg_1min", "loops",
    "calibrate_loops", "mem_max_rss", "name", "perf_version", "platform", "python_compiler", "python_implementation",
    "python_version", "unit",
)  # fmt: skip
"""Of pyperf's metadata; the rest changes from run to run and says nothing, or names this machine's folders."""
MEASURED = ("concmodels", "benchmarks", ":(exclude)benchmarks/results", ":(exclude)benchmarks/report")
"""The code that a result depends on."""


def tag() -> str:
    """Return the name of this Python on the command line: `3.14`, `3.14t`."""
    import sysconfig

    free = "t" if sysconfig.get_config_var("Py_GIL_DISABLED") else ""
    return f"{sys.version_info.major}.{sys.version_info.minor}{free}"


def build() -> dict[str, Any]:
    """Return how this Python was built, without the names of folders: its flags, compiler and optimisation."""
    import shlex
    import sysconfig

    arguments = shlex.split(sysconfig.get_config_var("CONFIG_ARGS") or "")
    return {
        "version": sys.version.split()[0],
        "gil_disabled": bool(sysconfig.get_config_var("Py_GIL_DISABLED")),
        "compiler": platform.python_compiler(),
        "configure": sorted(it for it in arguments if "/" not in it),
        "optimisation": sysconfig.get_config_var("OPT") or "",
    }


def gil() -> str:
    """Return whether the GIL is on now."""
    return "on" if sys._is_gil_enabled() else "off"


def about_run(candidate: Candidate, number: int, versions: dict[str, str]) -> dict[str, Any]:
    """Return the metadata of one run of this candidate; `versions` are those that only the run could find out."""
    about = {name: getattr(candidate, name) for name in ("suite", "cell", "kind", "step", "model")}
    about |= {"candidate": candidate.name, "round": number, "python": tag(), "gil": gil()}
    about |= {"parameters": json.dumps(candidate.parameters), "libraries": json.dumps(libraries(candidate) | versions)}
    about["name"] = f"{candidate.path}@{about['python']}"
    return {name: value for name, value in about.items() if value is not None}


def libraries(candidate: Candidate) -> dict[str, str]:
    """Return the versions of the libraries that the candidate uses."""
    versions = {}
    needed = [name for need in candidate.needs for name in distributions(need)]
    for name in dict.fromkeys((*_of_model(candidate.model), *needed)):
        try:
            versions[name] = metadata.version(name)
        except metadata.PackageNotFoundError:
            versions[name] = "not installed"
    return versions


def _of_model(name: str | None) -> Iterator[str]:
    """Yield the libraries whose versions matter for a model: what it needs, and what its library is built on."""
    if name in catalog.names(variants=True, distributed=True, simulated=True):
        facts = catalog.facts(name)
        yield from facts.needs
        if facts.family == "greenlets":
            yield "greenlet"


def about_machine() -> dict[str, Any]:
    """Return the description of the machine of a session, without its name and its folders."""
    import concmodels

    return {
        "platform": platform.platform(),
        "cpus": os.process_cpu_count(),
        "cpu_model": cpu_model(),
        "memory_bytes": memory(),
        "load_avg": [round(load, 2) for load in os.getloadavg()],
        "concmodels": concmodels.__version__,
        **code(),
        "pyperf": metadata.version("pyperf"),
    }


def code() -> dict[str, Any]:
    """Return the commit of the code that is measured, and whether files were changed since; nothing without git."""
    commit = git("rev-parse", "HEAD")
    changed = git("status", "--porcelain", "--untracked-files=no", "--", *MEASURED)
    return {} if commit is None else {"commit": commit, "changed_files": bool(changed)}


def commits_since(commit: str, *paths: str) -> int | None:
    """Return in how many commits these paths have changed since this one; None where git can't tell."""
    count = git("rev-list", "--count", f"{commit}..HEAD", "--", *paths)
    return None if count is None else int(count)


def git(*arguments: str) -> str | None:
    """Return what git says about this folder; None without git, or where it refuses."""
    import subprocess

    try:
        done = subprocess.run(["git", *arguments], cwd=ROOT, capture_output=True, text=True, check=True)
    except OSError, subprocess.CalledProcessError:
        return None
    return done.stdout.strip()


def cpu_model() -> str | None:
    """Return the name of the CPU, if Linux tells it."""
    try:
        with open("/proc/cpuinfo") as lines:
            return next((line.partition(":")[2].strip() for line in lines if line.startswith("model name")), None)
    except OSError:
        return None


def memory() -> int | None:
    """Return the bytes of memory of this machine."""
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except OSError, ValueError:
        return None
