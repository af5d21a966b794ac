"""What counts as left behind, and what belongs to other programs."""

from multiprocessing.shared_memory import SharedMemory

import pytest

from concmodels.conformance import census
from concmodels.platform import memory

pytestmark = pytest.mark.skipif(memory.SEMAPHORES is None, reason="named shared memory can't be listed here")


def test_shared_memory_of_this_program_is_left_behind():
    with pytest.raises(AssertionError, match="left behind: .*/psm_"), census.NothingLeft():
        left = SharedMemory(create=True, size=1)
    left.close()
    left.unlink()


def test_shared_memory_of_another_program_is_not(monkeypatch):
    listed = census._listed
    names = iter([[], ["PostgreSQL.2079746402", "sem.other"]])
    monkeypatch.setattr(
        census, "_listed", lambda folder: next(names) if folder == memory.SEMAPHORES else listed(folder)
    )
    with census.NothingLeft():
        pass
