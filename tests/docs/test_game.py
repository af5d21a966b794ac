"""The game's page: each level says the fewest forced switches that break its program, and has a mended one."""

import re
from pathlib import Path

import pytest

from concmodels.explore import explore

ROOT = Path(__file__).parents[2]
LEVEL = re.compile(r"\{level\} (\S+)\n:fewest: (\d+)")
LEVELS = LEVEL.findall((ROOT / "docs/start/game.md").read_text())


def test_every_race_is_a_level():
    assert sorted(file for file, _ in LEVELS) == sorted(
        str(it.relative_to(ROOT)) for it in (ROOT / "examples/races").glob("*_broken.py")
    )


@pytest.mark.parametrize(("file", "fewest"), LEVELS, ids=[Path(file).stem for file, _ in LEVELS])
def test_nobody_needs_fewer_switches(file, fewest):
    assert explore(str(ROOT / file)).failure.forced_switches == int(fewest)
    assert (ROOT / file.replace("_broken", "_fixed")).exists()
