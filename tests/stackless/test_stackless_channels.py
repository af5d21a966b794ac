"""Stackless's channels, as its manual describes them, and the callbacks that watch them and the switches."""

import sys

import pytest
from stackless_helper import blocked, fixture_log, tidy  # noqa: F401 - fixtures

import concmodels.stackless as stackless
from concmodels.stackless import TaskletExit, channel, schedule, tasklet

# Channels


def exchange(preference, schedule_all, sender_waits, log):
    """Two meet, one of them has waited; a bystander is in the ring. Return the order in which they go on."""
    meeting = channel()
    meeting.preference, meeting.schedule_all = preference, schedule_all

    def send():
        meeting.send("item")
        log.append("sender")

    def receive():
        assert meeting.receive() == "item"
        log.append("receiver")

    first, second = (send, receive) if sender_waits else (receive, send)
    blocked(first)
    tasklet(second)()
    tasklet(log.append)("bystander")
    stackless.run()
    return [entry[0] for entry in log]


@pytest.mark.parametrize(
    "preference, schedule_all, sender_waits, order",
    [
        (-1, 0, False, "rbs"),
        (-1, 0, True, "rbs"),
        (1, 0, False, "sbr"),
        (1, 0, True, "sbr"),
        (0, 0, False, "sbr"),
        (0, 0, True, "rbs"),
        (-1, 1, False, "brs"),
        (1, 1, True, "bsr"),
    ],
)
def test_who_goes_on_first(preference, schedule_all, sender_waits, order, log):
    assert "".join(exchange(preference, schedule_all, sender_waits, log)) == order


def test_preference_and_schedule_all_are_kept_apart():
    meeting = channel()
    assert (meeting.preference, meeting.schedule_all) == (-1, 0)
    meeting.schedule_all = True
    meeting.preference = 7
    assert (meeting.preference, meeting.schedule_all) == (1, 1)
    meeting.schedule_all = 0
    assert (meeting.preference, meeting._order) == (1, 1)
    with pytest.raises(TypeError):
        meeting.preference = 0.5
    with pytest.raises(TypeError):
        meeting.schedule_all = None


def test_balance_and_the_order_of_those_who_wait():
    meeting = channel()
    senders = [blocked(meeting.send, number) for number in range(3)]
    assert meeting.balance == 3 and meeting.queue is senders[0]
    senders[1].kill()
    assert [meeting.receive(), meeting.receive()] == [0, 2] and meeting.balance == 0
    assert meeting.queue is None
    blocked(meeting.receive)
    assert meeting.balance == -1


def test_values_that_are_none_false_or_exceptions(log):
    meeting = channel()
    for value in (None, False, KeyError("a value"), TaskletExit):
        blocked(meeting.send, value)
        assert meeting.receive() is value


def test_send_exception_and_send_throw():
    def fail():
        raise KeyError(1, 2)

    def forward():
        try:
            fail()
        except KeyError:
            meeting.send_throw(*sys.exc_info())

    meeting = channel()
    blocked(meeting.send_exception, ValueError, 1, 2, 3)
    with pytest.raises(ValueError) as caught:
        meeting.receive()
    assert caught.value.args == (1, 2, 3)
    blocked(forward)
    with pytest.raises(KeyError) as caught:
        meeting.receive()
    assert caught.value.args == (1, 2) and caught.traceback[-1].name == "fail"
    with pytest.raises(TypeError):
        meeting.send_exception(3)


def test_sequences_and_iteration(log):
    meeting = channel()

    def produce():
        log.append(meeting.send_sequence(iter("abc")))
        meeting.send_exception(StopIteration)

    tasklet(produce)()
    assert list(meeting) == ["a", "b", "c"]
    stackless.run()
    assert log == [3]
    assert iter(meeting) is meeting


def test_close_refuses_to_wait_but_not_to_meet():
    meeting = channel()
    blocked(meeting.send, 1)
    meeting.close()
    assert meeting.closing and not meeting.closed
    assert next(meeting) == 1
    assert meeting.closed
    with pytest.raises(StopIteration):
        next(meeting)
    with pytest.raises(ValueError, match="closed channel"):
        meeting.send(1)
    with pytest.raises(ValueError, match="closed channel"):
        meeting.receive()
    meeting.open()
    assert not meeting.closing
    blocked(meeting.send, 2)
    assert meeting.receive() == 2


def test_close_does_not_wake_those_who_wait():
    meeting = channel()
    unit = blocked(meeting.receive)
    meeting.close()
    stackless.run()
    assert unit.blocked and meeting.closing and not meeting.closed


def test_block_trap():
    meeting, me = channel(), stackless.getcurrent()
    me.block_trap = True
    try:
        for operation in (lambda: meeting.send(1), meeting.receive):
            with pytest.raises(RuntimeError, match="does not like to be blocked"):
                operation()
        blocked(meeting.send, 1)
        assert meeting.receive() == 1
    finally:
        me.block_trap = False


def test_switch_trap():
    meeting, unit = channel(), tasklet(schedule)()
    waiting = blocked(meeting.receive)
    assert stackless.switch_trap(1) == 0
    try:
        for operation in (schedule, stackless.schedule_remove, stackless.run, unit.run, unit.switch, unit.kill,
                          waiting.kill, channel().receive, lambda: meeting.send(1)):  # fmt: skip
            with pytest.raises(RuntimeError, match="switch_trap"):
                operation()
    finally:
        assert stackless.switch_trap(-1) == 1
    assert meeting.balance == -1 and unit.scheduled
    meeting.send(1)


def test_a_channel_subclass_and_its_arguments():
    class Named(channel):
        def __init__(self, name):
            self.name = name

    named = Named("it")
    blocked(named.send, 1)
    assert named.receive() == 1 and named.name == "it"


# Callbacks


def test_the_schedule_callback_sees_every_switch(log):
    def note(previous, following):
        log.append((previous, following))

    assert stackless.set_schedule_callback(note) is None
    try:
        unit, main = tasklet(schedule)(), stackless.getmain()
        assert not log
        stackless.run()
        assert log == [(main, unit), (unit, main)]
        assert stackless.get_schedule_callback() is note
    finally:
        assert stackless.set_schedule_callback(None) is note
    with pytest.raises(TypeError):
        stackless.set_schedule_callback(3)


def test_the_channel_callback_sees_every_operation(log):
    def note(meeting, unit, sending, will_block):
        log.append((unit.is_main, bool(sending), bool(will_block), unit.tempval))

    meeting = channel()
    stackless.set_channel_callback(note)
    try:
        blocked(meeting.receive)
        meeting.send(42)
        assert stackless.get_channel_callback() is note
    finally:
        stackless.set_channel_callback(None)
    assert log == [(False, False, True, None), (True, True, False, 42)]


def test_a_callback_that_fails_is_shown_and_harms_nothing(capsys, log):
    stackless.set_schedule_callback(lambda *_: 1 / 0)
    try:
        tasklet(log.append)(1)
        stackless.run()
    finally:
        stackless.set_schedule_callback(None)
    assert log == [1] and "ZeroDivisionError" in capsys.readouterr().err
