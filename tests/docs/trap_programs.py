"""The programs that show traps: each runs once, whatever is asked about it."""

import sys
from functools import cache
from pathlib import Path

import interruptible

TRAPS = Path(__file__).parents[2] / "examples" / "traps"


@cache
def ran(program):
    """Run it; return how it ended and what it printed."""
    return interruptible.run([sys.executable, program], timeout=60)
