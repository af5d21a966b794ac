"""What ends a wait for a socket from outside of its model: Ctrl-C, the libraries' own timeouts and kills, a close."""

import os
import signal
import socket
import sys
import threading
import time

import pytest
from undisturbed import undisturbed

from concmodels import catalog, load
from concmodels.errors import Deadlock, SocketClosed

MODELS = ["greenlet", "tasklets", "gevent", "eventlet", "threads", "rawthreads", "asyncio", "trio", "anyio"]
HUBS = ["gevent", "eventlet"]


def loaded(name):
    if why := catalog.why_not(name):
        pytest.skip(f"{name} can't run here: {why}")
    return load(name)


@pytest.fixture
def pairs():
    """Some pairs of connected sockets."""
    made = [socket.socketpair() for _ in range(8)]
    yield made
    for pair in made:
        for end in pair:
            end.close()


def interrupt_soon():
    """Send Ctrl-C to this process in a moment."""
    timer = threading.Timer(0.1, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    return timer


@pytest.mark.parametrize("name", MODELS)
def test_ctrl_c_ends_a_run_whose_tasks_all_wait_for_sockets(name, pairs):
    model = loaded(name)

    def main():
        with model.TaskGroup() as group:
            for ours, theirs in pairs[1:]:
                group.spawn(model.wait_readable, ours)
                group.spawn(model.wait_readable, theirs)
            model.wait_readable(pairs[0][0])

    async def async_main():
        async with model.TaskGroup() as group:
            for ours, theirs in pairs[1:]:
                group.spawn(model.wait_readable, ours)
                group.spawn(model.wait_readable, theirs)
            await model.wait_readable(pairs[0][0])

    start = undisturbed()
    with pytest.raises(KeyboardInterrupt):
        timer = interrupt_soon()
        model.run(async_main if catalog.facts(name).is_async else main)
    timer.join()
    assert undisturbed() - start < 1.1


@pytest.mark.parametrize("name", HUBS)
def test_the_library_s_own_timeout_ends_a_wait(name, pairs):
    model = loaded(name)
    library = sys.modules[name]
    ours, theirs = pairs[0]

    def main():
        for _ in range(3):
            with pytest.raises(library.Timeout), library.Timeout(0.01):
                model.wait_readable(ours)
        theirs.send(b"x")
        with library.Timeout(5):
            model.wait_readable(ours)  # none of the waits before is in its way

    model.run(main)
    assert ours.recv(10) == b"x"


@pytest.mark.parametrize("name", HUBS)
def test_a_killed_greenlet_waits_no_longer(name, pairs):
    model = loaded(name)
    library = sys.modules[name]
    ours, theirs = pairs[0]

    def main():
        unit = library.spawn(model.wait_readable, ours)
        library.sleep(0.01)
        unit.kill()
        with pytest.raises(TimeoutError):
            model.wait_readable(ours, timeout=0.01)
        theirs.send(b"x")
        model.wait_readable(ours, timeout=50)

    model.run(main)


@pytest.mark.parametrize("name", ["greenlet", "tasklets", "gevent"])  # eventlet's hub does: its page says so
def test_a_close_without_a_word_while_a_copy_is_open_does_not_spin(name, pairs):
    model = loaded(name)
    ours, theirs = pairs[0]
    copy = os.dup(ours.fileno())  # so the kernel goes on watching it
    closed = []

    def wait():
        try:
            model.wait_readable(ours)
        except SocketClosed as error:
            closed.append(error)

    def main():
        with model.TaskGroup() as group:
            group.spawn(wait)
            model.sleep(0.01)
            ours.close()
            theirs.send(b"x")  # for the copy: nobody will ever read it
            start = time.process_time()
            model.sleep(1.5)
            return time.process_time() - start

    try:
        spent = model.run(main)
    finally:
        os.close(copy)
    assert closed
    assert spent < 0.3


@pytest.mark.parametrize("name", ["greenlet", "tasklets"])
def test_a_file_on_a_disk_is_refused_and_not_waited_for(name, tmp_path):
    model = loaded(name)

    def main():
        with open(tmp_path / "file", "w") as file:
            with pytest.raises(PermissionError):
                model.wait_writable(file)
            model.Channel(0).receive()  # a deadlock: nobody waits for a socket any more

    with pytest.raises(Deadlock):
        model.run(main)


@pytest.mark.parametrize("name", HUBS[:1])
def test_gevent_keeps_no_watcher_of_a_closed_or_forgotten_socket(name, pairs):
    model = loaded(name)
    from concmodels.models.waiting.sockets import gevent

    kept = gevent.sockets_here()._kept

    def main():
        ours, theirs = pairs[0]
        for end in (ours, theirs):
            model.wait_writable(end)
        assert len(kept) == 2
        model.notify_closing(ours)
        ours.close()
        assert len(kept) == 1
        for _ in range(50):
            mine, other = socket.socketpair()  # they get the same numbers each time
            with mine, other:
                other.send(b"x")
                model.wait_readable(mine, timeout=50)
        theirs.close()
        model.sleep(1.5)  # longer than between two looks
        assert not kept
        model.wait_writable(pairs[1][0])

    model.run(main)
    assert not kept


@pytest.mark.parametrize("name", HUBS)
@pytest.mark.parametrize("told", [True, False])
def test_a_socket_with_a_number_that_is_used_again_is_waited_for(name, told):
    """In the very turn in which the task was woken for the socket before."""
    model = loaded(name)

    def main():
        ours, theirs = socket.socketpair()
        for _ in range(100):
            theirs.send(b"x")
            model.wait_readable(ours, timeout=50)
            if told:
                model.notify_closing(ours)
                model.notify_closing(theirs)
            ours.close()
            theirs.close()
            ours, theirs = socket.socketpair()
            with pytest.raises(TimeoutError):
                model.wait_readable(ours, timeout=0.001)
        ours.close()
        theirs.close()

    model.run(main)
