"""Waits for sockets on event loops, as far as that is particular: what the loop remembers, and whose timeout it is.

What every model guarantees is in the conformance suite (`guarantees/sockets.py`).
"""

import asyncio
import contextlib
import os
import signal
import socket
import subprocess
import sys
import time

import anyio
import pytest
import trio
from stuck import be_alone
from undisturbed import undisturbed

from concmodels import catalog, load
from concmodels.conformance.guarantees.tools import pause
from concmodels.errors import Deadlock, SocketClosed, TaskCancelled

ON_ASYNCIO = ("asyncio", "anyio")
ON_TRIO = ("trio", "anyio:trio")
LATER = 30
SOON = 0.2


@pytest.fixture
def pair():
    """Two connected sockets that never block."""
    ours, theirs = socket.socketpair()
    with ours, theirs:
        ours.setblocking(False)
        theirs.setblocking(False)
        yield ours, theirs


@contextlib.contextmanager
def on_number(number):
    """Make sockets until one has this number; give that one and its peer."""
    made = []
    try:
        while number not in (numbers := [end.fileno() for end in made[-2:]]):
            assert len(made) < 40, f"the number {number} is not free"
            made += socket.socketpair()
        again = made[-2:][numbers.index(number)]
        peer = made[-2:][1 - numbers.index(number)]
        again.setblocking(False)
        yield again, peer
    finally:
        for end in made:
            end.close()


async def outcome(model, ours, timeout=LATER):
    """Wait until the socket is readable; return what has come of that."""
    try:
        await model.wait_readable(ours, timeout)
    except (SocketClosed, RuntimeError, TimeoutError) as error:
        return type(error).__name__
    return "ready"


# What the loop remembers of a descriptor.


@pytest.mark.parametrize("name", ON_ASYNCIO)
@pytest.mark.parametrize("before", ["it still waits", "it has waited"])
def test_a_transport_gets_the_number_of_a_socket_that_was_closed(name, before, pair):
    async def main(model):
        ours, theirs = pair
        number = ours.fileno()
        async with model.TaskGroup() as group:
            if before == "it has waited":
                theirs.send(b"!")
                await model.wait_readable(ours, LATER)
                ours.close()
            else:
                old = group.spawn(outcome, model, ours)
                await pause(model)
                ours.close()
            with on_number(number) as (again, peer):
                reader, writer = await asyncio.open_connection(sock=again)
                peer.send(b"to the transport")
                assert await asyncio.wait_for(reader.read(100), LATER) == b"to the transport"
                if before == "it still waits":
                    assert await old.result(LATER) == "SocketClosed"
                peer.send(b"again")
                assert await asyncio.wait_for(reader.read(100), LATER) == b"again"
                writer.close()
                await writer.wait_closed()

    model = load(name)
    model.run(main, model)


@pytest.mark.parametrize("name", ON_ASYNCIO)
def test_a_socket_may_go_to_a_transport_after_a_wait_for_it(name, pair):
    async def main(model):
        ours, theirs = pair
        assert await outcome(model, ours, 0.01) == "TimeoutError"
        reader, writer = await asyncio.open_connection(sock=ours)
        theirs.send(b"!")
        assert await asyncio.wait_for(reader.read(100), LATER) == b"!"
        writer.close()
        await writer.wait_closed()

    model = load(name)
    model.run(main, model)


@pytest.mark.parametrize("name", ON_ASYNCIO)
def test_a_number_whose_old_connection_is_open_elsewhere_wakes_nobody(name, pair):
    """Also if it was closed without a word while a task waited: then it is still armed in the kernel."""

    async def main(model):
        ours, theirs = pair
        number = ours.fileno()
        with ours.dup():
            async with model.TaskGroup() as group:
                old = group.spawn(outcome, model, ours)
                await pause(model)
                ours.close()
                with on_number(number) as (again, peer):
                    new = group.spawn(outcome, model, again)
                    await pause(model)
                    theirs.send(b"to the old one")
                    await model.sleep(0.05)
                    assert not new.done()
                    peer.send(b"to the new one")
                    assert await new.result(LATER) == "ready"
                    assert again.recv(100) == b"to the new one"
                    assert await old.result(LATER) == "SocketClosed"

    model = load(name)
    model.run(main, model)


@pytest.mark.parametrize("name", ON_ASYNCIO)
def test_nothing_is_left_in_the_selector(name, pair):
    """Not in that of the loop once nobody waits, and no descriptor after the run, even if a task was left waiting."""
    before = set(os.listdir("/proc/self/fd"))

    async def wait_for_ever(model, ours):
        await model.wait_readable(ours)

    async def main(model):
        ours, theirs = pair
        registered = asyncio.get_running_loop()._selector.get_map()
        first = len(registered)
        theirs.send(b"!")
        await model.wait_readable(ours)
        until = time.monotonic() + LATER
        while len(registered) != first:
            assert time.monotonic() < until
            await model.sleep(0.05)
        if name == "asyncio":
            task = asyncio.create_task(wait_for_ever(model, pair[1]))
            await pause(model)
            return task
        return None

    model = load(name)
    task = model.run(main, model)
    assert task is None or task.cancelled()
    assert set(os.listdir("/proc/self/fd")) == before


