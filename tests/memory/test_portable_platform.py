"""The models with memory boundaries keep their guarantees on the second version of the platform's files too.

The tests run once more in a pytest of their own, because the choice is made when the package is imported.
"""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from commands import skip_unless_here

ROOT = Path(__file__).parents[2]
LIMIT_S = 240
TOUCHED = ("delivery", "waiting", "closing", "sharing", "sharing_ends", "runs", "pooling")
VARIANTS = ["processes:fork", "processes:spawn", "subinterp:pipe", "subinterp:queue"]


def run(*arguments):
    """Run these tests there; fail with what pytest says if one of them does."""
    command = [sys.executable, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", *arguments]
    environment = os.environ | {"CONCMODELS_PLATFORM": "portable", "PYTHONPATH": str(ROOT)}
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, env=environment, timeout=LIMIT_S)
    if done.returncode:
        pytest.fail(done.stdout + done.stderr, pytrace=False)


def guarantees(*starts):
    """The guarantees whose names begin so: `MODEL-CHAPTER.GUARANTEE`."""
    return "tests/models/test_conformance.py", "-k", " or ".join(f"[{start}" for start in starts)


def test_the_files_themselves():
    run("tests/memory/test_platform.py")


@pytest.mark.timeout(LIMIT_S + 10)
@pytest.mark.parametrize(("name", "variant"), [("processes", "processes:fork"), ("subinterp", "subinterp:pipe")])
def test_a_model_keeps_its_guarantees(name, variant):
    skip_unless_here(name)
    run(*guarantees(*(f"{name}-{chapter}." for chapter in TOUCHED), f"{variant}-cancellation."))


@pytest.mark.thorough
@pytest.mark.timeout(LIMIT_S + 10)
@pytest.mark.parametrize("name", ["processes", "subinterp", *VARIANTS])
def test_a_model_keeps_all_its_guarantees(name):
    skip_unless_here(name)
    run(*guarantees(f"{name}-"))
