"""What ends a tasklet and what ends Stackless's `run`: kills, exceptions, deadlocks, timeouts."""

import gc
import weakref

import pytest
from stackless_helper import blocked, fixture_log, tidy  # noqa: F401 - fixtures

import concmodels.stackless as stackless
from concmodels.errors import Deadlock
from concmodels.stackless import TaskletExit, channel, schedule, tasklet

# Killing, and exceptions


def test_kill_runs_the_clean_up_and_says_nothing(log):
    def wait():
        try:
            channel().receive()
        finally:
            log.append("clean")

    unit = blocked(wait)
    assert unit.kill() is None
    assert log == ["clean"] and not unit.alive
    unit.kill()
    unit.raise_exception(TaskletExit)


def test_kill_pending_waits_for_its_turn(log):
    meeting = channel()
    unit = blocked(meeting.receive)
    unit.kill(pending=True)
    assert unit.alive and unit.scheduled and not unit.blocked and meeting.balance == 0
    stackless.run()
    assert not unit.alive


def test_one_that_was_killed_before_its_beginning_never_begins(log):
    tasklet(log.append)(1).kill()
    stackless.run()
    assert not log


def test_a_tasklet_may_kill_itself(log):
    def end():
        stackless.getcurrent().kill()
        log.append("unreachable")

    tasklet(end)()
    stackless.run()
    assert not log


def test_tasklet_exit_is_a_system_exit_and_a_builtin():
    assert issubclass(TaskletExit, SystemExit)
    assert eval("TaskletExit") is TaskletExit
    tasklet(exec)("raise TaskletExit")
    stackless.run()


def test_exceptions_arrive_in_the_tasklet(log):
    def wait():
        while True:
            try:
                channel().receive()
            except LookupError as error:
                log.append(error)

    unit = blocked(wait)
    unit.raise_exception(KeyError, 1, 2)
    unit.throw(IndexError)
    unit.throw(IndexError, "text")
    unit.throw(IndexError, (3, 4))
    unit.throw(IndexError("instance"))
    unit.throw(IndexError, IndexError("made"))
    unit.throw(IndexError("later"), pending=True)
    assert [error.args for error in log] == [(1, 2), (), ("text",), (3, 4), ("instance",), ("made",)]
    stackless.run()
    assert log[-1].args == ("later",)


def test_what_throw_refuses():
    unit = tasklet(print)
    with pytest.raises(RuntimeError, match="dead"):
        unit.throw(KeyError)
    with pytest.raises(TypeError):
        stackless.getcurrent().throw(3)
    with pytest.raises(TypeError):
        stackless.getcurrent().throw(KeyError(), 1)
    with pytest.raises(KeyError):
        stackless.getcurrent().throw(KeyError)


@pytest.mark.parametrize("kind", [ZeroDivisionError, KeyboardInterrupt, SystemExit])
def test_an_uncaught_exception_leaves_run(kind, log):
    def fail():
        raise kind("catch this")

    tasklet(fail)()
    tasklet(log.append)("goes on later")
    with pytest.raises(kind, match="catch this") as caught:
        stackless.run()
    assert caught.traceback[-1].name == "fail"
    assert not log and stackless.getruncount() == 2
    stackless.run()
    assert log


def test_an_uncaught_exception_reaches_a_main_that_waits():
    def fail():
        raise ZeroDivisionError

    tasklet(fail)()
    meeting = channel()
    with pytest.raises(ZeroDivisionError):
        meeting.receive()
    assert meeting.balance == 0


def test_an_ended_tasklet_is_freed_at_once_and_leaves_no_cycle():
    def work():
        schedule()

    def fail():
        raise ZeroDivisionError

    gc.collect()
    gc.disable()
    try:
        units = [tasklet(work)(), tasklet(fail)()]
        references = [weakref.ref(unit) for unit in units]
        with pytest.raises(ZeroDivisionError):
            stackless.run()
        stackless.run()
        del units[:]
        assert [reference() for reference in references] == [None, None]
    finally:
        gc.enable()


