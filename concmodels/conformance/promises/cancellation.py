"""Cancellation: where it arrives, what it leaves, and that it loses nothing."""

from concmodels.errors import TaskCancelled

from .tools import (
    CAPACITIES,
    FOR_EVER,
    INF,
    PATIENCE,
    WAITS,
    answer,
    become,
    cooperative,
    drain,
    of_one_process,
    pause,
    promise,
    raises,
    receive_all,
    send_when_awaited,
    tell_of_cancellation,
    telling_of_swallowing,
    wait_in,
)

NEEDS = ("TaskGroup",)


@promise(where=WAITS)
async def a_cancelled_task_stops_where_it_waits(room, where):
    """`Task.cancel()`: `Cancelled` is raised where the task waits, and its `result()` raises `TaskCancelled`."""
    report = room.Channel(INF)
    async with room.TaskGroup() as group:
        task = group.spawn(tell_of_cancellation, room, where, report)
        assert await report.receive(PATIENCE) == "waits"
        await pause(room)
        task.cancel()
        with raises(TaskCancelled):
            await task.result(PATIENCE)
        assert task.done()
    assert drain(report) == ["cancelled"]
    with raises(TaskCancelled):
        await task.result()


@promise()
async def cancelling_one_leaves_the_others_alone(room):
    """A task that is cancelled alone has not failed: its siblings and the body are not disturbed."""
    channel = room.Channel(0)
    async with room.TaskGroup() as group:
        cancelled, sibling = group.spawn(wait_in, room, "sleep"), group.spawn(receive_all, channel)
        await pause(room)
        cancelled.cancel()
        with raises(TaskCancelled):
            await cancelled.result(PATIENCE)
        await channel.send("undisturbed")
        await pause(room)
        channel.close()
        assert await sibling.result(PATIENCE) == ["undisturbed"]


@promise()
async def cancel_may_come_early_and_late(room):
    """`Task.cancel()` may come before the task has begun, twice, and after its end."""
    async with room.TaskGroup() as group:
        early, late = group.spawn(wait_in, room, "receive"), group.spawn(answer, "done")
        early.cancel()
        early.cancel()
        assert await late.result(PATIENCE) == "done"
        late.cancel()
    assert await late.result() == "done"
    with raises(TaskCancelled):
        await early.result()


@promise(where=WAITS)
async def group_cancel_leaves_without_an_error(room, where):
    """`group.cancel()` cancels all its tasks and the body; the `with` is then left without an error."""
    report, went_on = room.Channel(INF), False
    async with room.TaskGroup() as group:
        task = group.spawn(tell_of_cancellation, room, where, report)
        assert await report.receive(PATIENCE) == "waits"
        await pause(room)
        group.cancel()
        await wait_in(room, where)
        went_on = True
    assert not went_on
    assert drain(report) == ["cancelled"]
    with raises(TaskCancelled):
        await task.result()


@promise()
async def after_group_cancel_the_program_goes_on(room):
    """`group.cancel()` ends at the group: what comes after the `with` waits as ever, and an outer group goes on."""
    channel = room.Channel(0)
    async with room.TaskGroup() as outer:
        sibling = outer.spawn(receive_all, channel)
        async with room.TaskGroup() as inner:
            inner.spawn(wait_in, room, "receive")
            inner.cancel()
            inner.cancel()
        await room.sleep(0.001)
        await channel.send("undisturbed")
        channel.close()
        assert await sibling.result(PATIENCE) == ["undisturbed"]


@promise()
async def group_cancel_reaches_nested_groups(room):
    """`group.cancel()` cancels all its tasks and the body: the groups inside of it too."""
    went_on = False
    async with room.TaskGroup() as outer:
        async with room.TaskGroup() as inner:
            task = inner.spawn(wait_in, room, "receive")
            await pause(room)
            outer.cancel()
        await room.sleep(FOR_EVER)
        went_on = True
    assert not went_on
    with raises(TaskCancelled):
        await task.result()


async def end_in_time(room, group, inside):
    """Put a task into the group, and see it end."""
    if inside == "an ended task":
        await group.spawn(answer, "done").result(PATIENCE)
    elif inside == "a cancelled task":
        task = group.spawn(wait_in, room, "receive")
        task.cancel()
        with raises(TaskCancelled):
            await task.result(PATIENCE)


@promise(inside=("nobody", "an ended task", "a cancelled task"))
async def leaving_a_group_is_a_checkpoint(room, inside):
    """Leaving a group is a checkpoint: a cancelled task ends there, also if there is nobody left to wait for."""
    went_on = False
    async with room.TaskGroup() as outer:
        async with room.TaskGroup() as inner:
            await end_in_time(room, inner, inside)
            outer.cancel()
        went_on = True
    assert not went_on


@promise(inside=("nobody", "an ended task", "a cancelled task"))
async def a_cancelled_group_is_left_by_a_cancelled_owner(room, inside):
    """Leaving a group is a checkpoint: also if the group itself was cancelled, which alone would be no error."""
    went_on = False
    async with room.TaskGroup() as outer:
        async with room.TaskGroup() as inner:
            await end_in_time(room, inner, inside)
            inner.cancel()
            outer.cancel()
        went_on = True
    assert not went_on


@promise(needs=("Pool",))
async def leaving_a_pool_is_a_checkpoint(room):
    """Leaving a pool is a checkpoint: a cancelled task ends there, also if the pool has nothing left to do."""
    went_on = False
    async with room.TaskGroup() as outer:
        async with room.Pool(2) as pool:
            call = await pool.submit(answer, "done")
            assert await call.result(PATIENCE) == "done"
            await pool.shutdown()
            outer.cancel()
        went_on = True
    assert not went_on


