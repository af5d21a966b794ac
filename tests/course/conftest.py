"""Without `--thorough` answers are checked in forks of a process that has imported the explorer."""

import preloaded
import pytest

from concmodels.course import isolated

IMPORTS = ("concmodels.course.child", "concmodels.course.checking")


@pytest.fixture(autouse=True)
def checked_in_forks(thorough, monkeypatch):
    if not thorough:
        monkeypatch.setattr(isolated, "subprocess", preloaded.in_forks(IMPORTS))
