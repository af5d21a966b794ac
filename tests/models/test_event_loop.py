"""What is particular to the event loop of greenlet and tasklets: who is woken by what, and that nobody is starved."""

import os
import signal
import socket
import subprocess
import sys
import time

import others_plugins
import pytest
from undisturbed import undisturbed

from concmodels import load, platform
from concmodels.errors import SocketClosed

MODELS = ["greenlet", "tasklets"]


@pytest.fixture
def pair():
    ours, theirs = socket.socketpair()
    with ours, theirs:
        ours.setblocking(False)
        yield ours, theirs


@pytest.mark.parametrize("name", MODELS)
def test_tasks_that_keep_handing_on_do_not_starve_a_socket(name, pair):
    model = load(name)
    ours, theirs = pair

    def play(first, second):
        while True:
            first.send(None)
            second.receive()

    def main():
        there, back = model.Channel(0), model.Channel(0)
        with model.TaskGroup() as group:
            group.spawn(play, there, back)
            group.spawn(lambda: [back.send(it) for it in there])
            theirs.send(b"x")
            model.wait_readable(ours, timeout=50)
            group.cancel()

    model.run(main)
    assert ours.recv(10) == b"x"


@pytest.mark.parametrize("name", MODELS)
def test_a_signal_handler_wakes_a_task_while_another_waits_for_a_socket(name, pair):
    model = load(name)

    def main():
        channel = model.Channel(1)
        signal.signal(signal.SIGALRM, lambda *_: channel.send_nowait(undisturbed()))
        with model.TaskGroup() as group:
            group.spawn(model.wait_readable, pair[0])
            signal.setitimer(signal.ITIMER_REAL, 0.05)
            sent = channel.receive()
            late = undisturbed() - sent
            group.cancel()
        return late

    old = signal.getsignal(signal.SIGALRM)
    try:
        assert model.run(main) < 0.15  # it does not wait until the loop wakes by itself
    finally:
        signal.signal(signal.SIGALRM, old)


@pytest.mark.parametrize("name", MODELS)
def test_a_copy_of_a_closed_socket_does_not_wake_who_waits_for_its_number(name):
    model = load(name)
    ours, theirs = socket.socketpair()
    copy = os.dup(ours.fileno())  # so the kernel goes on watching it
    closed = []

    def waits_for_closed():
        try:
            model.wait_readable(ours)
        except SocketClosed as error:
            closed.append(error)

    def main():
        with model.TaskGroup() as group:
            group.spawn(waits_for_closed)
            model.sleep(0)
            number = ours.fileno()
            ours.close()
            mine, other = socket.socketpair()
            with mine, other:
                assert mine.fileno() == number
                task = group.spawn(model.wait_readable, mine)
                model.sleep(0)
                theirs.send(b"for the copy")
                with pytest.raises(TimeoutError):
                    task.result(timeout=0.1)
                other.send(b"x")
                task.result(timeout=50)

    try:
        model.run(main)
    finally:
        os.close(copy)
        theirs.close()
    assert closed


@pytest.mark.parametrize("name", MODELS)
def test_a_run_closes_its_descriptors(name, pair):
    model = load(name)
    before = set(os.listdir("/dev/fd"))

    def main():
        with pytest.raises(TimeoutError):
            model.wait_readable(pair[0], timeout=0.01)

    model.run(main)
    assert set(os.listdir("/dev/fd")) == before


@pytest.mark.parametrize("name", MODELS)
def test_a_run_without_sockets_opens_no_descriptor(name):
    model = load(name)
    before = set(os.listdir("/dev/fd"))

    def main():
        with model.TaskGroup() as group:
            group.spawn(model.sleep, 0.01)
        return set(os.listdir("/dev/fd"))

    assert model.run(main) == before


@pytest.mark.skipif(platform.PORTABLE, reason="the second version of the platform counts milliseconds")
@pytest.mark.parametrize("name", MODELS)
def test_a_timer_beside_a_socket_is_finer_than_a_millisecond(name, pair):
    model = load(name)

    def main():
        with model.TaskGroup() as group:
            group.spawn(model.wait_readable, pair[0])
            model.sleep(0)
            slept = []
            for _ in range(50):
                start = time.monotonic(), undisturbed()
                model.sleep(0.0002)
                slept.append((time.monotonic() - start[0], undisturbed() - start[1]))
            group.cancel()
        return map(min, zip(*slept, strict=True))

    at_least, at_most = model.run(main)
    assert at_least >= 0.0002 and at_most < 0.0009


@pytest.mark.skipif(platform.PORTABLE, reason="this is it")
def test_the_second_version_of_the_platform_keeps_all_this():
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *others_plugins.WITHOUT, __file__]
    environment = os.environ | {"CONCMODELS_PLATFORM": "portable"}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=100)
    assert done.returncode == 0, done.stdout
