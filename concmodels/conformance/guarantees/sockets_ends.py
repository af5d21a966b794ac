"""Sockets: waits that a cancellation, a failure or a close ends, and a second task that waits."""

from concmodels.errors import SocketClosed, TaskCancelled

from .pool_tools import of_one_memory
from .socket_tools import (
    DIRECTIONS,
    connected,
    empty,
    make_ready,
    reused,
    take,
    unready,
    wait_and_report,
    wait_until,
    with_numbers,
)
from .timeouts import NOT_LONG, SHORT, takes
from .tools import FOR_EVER, INF, PATIENCE, Trouble, drain, fail_when_told, guarantee, pause, raises

NEEDS = ("wait_readable", "wait_writable", "notify_closing")

NOTICED_S = 5
"""Seconds: a socket that was closed without a word is noticed within one, on a machine with nothing else to do."""


# Cancellation.


@guarantee(direction=DIRECTIONS)
async def a_wait_for_a_socket_is_cancelled(model, direction):
    """`Task.cancel()` ends a wait for a socket at once; the socket can then be waited for again."""
    report = model.Channel(INF)
    with unready(direction) as (ours, theirs):
        async with model.TaskGroup() as group:
            task = group.spawn(wait_and_report, model, ours, direction, report)
            await pause(model)
            with takes(model, 0, NOT_LONG):
                task.cancel()
                with raises(TaskCancelled):
                    await task.result(PATIENCE)
            assert drain(report) == ["cancelled"]
            make_ready(theirs, direction)
            await wait_until(model, ours, direction)


@guarantee(direction=DIRECTIONS, ready=(False, True))
async def a_wait_for_a_socket_is_a_checkpoint(model, direction, ready):
    """A wait for a socket is a checkpoint, even if the socket is ready at once: a cancelled task ends there."""
    went_on = False
    with unready(direction) as (ours, theirs):
        if ready:
            make_ready(theirs, direction)
        async with model.TaskGroup() as group:
            group.cancel()
            await wait_until(model, ours, direction)
            went_on = True
    assert not went_on


@guarantee(direction=DIRECTIONS)
async def a_task_that_was_cancelled_before_does_not_wait(model, direction):
    """A task that is cancelled before it has begun waits for no socket."""
    report = model.Channel(INF)
    with unready(direction) as (ours, theirs):
        async with model.TaskGroup() as group:
            task = group.spawn(wait_and_report, model, ours, direction, report)
            task.cancel()
            with takes(model, 0, NOT_LONG), raises(TaskCancelled):
                await task.result(PATIENCE)
    assert drain(report) in ([], ["cancelled"])


async def take_and_stay(model, socket, report):
    """Receive one byte, report it, and wait for ever."""
    await model.wait_readable(socket)
    report.send_nowait(socket.recv(1))
    await model.sleep(FOR_EVER)


@guarantee(first=("the byte", "the cancellation"), waits=(False, True))
async def a_byte_that_meets_a_cancellation_is_not_lost(model, effort, first, waits):
    """If a task is cancelled at the moment when its socket becomes ready, either its wait returns, or the data can
    still be read.
    """
    for number in range(effort.rounds):
        report, byte = model.Channel(INF), bytes([number])
        with connected() as (ours, theirs):
            async with model.TaskGroup() as group:
                task = group.spawn(take_and_stay, model, ours, report)
                await model.sleep(0.001 if waits else 0)
                if first == "the byte":
                    theirs.send(byte)
                    task.cancel()
                else:
                    task.cancel()
                    theirs.send(byte)
                with raises(TaskCancelled):
                    await task.result(PATIENCE)
            assert b"".join(drain(report)) + empty(ours) == byte


@guarantee(direction=DIRECTIONS)
async def group_cancel_ends_many_waits(model, effort, direction):
    """`group.cancel()` ends the waits of all tasks of the group for their sockets."""
    from contextlib import ExitStack

    report, count = model.Channel(INF), min(effort.sockets, 100)
    with ExitStack() as stack:
        pairs = [stack.enter_context(unready(direction)) for _ in range(count)]
        async with model.TaskGroup() as group:
            tasks = [group.spawn(wait_and_report, model, ours, direction, report) for ours, _ in pairs]
            await pause(model)
            group.cancel()
        for task in tasks:
            with raises(TaskCancelled):
                await task.result()
    assert set(drain(report)) <= {"cancelled"}


