"""`share` beyond a border: how handles travel, who sees what is written, and how it fails."""

import numpy
import pytest
from borders import ALL, BOTH, SPAWN, identity, run_in
from sharing import add_one, make_one, read, view_and_die, view_and_tell

from concmodels.errors import CannotTravel, TaskDied
from concmodels.models import processes, subinterp, threads

pytestmark = pytest.mark.usefixtures("nothing_left_behind")


# How it travels.


def main_results(room):
    with room.TaskGroup() as group:
        shared = group.spawn(make_one, room, bytearray(b"from a task")).result()
        again = group.spawn(identity, {"in a": [shared]}).result()["in a"][0]
        with again.view() as view:
            view[0] = ord("F")
        assert group.spawn(read, shared).result() == b"From a task"


@pytest.mark.parametrize("room", ALL)
def test_it_is_a_result(room):
    run_in(room, main_results)


def main_refused(room, other):
    with room.TaskGroup() as group:
        with pytest.raises(CannotTravel, match="argument 1.*this buffer belongs to another run"):
            group.spawn(read, other)
        with pytest.raises(CannotTravel, match="argument 1.*a Shared belongs to the place where it was made"):
            group.spawn(read, threads.share(b"abc"))
        channel = room.Channel(2)
        with pytest.raises(CannotTravel, match="a Shared belongs to the place where it was made"):
            channel.send(threads.share(b"abc"))


@pytest.mark.parametrize("room", BOTH)
def test_that_of_another_run_is_refused(room):
    other = subinterp if room is processes else processes
    other.run(lambda: room.run(main_refused, room, other.share(b"abc")))


@pytest.mark.parametrize("room", BOTH)
def test_after_the_run(room):
    shared = room.run(room.share, bytearray(b"abc"))
    shared.release()
    for use in (shared.view, shared.array):
        with pytest.raises(RuntimeError, match="this buffer belongs to a run that is over"):
            use()

    def main():
        with room.TaskGroup() as group, pytest.raises(CannotTravel, match="a run that is over") as caught:
            group.spawn(read, shared)
        assert isinstance(caught.value.__cause__, RuntimeError)

    room.run(main)


def main_modules(room):
    with room.TaskGroup() as group:
        return group.spawn(view_and_tell, room.share(numpy.zeros(3))).result()


@pytest.mark.parametrize("room", [subinterp, SPAWN])
def test_a_view_needs_no_numpy(room):
    names = run_in(room, main_modules)
    assert "concmodels.models.memory.buffer" in names
    assert not {"numpy", "typing", "dataclasses", "inspect"} & set(names)


# What is written is seen.


def main_adding(room):
    with room.share(bytearray(4096)) as shared:
        with room.TaskGroup() as group:
            first = group.spawn(add_one, shared, 5)
            first.result()
            add_one(shared, 3)
            group.spawn(add_one, shared, 2)
        assert set(shared.view().tobytes()) == {10}


@pytest.mark.parametrize("room", ALL)
def test_writes_are_seen_in_both_directions(room):
    run_in(room, main_adding)


# How it fails.


def main_killed(room):
    with room.share(bytes(1 << 20)) as shared, room.TaskGroup() as group:
        group.spawn(view_and_die, shared)


def test_a_killed_process_leaves_nothing():
    with pytest.raises(ExceptionGroup) as caught:
        run_in(processes, main_killed)
    assert caught.group_contains(TaskDied)


def main_too_large(room):
    with pytest.raises(MemoryError, match=r"no addresses left for a buffer of \d+ bytes"):
        room.share(numpy.broadcast_to(numpy.uint8(0), (1 << 43,)))
    with room.share(b"abc") as shared:
        assert read(shared) == b"abc"


@pytest.mark.parametrize("room", BOTH)
def test_what_does_not_fit(room):
    run_in(room, main_too_large)
