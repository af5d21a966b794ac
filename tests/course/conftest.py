"""Without `--thorough` answers are checked in forks of a process that has imported the explorer, and draws less."""

from contextlib import nullcontext
from functools import partial
from unittest.mock import patch

import preloaded
import pytest

from concmodels.course import isolated

IMPORTS = ("concmodels.course.child", "concmodels.course.checking", "course.few_drawn")


@pytest.fixture(autouse=True)
def checked_in_forks(thorough, monkeypatch):
    if not thorough:
        monkeypatch.setattr(isolated, "subprocess", preloaded.in_forks(IMPORTS))


@pytest.fixture(scope="session")
def on_few_schedules(thorough):
    """A context in which, without `--thorough`, an answer is tried on few schedules: enough for one that is right."""
    if thorough:
        return nullcontext
    return partial(patch.object, isolated, "subprocess", preloaded.in_forks((*IMPORTS, "course.few_schedules")))
