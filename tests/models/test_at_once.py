"""What several threads do in the library at the same time, where with the GIL only one bytecode at a time was done.

Each of these has gone wrong on a free-threaded build, or could have.
"""

import pickle
import sys
import threading
from _weakref import ref

import pytest
from pool_models import until

from concmodels import load
from concmodels.models import processes
from concmodels.models.memory import pickling
from concmodels.models.memory.participant import current

THREADS = ("threads", "rawthreads")
MAKERS, POOLS = 4, 150


def make_pools(model):
    for number in range(POOLS):
        with model.Pool(1) as pool:
            assert pool.submit(abs, -number).result() == number


def make_pools_side_by_side(model):
    with model.TaskGroup() as group:
        for _ in range(MAKERS):
            group.spawn(make_pools, model)


@pytest.mark.parametrize("name", THREADS)
def test_several_tasks_make_pools(name):
    model = load(name)
    model.run(make_pools_side_by_side, model)


def forget_while_the_channel_is_in_use(model):
    pool = model.Pool(2)
    assert pool.submit(abs, -1).result() == 1
    workers = pool._workers
    with workers.channel._lock:  # as a worker does that is just going to wait
        del pool
        assert not workers.inbox.closed
    until(model, lambda: workers.inbox.closed)


@pytest.mark.parametrize("name", THREADS)
def test_a_pool_that_is_forgotten_while_its_channel_is_in_use_ends(name):
    model = load(name)
    model.run(forget_while_the_channel_is_in_use, model)


def at_once(count, function):
    """Call a function in so many threads that begin together; return what they have returned."""
    barrier, results = threading.Barrier(count), []

    def call():
        barrier.wait()
        results.append(function())

    threads = [threading.Thread(target=call) for _ in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return results


def test_the_main_file_is_known_to_the_thread_that_asks_second(monkeypatch):
    """It was said to be none while the first thread still looked."""
    looking, asked = threading.Event(), threading.Event()

    def is_guarded(_path):
        looking.set()
        asked.wait(1)
        return True

    main = sys.modules["__main__"]
    monkeypatch.setattr(main, "__file__", __file__, raising=False)  # a worker of xdist has none
    monkeypatch.setitem(sys.modules, "__mp_main__", main)
    monkeypatch.setattr(pickling, "_main", None)
    monkeypatch.setattr(pickling, "_main_checked", False)
    monkeypatch.setattr(pickling, "_is_guarded", is_guarded)
    first = threading.Thread(target=pickling.main_file)
    first.start()
    assert looking.wait(40)
    monkeypatch.setattr(pickling, "_is_guarded", lambda _path: True)
    try:
        assert pickling.main_file() is not None
    finally:
        asked.set()
        first.join()


def revive_a_channel():
    participant, channel = current("processes"), processes.Channel(1)
    number, packed = channel.number, pickle.dumps(channel)
    del channel
    found = at_once(4, lambda: pickle.loads(packed))
    assert len({id(it) for it in found}) == 1
    participant.forget_channel(number, ref(revive_a_channel))  # the end of an older one is noticed late
    assert participant.known_channel(number) is found[0]


def test_two_threads_get_the_same_end_of_a_channel():
    processes.run(revive_a_channel)
