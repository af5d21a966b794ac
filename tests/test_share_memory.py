"""The memory of `share` beyond a border: when it goes back, and how little of it there is."""

import gc
import os

import numpy
import pytest
import sharing
from borders import ALL, BOTH, FORK, run_in
from sharing import forget_all, keep, keep_a_slice, many_views, touch

from concmodels.models import processes
from concmodels.models.memory.participant import current
from concmodels.programs import memory

pytestmark = pytest.mark.usefixtures("nothing_left_behind")

BIG = 1 << 24
SLACK = 1 << 17  # what channels, records and the first page of a free block may take


def arena(room):
    return current(room.TaskGroup.kind).arena


def in_memory(room):
    """The bytes that the run's file in memory takes."""
    return os.fstat(arena(room).fd).st_blocks * 512


# When the memory goes back.


def main_reusing(room):
    before, old = in_memory(room), room.share(b"the first")
    old.release()
    for number in range(20):
        with room.share(bytes([number]) * BIG) as shared:
            assert shared.view()[-1] == number
            assert before + BIG <= in_memory(room) < before + BIG + SLACK
            with pytest.raises(RuntimeError, match="this buffer was released"):
                old.view()  # where it lay there is another now
    assert in_memory(room) < before + SLACK


@pytest.mark.parametrize("room", BOTH)
def test_a_released_buffer_takes_no_memory(room):
    run_in(room, main_reusing)


def main_kept_in_a_task(room):
    before, ready, gate = in_memory(room), room.Channel(1), room.Channel(0)
    with room.TaskGroup() as group:
        with room.share(bytearray(BIG)) as shared:
            shared.view()[1] = 1
            task = group.spawn(keep_a_slice, shared, ready, gate)
            ready.receive()
        assert in_memory(room) >= before + BIG
        with room.share(b"\xff" * BIG):
            gate.close()
            assert task.result() == b"\1\0"
    assert in_memory(room) < before + SLACK


@pytest.mark.parametrize("room", ALL)
def test_a_slice_in_a_task_keeps_the_memory(room):
    run_in(room, main_kept_in_a_task)


def main_worker_ends(room, how):
    before = in_memory(room)
    with room.share(bytes(BIG)) as shared, room.TaskGroup() as group:
        group.spawn(keep, shared, how)
    assert in_memory(room) < before + SLACK


@pytest.mark.parametrize(
    ("room", "how"), [*((param.values[0], "view") for param in ALL), (processes, "array"), (processes, "__enter__")]
)
def test_a_worker_that_ends_has_let_go(room, how):
    run_in(room, main_worker_ends, how)


def main_views_come_and_go(room):
    before = in_memory(room)
    with room.share(bytes(BIG)) as shared, room.TaskGroup() as group:
        for _ in range(3):
            group.spawn(many_views, shared, 300)
        many_views(shared, 300)
    gc.collect()
    room.share(b"").release()  # what the collector found while others held the lock is counted now
    assert in_memory(room) < before + SLACK


@pytest.mark.parametrize("room", BOTH)
def test_every_view_is_counted_once(room):
    run_in(room, main_views_come_and_go)


def main_own_views(room):
    before, shared = in_memory(room), room.share(bytes(BIG))
    view, seen = shared.view(), room.share(numpy.arange(BIG, dtype="uint8"))
    kept, owned = seen.array()[5:], numpy.ndarray(3, "uint8", buffer=seen.view())
    shared.release()
    seen.release()
    with pytest.raises(ValueError, match="released"):
        view[0]
    assert kept[0] == 5
    assert owned.tolist() == [0, 1, 2]
    assert before + BIG <= in_memory(room) < before + BIG + SLACK
    del kept
    assert in_memory(room) >= before + BIG
    del owned
    assert in_memory(room) < before + SLACK


@pytest.mark.parametrize("room", BOTH)
def test_own_views_are_released_and_arrays_stay(room):
    run_in(room, main_own_views)


def main_forking(room):
    shared = room.share(numpy.arange(BIG, dtype="uint8"))
    try:
        keep(shared, "array")
        with room.TaskGroup() as group:
            group.spawn(forget_all)
        shared.release()
        assert sharing.kept[0][1:6].tolist() == [1, 2, 3, 4, 5]
    finally:
        forget_all()
    room.share(b"").release()
    assert in_memory(room) < SLACK


def test_what_a_fork_inherits_it_does_not_count():
    run_in(FORK, main_forking)


def main_array(room):
    shared = room.share(numpy.arange(1000))
    one, two = room.share(bytes(10)).view(), room.share(numpy.arange(BIG))
    assert two.array()[-1] == BIG - 1
    return one, shared.array()


@pytest.mark.parametrize("room", BOTH)
def test_an_array_outlives_its_run(room):
    view, array = run_in(room, main_array)
    with pytest.raises(ValueError, match="released"):
        view[0]
    run_in(room, main_array)
    assert array.tolist() == list(range(1000))
    array[:] = 1
    assert array.sum() == 1000


def main_dropped_under_the_lock(room):
    before, shared = in_memory(room), room.share(bytes(BIG))
    view = shared.view()[1:]
    shared.release()
    with arena(room).claim:
        del view  # as if the garbage collector came by
    assert in_memory(room) >= before + BIG
    room.share(b"").release()
    assert in_memory(room) < before + SLACK


@pytest.mark.parametrize("room", BOTH)
def test_a_view_may_end_while_the_lock_is_held(room):
    run_in(room, main_dropped_under_the_lock)


# How little of it there is.


def pss():
    """Of this process and all that descend from it, in bytes: a page that n of them share counts once."""
    return memory.own_pss() + memory.of_descendants().pss


WORKERS, HALF_GIB = 8, 1 << 29


def main_half_a_gib(room):
    ready, gate = room.Channel(WORKERS), room.Channel(0)
    source = bytearray(HALF_GIB)
    source[:: 1 << 20] = b"\1" * 512
    with room.share(source) as shared, room.TaskGroup() as group:
        for _ in range(WORKERS):
            group.spawn(touch, shared, ready, gate)
        assert len({ready.receive() for _ in range(WORKERS)}) == WORKERS
        before = pss()
        for _ in range(WORKERS):
            gate.send("read")
        assert [ready.receive() for _ in range(WORKERS)] == [512] * WORKERS
        after = pss()
        for _ in range(WORKERS):
            gate.send("end")
    assert before > HALF_GIB
    return after - before


def test_eight_workers_read_the_same_memory():
    added = run_in(processes, main_half_a_gib)
    assert added < 64 << 20
