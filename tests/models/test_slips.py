"""What beginners get wrong, and the sentence that tells them."""

import pytest

from concmodels import catalog, load

SYNC = [name for name in catalog.names(simulated=True) if not catalog.facts(name).is_async]


async def awaited(model):
    """The program that the model can't run: async for a sync one."""


def spawns_awaited(model):
    with model.TaskGroup() as group:
        group.spawn(awaited, model)


@pytest.mark.parametrize("name", SYNC)
def test_an_async_main_in_a_sync_model(name):
    model = load(name)
    with pytest.raises(
        TypeError, match=rf"awaited is an `async def` function, and {name} is a sync model: write `def`"
    ):
        model.run(awaited, model)


@pytest.mark.parametrize("name", SYNC)
def test_an_async_task_in_a_sync_model(name):
    model = load(name)
    with pytest.raises(ExceptionGroup) as caught:
        model.run(spawns_awaited, model)
    (error,) = caught.value.exceptions
    assert isinstance(error, TypeError) and f"{name} is a sync model" in str(error)


@pytest.mark.parametrize("name", [name for name in SYNC if name not in ("threads", "rawthreads")])
def test_a_group_outside_a_run(name):
    with pytest.raises(RuntimeError, match="run"), load(name).TaskGroup():
        pass


def spawns_two(model):
    with model.TaskGroup() as group:
        group.spawn(model.sleep, 0.01)
        group.spawn(model.sleep, 60)


HERE = [name for name in SYNC if catalog.why_not(name) is None]


@pytest.mark.parametrize("name", [name for name in HERE if hasattr(load(name).TaskGroup, "start")])
def test_a_task_that_cannot_be_started(name, monkeypatch):
    """As when there is no memory for its stack: the group learns of it, and waits for the others only."""
    model, started = load(name), []
    start = model.TaskGroup.start

    def start_one(group, task):
        started.append(task)
        if len(started) > 1:
            raise MemoryError("no room for its stack")
        start(group, task)

    monkeypatch.setattr(model.TaskGroup, "start", start_one)
    with pytest.raises(ExceptionGroup) as caught:
        model.run(spawns_two, model)
    assert [str(error) for error in caught.value.exceptions] == ["no room for its stack"]
