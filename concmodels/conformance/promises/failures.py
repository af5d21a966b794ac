"""When a task fails."""

from .tools import (
    FOR_EVER,
    INF,
    PATIENCE,
    WAITS,
    Trouble,
    answer,
    drain,
    fail,
    fail_when_told,
    pause,
    promise,
    raises,
    receive_all,
    tell_of_cancellation,
    wait_in,
)

NEEDS = ("TaskGroup",)

ERRORS = ((ValueError, "builtin"), (KeyError, "key"), (OSError, 2, "no such thing"), (Trouble, "own", 7), (Trouble,))


@promise(error=ERRORS)
async def an_error_keeps_its_type(room, error):
    """Everything that failed leaves in one `ExceptionGroup`, and an exception keeps its type."""
    kind, *args = error
    with raises(ExceptionGroup) as caught:
        async with room.TaskGroup() as group:
            group.spawn(fail, *error)
    assert type(caught.error) is ExceptionGroup
    assert [type(inner) for inner in caught.error.exceptions] == [type(kind(*args))]
    assert caught.error.exceptions[0].args == kind(*args).args


@promise()
async def result_raises_what_the_task_raised(room):
    """`Task.result()` raises what the task raised, also after the group."""
    with raises(ExceptionGroup):
        async with room.TaskGroup() as group:
            task = group.spawn(fail, Trouble, "own", 7)
    assert task.done()
    with raises(Trouble) as caught:
        await task.result()
    assert caught.error.args == ("own", 7)


@promise()
async def an_error_is_there_once(room):
    """Everything that failed leaves in one `ExceptionGroup`, each exception once: also if the body raises it again."""
    with raises(ExceptionGroup) as caught:
        async with room.TaskGroup() as group:
            task = group.spawn(fail, Trouble, "once")
            await task.result()
    assert [(type(error), error.args) for error in caught.error.exceptions] == [(Trouble, ("once",))]


async def fail_in_the_end(room, kind, *args):
    """When cancelled, raise this instead."""
    try:
        await room.sleep(FOR_EVER)
    finally:
        raise kind(*args)


@promise()
async def everything_that_failed_leaves(room):
    """Everything that failed leaves in one `ExceptionGroup`: also what fails while it is cancelled."""
    go = room.Channel(0)
    with raises(ExceptionGroup) as caught:
        async with room.TaskGroup() as group:
            group.spawn(fail_in_the_end, room, Trouble, "second")
            group.spawn(fail_when_told, go, ValueError, "first")
            await pause(room)
            await go.send("go")
    found = {(type(error), error.args) for error in caught.error.exceptions}
    assert found <= {(ValueError, ("first",)), (Trouble, ("second",))} and (ValueError, ("first",)) in found
    assert len(found) == len(caught.error.exceptions)


@promise()
async def an_error_of_the_body_leaves_too(room):
    """An error in the body of the `with` cancels the tasks and leaves in the `ExceptionGroup`."""
    report = room.Channel(INF)
    with raises(ExceptionGroup) as caught:
        async with room.TaskGroup() as group:
            group.spawn(tell_of_cancellation, room, "sleep", report)
            assert await report.receive(PATIENCE) == "waits"
            await pause(room)
            raise Trouble("of the body")
    assert [(type(error), error.args) for error in caught.error.exceptions] == [(Trouble, ("of the body",))]
    assert drain(report) == ["cancelled"]


@promise(where=WAITS)
async def the_first_failure_cancels_the_siblings(room, where):
    """The first failure cancels the siblings, wherever they wait."""
    report, go = room.Channel(INF), room.Channel(0)
    with raises(ExceptionGroup) as caught:
        async with room.TaskGroup() as group:
            group.spawn(tell_of_cancellation, room, where, report)
            group.spawn(fail_when_told, go, Trouble, "first")
            assert await report.receive(PATIENCE) == "waits"
            await pause(room)
            await go.send("go")
    assert [type(error) for error in caught.error.exceptions] == [Trouble]
    assert drain(report) == ["cancelled"]


async def fail_soon(room, kind, *args):
    """Raise this in a moment."""
    await pause(room)
    raise kind(*args)


