"""Interpreters import ctypes one after the other: two at once may crash CPython."""

import os
import textwrap

import pytest
from boundaries import run_script

from concmodels.models import subinterp
from concmodels.models.memory.lives.ctypes_turns import Turns
from concmodels.platform import waking

pytestmark = pytest.mark.usefixtures("nothing_left_behind")

SLOW = """
    import os, time

    os.write(1, b"(")
    time.sleep(0.05)
    os.write(1, b")")
"""
PROGRAM = """
    import sys

    sys.path.insert(0, "slow")

    from concmodels.models import subinterp as model

    def import_it(here, go):
        here.send(None)
        go.receive()
        import ctypes

    def main():
        here, go = model.Channel(4), model.Channel(4)
        with model.TaskGroup() as group:
            for _ in range(4):
                group.spawn(import_it, here, go)
            for _ in range(4):
                here.receive()
            for _ in range(4):
                go.send(None)

    if __name__ == "__main__":
        model.run(main)
"""


@pytest.fixture(autouse=True, scope="module")
def _libffi():
    """Have libffi open its own file: it does so for the first ctypes of a process, and keeps it open."""
    import ctypes  # noqa: F401 - not at the head of this file, which the interpreters import


def test_they_take_turns(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "slow").mkdir()
    (tmp_path / "slow" / "ctypes.py").write_text(textwrap.dedent(SLOW))
    main_and_four = "()" * 5
    assert run_script(tmp_path, PROGRAM).stdout == main_and_four


def look_at_it():
    import ctypes

    same = ctypes.__spec__.loader is ctypes.__loader__
    return type(ctypes.__loader__).__name__, same, ctypes.sizeof(ctypes.c_int32), ctypes.c_char_p(b"it works").value


def import_what_is_missing():
    try:
        import ctypes.missing  # noqa: F401 # no such module
    except ImportError as error:
        return error.name
    return None


def test_what_is_imported_is_as_usual():
    def main():
        with subinterp.TaskGroup() as group:
            tasks = group.spawn(look_at_it), group.spawn(import_what_is_missing)
        return [task.result() for task in tasks]

    assert subinterp.run(main) == [("SourceFileLoader", True, 4, b"it works"), "ctypes.missing"]


BROKEN = """
    raise ImportError("it has failed")
"""


def test_an_import_that_fails_lets_the_next_one_have_its_turn(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "slow").mkdir()
    (tmp_path / "slow" / "ctypes.py").write_text(textwrap.dedent(BROKEN))
    program = PROGRAM.replace(
        "import ctypes", "try:\n            import ctypes\n        except ImportError:\n            pass"
    )
    assert run_script(tmp_path, program).stdout == ""


def test_runs_beside_each_other_share_the_turn():
    turns = Turns()
    turn = turns.begin()
    assert turns.begin() == turn
    turns.end()
    fd = waking.descriptors(turn)[0]
    os.fstat(fd)
    turns.end()
    with pytest.raises(OSError, match="Bad file descriptor"):
        os.fstat(fd)
