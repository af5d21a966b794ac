"""Cancellation: where it is raised, what it leaves behind, and that nothing is lost."""

from contextlib import suppress

from concmodels.errors import TaskCancelled, WouldBlock

from .tools import (
    CAPACITIES,
    FOR_EVER,
    INF,
    PATIENCE,
    WAITS,
    Trouble,
    answer,
    become,
    cooperative,
    drain,
    guarantee,
    of_one_process,
    pause,
    raises,
    receive_all,
    send_when_awaited,
    tell_of_cancellation,
    telling_of_swallowing,
    wait_in,
)

NEEDS = ("TaskGroup",)


@guarantee(where=WAITS)
async def a_cancelled_task_stops_where_it_waits(model, where):
    """`Task.cancel()` raises `Cancelled` where the task waits; its `result()` then raises `TaskCancelled`."""
    report = model.Channel(INF)
    async with model.TaskGroup() as group:
        task = group.spawn(tell_of_cancellation, model, where, report)
        assert await report.receive(PATIENCE) == "waits"
        await pause(model)
        task.cancel()
        with raises(TaskCancelled):
            await task.result(PATIENCE)
        assert task.done()
    assert drain(report) == ["cancelled"]
    with raises(TaskCancelled):
        await task.result()


@guarantee()
async def cancelling_one_leaves_the_others_alone(model):
    """A task that is cancelled has not failed: the other tasks of its group and the body go on."""
    channel = model.Channel(0)
    async with model.TaskGroup() as group:
        cancelled, sibling = group.spawn(wait_in, model, "sleep"), group.spawn(receive_all, channel)
        await pause(model)
        cancelled.cancel()
        with raises(TaskCancelled):
            await cancelled.result(PATIENCE)
        await channel.send("undisturbed")
        await pause(model)
        channel.close()
    assert await sibling.result() == ["undisturbed"]  # out here: a body that is cancelled leaves without an error


async def end_somehow(model, how, report):
    """Wait until cancelled; then end in one of three ways."""
    report.send_nowait("waits")
    try:
        await wait_in(model, "receive")
    except model.Cancelled:
        if how == "return":
            return "returned"
        if how == "raise":
            raise Trouble("raised") from None
        raise


@guarantee(how=("return", "raise", "end"))
async def how_a_cancelled_task_ended(model, how):
    """A task that was asked to end may still return or raise something else: `result()` then says so. Only a task that
    ended by `Cancelled` counts as cancelled: `cancelled()` is true, and `result()` raises `TaskCancelled`.
    """
    report = model.Channel(INF)
    with suppress(ExceptionGroup):
        async with model.TaskGroup() as group:
            task = group.spawn(end_somehow, model, how, report)
            assert await report.receive(PATIENCE) == "waits"
            assert not task.cancelled()
            await pause(model)
            task.cancel()
    assert task.done() and task.cancelled() == (how == "end")
    if how == "return":
        assert await task.result() == "returned"
    else:
        with raises(Trouble if how == "raise" else TaskCancelled):
            await task.result()


@guarantee()
async def cancel_may_come_early_and_late(model):
    """`Task.cancel()` may be called before the task has begun, twice, and after the task has ended."""
    async with model.TaskGroup() as group:
        early, late = group.spawn(wait_in, model, "receive"), group.spawn(answer, "done")
        early.cancel()
        early.cancel()
        assert await late.result(PATIENCE) == "done"
        late.cancel()
    assert await late.result() == "done"
    with raises(TaskCancelled):
        await early.result()


@guarantee(where=WAITS)
async def group_cancel_leaves_without_an_error(model, where):
    """`group.cancel()` cancels all tasks of the group and the body; the `with` then ends without an error."""
    report, went_on = model.Channel(INF), False
    async with model.TaskGroup() as group:
        task = group.spawn(tell_of_cancellation, model, where, report)
        assert await report.receive(PATIENCE) == "waits"
        await pause(model)
        group.cancel()
        await wait_in(model, where)
        went_on = True
    assert not went_on
    assert drain(report) == ["cancelled"]
    with raises(TaskCancelled):
        await task.result()


