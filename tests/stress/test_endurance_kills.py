"""A hundred times one process of a run is killed, at whatever it does: the run ends and says whom it lost."""

import pytest
from endurance.programs import seen_by

pytestmark = [pytest.mark.stress, pytest.mark.timeout(600)]

KILLS = 100
AT_ONCE_S = 1


def test_a_hundred_kills(model, capsys):
    if not model.facts.separate:
        pytest.skip(f"a task of {model.name} is no process that could be killed alone")
    seen = seen_by("killed", model.name, KILLS)
    times = seen["seconds"]
    with capsys.disabled():
        print(f" {seen['killed']}; ended after {times[KILLS // 2]:.3f} s, at most {times[-1]:.3f} s ", end="")
    assert times[-1] < AT_ONCE_S
