"""Failures of tasks, and of the body of a group."""

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
    guarantee,
    pause,
    raises,
    receive_all,
    tell_of_cancellation,
    wait_in,
)

NEEDS = ("TaskGroup",)

ERRORS = ((ValueError, "builtin"), (KeyError, "key"), (OSError, 2, "no such thing"), (Trouble, "own", 7), (Trouble,))


@guarantee(error=ERRORS)
async def an_error_keeps_its_type(model, error):
    """Exceptions of tasks leave the group in one `ExceptionGroup`, and each keeps its type."""
    kind, *args = error
    with raises(ExceptionGroup) as caught:
        async with model.TaskGroup() as group:
            group.spawn(fail, *error)
    assert type(caught.error) is ExceptionGroup
    assert [type(inner) for inner in caught.error.exceptions] == [type(kind(*args))]
    assert caught.error.exceptions[0].args == kind(*args).args


@guarantee()
async def result_raises_what_the_task_raised(model):
    """`Task.result()` raises what the task raised, even after the `with` of its group has ended."""
    with raises(ExceptionGroup):
        async with model.TaskGroup() as group:
            task = group.spawn(fail, Trouble, "own", 7)
    assert task.done()
    with raises(Trouble) as caught:
        await task.result()
    assert caught.error.args == ("own", 7)


@guarantee()
async def an_error_is_there_once(model):
    """Each exception is in the `ExceptionGroup` once, even if the body raises it again."""
    with raises(ExceptionGroup) as caught:
        async with model.TaskGroup() as group:
            task = group.spawn(fail, Trouble, "once")
            await task.result()
    assert [(type(error), error.args) for error in caught.error.exceptions] == [(Trouble, ("once",))]


async def fail_in_the_end(model, report, kind, *args):
    """When cancelled, raise this exception instead."""
    try:
        report.send_nowait("waits")
        await model.sleep(FOR_EVER)
    finally:
        raise kind(*args)


@guarantee()
async def everything_that_failed_leaves(model):
    """All exceptions leave in one `ExceptionGroup`, including those that tasks raise while they are being cancelled."""
    go, report = model.Channel(0), model.Channel(INF)
    with raises(ExceptionGroup) as caught:
        async with model.TaskGroup() as group:
            group.spawn(fail_in_the_end, model, report, Trouble, "second")
            assert await report.receive(PATIENCE) == "waits"
            group.spawn(fail_when_told, go, ValueError, "first")
            await go.send("go")
    assert sorted(error.args for error in caught.error.exceptions) == [("first",), ("second",)]
    assert {type(error) for error in caught.error.exceptions} == {ValueError, Trouble}


@guarantee()
async def an_error_of_the_body_leaves_too(model):
    """An exception in the body of the `with` cancels the tasks, and leaves in the `ExceptionGroup`."""
    report = model.Channel(INF)
    with raises(ExceptionGroup) as caught:
        async with model.TaskGroup() as group:
            group.spawn(tell_of_cancellation, model, "sleep", report)
            assert await report.receive(PATIENCE) == "waits"
            await pause(model)
            raise Trouble("of the body")
    assert [(type(error), error.args) for error in caught.error.exceptions] == [(Trouble, ("of the body",))]
    assert drain(report) == ["cancelled"]


@guarantee(where=WAITS)
async def the_first_failure_cancels_the_siblings(model, where):
    """The first failure cancels the other tasks of the group, wherever they wait."""
    report, go = model.Channel(INF), model.Channel(0)
    with raises(ExceptionGroup) as caught:
        async with model.TaskGroup() as group:
            group.spawn(tell_of_cancellation, model, where, report)
            group.spawn(fail_when_told, go, Trouble, "first")
            assert await report.receive(PATIENCE) == "waits"
            await pause(model)
            await go.send("go")
    assert [type(error) for error in caught.error.exceptions] == [Trouble]
    assert drain(report) == ["cancelled"]


async def fail_soon(model, kind, *args):
    """Raise this exception after a moment."""
    await pause(model)
    raise kind(*args)


@guarantee(where=WAITS)
async def the_first_failure_cancels_the_body(model, where):
    """The first failure cancels the body of the `with`, wherever it waits."""
    cancelled = False
    with raises(ExceptionGroup) as caught:
        async with model.TaskGroup() as group:
            group.spawn(fail_soon, model, Trouble, "first")
            try:
                await wait_in(model, where)
            except model.Cancelled:
                cancelled = True
                raise
    assert [type(error) for error in caught.error.exceptions] == [Trouble]
    assert cancelled


