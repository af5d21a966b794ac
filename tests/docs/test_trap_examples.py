"""Every program that shows a trap, and the ring by hand on Dask, runs to its end and says nothing on standard error.

What they print is on the site: `make test-docs` runs these.
"""

from pathlib import Path

import pytest
from trap_programs import TRAPS, ran

from concmodels import catalog

pytestmark = pytest.mark.docs

ROOT = Path(__file__).parents[2]
PROGRAMS = sorted([*TRAPS.glob("*.py"), ROOT / "examples" / "dask_ring.py"])
OPTIONAL = {"dask": "dask", "sim": "sim", "greenlet": "greenlet", "tasklets": "greenlet", "gevent": "gevent",
            "eventlet": "eventlet", "trio": "trio", "anyio": "anyio", "processes": "processes",
            "subinterp": "subinterp"}  # fmt: skip
"""What a program needs, by the first word of its name."""


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.stem)
def test_the_program_shows_its_trap(program):
    model = OPTIONAL.get(program.stem.partition("_")[0])
    if model is not None and (reason := catalog.why_not(model)) is not None:
        pytest.skip(str(reason))
    done = ran(program)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.strip(), "it shows nothing"
