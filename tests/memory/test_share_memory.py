"""The memory of `share` across memory boundaries: when it goes back, and how little of it there is."""

import gc
import os
import sys

import numpy
import pytest
import sharing
from boundaries import ALL, BOTH, FORK, run_in
from platforms import pages_go_back
from sharing import forget_all, keep, keep_a_slice, many_views, touch

from concmodels.models import processes
from concmodels.models.memory.participant import current
from concmodels.programs import memory

pytestmark = pytest.mark.usefixtures("nothing_left_behind")

BIG = 1 << 24
SLACK = 1 << 17  # what channels, records and the first page of a free block may take


def arena(model):
    return current(model.TaskGroup.kind).arena


def in_memory(model):
    """Return the bytes that the run's file in memory takes."""
    return os.fstat(arena(model).fd).st_blocks * 512


def assert_released(view):
    """Without the GIL it stays readable: another thread might just be reading through it."""
    if sys._is_gil_enabled():
        with pytest.raises(ValueError, match="released"):
            view[0]
    else:
        assert view[0] == 0


# When the memory goes back.


def main_reusing(model):
    before, old = in_memory(model), model.share(b"the first")
    old.release()
    for number in range(20):
        with model.share(bytes([number]) * BIG) as shared:
            assert shared.view()[-1] == number
            assert before + BIG <= in_memory(model) < before + BIG + SLACK
            with pytest.raises(RuntimeError, match="this buffer was released"):
                old.view()  # where it lay there is another now
    assert in_memory(model) < before + SLACK


@pages_go_back
@pytest.mark.parametrize("model", BOTH)
def test_a_released_buffer_takes_no_memory(model):
    run_in(model, main_reusing)


def main_kept_in_a_task(model):
    before, ready, gate = in_memory(model), model.Channel(1), model.Channel(0)
    with model.TaskGroup() as group:
        with model.share(bytearray(BIG)) as shared:
            shared.view()[1] = 1
            task = group.spawn(keep_a_slice, shared, ready, gate)
            ready.receive()
        assert in_memory(model) >= before + BIG
        with model.share(b"\xff" * BIG):
            gate.close()
            assert task.result() == b"\1\0"
    assert in_memory(model) < before + SLACK


@pages_go_back
@pytest.mark.parametrize("model", ALL)
def test_a_slice_in_a_task_keeps_the_memory(model):
    run_in(model, main_kept_in_a_task)


def main_worker_ends(model, how):
    before = in_memory(model)
    with model.share(bytes(BIG)) as shared, model.TaskGroup() as group:
        group.spawn(keep, shared, how)
    assert in_memory(model) < before + SLACK


@pages_go_back
@pytest.mark.parametrize(
    ("model", "how"), [*((param.values[0], "view") for param in ALL), (processes, "array"), (processes, "__enter__")]
)
def test_a_worker_that_ends_has_let_go(model, how):
    run_in(model, main_worker_ends, how)


def main_views_come_and_go(model):
    before = in_memory(model)
    with model.share(bytes(BIG)) as shared, model.TaskGroup() as group:
        for _ in range(3):
            group.spawn(many_views, shared, 300)
        many_views(shared, 300)
    gc.collect()
    model.share(b"").release()  # what the collector found while others held the lock is counted now
    assert in_memory(model) < before + SLACK


@pages_go_back
@pytest.mark.parametrize("model", BOTH)
def test_every_view_is_counted_once(model):
    run_in(model, main_views_come_and_go)


def main_own_views(model):
    before, shared = in_memory(model), model.share(bytes(BIG))
    view, seen = shared.view(), model.share(numpy.arange(BIG, dtype="uint8"))
    kept, owned = seen.array()[5:], numpy.ndarray(3, "uint8", buffer=seen.view())
    shared.release()
    seen.release()
    assert_released(view)
    del view
    assert kept[0] == 5
    assert owned.tolist() == [0, 1, 2]
    assert before + BIG <= in_memory(model) < before + BIG + SLACK
    del kept
    assert in_memory(model) >= before + BIG
    del owned
    assert in_memory(model) < before + SLACK


@pages_go_back
@pytest.mark.parametrize("model", BOTH)
def test_own_views_are_released_and_arrays_stay(model):
    run_in(model, main_own_views)


def main_forking(model):
    shared = model.share(numpy.arange(BIG, dtype="uint8"))
    try:
        keep(shared, "array")
        with model.TaskGroup() as group:
            group.spawn(forget_all)
        shared.release()
        assert sharing.kept[0][1:6].tolist() == [1, 2, 3, 4, 5]
    finally:
        forget_all()
    model.share(b"").release()
    assert in_memory(model) < SLACK


@pages_go_back
def test_what_a_fork_inherits_it_does_not_count():
    run_in(FORK, main_forking)


def main_array(model):
    shared = model.share(numpy.arange(1000))
    one, two = model.share(bytes(10)).view(), model.share(numpy.arange(BIG >> 3))
    assert two.array()[-1] == (BIG >> 3) - 1
    return one, shared.array()


@pytest.mark.parametrize("model", BOTH)
def test_an_array_outlives_its_run(model):
    view, array = run_in(model, main_array)
    assert_released(view)
    run_in(model, main_array)
    assert array.tolist() == list(range(1000))
    array[:] = 1
    assert array.sum() == 1000


def main_dropped_under_the_lock(model):
    before, shared = in_memory(model), model.share(bytes(BIG))
    view = shared.view()[1:]
    shared.release()
    with arena(model).claim:
        del view  # as if the garbage collector came by
    assert in_memory(model) >= before + BIG
    model.share(b"").release()
    assert in_memory(model) < before + SLACK


@pages_go_back
@pytest.mark.parametrize("model", BOTH)
def test_a_view_may_end_while_the_lock_is_held(model):
    run_in(model, main_dropped_under_the_lock)


# How little of it there is.


def pss():
    """Return the memory of this process and all that descend from it, in bytes: a shared page counts once."""
    return memory.own_pss() + memory.of_descendants().pss


WORKERS, LARGE, LARGER = 8, 1 << 27, 1 << 29


def main_large(model, size):
    ready, gate = model.Channel(WORKERS), model.Channel(0)
    source = bytearray(size)
    source[:: 1 << 20] = b"\1" * (size >> 20)
    with model.share(source) as shared, model.TaskGroup() as group:
        for _ in range(WORKERS):
            group.spawn(touch, shared, ready, gate)
        assert len({ready.receive() for _ in range(WORKERS)}) == WORKERS
        before = pss()
        for _ in range(WORKERS):
            gate.send("read")
        assert [ready.receive() for _ in range(WORKERS)] == [size >> 20] * WORKERS
        after = pss()
        for _ in range(WORKERS):
            gate.send("end")
    assert before > size
    return after - before


@pages_go_back
def test_eight_workers_read_the_same_memory(thorough):
    added = run_in(processes, main_large, LARGER if thorough else LARGE)
    assert added < LARGE / 2
