"""Sockets across memory boundaries: what becomes of those that never arrive, and what can't be sent."""

import os
import socket

import pytest
from boundaries import in_turn
from socket_tasks import fail_with, forget_to_close, keep_open, send_on, shout

from concmodels import load
from concmodels.errors import CannotTravel

MODELS = ("processes", pytest.param("processes:spawn", marks=pytest.mark.thorough), "subinterp")


def descriptors():
    return set(os.listdir("/proc/self/fd"))


def speak(stream):
    stream.sendall(b"word")
    return stream.recv(100)


@pytest.mark.parametrize("name", MODELS)
def test_each_side_closes_its_own(name):
    def main(model):
        ours, theirs = socket.socketpair()
        with ours, model.TaskGroup() as group:
            group.spawn(shout, theirs)
            theirs.close()
            answer = speak(ours)
            model.wait_readable(ours, 10)
            return answer, ours.recv(1)

    model = load(name)
    assert model.run(main, model) == (b"WORD", b"")


@pytest.mark.parametrize("task", [forget_to_close, keep_open])
@pytest.mark.parametrize("name", MODELS)
def test_what_a_task_has_not_closed_is_closed_when_it_has_ended(name, task):
    def main(model):
        ours, theirs = socket.socketpair()
        with ours:
            with model.TaskGroup() as group:
                group.spawn(task, theirs)
                theirs.close()
            ours.settimeout(50)
            assert ours.recv(10) == b"open"
            assert ours.recv(10) == b""  # the task's own was the last that was open

    model = load(name)
    model.run(main, model)
    before = descriptors()
    model.run(main, model)
    assert descriptors() == before


@pytest.mark.parametrize("name", MODELS)
def test_what_a_task_of_a_pool_has_not_closed_is_closed_when_it_has_ended(name):
    def main(model):
        ours, theirs = socket.socketpair()
        with ours, model.Pool(1) as pool:
            pool.submit(forget_to_close, theirs).result()
            theirs.close()
            ours.settimeout(50)
            return ours.recv(10), ours.recv(10)

    model = load(name)
    assert model.run(main, model) == (b"open", b"")


@pytest.mark.parametrize("name", MODELS)
def test_a_socket_goes_from_task_to_task(name):
    def main(model):
        ours, theirs = socket.socketpair()
        channel = model.Channel(1)
        with ours, theirs, model.TaskGroup() as group:
            group.spawn(send_on, model, channel, theirs)
            with channel.receive(50) as arrived:
                assert arrived.fileno() not in (ours.fileno(), theirs.fileno())
                assert (arrived.family, arrived.type, arrived.gettimeout()) == (theirs.family, theirs.type, None)
                ours.sendall(b"word")
                return arrived.recv(100)

    model = load(name)
    assert model.run(main, model) == b"word"


TIMEOUTS = [None, 0.0, 2.5]


@pytest.mark.parametrize(
    ("name", "seconds"),
    [
        *in_turn(["processes", "subinterp"], TIMEOUTS),
        *(pytest.param("processes:spawn", it, marks=pytest.mark.thorough) for it in TIMEOUTS),
    ],
)
def test_its_timeout_travels(name, seconds):
    def main(model):
        ours, theirs = socket.socketpair()
        channel = model.Channel(1)
        with ours, theirs:
            theirs.settimeout(seconds)
            channel.send(theirs)
            with channel.receive() as arrived:
                return arrived.gettimeout()

    model = load(name)
    assert model.run(main, model) == seconds


@pytest.mark.parametrize("name", MODELS)
def test_what_never_arrives_is_closed_at_the_end_of_the_run(name):
    def main(model):
        ours, theirs = socket.socketpair()
        channel = model.Channel(3)
        with theirs:
            for _ in range(3):
                channel.send(theirs)
        return ours

    model = load(name)
    model.run(main, model).close()
    before = descriptors()
    with model.run(main, model) as ours:
        ours.settimeout(50)
        assert ours.recv(1) == b""  # the last duplicate of the other end is gone
    assert descriptors() == before


@pytest.mark.parametrize("name", MODELS)
def test_a_pool_takes_sockets(name):
    def main(model):
        ours, theirs = socket.socketpair()
        with ours, theirs, model.Pool(1) as pool:
            called = pool.submit(shout, theirs)
            answer = speak(ours)
            called.result()
            return answer

    model = load(name)
    assert model.run(main, model) == b"WORD"


@pytest.mark.parametrize("name", MODELS)
def test_an_exception_does_not_carry_a_socket(name):
    def main(model):
        ours, theirs = socket.socketpair()
        with ours, theirs, model.TaskGroup() as group:
            group.spawn(fail_with, theirs)

    model = load(name)
    with pytest.raises(ExceptionGroup, match="a task group failed") as failed:
        model.run(main, model)
    assert "ValueError: <socket.socket" in str(failed.value.exceptions[0])


@pytest.mark.parametrize("name", MODELS)
def test_a_closed_socket_is_refused(name):
    def main(model):
        ours, theirs = socket.socketpair()
        ours.close()
        with theirs, pytest.raises(CannotTravel, match="this socket is closed"):
            model.Channel(1).send(ours)

    model = load(name)
    model.run(main, model)


@pytest.mark.parametrize("name", ["processes", "subinterp"])
def test_a_socket_arrives_once(name):
    from concmodels.models.memory.participant import current

    def main(model):
        ours, theirs = socket.socketpair()
        with ours, theirs:
            home = current(name)
            record = home.hold_descriptor(ours.fileno())
            os.close(home.take_descriptor(record))
            with pytest.raises(CannotTravel, match="unpickled twice"):
                home.take_descriptor(record)

    model = load(name)
    model.run(main, model)
