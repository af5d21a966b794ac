"""Stackless's tasklets, as its manual describes them: made, put into the ring, moved in it, looked at."""

import pickle
import threading
import traceback

import pytest
from stackless_helper import blocked, fixture_log, tidy  # noqa: F401 - fixtures

import concmodels.stackless as stackless
from concmodels.stackless import channel, schedule, tasklet


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
