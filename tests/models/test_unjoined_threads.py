"""A group that lives long joins threads that have ended: until then the system would keep their stacks."""

import mmap
import threading
from pathlib import Path

import pytest

from concmodels import catalog
from concmodels.models.tasks.unjoined_threads import UnjoinedThreads

TASKS = 300
STACK = 16 << 20
SIZES = Path("/proc/self/statm")


class Thread:
    def __init__(self, has_ended):
        self.has_ended = has_ended
        self.joined = 0

    def join(self):
        self.joined += 1


@pytest.fixture
def large_stacks():
    old = threading.stack_size(STACK)
    yield
    threading.stack_size(old)


@pytest.mark.skipif(not SIZES.exists(), reason="the size of this process can't be seen here")
@pytest.mark.parametrize("name", ["threads", "rawthreads"])
def test_the_stacks_of_threads_that_have_ended_do_not_pile_up(name, large_stacks):
    model = catalog.load(name)

    def size():
        return int(SIZES.read_text().split()[0]) * mmap.PAGESIZE

    def main():
        with model.TaskGroup() as group:
            before = size()
            for number in range(TASKS):
                assert group.spawn(abs, -number).result() == number
            return size() - before

    assert model.run(main) < TASKS * STACK / 4


def test_it_joins_once_and_at_the_end_all():
    threads = UnjoinedThreads(lambda thread: thread.has_ended)
    at_work = [Thread(False) for _ in range(10)]
    ended = [Thread(True) for _ in range(100)]
    for thread in at_work + ended:
        threads.add(thread)
    assert all(thread.joined == 0 for thread in at_work)
    assert sum(thread.joined for thread in ended) >= len(ended) - len(at_work)
    threads.join()
    assert all(thread.joined == 1 for thread in at_work + ended)