@pytest.mark.parametrize("name", ON_ASYNCIO)
def test_a_loop_of_the_programs_own_is_closed_after_the_next_run(name, pair):
    before = set(os.listdir("/proc/self/fd"))
    model = load(name)
    pair[1].send(b"!")
    if name == "asyncio":
        asyncio.run(model.wait_readable(pair[0], LATER))
    else:
        anyio.run(model.wait_readable, pair[0])
    model.run(model.sleep, 0)
    assert set(os.listdir("/proc/self/fd")) == before


def test_a_loop_that_watches_no_descriptors_is_named(pair):
    class Blind(asyncio.SelectorEventLoop):
        def add_reader(self, *_):
            raise NotImplementedError

    model = load("asyncio")
    with asyncio.Runner(loop_factory=Blind) as runner, pytest.raises(NotImplementedError, match="Blind watches no"):
        runner.run(model.wait_readable(pair[0]))
    model.run(model.sleep, 0)  # which closes what belongs to that loop


# Cancellations and timeouts of the libraries' own.


@pytest.mark.parametrize("way", ["cancel", "timeout", "group"])
def test_a_cancellation_in_the_turn_in_which_both_sockets_are_ready(way, pair):
    """asyncio throws into a wait that the kernel has ended. The wait raises, and nothing was taken."""
    told = []

    async def second(model, ours):
        task = asyncio.current_task()
        try:
            await model.wait_readable(ours)
            await model.sleep(LATER)
        except asyncio.CancelledError:
            told.append(task.cancelling())
            raise

    async def main(model):
        (ours, theirs), (other, peer) = pair, socket.socketpair()
        with other, peer:
            if way == "timeout":
                with pytest.raises(TimeoutError):
                    async with asyncio.timeout(0.05):
                        await model.wait_readable(ours)
            elif way == "group":
                with pytest.raises(ExceptionGroup):
                    async with asyncio.TaskGroup() as group:
                        group.create_task(second(model, ours))
                        await pause(model)
                        theirs.send(b"!")
                        raise ValueError
            else:
                waits = asyncio.create_task(model.wait_readable(other))
                task = asyncio.create_task(second(model, ours))
                await pause(model)
                waits.add_done_callback(lambda _: task.cancel())
                peer.send(b"!")
                theirs.send(b"!")
                with pytest.raises(asyncio.CancelledError):
                    await task
            assert asyncio.current_task().cancelling() == 0
            assert told == ([] if way == "timeout" else [1])
            if way == "timeout":
                theirs.send(b"!")
            await model.wait_readable(ours, LATER)
            assert ours.recv(10) == b"!"

    model = load("asyncio")
    model.run(main, model)


@pytest.mark.parametrize("name", [*ON_ASYNCIO, *ON_TRIO])
@pytest.mark.parametrize("ends_by", ["cancel", "ready", "notify"])
def test_a_task_may_wait_before_the_one_whose_wait_is_over_has_gone_on(name, ends_by, pair):
    async def main(model):
        ours, theirs = pair
        async with model.TaskGroup() as group:
            first = group.spawn(outcome, model, ours)
            await pause(model)
            if ends_by == "cancel":
                first.cancel()
            elif ends_by == "notify":
                model.notify_closing(ours)
            theirs.send(b"!")
            if ends_by == "ready":
                assert await first.result(LATER) == "ready"
            assert await outcome(model, ours) == "ready"
            expected = {"cancel": TaskCancelled, "notify": "SocketClosed", "ready": "ready"}[ends_by]
            if expected is TaskCancelled:
                with pytest.raises(TaskCancelled):
                    await first.result(LATER)
            else:
                assert await first.result(LATER) == expected

    model = load(name)
    model.run(main, model)


@pytest.mark.parametrize("name", ON_TRIO)
@pytest.mark.parametrize("timeout", [None, LATER])
def test_a_timeout_around_a_wait_is_not_its_own(name, timeout, pair):
    async def main(model):
        with trio.move_on_after(0.02) as scope:
            await model.wait_readable(pair[0], timeout)
        assert scope.cancelled_caught
        with trio.move_on_after(LATER) as scope, pytest.raises(TimeoutError):
            await model.wait_readable(pair[0], 0.02)
        assert not scope.cancelled_caught
        with trio.CancelScope() as scope:
            scope.cancel()
            await model.wait_readable(pair[0], 0)
        assert scope.cancelled_caught

    model = load(name)
    model.run(main, model)


