"""Hand-ins, graded: none of them harms the others, gets points that it has not earned, or leaves anything behind."""

import os
import sys
from pathlib import Path

import pytest
from hostile import FIRST, HOSTILE

from concmodels.course.catalogue import exercise
from concmodels.course.grading import graded
from concmodels.course.limits import Limits

LIMITS = Limits(cpu_s=1, wall_s=20.0)
needs_linux = pytest.mark.skipif(sys.platform != "linux", reason="limits and orphans as Linux has them")


def alive(pid):
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


@needs_linux
@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=() if name in FIRST else pytest.mark.thorough) for name in HOSTILE]
)
def test_a_hostile_hand_in_has_no_points(name, tmp_path):
    text, says = HOSTILE[name]
    mark = tmp_path / "pid"
    file = tmp_path / "lost_update.py"
    file.write_text(text.replace("{mark!r}", repr(str(mark))))
    found = graded(file, exercise(2), LIMITS).verdict
    assert found.score == 0, found
    assert says in found.sentence and "\n" not in found.sentence
    assert not mark.exists() or not alive(int(mark.read_text()))


@needs_linux
@pytest.mark.thorough
def test_a_hand_in_has_no_network(tmp_path):
    if os.geteuid() != 0 and Path("/proc/sys/kernel/apparmor_restrict_unprivileged_userns").exists():
        pytest.skip("this system may not let a user leave the network")
    names = "[it.split(':')[0].strip() for it in open('/proc/self/net/dev').read().splitlines()[2:]]"
    file = tmp_path / "lost_update.py"
    file.write_text(f"raise OSError({names})\n")
    assert "OSError: ['lo']" in graded(file, exercise(2), LIMITS).verdict.sentence