@guarantee()
async def after_group_cancel_the_program_goes_on(model):
    """`group.cancel()` ends with its group: after the `with` the program can wait as before, and an outer group goes
    on."""
    channel = model.Channel(0)
    async with model.TaskGroup() as outer:
        sibling = outer.spawn(receive_all, channel)
        async with model.TaskGroup() as inner:
            inner.spawn(wait_in, model, "receive")
            inner.cancel()
            inner.cancel()
        await model.sleep(0.001)
        await channel.send("undisturbed")
        channel.close()
        assert await sibling.result(PATIENCE) == ["undisturbed"]


@guarantee()
async def group_cancel_reaches_nested_groups(model):
    """`group.cancel()` also cancels the groups inside the tasks and the body of the group."""
    went_on = False
    async with model.TaskGroup() as outer:
        async with model.TaskGroup() as inner:
            task = inner.spawn(wait_in, model, "receive")
            await pause(model)
            outer.cancel()
        await model.sleep(FOR_EVER)
        went_on = True
    assert not went_on
    with raises(TaskCancelled):
        await task.result()


async def end_in_time(model, group, inside):
    """Spawn a task in the group, and wait until it has ended."""
    if inside == "an ended task":
        await group.spawn(answer, "done").result(PATIENCE)
    elif inside == "a cancelled task":
        task = group.spawn(wait_in, model, "receive")
        task.cancel()
        with raises(TaskCancelled):
            await task.result(PATIENCE)


@guarantee(inside=("nobody", "an ended task", "a cancelled task"))
async def leaving_a_group_is_a_checkpoint(model, inside):
    """Leaving a group is a checkpoint: a cancelled task ends there, even if no task of the group is left to wait
    for."""
    went_on = False
    async with model.TaskGroup() as outer:
        async with model.TaskGroup() as inner:
            await end_in_time(model, inner, inside)
            outer.cancel()
        went_on = True
    assert not went_on


@guarantee(inside=("nobody", "an ended task", "a cancelled task"))
async def a_cancelled_group_is_left_by_a_cancelled_owner(model, inside):
    """Leaving a group is a checkpoint even if the group itself was cancelled, which alone would cause no error."""
    went_on = False
    async with model.TaskGroup() as outer:
        async with model.TaskGroup() as inner:
            await end_in_time(model, inner, inside)
            inner.cancel()
            outer.cancel()
        went_on = True
    assert not went_on


@guarantee(needs=("Pool",))
async def leaving_a_pool_is_a_checkpoint(model):
    """Leaving a pool is a checkpoint: a cancelled task ends there, even if the pool has nothing left to do."""
    went_on = False
    async with model.TaskGroup() as outer:
        async with model.Pool(2) as pool:
            call = await pool.submit(answer, "done")
            assert await call.result(PATIENCE) == "done"
            await pool.shutdown()
            outer.cancel()
        went_on = True
    assert not went_on


async def leave_when_cancelled(model, handles, inside, report):
    """Cancel the current task inside a group, and leave the group."""
    me = await handles.receive()
    async with model.TaskGroup() as group:
        await end_in_time(model, group, inside)
        me.cancel()
    report.send_nowait("went on")


@guarantee(by=of_one_process, inside=("nobody", "an ended task", "a cancelled task"))
async def a_task_cancelled_alone_leaves_no_group(model, inside):
    """Leaving a group is a checkpoint even for a task that is the only one cancelled."""
    handles, report = model.Channel(1), model.Channel(INF)
    async with model.TaskGroup() as group:
        task = group.spawn(leave_when_cancelled, model, handles, inside, report)
        handles.send_nowait(task)
        with raises(TaskCancelled):
            await task.result(PATIENCE)
    assert drain(report) == []


# Nothing is lost.


async def take_and_tell(channel, taken):
    """Receive items and pass each on at once. Sending to `taken` never waits, so a cancellation can't come in
    between."""
    while True:
        taken.send_nowait(await channel.receive())