@guarantee(direction=DIRECTIONS)
async def a_failure_ends_the_waits_of_the_siblings(model, direction):
    """If a task fails, the waits of its siblings for sockets end, and so does that of the body."""
    report, go, went_on = model.Channel(INF), model.Channel(0), False
    with unready(direction) as (ours, _), unready(direction) as (others, _), raises(ExceptionGroup):
        async with model.TaskGroup() as group:
            group.spawn(wait_and_report, model, ours, direction, report)
            group.spawn(fail_when_told, go, Trouble)
            await pause(model)
            go.close()
            await wait_until(model, others, direction)
            went_on = True
    assert not went_on and drain(report) == ["cancelled"]


# A second task.


@guarantee(by=of_one_memory, direction=DIRECTIONS)
async def a_second_task_is_refused(model, direction):
    """A wait for a socket raises `RuntimeError` if another task already waits for the same direction; the wait of that
    task goes on.
    """
    report = model.Channel(INF)
    with unready(direction) as (ours, theirs):
        async with model.TaskGroup() as group:
            group.spawn(wait_and_report, model, ours, direction, report)
            await pause(model)
            for timeout in (None, 0, PATIENCE):
                with takes(model, 0, NOT_LONG), raises(RuntimeError):
                    await wait_until(model, ours, direction, timeout)
            await pause(model)
            assert drain(report) == []
            make_ready(theirs, direction)
            assert await report.receive(PATIENCE) == "ready"
        await wait_until(model, ours, direction)


@guarantee(by=of_one_memory)
async def a_second_task_may_wait_after_the_first(model):
    """A task can wait for a socket as soon as the task that waited for it before has ended."""
    with connected() as (ours, theirs):
        async with model.TaskGroup() as group:
            for number in range(3):
                task = group.spawn(take, model, ours)
                await pause(model)
                theirs.send(bytes([number]))
                assert await task.result(PATIENCE) == bytes([number])


@guarantee(direction=DIRECTIONS)
async def a_wait_that_was_cancelled_keeps_nobody_waiting(model, direction):
    """As soon as `Task.cancel()` has returned, another task may wait for the socket that the cancelled one waited
    for."""
    report = model.Channel(INF)
    with unready(direction) as (ours, theirs):
        async with model.TaskGroup() as group:
            task = group.spawn(wait_and_report, model, ours, direction, report)
            await pause(model)
            task.cancel()
            with raises(TimeoutError):
                await wait_until(model, ours, direction, SHORT)
            with raises(TaskCancelled):
                await task.result(PATIENCE)
            make_ready(theirs, direction)
            await wait_until(model, ours, direction)


@guarantee(by=of_one_memory, direction=DIRECTIONS)
async def a_wait_that_was_told_of_a_close_keeps_nobody_waiting(model, direction):
    """As soon as `notify_closing` has returned, a task may wait for the same socket again, if it was not closed."""
    report = model.Channel(INF)
    with unready(direction) as (ours, theirs):
        async with model.TaskGroup() as group:
            group.spawn(wait_and_report, model, ours, direction, report)
            await pause(model)
            model.notify_closing(ours)
            with raises(TimeoutError):
                await wait_until(model, ours, direction, SHORT)
            assert await report.receive(PATIENCE) == "closed"
            make_ready(theirs, direction)
            await wait_until(model, ours, direction)


@guarantee(by=of_one_memory, direction=DIRECTIONS)
async def a_task_that_was_cancelled_is_not_refused(model, direction):
    """A cancelled task that reaches a wait for a socket ends there, even if another task waits for the socket; the wait
    of that task goes on.
    """
    report, went_on = model.Channel(INF), False
    with unready(direction) as (ours, theirs):
        async with model.TaskGroup() as group:
            group.spawn(wait_and_report, model, ours, direction, report)
            await pause(model)
            async with model.TaskGroup() as inner:
                inner.cancel()
                await wait_until(model, ours, direction)
                went_on = True
            assert not went_on and drain(report) == []
            make_ready(theirs, direction)
            assert await report.receive(PATIENCE) == "ready"


# A close on this side.


@guarantee(direction=DIRECTIONS, timeout=(None, 0, 5))
async def a_closed_socket_is_refused(model, direction, timeout):
    """A wait for a socket or file that is already closed raises `SocketClosed`."""
    with connected() as (ours, _):
        file = ours.makefile("rb")
        for closed in (file, ours):
            closed.close()
            with takes(model, 0, NOT_LONG), raises(SocketClosed):
                await wait_until(model, closed, direction, timeout)


@guarantee(by=of_one_memory, told=("first", "only"))
async def notify_closing_ends_the_waits(model, told):
    """`notify_closing` ends the waits for a socket in both directions at once, with `SocketClosed`."""
    report = model.Channel(INF)
    with unready("writable") as (ours, _):
        async with model.TaskGroup() as group:
            for direction in DIRECTIONS:
                group.spawn(wait_and_report, model, ours, direction, report)
            await pause(model)
            with takes(model, 0, NOT_LONG):
                model.notify_closing(ours)
                if told == "first":
                    ours.close()
                assert [await report.receive(PATIENCE) for _ in DIRECTIONS] == ["closed", "closed"]


