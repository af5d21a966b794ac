"""`run`: what it returns and raises, where it may be called, and what it leaves behind."""

import pickle

from .tools import (
    INF,
    PATIENCE,
    Trouble,
    answer,
    fail,
    pause,
    promise,
    raises,
    receive_all,
    send_all,
    variant,
    wait_in,
)

NEEDS = ("run",)


@promise()
def run_returns_the_result(room):
    """`run(main, *args)` runs `main` and returns its result."""
    assert room.run(answer, ("any", ["value"])) == ("any", ["value"])
    assert room.run(answer, None) is None


@promise(kind=(ValueError, Trouble, KeyboardInterrupt, SystemExit))
def run_raises_what_main_raises(room, kind):
    """`run` raises what `main` raised."""
    with raises(kind) as caught:
        room.run(fail, kind, "of main")
    assert type(caught.error) is kind and caught.error.args == ("of main",)


async def send_through_a_task(room):
    """A small program."""
    channel = room.Channel(1)
    async with room.TaskGroup() as group:
        task = group.spawn(receive_all, channel)
        with channel:
            for number in range(5):
                await channel.send(number)
    return await task.result()


@promise()
def run_may_be_called_again(room):
    """A run leaves nothing behind: the next one starts afresh, also after a failure."""
    assert room.run(send_through_a_task, room) == [0, 1, 2, 3, 4]
    with raises(Trouble):
        room.run(fail, Trouble)
    assert room.run(send_through_a_task, room) == [0, 1, 2, 3, 4]


async def run_inside(room):
    """A run in a run."""
    with raises(RuntimeError):
        room.run(answer, "never")
    return await send_through_a_task(room)


@promise()
def run_inside_a_run_is_refused(room):
    """`run` inside a run of the same model is a RuntimeError, and does not disturb the outer one."""
    assert room.run(run_inside, room) == [0, 1, 2, 3, 4]


@promise()
def run_works_in_another_thread(room):
    """Outside of the main thread `run` works too, without Ctrl-C handling."""
    from threading import Thread

    results = []
    thread = Thread(target=lambda: results.append(room.run(send_through_a_task, room)))
    thread.start()
    thread.join()
    assert results == [[0, 1, 2, 3, 4]]


async def handler_now(signal):
    """The handler of SIGINT that a run works with."""
    return signal.getsignal(signal.SIGINT)


@promise()
def the_sigint_handler_is_restored(room):
    """`run`, in the main thread, installs its own SIGINT handler and restores the old one."""
    import signal

    before = signal.getsignal(signal.SIGINT)
    assert room.run(handler_now, signal) is not before
    assert signal.getsignal(signal.SIGINT) is before
    with raises(Trouble):
        room.run(fail, Trouble)
    assert signal.getsignal(signal.SIGINT) is before


@promise(by=variant)
def a_variant_pickles_as_its_name(room):
    """Rooms travel: a variant pickles as its name. (A default is a module, which `spawn` and channels can send.)"""
    copy = pickle.loads(pickle.dumps(room))
    assert copy.name == room.name
    assert copy.run(send_through_a_task, copy) == [0, 1, 2, 3, 4]


# Nothing is left behind. Every promise is watched for that; these are the ways a run can end.


async def end_well(room):
    """All kinds of channels, a task in a task."""
    channels = [room.Channel(capacity) for capacity in (0, 1, INF)]
    async with room.TaskGroup() as group:
        for channel in channels:
            group.spawn(send_all, channel, ["item"])
            assert await channel.receive(PATIENCE) == "item"


async def fail_in_a_task(room):
    """A task fails, while another one waits."""
    async with room.TaskGroup() as group:
        group.spawn(wait_in, room, "receive")
        group.spawn(fail, Trouble)


async def fail_in_main(room):
    """The body fails, while a task waits."""
    async with room.TaskGroup() as group:
        group.spawn(wait_in, room, "sleep")
        await pause(room)
        raise Trouble


async def leave_items(room):
    """Items that nobody receives, channels that nobody closes, an iteration that is left."""
    channel = room.Channel(INF)
    async with room.TaskGroup() as group:
        group.spawn(send_all, channel, [b"left behind" * 1000] * 10)
        async for item in channel:
            assert item
            break


@promise(ending=("end_well", "fail_in_a_task", "fail_in_main", "leave_items"))
def nothing_is_left_behind(room, ending):
    """Nothing is left behind by a run, however it ends: no thread, process, interpreter, descriptor or file."""
    try:
        room.run(globals()[ending], room)
    except ExceptionGroup as error:
        assert [type(inner) for inner in error.exceptions] == [Trouble]