# Deadlock, and run


def test_the_last_runnable_tasklet_can_not_wait():
    meeting = channel()
    for operation in (meeting.receive, lambda: meeting.send(1)):
        with pytest.raises(RuntimeError, match="Deadlock: the last runnable tasklet cannot be blocked"):
            operation()
        assert meeting.balance == 0 and stackless.getmain().scheduled
    assert issubclass(Deadlock, RuntimeError)


def test_a_deadlock_is_raised_in_the_last_one_and_reaches_main():
    tasklet(lambda: channel().receive())()
    with pytest.raises(Deadlock):
        channel().receive()


@pytest.mark.parametrize("verb", ["receiving", "sending"])
def test_main_waits_and_the_last_other_one_ends(verb):
    tasklet(lambda: None)()
    with pytest.raises(RuntimeError, match=f"the main tasklet is {verb} without"):
        channel().receive() if verb == "receiving" else channel().send(1)


def test_run_returns_when_all_others_wait():
    unit = tasklet(lambda: channel().receive())()
    assert stackless.run() is None
    assert unit.blocked


def test_run_inside_a_tasklet_returns_first(log):
    def inner():
        tasklet(log.append)("innermost")
        stackless.run()
        assert stackless.getmain().paused
        log.append("inner")

    tasklet(inner)()
    tasklet(log.append)("other")
    stackless.run()
    assert log == ["other", "innermost", "inner"]


def test_an_error_reaches_the_innermost_run(log):
    def fail():
        raise ZeroDivisionError

    def inner():
        tasklet(fail)()
        with pytest.raises(ZeroDivisionError):
            stackless.run()
        log.append("inner")

    tasklet(inner)()
    stackless.run()
    assert log == ["inner"]


def test_waking_main_by_hand_ends_the_inner_runs_too(log):
    def inner():
        tasklet(lambda: stackless.getmain().run())()
        stackless.run()
        log.append("inner")

    tasklet(inner)()
    stackless.run()
    assert not log
    stackless.run()
    assert log == ["inner"]


def spin(times):
    for _ in range(times):
        for _ in range(1000):
            pass
        schedule()


def test_a_timeout_returns_a_tasklet_that_took_too_long_at_its_next_switch():
    units = [tasklet(spin)(3), tasklet(spin)(3)]
    interrupted = stackless.run(1)
    assert interrupted is units[0] and interrupted.paused
    rounds = 1
    while interrupted is not None:
        interrupted.insert()
        interrupted = stackless.run(1)
        rounds += 1
    assert rounds >= 6 and not any(unit.alive for unit in units)


def test_a_soft_timeout_leaves_it_in_the_ring():
    unit = tasklet(spin)(3)
    other = tasklet(spin)(3)
    assert stackless.run(1, soft=True) is None
    assert unit.scheduled and other.scheduled and stackless.getruncount() == 3


def test_a_total_timeout_ends_a_run_of_tasklets_that_never_end():
    def forever():
        while True:
            schedule()

    units = [tasklet(forever)(), tasklet(forever)()]
    for _ in range(3):
        interrupted = stackless.run(100_000, totaltimeout=True)
        assert interrupted in units
        interrupted.insert()


def test_a_long_timeout_changes_nothing():
    unit = tasklet(spin)(3)
    assert stackless.run(10**9) is None
    assert not unit.alive


def test_pumping_the_scheduler(log):
    pump = channel()
    pump.preference = 1

    def work(name):
        for turn in range(2):
            log.append(f"{name}{turn}")
            pump.receive()

    for name in "ab":
        tasklet(work)(name)
    for _ in range(2):
        stackless.run()
        log.append("frame")
        while pump.balance < 0:
            pump.send(None)
    assert log == ["a0", "b0", "frame", "a1", "b1", "frame"]
