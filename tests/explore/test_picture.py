"""What a reader sees of the steps that led to a failure."""

import pytest

from concmodels.explore.failures.moment import Moment
from concmodels.explore.failures.picture import picture


def moments(*lines):
    """Moments of two tasks, "1" and "2", that touch one thing: `("1", 10)` is task 1 in line 10."""
    touched = {("item", ""): True}
    return [Moment(task, f"task-{task}", "call", "no_such_file.py", line, False, touched) for task, line in lines]


POLLS = (("1", 5), ("2", 5), ("2", 6))


@pytest.mark.parametrize("times", [3, 40])
def test_an_end_that_repeats_itself_is_shown_once(times):
    rows = picture(moments(("1", 1), ("2", 2), *POLLS * times), most=6)
    assert [row.split("  no_such_file.py:")[-1] for row in rows[:-1]] == ["1", "2", "5", "5", "6"]
    assert rows[-1] == f"  ... and so on, {times} times"


def test_what_is_there_twice_is_shown_twice():
    rows = picture(moments(("1", 1), *POLLS * 2))
    assert len(rows) == 7 and "and so on" not in rows[-1]


def test_of_a_longer_picture_the_end_is_shown():
    rows = picture(moments(*[(str(line % 2 + 1), line) for line in range(1, 30)]), most=4)
    assert rows[0] == "  ... 25 more before" and len(rows) == 5
