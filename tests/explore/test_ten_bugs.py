"""The ten races of `examples/races`: each broken one is found, and each fixed one holds in all schedules."""

import pytest
from pairs import RACES, must_be_found, must_hold_in_all, names_in, seconds_of_all

from concmodels.explore import explore

NAMES = names_in(RACES)
DATA_RACES = {
    "lost_update": ("visitors", {14}),
    "check_then_act": ("self.balance", {14, 15}),
    "unsafe_publication": ("self._settings", {19, 22, 24}),
}
"""What is raced for, and on which lines."""

HOLD_WITH_GIL = {"lost_update", "check_then_act", "unsafe_publication"}
"""Those that are right by accident where only the holder of the GIL runs."""


def test_there_are_ten_pairs():
    assert len(NAMES) == 10


@pytest.mark.parametrize("name", NAMES)
def test_a_broken_one_is_found(name):
    must_be_found(str(RACES / f"{name}_broken.py"), forced_switches=4)


@pytest.mark.parametrize("name", NAMES)
def test_a_fixed_one_holds_in_all_schedules(name):
    report = must_hold_in_all(str(RACES / f"{name}_fixed.py"))
    assert not [race for race in report.races if not race.is_atomic]


@pytest.mark.parametrize("name", DATA_RACES)
def test_a_data_race_names_both_lines(name):
    what, lines = DATA_RACES[name]
    report = explore(str(RACES / f"{name}_broken.py"))
    found = [race for race in report.failure.races if not race.is_atomic]
    assert what in {race.what for race in found}
    assert {line for race in found if race.what == what for line in (race.first.line, race.second.line)} <= lines
    text = str(report)
    assert f"data race: {what}" in text


@pytest.mark.parametrize("name", NAMES)
def test_what_builds_with_the_gil_show(name):
    report = explore(str(RACES / f"{name}_broken.py"), switches="gil", seconds=50.0)
    assert (report.verdict != "broken") == (name in HOLD_WITH_GIL), str(report)
    if name in HOLD_WITH_GIL:
        assert report.verdict == "held in all", str(report)


@pytest.mark.thorough
def test_all_of_it_takes_seconds_of_this_processor():
    assert seconds_of_all(RACES) < 30