@guarantee(capacity=CAPACITIES)
async def a_cancelled_receive_has_taken_nothing(model, effort, capacity):
    """A `receive` that raises `Cancelled` has taken no item; a `receive` that was given an item before returns it."""
    channel, taken, sent, received = model.Channel(capacity), model.Channel(INF), 0, []
    for number in range(effort.rounds):
        async with model.TaskGroup() as group:
            task = group.spawn(take_and_tell, channel, taken)
            if number % 2:
                await model.sleep(0.001)
            await send_when_awaited(model, channel, sent)
            if number % 2 == 0:  # let it wait for the next one when it is cancelled
                while sent not in received:
                    received.append(await taken.receive(PATIENCE))
                await model.sleep(0.001)
            sent += 1
            task.cancel()
            if number % 2 == 0:
                await model.sleep(0.001)
            with suppress(WouldBlock):  # for the task that is cancelled, or for the next one
                channel.send_nowait(sent)
                sent += 1
        while len(channel) > 1:
            taken.send_nowait(channel.receive_nowait())
    assert received + drain(taken) + drain(channel) == list(range(sent))


async def send_and_count(channel, accepted):
    """Send numbers for ever; pass on each number that was accepted."""
    number = 0
    while True:
        await channel.send(number)
        accepted.send_nowait(number)
        number += 1


@guarantee(capacity=(0, 1, 3))
async def a_cancelled_send_is_whole(model, effort, capacity):
    """A cancelled `send` is complete or has not happened: if it returned, its item is received; if it raised, it is
    not.
    """
    for number in range(effort.rounds):
        channel, accepted = model.Channel(capacity), model.Channel(INF)
        async with model.TaskGroup() as group:
            task = group.spawn(send_and_count, channel, accepted)
            received = [await channel.receive(PATIENCE) for _ in range(number % 4 + 1)]
            task.cancel()
        received += drain(channel)
        assert received == drain(accepted) == list(range(len(received)))


@guarantee(capacity=CAPACITIES)
async def a_cancelled_receiver_is_not_served(model, capacity):
    """A cancelled `receive` takes nothing: the items go to the receivers that still wait."""
    channel, taken, report = model.Channel(capacity), model.Channel(INF), model.Channel(INF)
    async with model.TaskGroup() as group:
        first = group.spawn(take_and_tell, channel, report)
        await pause(model)
        second = group.spawn(take_and_tell, channel, taken)
        await pause(model)
        first.cancel()
        with raises(TaskCancelled):
            await first.result(PATIENCE)
        for number in range(3):
            await channel.send(number, PATIENCE)
        await become(model, 3, lambda: len(taken))
        second.cancel()
    assert (drain(report), drain(taken)) == ([], [0, 1, 2])


# Cooperative models: a task that never waits is cancelled too.


ENOUGH = 5_000


async def operate(channel, operation, done):
    """Perform operations that need not wait; leave a mark after each."""
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


@guarantee(by=cooperative, operation=("send", "receive", "iterate"), capacity=(ENOUGH, INF))
async def a_busy_task_is_cancelled(model, operation, capacity):
    """In the cooperative models, at least one of 256 successive operations that need not wait is a checkpoint."""
    channel, done = model.Channel(capacity), model.Channel(INF)
    if operation != "send":
        for number in range(ENOUGH):
            channel.send_nowait(number)
    async with model.TaskGroup() as group:
        task = group.spawn(operate, channel, operation, done)
        await model.sleep(0)
        before = len(done)
        task.cancel()
    assert len(done) - before <= 256
    with raises(TaskCancelled):
        await task.result()


async def swallow(model, never, report):
    """Swallow a cancellation, and wait again."""
    report.send_nowait("waits")
    try:
        await never.receive()
    except model.Cancelled:
        report.send_nowait("swallowed")
    try:
        await never.receive(timeout=0.1)
    except TimeoutError:
        report.send_nowait("waited")
    except model.Cancelled:
        report.send_nowait("raised again")
        raise


@guarantee(by=telling_of_swallowing)
async def a_swallowed_cancellation(model, facts):
    """A swallowed cancellation is raised again at the next wait exactly if the facts of the model say so."""
    report = model.Channel(INF)
    async with model.TaskGroup() as group:
        task = group.spawn(swallow, model, model.Channel(0), report)
        assert await report.receive(PATIENCE) == "waits"
        await pause(model)
        task.cancel()
    assert drain(report) == ["swallowed", "raised again" if facts.raised_again else "waited"]