@pytest.mark.parametrize("name", ON_TRIO)
def test_what_trio_itself_does_with_a_socket_is_told_in_our_words(name, pair):
    async def main(model):
        ours = trio.socket.from_stdlib_socket(pair[0])
        async with trio.open_nursery() as nursery:
            nursery.start_soon(trio.lowlevel.wait_readable, ours)
            await pause(model)
            with pytest.raises(RuntimeError, match="another task waits until"):
                await model.wait_readable(ours)
            nursery.cancel_scope.cancel()
        async with model.TaskGroup() as group:
            task = group.spawn(outcome, model, ours)
            await pause(model)
            ours.close()  # trio's own sockets give notice
            start = undisturbed()
            assert await task.result(LATER) == "SocketClosed"
            assert undisturbed() - start < 0.5

    model = load(name)
    model.run(main, model)


@pytest.mark.parametrize("name", ON_TRIO)
def test_a_refused_wait_leaves_the_first_one_noted(name, pair):
    """So that its close is found, though another task has tried to wait meanwhile."""

    async def main(model):
        async with model.TaskGroup() as group:
            first = group.spawn(outcome, model, pair[0])
            await pause(model)
            assert await outcome(model, pair[0]) == "RuntimeError"
            pair[0].close()
            assert await first.result(LATER) == "SocketClosed"

    model = load(name)
    model.run(main, model)


# Deadlocks.


@pytest.fixture
def by_ourselves():
    """No thread that was left over is a reason to wait on."""
    be_alone()


@pytest.mark.timeout(0)
@pytest.mark.usefixtures("by_ourselves")
@pytest.mark.parametrize("name", [*ON_ASYNCIO, *ON_TRIO])
def test_a_wait_for_a_socket_is_no_deadlock(name):
    program = "import time; time.sleep(1.5); print('help')"

    async def wait(model, pipe, channel):
        await model.wait_readable(pipe)
        await channel.send(pipe.readline())

    async def main(model, child):
        channel = model.Channel()
        async with model.TaskGroup() as group:
            group.spawn(wait, model, child.stdout, channel)
            return await channel.receive()

    model = load(name)
    with subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE) as child:
        assert model.run(main, model, child, deadlock_after=SOON) == b"help\n"


@pytest.mark.timeout(0)
@pytest.mark.usefixtures("by_ourselves")
@pytest.mark.parametrize("name", [*ON_ASYNCIO, *ON_TRIO])
@pytest.mark.parametrize("ended", ["ready", "timed out", "closed"])
def test_a_deadlock_is_found_after_a_wait_for_a_socket(name, ended, pair):
    async def main(model):
        ours, theirs = pair
        if ended == "ready":
            theirs.send(b"!")
        async with model.TaskGroup() as group:
            task = group.spawn(outcome, model, ours, SOON if ended == "timed out" else None)
            while ended == "closed" and not task.done():  # it may not wait yet
                model.notify_closing(ours)
                await model.sleep(0.001)
            await task.result()
        await model.Channel(0, "nobody sends").receive()

    model = load(name)
    alarm = signal.signal(signal.SIGALRM, signal.SIG_DFL)  # the end of the test if it is not found
    signal.alarm(LATER)
    try:
        with pytest.raises(Deadlock, match="nobody sends"):
            model.run(main, model, deadlock_after=SOON)
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, alarm)


# Where there are no sockets.


def test_a_simulated_task_is_refused_in_a_sentence(pair):
    model = load("sim")
    for wait in (model.wait_readable, model.wait_writable):
        with pytest.raises(NotImplementedError, match="^a simulated run can't wait for sockets, because [^.]*$"):
            model.run(wait, pair[0])
    assert model.notify_closing(pair[0]) is None


def test_a_simulated_coroutine_is_refused_in_a_sentence(pair):
    model = load("sim:async")
    for wait in (model.wait_readable, model.wait_writable):
        with pytest.raises(NotImplementedError, match="^a simulated run can't wait for sockets"):
            model.run(wait, pair[0], 1)


WAITS = """
def main(model):
    with model.TaskGroup() as group:
        group.spawn(model.wait_readable, None)
"""


def test_a_program_that_waits_for_a_socket_is_not_explored(tmp_path):
    file = tmp_path / "waits.py"
    file.write_text(WAITS)
    command = [sys.executable, "-m", "concmodels.explore", str(file)]
    ended = subprocess.run(command, capture_output=True, text=True, check=False)
    assert ended.returncode == 2
    (sentence,) = ended.stderr.splitlines()
    assert sentence.startswith("concmodels.explore: a simulated run can't wait for sockets, because ")


@pytest.mark.skipif(bool(catalog.why_not("dask")), reason="dask is not installed")
def test_dask_says_why_it_has_no_sockets(pair):
    model = load("dask")
    for wait in (model.wait_readable, model.wait_writable):
        with pytest.raises(NotImplementedError, match="^dask has no waits for sockets, because [^.]*$"):
            wait(pair[0], 1)
    assert model.notify_closing(pair[0]) is None
