"""Stackless's API as its manual describes it, and a program of 2010 that is written on it."""

import gc
import pickle
import signal
import subprocess
import sys
import threading
import time
import traceback
import weakref
from pathlib import Path

import pytest

import concmodels.stackless as stackless
from concmodels.errors import Deadlock, TaskCancelled
from concmodels.models import tasklets
from concmodels.stackless import TaskletExit, channel, schedule, tasklet

PROGRAM = Path(__file__).parent / "programs" / "stackless_ring.py"


@pytest.fixture(autouse=True)
def tidy():
    """Every test begins with an empty ring, and leaves nothing that can't be killed."""
    assert stackless.getruncount() == 1
    yield
    scheduler = stackless._here.scheduler
    for left in [*scheduler.started, *scheduler.ready]:
        left.kill()
    stackless.run()
    assert stackless.getruncount() == 1
    assert not scheduler.started and not scheduler.watchdogs and scheduler.timer is None and scheduler.trap == 0
    assert stackless.getcurrent() is stackless.getmain()


@pytest.fixture
def log():
    """What happened, in order."""
    return []


def blocked(function, *args):
    """A tasklet that has run until it waits."""
    unit = tasklet(function)(*args)
    unit.run()
    assert unit.blocked
    return unit


# The program


def test_the_ring_of_2010_runs_unchanged():
    done = subprocess.run(
        [sys.executable, "-W", "error", "-X", "dev", PROGRAM, "300", "50"], capture_output=True, text=True, timeout=50
    )
    assert done.returncode == 0 and not done.stderr
    assert "300 nodes, 50 messages: 15000 hops" in done.stdout


def test_a_program_that_says_import_stackless(log):
    sys.modules["stackless"] = stackless
    try:
        code = "import stackless\nfrom stackless import *\ntasklet(log.append)(stackless.current is getmain())\nrun()"
        exec(code, {"log": log})
    finally:
        del sys.modules["stackless"]
    assert log == [True] and stackless.stackless is stackless


def test_a_chain_of_ten_thousand_where_each_starts_the_next():
    def link(left, out):
        if not left:
            return out.send(0)
        back = channel()
        tasklet(link)(left - 1, back)
        return out.send(back.receive() + 1)

    out = channel()
    tasklet(link)(10_000, out)
    assert out.receive() == 10_000


def test_a_tasklet_has_room_for_its_own_recursion():
    def down(level):
        return down(level - 1) if level else done.send(True)

    done = channel()
    for _ in range(3):
        tasklet(down)(700)
    assert [done.receive() for _ in range(3)] == [True] * 3


# Tasklets


def test_the_ways_to_make_one(log):
    tasklet(log.append)(1)
    tasklet(log.append, (2,)).insert()
    tasklet().bind(log.append).setup(3)
    tasklet().bind(log.append, (4,), {}).insert()
    tasklet(func=dict, kwargs={"a": 1}).insert()
    assert stackless.getruncount() == 6
    stackless.run()
    assert log == [1, 2, 3, 4]


def test_a_subclass_and_attributes_of_ones_own(log):
    class Named(tasklet):
        def __new__(cls, function, name):
            return tasklet.__new__(cls, function)

        def __init__(self, function, name):
            super().__init__(function)
            self.name = name

    Named(lambda: log.append(stackless.getcurrent().name), "me")()
    stackless.run()
    assert log == ["me"]


def test_a_tasklet_can_be_bound_again_after_its_end(log):
    unit = tasklet(log.append)(1)
    stackless.run()
    unit.bind(log.append)(2)
    stackless.run()
    assert log == [1, 2]


def test_what_bind_and_setup_refuse():
    with pytest.raises(TypeError, match="callable"):
        tasklet(3)
    with pytest.raises(RuntimeError, match="not bound"):
        tasklet()()
    with pytest.raises(RuntimeError, match="not bound"):
        tasklet().bind(None, ())
    unit = tasklet(schedule)()
    with pytest.raises(RuntimeError, match="alive"):
        unit()
    with pytest.raises(RuntimeError, match="scheduled"):
        unit.bind(None)
    with pytest.raises(RuntimeError, match="current"):
        stackless.getcurrent().bind(None)
    unit.run()
    unit.remove()
    with pytest.raises(RuntimeError, match="C state"):
        unit.bind(None)


STATES = ("alive", "scheduled", "blocked", "paused", "restorable", "is_current")


def state(unit):
    return {name for name in STATES if getattr(unit, name)}


def test_the_states_of_a_life():
    unit = tasklet()
    assert state(unit) == {"restorable"}
    unit.bind(channel().receive, ())
    assert state(unit) == {"alive", "paused", "restorable"}
    unit.insert()
    assert state(unit) == {"alive", "scheduled", "restorable"}
    unit.run()
    assert state(unit) == {"alive", "scheduled", "blocked"}
    unit.kill()
    assert state(unit) == {"restorable"}
    assert state(stackless.getmain()) == {"alive", "scheduled", "is_current"}
    assert stackless.getmain().is_main and not unit.is_main


