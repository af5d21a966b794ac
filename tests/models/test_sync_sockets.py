"""Waits for sockets in the sync models of one process: what ends a run, and what a wait costs in descriptors.

What every model guarantees is in the conformance suite (`guarantees/sockets.py`). For the async models the tests of
deadlocks are in `test_async_sockets.py`.
"""

import os
import signal
import socket
import subprocess
import sys
import threading
from contextlib import ExitStack

import pytest
from stuck import be_alone

from concmodels import catalog, load
from concmodels.errors import Deadlock, ModelUnavailable, SocketClosed
from concmodels.models.waiting.sockets.threads import WAKERS

ONE_PROCESS = [name for name in catalog.names(variants=True) if catalog.facts(name).family != "boundary"]
MODELS = [name for name in ONE_PROCESS if not catalog.facts(name).is_async]
LATER = 30
SOON = 0.2


def model_of(name):
    try:
        return load(name)
    except ModelUnavailable as error:
        pytest.skip(str(error))


@pytest.fixture
def pair():
    """Two connected sockets that never block."""
    ours, theirs = socket.socketpair()
    with ours, theirs:
        ours.setblocking(False)
        theirs.setblocking(False)
        yield ours, theirs


@pytest.fixture
def by_ourselves():
    """No thread that was left over is a reason to wait on, and no signal handler either but the end of the test."""
    be_alone()
    alarm = signal.signal(signal.SIGALRM, signal.SIG_DFL)
    signal.alarm(LATER)
    yield
    signal.alarm(0)
    signal.signal(signal.SIGALRM, alarm)


def outcome(model, ours, timeout=LATER):
    """Wait until the socket is readable; return what has come of that."""
    try:
        model.wait_readable(ours, timeout)
    except (SocketClosed, TimeoutError) as error:
        return type(error).__name__
    return "ready"


@pytest.mark.timeout(0)
@pytest.mark.usefixtures("by_ourselves")
@pytest.mark.parametrize("name", MODELS)
def test_a_wait_for_a_socket_is_no_deadlock(name):
    program = "import time; time.sleep(1.5); print('help')"

    def wait(model, pipe, channel):
        model.wait_readable(pipe)
        channel.send(pipe.readline())

    def main(model, child):
        channel = model.Channel()
        with model.TaskGroup() as group:
            group.spawn(wait, model, child.stdout, channel)
            return channel.receive()

    model = model_of(name)
    with subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE) as child:
        assert model.run(main, model, child, deadlock_after=SOON) == b"help\n"


@pytest.mark.timeout(0)
@pytest.mark.usefixtures("by_ourselves")
@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize("ended", ["ready", "timed out", "closed"])
def test_a_deadlock_is_found_after_a_wait_for_a_socket(name, ended, pair):
    def main(model):
        ours, theirs = pair
        if ended == "ready":
            theirs.send(b"!")
        with model.TaskGroup() as group:
            task = group.spawn(outcome, model, ours, SOON if ended == "timed out" else None)
            while ended == "closed" and not task.done():  # it may not wait yet
                model.notify_closing(ours)
                model.sleep(0.001)
            task.result()
        model.Channel(0, "nobody sends").receive()

    model = model_of(name)
    with pytest.raises(Deadlock, match="nobody sends"):
        model.run(main, model, deadlock_after=SOON)


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize("where", ["a socket", "the group"])
def test_ctrl_c_ends_all_waits_for_sockets(name, where, pair):
    """Main waits for a socket or for its group."""
    begun, ended = [], []

    def wait(model):
        try:
            begun.append(True)
            model.wait_readable(pair[0])
        finally:
            ended.append("a wait")

    def main(model):
        with model.TaskGroup() as group:
            group.spawn(wait, model)
            while not begun:
                model.sleep(0.001)
            later = threading.Timer(0.1, os.kill, (os.getpid(), signal.SIGINT))
            later.start()
            if where == "a socket":
                model.wait_readable(pair[1])

    model = model_of(name)
    with pytest.raises(KeyboardInterrupt):
        model.run(main, model)
    assert ended == ["a wait"]


@pytest.mark.skipif(not os.path.isdir("/proc/self/fd"), reason="there is no list of descriptors")
@pytest.mark.parametrize("name", MODELS)
def test_waits_for_sockets_need_few_descriptors_of_their_own(name):
    """The catalog says how many a task needs: none. Threads that wait for sockets share some, whatever their number."""

    def main(model):
        with ExitStack() as stack, model.TaskGroup() as group:
            pairs = [socket.socketpair() for _ in range(200)]
            for one, other in pairs:
                stack.enter_context(one)
                stack.enter_context(other)
            before = len(os.listdir("/proc/self/fd"))
            for one, _ in pairs:
                group.spawn(outcome, model, one)
            model.sleep(0.3)
            after = len(os.listdir("/proc/self/fd"))
            group.cancel()
        return after - before

    model = model_of(name)
    most = WAKERS if catalog.facts(name).preemptive else 3
    assert catalog.facts(name).descriptors == 0 and model.run(main, model) <= most


CLOSES = """
import socket, sys
from concmodels import load
from concmodels.errors import SocketClosed

def wait(model, ours):
    try:
        model.wait_readable(ours)
    except SocketClosed:
        print("closed")

def close(model, ours, task):
    if sys.argv[2] == "cancelled before":
        task.cancel()
    model.notify_closing(ours)
    ours.close()

def main(model):
    ours, theirs = socket.socketpair()
    with theirs, model.TaskGroup() as group:
        task = group.spawn(wait, model, ours)
        group.spawn(close, model, ours, task)

model = load(sys.argv[1])
model.run(main, model)
"""


@pytest.mark.parametrize("before", ["waiting before", "cancelled before"])
@pytest.mark.parametrize("name", MODELS)
def test_a_socket_is_closed_in_the_turn_in_which_its_wait_has_begun(name, before):
    """What polls the sockets must not be left with a closed one: libev ends the process for that."""
    model_of(name)
    command = [sys.executable, "-c", CLOSES, name, before]
    ended = subprocess.run(command, capture_output=True, text=True, check=False, timeout=LATER)
    assert (ended.returncode, ended.stderr) == (0, "")
    if before == "waiting before":
        assert ended.stdout == "closed\n"
