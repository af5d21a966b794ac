"""What an exit was raised from is still there when it leaves a run, or is raised again by a task's result."""

import pytest
from pool_models import ASYNC, runs
from stuck import model_of


async def leave():
    raise SystemExit(3) from LookupError("the reason")


@runs(ASYNC)
async def test_an_exit_by_result_has_its_cause(model):
    with pytest.raises(SystemExit):
        async with model.TaskGroup() as group:
            task = group.spawn(leave)
    with pytest.raises(SystemExit) as caught:
        await task.result()
    assert type(caught.value.__cause__) is LookupError


async def leave_a_nursery(model):
    """A group of trio's own packs what leaves it."""
    import trio

    async with trio.open_nursery():
        await leave()


@pytest.mark.parametrize("name", [name for name in ASYNC if "trio" in name])
def test_an_exit_that_was_packed_has_its_cause(name):
    model = model_of(name)
    with pytest.raises(SystemExit) as caught:
        model.run(leave_a_nursery, model)
    assert type(caught.value.__cause__) is LookupError
