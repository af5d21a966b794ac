"""What an exit was raised from is still there when it leaves a run, or is raised again by a task's result."""

import pytest
from pool_rooms import ASYNC, runs
from stuck import room_of


async def leave():
    raise SystemExit(3) from LookupError("the reason")


@runs(ASYNC)
async def test_an_exit_by_result_has_its_cause(room):
    with pytest.raises(SystemExit):
        async with room.TaskGroup() as group:
            task = group.spawn(leave)
    with pytest.raises(SystemExit) as caught:
        await task.result()
    assert type(caught.value.__cause__) is LookupError


async def leave_a_nursery(room):
    """A group of trio's own packs what leaves it."""
    import trio

    async with trio.open_nursery():
        await leave()


@pytest.mark.parametrize("name", [name for name in ASYNC if "trio" in name])
def test_an_exit_that_was_packed_has_its_cause(name):
    room = room_of(name)
    with pytest.raises(SystemExit) as caught:
        room.run(leave_a_nursery, room)
    assert type(caught.value.__cause__) is LookupError
