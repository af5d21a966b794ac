"""What the tests of `concmodels.stackless` share: a clean ring before and after, a log, a tasklet that waits."""

import pytest

import concmodels.stackless as stackless
from concmodels.stackless import tasklet
from concmodels.stackless.tasklet import here


@pytest.fixture(autouse=True)
def tidy():
    """Every test begins with an empty ring, and leaves nothing that can't be killed."""
    assert stackless.getruncount() == 1
    yield
    scheduler = here.scheduler
    for left in [*scheduler.started, *scheduler.ready]:
        left.kill()
    stackless.run()
    assert stackless.getruncount() == 1
    assert not scheduler.started and not scheduler.watchdogs and scheduler.timer is None and scheduler.trap == 0
    assert stackless.getcurrent() is stackless.getmain()


@pytest.fixture(name="log")
def fixture_log():
    """What happened, in order."""
    return []


def blocked(function, *args):
    """A tasklet that has run until it waits."""
    unit = tasklet(function)(*args)
    unit.run()
    assert unit.blocked
    return unit
