"""The tables of another language's code and ours: what is read from a file of functions."""

import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
sys.path.append(str(ROOT / "docs" / "_ext"))
pytest.importorskip("sphinx")

from concdocs.phrases import phrases  # noqa: E402 - what follows the path is found only now
from concdocs.places import Mistake  # noqa: E402

LINE = '''
def start(model):
    """go f()

    A group
    waits.
    """
    with model.TaskGroup() as group:
        group.spawn(f)


def f():
    pass
'''


def test_a_row_has_the_other_code_ours_and_what_differs():
    assert list(phrases(LINE)) == [
        ("go f()", "with model.TaskGroup() as group:\n    group.spawn(f)", "A group waits.", "")
    ]


def test_a_row_without_a_sentence_is_a_mistake():
    with pytest.raises(Mistake, match="the docstring of start needs"):
        list(phrases(LINE.replace("\n    A group\n    waits.\n", "")))


def test_a_row_may_have_what_does_the_same_without_us():
    alone = "\n\nasync def start_alone():\n    queue = asyncio.Queue()\n    await queue.put(1)\n"
    (row,) = phrases(LINE.replace("def start", "async def start") + alone)
    assert row.ours == "with model.TaskGroup() as group:\n    group.spawn(f)"
    assert row.alone == "queue = asyncio.Queue()\nawait queue.put(1)"
