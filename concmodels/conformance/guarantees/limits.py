"""Time limits of groups: what `TaskGroup(timeout=...)` cancels, what it raises, and what it leaves alone."""

import time

from concmodels import catalog
from concmodels.errors import TaskCancelled

from .tools import (
    FOR_EVER,
    INF,
    PATIENCE,
    WAITS,
    Trouble,
    answer,
    drain,
    fail,
    guarantee,
    raises,
    receive_all,
    tell_of_cancellation,
    wait_in,
)

NEEDS = ("TaskGroup",)

SHORT = 0.02
"""Seconds: the time of a group that is to be over soon. No verdict depends on how soon."""


def growing():
    """Return limits for one attempt after the other: on a busy machine tasks may not even have begun in the first."""
    return (SHORT * 5**attempt for attempt in range(5))


@guarantee(where=WAITS)
async def a_group_is_cancelled_when_its_time_is_over(model, where):
    """When the time of a group is over, its tasks and the body are cancelled; the block then raises a bare
    `TimeoutError`.
    """
    went_on = False
    with raises(TimeoutError):
        async with model.TaskGroup(timeout=SHORT) as group:
            tasks = [group.spawn(wait_in, model, where) for _ in range(2)]
            await wait_in(model, where)
            went_on = True
    assert not went_on
    for task in tasks:
        assert task.cancelled()
        with raises(TaskCancelled):
            await task.result()


@guarantee()
async def the_limit_strikes_at_the_end_of_the_body_too(model):
    """The time of a group counts until all its tasks have ended: it may be over while the block waits for them."""
    with raises(TimeoutError):
        async with model.TaskGroup(timeout=SHORT) as group:
            task = group.spawn(wait_in, model, "receive")
    assert task.cancelled()


@guarantee()
async def what_ended_in_time_keeps_its_result(model):
    """A task that ended before the time of its group was over keeps its result; one that still waited was cancelled."""
    for limit in growing():
        with raises(TimeoutError):
            async with model.TaskGroup(timeout=limit) as group:
                quick, slow = group.spawn(answer, "in time"), group.spawn(wait_in, model, "receive")
                await wait_in(model, "receive")
        assert quick.done() and slow.done() and slow.cancelled()
        if not quick.cancelled():
            break
    assert await quick.result() == "in time"


@guarantee(timeout=(None, INF, FOR_EVER))
async def a_group_that_ends_in_time_raises_nothing(model, timeout):
    """A group that ends in time raises nothing. `None` and `math.inf` set no limit."""
    async with model.TaskGroup(timeout=timeout) as group:
        task = group.spawn(answer, "done")
    assert await task.result() == "done" and not task.cancelled()


@guarantee()
async def a_limit_ends_with_its_group(model):
    """A limit ends with its group: it cancels nothing later, neither the task nor a group around it."""
    channel = model.Channel(0)
    async with model.TaskGroup() as outer:
        sibling = outer.spawn(receive_all, channel)
        with raises(TimeoutError):
            async with model.TaskGroup(timeout=SHORT) as group:
                group.spawn(wait_in, model, "receive")
        async with model.TaskGroup(timeout=FOR_EVER) as group:
            group.spawn(answer, "done")
        await model.sleep(0.001)
        await channel.send("undisturbed")
        channel.close()
        assert await sibling.result(PATIENCE) == ["undisturbed"]


@guarantee(timeout=(0, -1))
async def no_time_at_all(model, timeout):
    """With a timeout of 0 or less, a group is cancelled from the beginning: its body ends at its first wait."""
    went_on = False
    with raises(TimeoutError):
        async with model.TaskGroup(timeout=timeout) as group:
            task = group.spawn(wait_in, model, "receive")
            await wait_in(model, "receive")
            went_on = True
    assert not went_on and task.cancelled()


def of_real_time(facts):
    """The models whose clock goes on while a task computes."""
    return not catalog.is_simulated(facts)


@guarantee(by=of_real_time)
async def a_body_that_never_waits_is_told_at_the_end(model):
    """A body that never waits can't be cancelled: the block raises `TimeoutError` at its end."""
    with raises(TimeoutError):
        async with model.TaskGroup(timeout=SHORT):
            time.sleep(2 * SHORT)


@guarantee()
async def a_failure_in_time_is_no_timeout(model):
    """If a task fails before the time is over, the block raises the `ExceptionGroup` of that failure."""
    with raises(ExceptionGroup) as caught:
        async with model.TaskGroup(timeout=FOR_EVER) as group:
            group.spawn(fail, Trouble, "in time")
            group.spawn(wait_in, model, "receive")
    assert [repr(error) for error in caught.error.exceptions] == ["Trouble('in time')"]


@guarantee()
async def a_cancelled_group_is_no_timeout(model):
    """If the program cancels the group before the time is over, the block ends without an error."""
    async with model.TaskGroup(timeout=FOR_EVER) as group:
        task = group.spawn(wait_in, model, "receive")
        group.cancel()
    assert task.cancelled()


async def fail_when_cancelled(model, report):
    """Wait for ever; fail in the clean-up."""
    report.send_nowait("waits")
    try:
        await wait_in(model, "receive")
    except model.Cancelled:
        raise Trouble("in the clean-up") from None


@guarantee()
async def a_failing_clean_up_is_the_cause(model):
    """If a task fails because the time is over, in its clean-up, the `ExceptionGroup` of that failure is the
    `__cause__` of the `TimeoutError`.
    """
    report = model.Channel(INF)
    for limit in growing():
        with raises(TimeoutError) as caught:
            async with model.TaskGroup(timeout=limit) as group:
                group.spawn(fail_when_cancelled, model, report)
        if drain(report):
            break
    (error,) = caught.error.__cause__.exceptions
    assert repr(error) == "Trouble('in the clean-up')"


@guarantee()
async def the_limit_reaches_nested_groups(model):
    """When the time of a group is over, the groups inside are cancelled, and only the outermost raises
    `TimeoutError`.
    """
    with raises(TimeoutError) as caught:
        async with model.TaskGroup(timeout=SHORT), model.TaskGroup(timeout=FOR_EVER) as inner:
            task = inner.spawn(wait_in, model, "receive")
    assert caught.error.__cause__ is None and task.cancelled()


async def limit_a_group(model, report):
    """Open a group with a limit, in a task; return what it raised."""
    try:
        async with model.TaskGroup(timeout=SHORT) as group:
            group.spawn(tell_of_cancellation, model, "receive", report)
            await wait_in(model, "receive")
    except TimeoutError:
        return "not in time"


@guarantee()
async def a_task_can_limit_its_own_group(model):
    """A task can open a group with a limit; its own group goes on."""
    report = model.Channel(INF)
    async with model.TaskGroup() as group:
        task = group.spawn(limit_a_group, model, report)
    assert await task.result() == "not in time"
    assert drain(report) in ([], ["waits", "cancelled"])


@guarantee(timeout=("soon", [1], float("nan")))
async def what_is_no_number_of_seconds_is_refused(model, timeout):
    """`TaskGroup` raises `TypeError` for a timeout that is not a number, and `ValueError` for nan."""
    with raises(TypeError, ValueError):
        model.TaskGroup(timeout=timeout)
