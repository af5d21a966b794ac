"""Groups and their tasks, as long as nothing fails."""

from .tools import (
    INF,
    PATIENCE,
    answer,
    drain,
    guarantee,
    pause,
    raises,
    receive_all,
    send_all,
)

NEEDS = ("TaskGroup",)


async def receive_sum(channel):
    """Receive numbers until the channel ends, and return their sum."""
    total = 0
    async for number in channel:
        total += number
    return total


@guarantee()
async def result_returns_what_the_task_returned(model):
    """`Task.result()` waits for the task and returns its result, any number of times."""
    channel = model.Channel(0)
    async with model.TaskGroup() as group:
        task = group.spawn(receive_sum, channel)
        for number in range(5):
            await channel.send(number)
        channel.close()
        assert await task.result(PATIENCE) == 10
        assert await task.result() == 10
        assert task.done()
    assert await task.result() == 10


@guarantee(value=(None, "text", 3.5, ("a", [1, {"b": None}]), b"\0" * 100_000))
async def results_travel(model, value):
    """Arguments and results of tasks can be any values."""
    async with model.TaskGroup() as group:
        task = group.spawn(answer, value)
    assert await task.result() == value


@guarantee()
async def an_empty_group_is_left_at_once(model):
    """The `with` of a group without tasks ends at once."""
    async with model.TaskGroup():
        pass


async def receive_late(model, channel):
    """Receive after a moment."""
    await pause(model)
    return await channel.receive()


@guarantee()
async def a_group_waits_for_its_tasks(model):
    """The `with` of a group ends only when all its tasks have ended."""
    channel = model.Channel(1)
    async with model.TaskGroup() as group:
        tasks = [group.spawn(receive_late, model, channel), group.spawn(send_all, channel, ["item"])]
    assert [task.done() for task in tasks] == [True, True]
    assert await tasks[0].result(0) == "item"


@guarantee()
async def tasks_have_names(model):
    """`spawn(function, *args, name=None)` gives the task this name, or a name made from that of the function."""
    async with model.TaskGroup() as group:
        given, made = group.spawn(answer, 1, name="Ada"), group.spawn(answer, 2)
    assert given.name == "Ada"
    assert "answer" in made.name


@guarantee()
async def done_tells_whether_a_task_has_ended(model):
    """`Task.done()` returns whether the task has ended, in whatever way."""
    channel = model.Channel(0)
    async with model.TaskGroup() as group:
        task, cancelled = group.spawn(receive_all, channel), group.spawn(receive_all, channel)
        await pause(model)
        assert not task.done() and not cancelled.done()
        cancelled.cancel()
        channel.close()
    assert task.done() and cancelled.done()


async def sum_in_two(model, numbers):
    """Let two tasks of a group of its own add the two halves."""
    middle = len(numbers) // 2
    channels = model.Channel(INF), model.Channel(INF)
    async with model.TaskGroup() as group:
        halves = [group.spawn(receive_sum, channel) for channel in channels]
        for channel, half in zip(channels, (numbers[:middle], numbers[middle:]), strict=True):
            with channel:
                for number in half:
                    await channel.send(number)
    return sum([await half.result() for half in halves])


@guarantee()
async def a_task_may_spawn(model):
    """A task may spawn tasks."""
    async with model.TaskGroup() as group:
        task = group.spawn(sum_in_two, model, list(range(10)))
    assert await task.result() == 45


@guarantee()
async def groups_nest(model):
    """Groups can be nested: when the outer group goes on, the inner one has ended."""
    inner_channel, outer_channel = model.Channel(0), model.Channel(0)
    async with model.TaskGroup() as outer:
        first = outer.spawn(receive_sum, outer_channel)
        async with model.TaskGroup() as inner:
            second = inner.spawn(receive_sum, inner_channel)
            await inner_channel.send(1)
            await outer_channel.send(2)
            inner_channel.close()
        assert second.done() and not first.done()
        outer_channel.close()
    assert (await first.result(), await second.result()) == (2, 1)


@guarantee()
async def spawn_needs_an_open_group(model):
    """`spawn` raises `RuntimeError` before the `with` of its group and after it."""
    group = model.TaskGroup()
    with raises(RuntimeError):
        group.spawn(answer, 1)
    async with model.TaskGroup() as group:
        group.spawn(answer, 2)
    with raises(RuntimeError):
        group.spawn(answer, 3)


async def use_the_model(model):
    """Use all parts of the vocabulary in a task."""
    start = model.now()
    channel = model.Channel(1, "mine")
    await channel.send("item")
    await model.sleep(0.001)
    return channel.name, await channel.receive(), model.now() > start


@guarantee()
async def a_model_travels(model):
    """A model can be an argument of a task, and the task can use it."""
    async with model.TaskGroup() as group:
        task = group.spawn(use_the_model, model)
    assert await task.result() == ("mine", "item", True)


async def relay(inbox, outbox):
    """Pass on every item, and close the channel after the last."""
    with outbox:
        async for item in inbox:
            await outbox.send(item)


@guarantee()
async def what_an_ended_task_sent_stays(model):
    """Items that were accepted can still be received when the task that sent them has ended."""
    channel = model.Channel(INF)
    async with model.TaskGroup() as group:
        group.spawn(send_all, channel, [1, "two", (3,)])
    assert drain(channel) == [1, "two", (3,)]


@guarantee()
async def tasks_form_a_pipeline(model, effort):
    """Tasks and channels compose: what goes into a pipeline comes out of it."""
    first, second, third = model.Channel(1), model.Channel(0), model.Channel(INF)
    async with model.TaskGroup() as group:
        group.spawn(relay, first, second)
        group.spawn(relay, second, third)
        with first:
            for number in range(effort.items):
                await first.send(number)
        assert [item async for item in third] == list(range(effort.items))
