"""`share` across memory boundaries: how handles are pickled, what of it others see, and how it fails."""

import numpy
import pytest
from boundaries import ALL, BOTH, SPAWN, run_in
from boundary_tasks import identity
from sharing import add_one, make_one, read, view_and_die, view_and_tell

from concmodels.errors import CannotTravel, TaskDied
from concmodels.models import processes, subinterp, threads

pytestmark = pytest.mark.usefixtures("nothing_left_behind")


# How it travels.


def main_results(model):
    with model.TaskGroup() as group:
        shared = group.spawn(make_one, model, bytearray(b"from a task")).result()
        again = group.spawn(identity, {"in a": [shared]}).result()["in a"][0]
        with again.view() as view:
            view[0] = ord("F")
        assert group.spawn(read, shared).result() == b"From a task"


@pytest.mark.parametrize("model", ALL)
def test_it_is_a_result(model):
    run_in(model, main_results)


def main_refused(model, other):
    with model.TaskGroup() as group:
        with pytest.raises(CannotTravel, match="argument 1.*this buffer belongs to another run"):
            group.spawn(read, other)
        with pytest.raises(CannotTravel, match="argument 1.*a Shared belongs to the place where it was made"):
            group.spawn(read, threads.share(b"abc"))
        channel = model.Channel(2)
        with pytest.raises(CannotTravel, match="a Shared belongs to the place where it was made"):
            channel.send(threads.share(b"abc"))


@pytest.mark.parametrize("model", BOTH)
def test_that_of_another_run_is_refused(model):
    other = subinterp if model is processes else processes
    other.run(lambda: model.run(main_refused, model, other.share(b"abc")))


@pytest.mark.parametrize("model", BOTH)
def test_after_the_run(model):
    shared = model.run(model.share, bytearray(b"abc"))
    shared.release()
    for use in (shared.view, shared.array):
        with pytest.raises(RuntimeError, match="this buffer belongs to a run that is over"):
            use()

    def main():
        with model.TaskGroup() as group, pytest.raises(CannotTravel, match="a run that is over") as caught:
            group.spawn(read, shared)
        assert isinstance(caught.value.__cause__, RuntimeError)

    model.run(main)


def main_modules(model):
    with model.TaskGroup() as group:
        return group.spawn(view_and_tell, model.share(numpy.zeros(3))).result()


@pytest.mark.parametrize("model", [subinterp, SPAWN])
def test_a_view_needs_no_numpy(model):
    names = run_in(model, main_modules)
    assert "concmodels.models.memory.buffers.buffer" in names
    assert not {"numpy", "typing", "dataclasses", "inspect"} & set(names)


# What is written is seen.


def main_adding(model):
    with model.share(bytearray(4096)) as shared:
        with model.TaskGroup() as group:
            first = group.spawn(add_one, shared, 5)
            first.result()
            add_one(shared, 3)
            group.spawn(add_one, shared, 2)
        assert set(shared.view().tobytes()) == {10}


@pytest.mark.parametrize("model", ALL)
def test_writes_are_seen_in_both_directions(model):
    run_in(model, main_adding)


# How it fails.


def main_killed(model):
    with model.share(bytes(1 << 20)) as shared, model.TaskGroup() as group:
        group.spawn(view_and_die, shared)


def test_a_killed_process_leaves_nothing():
    with pytest.raises(ExceptionGroup) as caught:
        run_in(processes, main_killed)
    assert caught.group_contains(TaskDied)


def main_too_large(model):
    with pytest.raises(MemoryError, match=r"no addresses left for a buffer of \d+ bytes"):
        model.share(numpy.broadcast_to(numpy.uint8(0), (1 << 43,)))
    with model.share(b"abc") as shared:
        assert read(shared) == b"abc"


@pytest.mark.parametrize("model", BOTH)
def test_what_does_not_fit(model):
    run_in(model, main_too_large)