def test_insert_and_remove(log):
    unit = tasklet(log.append)(1)
    assert unit.remove() is unit and unit.remove() is unit and unit.paused
    stackless.run()
    assert not log
    assert unit.insert() is unit and unit.insert() is unit
    stackless.run()
    assert log == [1]
    with pytest.raises(RuntimeError, match="dead"):
        unit.insert()
    with pytest.raises(RuntimeError, match="current tasklet cannot be removed"):
        stackless.getcurrent().remove()
    waiting = blocked(channel().receive)
    with pytest.raises(RuntimeError, match="cannot run a blocked"):
        waiting.insert()
    with pytest.raises(RuntimeError, match="cannot run a blocked"):
        waiting.run()
    with pytest.raises(RuntimeError, match="cannot remove a blocked"):
        waiting.remove()


def test_run_keeps_the_caller_in_the_ring(log):
    def note(name):
        log.append((name, stackless.getmain().scheduled))

    units = [tasklet(note)(name) for name in "abc"]
    units[1].run()  # b and c, for a stands before the caller now
    assert log == [("b", True), ("c", True)]
    stackless.run()
    assert log[2:] == [("a", False)]


def test_run_of_one_that_is_not_scheduled_runs_only_that(log):
    unit = tasklet(log.append)("x").remove()
    tasklet(log.append)("y")
    unit.run()
    assert log == ["x"]


def test_switch_takes_the_caller_out_of_the_ring(log):
    def note():
        log.append(stackless.getmain().paused)

    tasklet(note)().switch()
    assert log == [True] and stackless.getmain().scheduled


def test_schedule_and_the_order_of_the_ring(log):
    def turns(name):
        for turn in range(2):
            log.append(f"{name}{turn}")
            schedule()

    for name in "ab":
        tasklet(turns)(name)
    stackless.run()
    assert log == ["a0", "b0", "a1", "b1"]


def test_what_schedule_returns():
    me = stackless.getcurrent()
    assert schedule() is me and schedule(3) == 3 and schedule(None) is None and me.tempval is None


def test_schedule_remove_and_tempval(log):
    unit = tasklet(lambda: log.append(stackless.schedule_remove("mine")))()
    stackless.run()
    assert unit.paused and unit.tempval == "mine"
    unit.tempval = "yours"
    unit.insert()
    stackless.run()
    assert log == ["yours"]


def test_neighbours_in_the_ring_and_at_a_channel():
    main, a, b = stackless.getmain(), tasklet(schedule)(), tasklet(schedule)()
    assert (main.next, a.next, b.next, main.prev, a.prev) == (a, b, main, b, main)
    assert tasklet().next is None
    meeting = channel()
    first, second = blocked(meeting.receive), blocked(meeting.receive)
    assert meeting.queue is first
    assert (first.next, second.next, first.prev, second.prev) == (second, None, None, first)


def test_frame_and_recursion_depth():
    def inner():
        schedule()

    def outer():
        inner()

    unit = tasklet(outer)()
    assert unit.frame is None and unit.recursion_depth == 0
    unit.run()
    assert [name for name in (entry.name for entry in traceback.extract_stack(unit.frame)) if "er" in name] == [
        "outer", "inner"
    ]  # fmt: skip
    assert unit.recursion_depth >= 2
    assert stackless.getcurrent().frame.f_code.co_name == "test_frame_and_recursion_depth"


def test_the_computed_names_of_the_module():
    assert stackless.current is stackless.main is stackless.getcurrent()
    assert stackless.runcount == 1
    assert stackless.threads[0] == threading.main_thread().ident
    assert stackless.get_thread_info(threading.get_ident()) == (stackless.main, stackless.current, 1)
    with pytest.raises(AttributeError, match="pickled"):
        stackless.pickle_flags  # noqa: B018
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        stackless.nothing  # noqa: B018


def test_flags_that_are_only_remembered():
    me = stackless.getcurrent()
    assert me.set_atomic(True) is False and me.atomic is True and me.set_atomic(0) is True
    with stackless.atomic():
        assert me.atomic
    assert not me.atomic
    assert me.set_ignore_nesting(1) is False and me.set_ignore_nesting(0) is True and me.nesting_level == 0
    assert stackless.enable_softswitch(True) is False and stackless.enable_softswitch(None) is False


def test_a_tasklet_is_not_pickled():
    with pytest.raises(TypeError, match="can't be pickled"):
        pickle.dumps(tasklet(print))


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


# Threads, and the end


def in_a_thread(function):
    result = []
    thread = threading.Thread(target=lambda: result.append(function()))
    thread.start()
    thread.join()
    return result[0]


def test_every_thread_has_its_own_ring(log):
    tasklet(log.append)("here")

    def other():
        tasklet(log.append)("there")
        stackless.run()
        return stackless.getmain(), stackless.getruncount()

    main, count = in_a_thread(other)
    assert log == ["there"] and count == 1 and main is not stackless.getmain() and main.thread_id == -1
    assert stackless.getmain().thread_id == threading.get_ident()


