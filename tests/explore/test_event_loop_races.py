"""The races of `examples/races/event_loops`: each broken program is found, each fixed one holds in all schedules."""

import time
from pathlib import Path

import pytest

import concmodels
from concmodels.explore import explore, replay

RACES = Path(concmodels.__file__).parent.parent / "examples" / "races" / "event_loops"
NAMES = sorted(path.name.removesuffix("_broken.py") for path in RACES.glob("*_broken.py"))


def test_every_broken_one_has_a_fixed_one():
    assert len(NAMES) == 12
    assert {f"{name}_{kind}.py" for name in NAMES for kind in ("broken", "fixed")} == {
        path.name for path in RACES.glob("*.py")
    }


@pytest.mark.parametrize("name", NAMES)
def test_a_broken_one_is_found(name):
    path = str(RACES / f"{name}_broken.py")
    report = explore(path)
    assert report.verdict == "broken", str(report)
    assert report.failure.number <= 100
    assert report.failure.forced_switches <= 2
    assert len(report.failure.replay_id) <= 60
    assert f"{name}_broken.py:" in str(report.failure)
    assert replay(path, schedule=report.failure.replay_id).verdict == "broken"


@pytest.mark.parametrize("name", NAMES)
def test_a_fixed_one_holds_in_all_schedules(name):
    report = explore(str(RACES / f"{name}_fixed.py"), seconds=60.0)
    assert report.verdict == "held in all", str(report)


def test_all_of_it_takes_seconds_of_this_processor():
    begin = time.process_time()
    for path in RACES.glob("*.py"):
        explore(str(path))
    assert time.process_time() - begin < 30