@guarantee()
async def a_task_that_waits_for_a_cancelled_sibling_is_cancelled_too(model, effort):
    """A failure cancels all tasks of the group, even one that waits for the result of another cancelled task; that is
    not a second failure."""
    for _ in range(effort.rounds):
        go = model.Channel(0)
        with raises(ExceptionGroup) as caught:
            async with model.TaskGroup() as group:
                sibling = group.spawn(wait_in, model, "receive")
                group.spawn(fail_when_told, go, Trouble, "first")
                await go.send("go")
                await sibling.result()
        assert [type(error) for error in caught.error.exceptions] == [Trouble]


async def clean_up(model, report):
    """When cancelled, do something that takes a moment."""
    report.send_nowait("begun")
    try:
        await model.sleep(FOR_EVER)
    finally:
        for _ in range(10_000):
            pass
        report.send_nowait("cleaned up")


@guarantee()
async def a_failed_group_waits_for_its_tasks_too(model):
    """The `with` of a group ends only when all its tasks have ended, even after a failure."""
    report = model.Channel(INF)
    with raises(ExceptionGroup):
        async with model.TaskGroup() as group:
            for _ in range(2):
                group.spawn(clean_up, model, report)
            for _ in range(2):
                assert await report.receive(PATIENCE) == "begun"
            raise Trouble
    assert drain(report) == ["cleaned up"] * 2


async def fail_in_a_group(model, kind, *args):
    """Let a task in a group of this task's own fail."""
    async with model.TaskGroup() as group:
        group.spawn(fail, kind, *args)


@guarantee()
async def failures_nest(model):
    """The `ExceptionGroup` of an inner group is inside the `ExceptionGroup` of the outer group."""
    with raises(ExceptionGroup) as caught:
        async with model.TaskGroup() as group:
            group.spawn(fail_in_a_group, model, Trouble, "deep")
    (inner,) = caught.error.exceptions
    assert isinstance(inner, ExceptionGroup)
    assert [(type(error), error.args) for error in inner.exceptions] == [(Trouble, ("deep",))]


@guarantee()
async def an_inner_failure_leaves_the_outer_group_alone(model):
    """A failure belongs to its group: if it is caught outside the inner group, the outer group is not affected."""
    channel = model.Channel(0)
    async with model.TaskGroup() as outer:
        task = outer.spawn(receive_all, channel)
        with raises(ExceptionGroup):
            async with model.TaskGroup() as inner:
                inner.spawn(fail, Trouble)
        await channel.send("undisturbed")
        channel.close()
    assert await task.result() == ["undisturbed"]


@guarantee()
async def a_caught_error_is_over(model):
    """A failed group has no effect on the next one, once its exception has been caught."""
    for _ in range(2):
        with raises(ExceptionGroup):
            async with model.TaskGroup() as group:
                group.spawn(fail, Trouble)
        await model.sleep(0.001)
    async with model.TaskGroup() as group:
        task = group.spawn(answer, "fine")
    assert await task.result() == "fine"


async def wait_with_a_task(model, function, *args):
    """Wait in a group whose task calls this function."""
    async with model.TaskGroup() as group:
        group.spawn(function, *args)
        await model.sleep(FOR_EVER)


@guarantee(kind=(KeyboardInterrupt, SystemExit))
def an_exit_in_a_task_leaves_bare(model, kind):
    """`KeyboardInterrupt` and `SystemExit`, raised in a task, leave the group bare."""
    with raises(kind) as caught:
        model.run(wait_with_a_task, model, fail, kind, 3)
    assert type(caught.error) is kind and caught.error.args == (3,)


async def raise_in_a_group(model, kind):
    """Raise this exception in the body of a group, while a task waits."""
    async with model.TaskGroup() as group:
        group.spawn(wait_in, model, "receive")
        await pause(model)
        raise kind(3)


@guarantee(kind=(KeyboardInterrupt, SystemExit))
def an_exit_in_the_body_leaves_bare(model, kind):
    """`KeyboardInterrupt` and `SystemExit`, raised in the body of the `with`, leave the group bare."""
    with raises(kind) as caught:
        model.run(raise_in_a_group, model, kind)
    assert type(caught.error) is kind and caught.error.args == (3,)