def test_what_does_not_work_across_threads():
    meeting, unit = channel(), tasklet(schedule)()
    blocked(meeting.receive)

    def other():
        for operation in (unit.run, unit.switch, unit.kill, lambda: meeting.send(1)):
            with pytest.raises(RuntimeError, match="thread"):
                operation()
        return True

    assert in_a_thread(other)
    assert meeting.balance == -1 and unit.scheduled


def test_a_tasklet_that_has_not_begun_can_move_to_another_thread(log):
    unit = tasklet(lambda: log.append(threading.get_ident()), ())

    def other():
        unit.bind_thread()
        unit.run()
        return threading.get_ident()

    assert [in_a_thread(other)] == log
    with pytest.raises(RuntimeError, match="no tasklets"):
        unit.bind_thread(1)
    with pytest.raises(RuntimeError, match="only a tasklet"):
        waiting = blocked(channel().receive)
        waiting._scheduler, mine = None, waiting._scheduler
        try:
            waiting.bind_thread()
        finally:
            waiting._scheduler = mine


LEFTOVERS = """
import concmodels.stackless as stackless

def wait(name):
    try:
        stackless.channel().receive()
    finally:
        print(name, "cleaned up")

def stubborn():
    while True:
        try:
            stackless.channel().receive()
        except TaskletExit:
            pass

for name in "ab":
    stackless.tasklet(wait)(name)
stackless.tasklet(stubborn)()
stackless.tasklet(stackless.schedule_remove)()
stackless.run()
stackless.tasklet(wait)("never begun")
print("end")
"""


def test_what_waits_for_ever_is_killed_at_the_end_without_a_warning():
    done = subprocess.run(
        [sys.executable, "-W", "error", "-X", "dev", "-c", LEFTOVERS], capture_output=True, text=True, timeout=50
    )
    assert (done.returncode, done.stderr) == (0, "")
    lines = done.stdout.split("\n")
    assert lines[0] == "end" and sorted(lines[1:3]) == ["a cleaned up", "b cleaned up"]


@pytest.mark.parametrize("pause", [0.5, 0.63, 0.77])
def test_ctrl_c_ends_the_program_cleanly(pause):
    program = subprocess.Popen(
        [sys.executable, "-W", "error", PROGRAM, "300", "100000"],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    )  # fmt: skip
    try:
        time.sleep(pause)
        program.send_signal(signal.SIGINT)
        _, errors = program.communicate(timeout=20)
    finally:
        program.kill()
    assert program.returncode == -signal.SIGINT
    assert errors.endswith("KeyboardInterrupt\n") and errors.count("Traceback") == 1


# The room of the same model, where it differs from the greenlet room


@pytest.mark.parametrize("preference, sender_waits, order", [
    (-1, False, "rbs"), (-1, True, "rbs"), (1, False, "sbr"), (1, True, "sbr"), (0, False, "sbr"), (0, True, "rbs"),
])  # fmt: skip
def test_who_goes_on_first_in_the_room(preference, sender_waits, order, log):
    meeting = tasklets.Channel()
    meeting.preference = preference

    def send():
        meeting.send("item")
        log.append("s")

    def receive():
        assert meeting.receive() == "item"
        log.append("r")

    def main():
        with tasklets.TaskGroup() as group:
            group.spawn(send if sender_waits else receive)
            group.spawn(receive if sender_waits else send)
            group.spawn(log.append, "b")

    tasklets.run(main)
    assert "".join(log) == order


@pytest.mark.parametrize("receivers", [1, 2, 3, 4])
@pytest.mark.parametrize("senders", [1, 2, 3])
def test_those_who_hand_over_in_turn_and_never_wait_can_all_be_cancelled(senders, receivers):
    def main():
        meeting, sent = tasklets.Channel(), []

        def send():
            while True:
                meeting.send(None)
                sent.append(None)

        with tasklets.TaskGroup() as group:
            for _ in range(receivers):
                group.spawn(lambda: [None for _ in meeting])
            units = [group.spawn(send) for _ in range(senders)]
            while len(sent) < 2000:
                tasklets.sleep(0)
            for unit in units:
                unit.cancel()
                with pytest.raises(TaskCancelled):
                    unit.result(5)
            meeting.close()

    tasklets.run(main)


@pytest.mark.parametrize("capacity", [0, 3, float("inf")])
def test_ten_thousand_tasks_where_each_spawns_the_next(capacity):
    def link(group, left, done):
        if left:
            group.spawn(link, group, left - 1, done)
        else:
            done.send("end")

    def main():
        done = tasklets.Channel(capacity)
        with tasklets.TaskGroup() as group:
            group.spawn(link, group, 10_000, done)
            return done.receive()

    assert tasklets.run(main) == "end"
