"""What counts as left behind, and what belongs to other programs."""

import pytest

from concmodels.conformance import census
from concmodels.platform import memory

pytestmark = [
    pytest.mark.usefixtures("quiet_corner"),
    pytest.mark.skipif(memory.SEMAPHORES is None, reason="named shared memory can't be listed here"),
]


def test_a_semaphore_of_this_program_is_left_behind():
    name = f"{census.SEMAPHORES}-left"
    try:
        with pytest.raises(AssertionError, match=f"/sem.{name[1:]}"), census.NothingLeft():
            memory.make_semaphore(name)
    finally:
        memory.remove_semaphore(name)


def test_shared_memory_of_another_program_is_not(monkeypatch):
    listed, names = census._listed, [[], ["PostgreSQL.2079746402", "psm_0102", "sem.other"]]
    monkeypatch.setattr(
        census, "_listed", lambda folder: names.pop(0) if folder == memory.SEMAPHORES else listed(folder)
    )
    with census.NothingLeft():
        pass
    assert not names