@guarantee()
async def notify_closing_may_come_when_nobody_waits(model):
    """`notify_closing` may be called for a socket that nobody waits for, twice, and after the close; the next wait is
    not affected."""
    with connected() as (ours, theirs):
        model.notify_closing(ours)
        model.notify_closing(ours)
        theirs.send(b"!")
        assert await take(model, ours) == b"!"
        ours.close()
        model.notify_closing(ours)


@guarantee(by=of_one_memory)
async def notify_closing_ends_only_the_waits_for_this_socket(model):
    """`notify_closing` does not affect waits for other sockets, not even for a `dup()` of the same connection."""
    report = model.Channel(INF)
    with connected() as (ours, theirs), connected() as (other, _), ours.dup() as same:
        async with model.TaskGroup() as group:
            group.spawn(wait_and_report, model, same, "readable", report)
            group.spawn(wait_and_report, model, ours, "readable", model.Channel(INF))
            group.spawn(wait_and_report, model, other, "readable", report)
            await pause(model)
            model.notify_closing(ours)
            ours.close()
            await pause(model)
            assert drain(report) == []
            theirs.send(b"!")
            assert await report.receive(PATIENCE) == "ready"
            group.cancel()


@guarantee(by=of_one_memory, direction=DIRECTIONS)
async def a_close_without_a_word_is_noticed(model, direction):
    """A wait for a socket that is closed without `notify_closing` raises `SocketClosed` after about a second."""
    report = model.Channel(INF)
    with unready(direction) as (ours, _):
        async with model.TaskGroup() as group:
            group.spawn(wait_and_report, model, ours, direction, report)
            await pause(model)
            ours.close()
            with takes(model, 0, NOTICED_S):
                assert await report.receive(PATIENCE) == "closed"


@guarantee(by=of_one_memory)
async def a_close_that_meets_a_timeout_is_told(model):
    """A wait for a socket that is closed in the meantime raises an exception, even if the timeout expires first."""
    with connected() as (ours, _):
        async with model.TaskGroup() as group:
            task = group.spawn(wait_until_closed, model, ours)
            await pause(model)
            ours.close()
            assert await task.result(PATIENCE) in ("SocketClosed", "TimeoutError")


async def wait_until_closed(model, socket):
    """Wait for a socket with a timeout; return the name of what the wait raised."""
    try:
        await model.wait_readable(socket, 3 * SHORT)
    except (SocketClosed, TimeoutError) as error:
        return type(error).__name__
    return "nothing"


# The number of a descriptor is used again.


BEFORE = ("notified", "notified, open elsewhere", "ended", "ended, open elsewhere", "not notified")
"""How a socket was closed whose number is used again. If the connection is open elsewhere, the system goes on to tell
of it; nobody can switch that off once the socket was closed without a word while a task waited."""


async def wait_and_close(model, group, ours, theirs, before, report):
    """Have a task wait for a socket, and close the socket; return its number."""
    number = ours.fileno()
    group.spawn(wait_and_report, model, ours, "readable", report)
    await pause(model)
    if before.startswith("ended"):
        theirs.send(b"!")
        assert await report.receive(PATIENCE) == "ready"
        assert ours.recv(1) == b"!"
    elif before.startswith("notified"):
        model.notify_closing(ours)
    ours.close()
    return number


@guarantee(by=with_numbers, before=BEFORE)
async def a_number_that_is_used_again_is_another_socket(model, before):
    """A wait for a new socket whose descriptor has the number of a closed one ends when the new socket is ready;
    nothing that happens to the old connection ends it.
    """
    old, new, made = model.Channel(INF), model.Channel(INF), []
    with connected() as (ours, theirs), ours.dup() as elsewhere:
        if not before.endswith("elsewhere"):
            elsewhere.close()
        try:
            async with model.TaskGroup() as group:
                number = await wait_and_close(model, group, ours, theirs, before, old)
                again, peer = reused(number, made)
                group.spawn(wait_and_report, model, again, "readable", new)
                await pause(model)
                if before.endswith("elsewhere"):
                    theirs.send(b"to the old one")
                    await pause(model)
                assert drain(new) == []
                peer.send(b"to the new one")
                assert await new.receive(PATIENCE) == "ready"
                assert again.recv(20) == b"to the new one"
                if not before.startswith("ended"):
                    assert await old.receive(PATIENCE) == "closed"
        finally:
            for socket in made:
                socket.close()