@promise(where=WAITS)
async def the_first_failure_cancels_the_body(room, where):
    """The first failure cancels the siblings, the body of the `with` among them, wherever it waits."""
    cancelled = False
    with raises(ExceptionGroup) as caught:
        async with room.TaskGroup() as group:
            group.spawn(fail_soon, room, Trouble, "first")
            try:
                await wait_in(room, where)
            except room.Cancelled:
                cancelled = True
                raise
    assert [type(error) for error in caught.error.exceptions] == [Trouble]
    assert cancelled


@promise()
async def who_waits_for_a_cancelled_sibling_is_cancelled_too(room, effort):
    """What was cancelled has not failed: who waits for a cancelled sibling's result is cancelled like it."""
    for _ in range(effort.rounds):
        go = room.Channel(0)
        with raises(ExceptionGroup) as caught:
            async with room.TaskGroup() as group:
                sibling = group.spawn(wait_in, room, "receive")
                group.spawn(fail_when_told, go, Trouble, "first")
                await go.send("go")
                await sibling.result()
        assert [type(error) for error in caught.error.exceptions] == [Trouble]


async def clean_up(room, report):
    """When cancelled, do something that takes a moment."""
    report.send_nowait("begun")
    try:
        await room.sleep(FOR_EVER)
    finally:
        for _ in range(10_000):
            pass
        report.send_nowait("cleaned up")


@promise()
async def a_failed_group_waits_for_its_tasks_too(room):
    """A group leaves its `with` only when every task has ended: also after a failure."""
    report = room.Channel(INF)
    with raises(ExceptionGroup):
        async with room.TaskGroup() as group:
            for _ in range(2):
                group.spawn(clean_up, room, report)
            for _ in range(2):
                assert await report.receive(PATIENCE) == "begun"
            raise Trouble
    assert drain(report) == ["cleaned up"] * 2


async def fail_in_a_group(room, kind, *args):
    """Have a task of one's own fail."""
    async with room.TaskGroup() as group:
        group.spawn(fail, kind, *args)


@promise()
async def failures_nest(room):
    """What failed leaves in one `ExceptionGroup`: that of an inner group stands inside that of the outer one."""
    with raises(ExceptionGroup) as caught:
        async with room.TaskGroup() as group:
            group.spawn(fail_in_a_group, room, Trouble, "deep")
    (inner,) = caught.error.exceptions
    assert isinstance(inner, ExceptionGroup)
    assert [(type(error), error.args) for error in inner.exceptions] == [(Trouble, ("deep",))]


@promise()
async def an_inner_failure_leaves_the_outer_group_alone(room):
    """A failure belongs to its group: caught outside of the inner one, it does not disturb the outer one."""
    channel = room.Channel(0)
    async with room.TaskGroup() as outer:
        task = outer.spawn(receive_all, channel)
        with raises(ExceptionGroup):
            async with room.TaskGroup() as inner:
                inner.spawn(fail, Trouble)
        await channel.send("undisturbed")
        channel.close()
    assert await task.result() == ["undisturbed"]


@promise()
async def a_caught_error_is_over(room):
    """A group that failed is over: the next one works as if nothing had been."""
    for _ in range(2):
        with raises(ExceptionGroup):
            async with room.TaskGroup() as group:
                group.spawn(fail, Trouble)
        await room.sleep(0.001)
    async with room.TaskGroup() as group:
        task = group.spawn(answer, "fine")
    assert await task.result() == "fine"


async def wait_with_a_task(room, function, *args):
    """Wait in a group whose task does this."""
    async with room.TaskGroup() as group:
        group.spawn(function, *args)
        await room.sleep(FOR_EVER)


@promise(kind=(KeyboardInterrupt, SystemExit))
def an_exit_in_a_task_leaves_bare(room, kind):
    """`KeyboardInterrupt` and `SystemExit` leave bare: raised in a task."""
    with raises(kind) as caught:
        room.run(wait_with_a_task, room, fail, kind, 3)
    assert type(caught.error) is kind and caught.error.args == (3,)


async def raise_in_a_group(room, kind):
    """Raise this in the body, while a task waits."""
    async with room.TaskGroup() as group:
        group.spawn(wait_in, room, "receive")
        await pause(room)
        raise kind(3)


@promise(kind=(KeyboardInterrupt, SystemExit))
def an_exit_in_the_body_leaves_bare(room, kind):
    """`KeyboardInterrupt` and `SystemExit` leave bare: raised in the body of the `with`."""
    with raises(kind) as caught:
        room.run(raise_in_a_group, room, kind)
    assert type(caught.error) is kind and caught.error.args == (3,)