async def leave_when_cancelled(room, handles, inside, report):
    """Cancel this very task in a group, and leave that."""
    me = await handles.receive()
    async with room.TaskGroup() as group:
        await end_in_time(room, group, inside)
        me.cancel()
    report.send_nowait("went on")


@promise(by=of_one_process, inside=("nobody", "an ended task", "a cancelled task"))
async def a_task_cancelled_alone_leaves_no_group(room, inside):
    """Leaving a group is a checkpoint: for a task that was cancelled alone, too."""
    handles, report = room.Channel(1), room.Channel(INF)
    async with room.TaskGroup() as group:
        task = group.spawn(leave_when_cancelled, room, handles, inside, report)
        handles.send_nowait(task)
        with raises(TaskCancelled):
            await task.result(PATIENCE)
    assert drain(report) == []


# Nothing is lost.


async def take_and_tell(channel, taken):
    """Receive, and pass on at once what was received: sending to `taken` never waits, so nothing comes between."""
    while True:
        taken.send_nowait(await channel.receive())


@promise(capacity=CAPACITIES)
async def a_cancelled_receive_has_taken_nothing(room, effort, capacity):
    """A `receive` that raises `Cancelled` has taken nothing, and one that was served before returns."""
    channel, taken, sent = room.Channel(capacity), room.Channel(INF), 0
    for number in range(effort.rounds):
        async with room.TaskGroup() as group:
            task = group.spawn(take_and_tell, channel, taken)
            if number % 2:
                await room.sleep(0.001)
            await send_when_awaited(room, channel, sent)
            sent += 1
            task.cancel()
        while len(channel) > 1:
            taken.send_nowait(channel.receive_nowait())
    assert drain(taken) + drain(channel) == list(range(sent))


async def send_and_count(channel, accepted):
    """Send numbers for ever; pass on each one that was accepted."""
    number = 0
    while True:
        await channel.send(number)
        accepted.send_nowait(number)
        number += 1


@promise(capacity=(0, 1, 3))
async def a_cancelled_send_is_whole(room, effort, capacity):
    """Cancellation leaves nothing half done: a `send` that returned is received in its turn, one that raised never."""
    for number in range(effort.rounds):
        channel, accepted = room.Channel(capacity), room.Channel(INF)
        async with room.TaskGroup() as group:
            task = group.spawn(send_and_count, channel, accepted)
            received = [await channel.receive(PATIENCE) for _ in range(number % 4 + 1)]
            task.cancel()
        received += drain(channel)
        assert received == drain(accepted) == list(range(len(received)))


@promise(capacity=CAPACITIES)
async def a_cancelled_receiver_is_not_served(room, capacity):
    """A cancelled `receive` has taken nothing: the items go to those who still wait."""
    channel, taken, report = room.Channel(capacity), room.Channel(INF), room.Channel(INF)
    async with room.TaskGroup() as group:
        first = group.spawn(take_and_tell, channel, report)
        await pause(room)
        second = group.spawn(take_and_tell, channel, taken)
        await pause(room)
        first.cancel()
        with raises(TaskCancelled):
            await first.result(PATIENCE)
        for number in range(3):
            await channel.send(number, PATIENCE)
        await become(room, 3, lambda: len(taken))
        second.cancel()
    assert (drain(report), drain(taken)) == ([], [0, 1, 2])


# Cooperative models: who never waits is cancelled too.


ENOUGH = 5_000


async def operate(channel, operation, done):
    """Do operations that need not wait; leave a mark for each."""
    if operation == "iterate":
        async for _ in channel:
            done.send_nowait(None)
        return
    for number in range(ENOUGH):
        if operation == "send":
            await channel.send(number)
        else:
            await channel.receive()
        done.send_nowait(None)


@promise(by=cooperative, operation=("send", "receive", "iterate"), capacity=(ENOUGH, INF))
async def a_busy_task_is_cancelled(room, operation, capacity):
    """An operation that need not wait is a checkpoint at the latest after 256 of them in the cooperative models."""
    channel, done = room.Channel(capacity), room.Channel(INF)
    if operation != "send":
        for number in range(ENOUGH):
            channel.send_nowait(number)
    async with room.TaskGroup() as group:
        task = group.spawn(operate, channel, operation, done)
        await room.sleep(0)
        before = len(done)
        task.cancel()
    assert len(done) - before <= 256
    with raises(TaskCancelled):
        await task.result()


async def swallow(room, never, report):
    """Swallow a cancellation, and wait again."""
    report.send_nowait("waits")
    try:
        await never.receive()
    except room.Cancelled:
        report.send_nowait("swallowed")
    try:
        await never.receive(timeout=0.1)
    except TimeoutError:
        report.send_nowait("waited")
    except room.Cancelled:
        report.send_nowait("raised again")
        raise


@promise(by=telling_of_swallowing)
async def a_swallowed_cancellation(room, facts):
    """Whether a swallowed cancellation is raised again at the next wait is a fact of the model."""
    report = room.Channel(INF)
    async with room.TaskGroup() as group:
        task = group.spawn(swallow, room, room.Channel(0), report)
        assert await report.receive(PATIENCE) == "waits"
        await pause(room)
        task.cancel()
    assert drain(report) == ["swallowed", "raised again" if facts.raised_again else "waited"]
