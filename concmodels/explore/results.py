"""Collects the results of a test run's explorations, keeps the schedules that failed, and shows all at its end.

Under pytest-xdist this is done where the run was started, not on its workers.
"""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from concmodels.explore.summary import Explored

_CACHE = "concmodels/explore/failures"

type Kept = dict[str, list[str]]
"""The failing replay ids of each test: one for each of its explorations, empty if that has not failed."""


def kept_before(config: pytest.Config) -> Kept:
    """Return what earlier runs have kept in pytest's cache; nothing with `-p no:cacheprovider`."""
    cache = getattr(config, "cache", None)
    return {} if cache is None else dict(cache.get(_CACHE, {}))


class Results:
    """A plugin of one run. `is_wanted` says whether to report even if nothing was explored."""

    def __init__(self, config: pytest.Config, is_wanted: bool) -> None:
        self._config = config
        self._is_wanted = is_wanted
        self._found: dict[str, list[Explored]] = {}

    def pytest_runtest_logreport(self, report: Any) -> None:
        """Take what was explored from the report of a test."""
        if found := getattr(report, "concmodels_explored", None):
            self._found[report.nodeid] = found

    def pytest_sessionfinish(self) -> None:
        """Keep the schedules that have failed, and forget those of tests that no longer do."""
        before = kept_before(self._config)
        kept = dict(before)
        for test, all_found in self._found.items():
            ids = [found.get("replay_id", "") for found in all_found]
            kept.pop(test, None)
            if any(ids):
                kept[test] = ids
        if kept != before and (cache := getattr(self._config, "cache", None)) is not None:
            cache.set(_CACHE, kept)

    @pytest.hookimpl(wrapper=True)
    def pytest_terminal_summary(self, terminalreporter: Any) -> Iterator[None]:
        """Say what was proved and what only sampled."""
        result = yield
        if self._found or self._is_wanted:
            from concmodels.explore.summary import lines

            terminalreporter.write_sep("=", "explored")
            for line in lines([(test, found) for test, all_found in self._found.items() for found in all_found]):
                terminalreporter.write_line(line)
        return result
