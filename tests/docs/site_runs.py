"""Programs that pages show: how each ended when the site was built, or ends now where nothing is kept of that."""

import os
import shlex
import subprocess
import sys
from functools import cache
from importlib.util import find_spec
from pathlib import Path

import interruptible

ROOT = Path(__file__).parents[2]
sys.path.append(str(ROOT / "docs" / "_ext"))


@cache
def ran(program, *arguments):
    """Return how a program of the project ended and what it printed. It runs once, whatever is asked about it."""
    words = [str(Path(program).relative_to(ROOT)), *map(str, arguments)]
    if (kept := kept_of(shlex.join(["python", *words]))) is not None:
        return kept
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    return interruptible.run([sys.executable, *words], cwd=ROOT, env=environment, timeout=60)


def kept_of(command):
    """Return how a command ended when the site was built; None if it has changed since, or was not run.

    What it complained of is among what it printed, because a page shows both in their order.
    """
    if find_spec("sphinx") is None:
        return None
    from concdocs import runs

    if (run := runs.earlier_run(command)) is None:
        return None
    said = f"{run.output}\n"
    return subprocess.CompletedProcess(command, run.status, said, said if run.complained else "")
