"""`run`: what it returns and raises, where it may be called, and what it leaves behind."""

import pickle

from .tools import (
    INF,
    PATIENCE,
    Trouble,
    answer,
    fail,
    guarantee,
    pause,
    raises,
    receive_all,
    send_all,
    variant,
    wait_in,
)

NEEDS = ("run",)


@guarantee()
def run_returns_the_result(model):
    """`run(main, *args)` runs `main(*args)` and returns its result."""
    assert model.run(answer, ("any", ["value"])) == ("any", ["value"])
    assert model.run(answer, None) is None


@guarantee(kind=(ValueError, Trouble, KeyboardInterrupt, SystemExit))
def run_raises_what_main_raises(model, kind):
    """`run` raises what `main` raised."""
    with raises(kind) as caught:
        model.run(fail, kind, "of main")
    assert type(caught.error) is kind and caught.error.args == ("of main",)


async def send_through_a_task(model):
    """Run a small program."""
    channel = model.Channel(1)
    async with model.TaskGroup() as group:
        task = group.spawn(receive_all, channel)
        with channel:
            for number in range(5):
                await channel.send(number)
    return await task.result()


@guarantee()
def run_may_be_called_again(model):
    """A run has no effect on the next one, even after a failure."""
    assert model.run(send_through_a_task, model) == [0, 1, 2, 3, 4]
    with raises(Trouble):
        model.run(fail, Trouble)
    assert model.run(send_through_a_task, model) == [0, 1, 2, 3, 4]


async def run_inside(model):
    """Call `run` inside a run."""
    with raises(RuntimeError):
        model.run(answer, "never")
    return await send_through_a_task(model)


@guarantee()
def run_inside_a_run_is_refused(model):
    """`run` inside a run of the same model raises `RuntimeError`, and does not disturb the outer run."""
    assert model.run(run_inside, model) == [0, 1, 2, 3, 4]


@guarantee()
def run_works_in_another_thread(model):
    """`run` also works outside the main thread, where it doesn't handle Ctrl-C."""
    from threading import Thread

    results = []
    thread = Thread(target=lambda: results.append(model.run(send_through_a_task, model)))
    thread.start()
    thread.join()
    assert results == [[0, 1, 2, 3, 4]]


async def handler_now(signal):
    """Return the SIGINT handler that is installed during a run."""
    return signal.getsignal(signal.SIGINT)


@guarantee()
def the_sigint_handler_is_restored(model):
    """In the main thread, `run` installs its own SIGINT handler and restores the old one."""
    import signal

    before = signal.default_int_handler
    found = signal.signal(signal.SIGINT, before)  # a shell has programs in the background ignore the signal
    try:
        assert model.run(handler_now, signal) is not before
        assert signal.getsignal(signal.SIGINT) is before
        with raises(Trouble):
            model.run(fail, Trouble)
        assert signal.getsignal(signal.SIGINT) is before
    finally:
        signal.signal(signal.SIGINT, found)


@guarantee(by=variant)
def a_variant_pickles_as_its_name(model):
    """A variant pickles as its name, so it can be sent to a task. (A default is a module, which `spawn` and channels
    can send.)"""
    copy = pickle.loads(pickle.dumps(model))
    assert copy.name == model.name
    assert copy.run(send_through_a_task, copy) == [0, 1, 2, 3, 4]


# Nothing is left behind. The suite checks that for every guarantee; here it is checked for each way a run can end.


async def end_well(model):
    """Use all kinds of channels, and a task in a task."""
    channels = [model.Channel(capacity) for capacity in (0, 1, INF)]
    async with model.TaskGroup() as group:
        for channel in channels:
            group.spawn(send_all, channel, ["item"])
            assert await channel.receive(PATIENCE) == "item"


async def fail_in_a_task(model):
    """Fail in a task, while another one waits."""
    async with model.TaskGroup() as group:
        group.spawn(wait_in, model, "receive")
        group.spawn(fail, Trouble)


async def fail_in_main(model):
    """Fail in the body of a group, while a task waits."""
    async with model.TaskGroup() as group:
        group.spawn(wait_in, model, "sleep")
        await pause(model)
        raise Trouble


async def leave_items(model):
    """Leave items that are never received, channels that are never closed, and an iteration that has not ended."""
    channel = model.Channel(INF)
    async with model.TaskGroup() as group:
        group.spawn(send_all, channel, [b"left behind" * 1000] * 10)
        async for item in channel:
            assert item
            break


@guarantee(ending=("end_well", "fail_in_a_task", "fail_in_main", "leave_items"))
def nothing_is_left_behind(model, ending):
    """A run leaves nothing behind, however it ends: no thread, process, interpreter, descriptor or file."""
    try:
        model.run(globals()[ending], model)
    except ExceptionGroup as error:
        assert [type(inner) for inner in error.exceptions] == [Trouble]
