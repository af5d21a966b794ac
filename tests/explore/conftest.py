"""Gives explorations the time of a busy machine, and says at the end what random programs were compared with.

These are the programs of `test_reduction.py`; and how many were left out.
"""

from collections import Counter

import pytest

from concmodels.explore import explore, replay


@pytest.fixture(autouse=True)
def enough_seconds(monkeypatch):
    """Let a search end because all schedules were tried; one that is about its time says how long it may take."""
    for function in (explore, replay):
        monkeypatch.setitem(function.__kwdefaults__, "seconds", 50.0)


@pytest.fixture(autouse=True)
def few_drawn_first(monkeypatch, thorough):
    """Have `auto` draw fewer schedules before it tries them all, so that the complete search finds more by itself.

    And have fewer of them be searched for a race that may be the cause of a failure, and switch in the library.
    """
    if not thorough:
        monkeypatch.setattr("concmodels.explore.search.FIRST_SAMPLE", 8)
        monkeypatch.setattr("concmodels.explore.search.SAMPLE_IN_LIBRARY", 60)
        monkeypatch.setattr("concmodels.explore.failures.diagnosis.RACE_RUNS", 20)


def pytest_terminal_summary(terminalreporter):
    counts = {}
    for reports in terminalreporter.stats.values():
        for report in reports:
            if getattr(report, "when", "") == "call":
                for name, found in report.user_properties:
                    if name == "random programs":
                        family, told = found
                        counts.setdefault(family, Counter()).update(told)
    for family, told in counts.items():
        terminalreporter.write_line(f"random programs, {family}: " + ", ".join(f"{n:,} {it}" for it, n in told.items()))
