"""What beginners get wrong, and the sentence that tells them."""

import pytest

from concmodels import catalog, load

SYNC = [name for name in catalog.names() if catalog.facts(name).colour == "sync"]


async def awaited(room):
    """The program of the other colour."""


def spawns_awaited(room):
    with room.TaskGroup() as group:
        group.spawn(awaited, room)


@pytest.mark.parametrize("name", SYNC)
def test_an_async_main_in_a_sync_room(name):
    room = load(name)
    with pytest.raises(TypeError, match=rf"awaited is an `async def` function, and {name} is a sync room: write `def`"):
        room.run(awaited, room)


@pytest.mark.parametrize("name", SYNC)
def test_an_async_task_in_a_sync_room(name):
    room = load(name)
    with pytest.raises(ExceptionGroup) as caught:
        room.run(spawns_awaited, room)
    (error,) = caught.value.exceptions
    assert isinstance(error, TypeError) and f"{name} is a sync room" in str(error)


@pytest.mark.parametrize("name", [name for name in SYNC if name not in ("threads", "rawthreads")])
def test_a_group_outside_a_run(name):
    with pytest.raises(RuntimeError, match="run"), load(name).TaskGroup():
        pass
