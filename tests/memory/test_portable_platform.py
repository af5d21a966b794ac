"""Models keep their guarantees on the second version of the platform's files too, on a simulated Mac.

They do so in a process of their own, because the choice is made when the package is imported, and because Python itself
becomes a Mac there, as far as it can: `tests/simulated/macos`.
"""

import os
import subprocess
import sys
from pathlib import Path

import others_plugins
import pytest
from commands import skip_unless_here

from concmodels.conformance.guarantees import CHAPTERS

ROOT = Path(__file__).parents[2]
LIMIT_S = 240
TOUCHED = {
    "processes": ("delivery", "sharing", "sharing_ends", "runs", "pooling"),
    # its channels and pools are those of processes: only how it starts, wakes and shares is its own
    "subinterp": ("sharing", "runs"),
    "asyncio": ("sockets", "sockets_ends"),
}
"""The chapters that show most of what these models use of the platform's files: memory, waking, measuring."""
VARIANTS = ["processes:fork", "processes:spawn"]
NOT_THEIRS = {
    "processes": {"same_turn"},
    "subinterp": {"same_turn", "pooling_deaths"},
    "asyncio": {"pooling", "pooling_boundaries", "pooling_deaths", "sockets_travelling"},
}
"""The chapters of which these models, and their variants, give no guarantee."""


def run(*arguments):
    """Run Python with these arguments there; fail with what it says if it does. Return what it prints."""
    path = os.pathsep.join(map(str, (ROOT / "tests" / "simulated" / "macos", ROOT)))
    environment = os.environ | {"CONCMODELS_PLATFORM": "portable", "PYTHONPATH": path}
    command = [sys.executable, "-W", "error", *arguments]
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, env=environment, timeout=LIMIT_S)
    if done.returncode:
        pytest.fail(done.stdout + done.stderr, pytrace=False)
    return done.stdout


def kept(how, *chapters):
    """How many guarantees of these chapters were kept there. A chapter is named as `MODEL-CHAPTER`."""
    return int(run("tests/memory/holds.py", how, *chapters))


def test_the_files_themselves():
    run("-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", *others_plugins.WITHOUT, "tests/memory/test_platform.py")


@pytest.mark.timeout(LIMIT_S + 10)
@pytest.mark.parametrize(
    ("name", "others"), [("processes", ["processes:fork-cancellation"]), ("subinterp", []), ("asyncio", [])]
)
def test_a_model_keeps_its_guarantees(name, others):
    skip_unless_here(name)
    chapters = [f"{name}-{chapter}" for chapter in TOUCHED[name]]
    assert kept("usual", *chapters, *others) > (80 if others else 25)


@pytest.mark.thorough
@pytest.mark.timeout(LIMIT_S + 10)
@pytest.mark.parametrize("name", ["processes", "subinterp", "asyncio", *VARIANTS])
def test_a_model_keeps_all_its_guarantees(name):
    skip_unless_here(name)
    chapters = [it for it in CHAPTERS if it not in NOT_THEIRS[name.partition(":")[0]]]
    assert kept("thorough", *(f"{name}-{chapter}" for chapter in chapters)) > 500
