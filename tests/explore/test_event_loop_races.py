"""The races of `examples/races/event_loops`, and those without sockets beside them.

Each broken program is found, and each fixed one holds in all schedules.
"""

import pytest
from pairs import RACES, must_be_found, must_hold_in_all, names_in, seconds_of_all

FOLDER = RACES / "event_loops"
NAMES = names_in(FOLDER)


def test_there_are_twelve_pairs():
    assert len(NAMES) == 12


@pytest.mark.parametrize("name", NAMES)
def test_a_broken_one_is_found(name):
    report = must_be_found(str(FOLDER / f"{name}_broken.py"), forced_switches=2)
    assert f"{name}_broken.py:" in str(report.failure)


@pytest.mark.parametrize("name", NAMES)
def test_a_fixed_one_holds_in_all_schedules(name):
    must_hold_in_all(str(FOLDER / f"{name}_fixed.py"))


@pytest.mark.parametrize("name", ["connection", "token"])
def test_streams_and_a_client_without_sockets(name):
    if name == "token":
        pytest.importorskip("httpx")
    folder = RACES / "without_sockets"
    report = must_be_found(str(folder / f"{name}_broken.py"), forced_switches=2)
    assert f"{name}_broken.py:" in str(report.failure)
    must_hold_in_all(str(folder / f"{name}_fixed.py"))


@pytest.mark.thorough
def test_all_of_it_takes_seconds_of_this_processor():
    assert seconds_of_all(FOLDER) < 30
