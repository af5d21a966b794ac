"""The Pythons that a session runs under: this one, others by their version, others by their path.

A version is what `make` takes: `3.15`, `3.14t`. Its environment is the one that `make setup PYTHON=3.15` builds, and it
is built here where it is missing, with the interpreter of that version that the PATH has first. A path is that of the
Python of such an environment, of this checkout or of another one.
"""

import json
import os
import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
PROBE = """
import json, sys
import pyperf
import benchmarks.machine as machine
print(json.dumps([machine.tag(), sys.version.split()[0], machine.gil() == "on", machine.build()]))
"""
SETUP_S = 900.0
SESSION_PYTHON = "CONCMODELS_SESSION_PYTHON"
"""The variable by which a worker knows the Python of the session that has started it."""
ROUND = "CONCMODELS_BENCHMARK_ROUND"
"""The variable by which what a worker starts knows the number of its round."""


class NotToBeHad(Exception):
    """This Python is not available; the message says why."""


@dataclass(frozen=True)
class Interpreter:
    """One Python, in whose environment are this library and pyperf."""

    tag: str
    """As the results name it: `3.14t`."""
    version: str
    gil: bool
    build: dict[str, Any]
    """How it was built: `benchmarks.machine.build`."""
    path: str

    def about(self) -> dict[str, object]:
        """Return what the result file says about this Python."""
        return {"version": self.version, "gil": self.gil, "build": self.build}


def find(asked: str | None) -> Interpreter:
    """Return the Python of this version or at this path; None stands for the one that runs. Raises `NotToBeHad`."""
    if asked is None:
        return probed(sys.executable)
    if re.fullmatch(r"3\.\d+t?", asked):
        return of_version(asked)
    if not os.access(asked, os.X_OK) or Path(asked).is_dir():
        raise NotToBeHad(f"{asked} is neither a version like 3.15 or 3.14t nor a program")
    return probed(asked)


def of_version(version: str) -> Interpreter:
    """Return the environment of this version in this checkout; build it if it is missing or has no pyperf."""
    path = ROOT / ".python" / f"venv-{version}" / "bin" / "python"
    try:
        return probed(str(path))
    except NotToBeHad:
        set_up(version)
    return probed(str(path))


def set_up(version: str) -> None:
    """Build the environment of this version, as `make setup` does."""
    done = quietly(["sh", "tools/setup.sh", version], SETUP_S)
    if done.returncode:
        raise NotToBeHad(f"Python {version} could not be set up: {last_line(done.stderr)}")


def probed(path: str) -> Interpreter:
    """Ask a Python for its version and its features."""
    try:
        done = quietly([path, "-c", PROBE], 60.0)
    except OSError as error:
        raise NotToBeHad(f"{path} can't be run: {error.strerror}") from None
    if done.returncode:
        raise NotToBeHad(f"{path} can't run the benchmarks: {last_line(done.stderr)}{hint(done.stderr)}")
    tag, version, gil, build = json.loads(done.stdout)
    return Interpreter(tag, version, gil, build, path)


def hint(errors: str) -> str:
    """Return what to do about a Python without this project's packages."""
    if "No module named 'pyperf'" not in errors:
        return ""
    return "; put its folder first on the PATH, and `make setup` with PYTHON=3.14 or 3.14t makes an environment with it"


def quietly(command: list[str], limit_s: float) -> subprocess.CompletedProcess[str]:
    """Run a command in the checkout and return its output. Raises `NotToBeHad` if it takes too long."""
    try:
        return subprocess.run(
            command, cwd=ROOT, env=environment(), capture_output=True, text=True, timeout=limit_s, check=False
        )
    except subprocess.TimeoutExpired:
        raise NotToBeHad(f"{command[0]} took more than {limit_s:g} s") from None


def environment(extra_path: str | None = None) -> dict[str, str]:
    """Return environment variables for such a Python: no modules of other environments, and bytecode is kept."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    return kept | ({"PYTHONPATH": extra_path} if extra_path else {})


def last_line(text: str) -> str:
    """Return the last line that a program has written, for an error message."""
    lines = text.strip().splitlines()
    return lines[-1].strip() if lines else "it did not say why"
