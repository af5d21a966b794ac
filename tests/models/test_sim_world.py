"""The world of a simulated run: how something announces itself there, how a run is cut, what is told of it."""

import gc
import signal
from math import inf

import pytest
from every_schedule import KINDS, Odometer, outcomes, runs
from greenlet import GreenletExit, greenlet

from concmodels import load
from concmodels.errors import ChannelClosed, Deadlock
from concmodels.models.simulated import sim, units
from concmodels.models.simulated.schedules import FirstComeFirstServed, RandomWalk
from concmodels.models.simulated.steps import text_of
from concmodels.models.simulated.world import StepLimit, current


class Lock:
    """The lock of the docstring of `world.py`."""

    name = "lock"

    def __init__(self):
        self.keys = ((current().new_key("lock"), True),)
        self.steps = []
        self.owner = None

    def acquire(self, timeout=None):
        world = current()
        step, late = world.announce("acquire", self.keys, self), []
        if self.owner is None:
            world.enable(step)
        if timeout is not None:
            late.append(world.announce("time out"))
            world.enable_at(world.clock + timeout, late[0])
        self.steps.append(step)
        taken = world.park(step, *late) is step
        self.steps.remove(step)
        if taken:
            self.owner = world.running
            for other in self.steps:
                world.disable(other)
        return taken

    def release(self):
        world = current()
        world.point("release", self.keys, self)
        self.owner = None
        for step in self.steps:
            world.enable(step)


def test_a_lock_is_a_step_that_is_not_enabled_while_it_is_taken():
    def main(model):
        lock, inside, log = Lock(), [], []
        with model.TaskGroup() as group:
            for number in (1, 2):
                group.spawn(work, lock, number, inside, log)
        return tuple(log)

    def work(lock, number, inside, log):
        lock.acquire()
        assert not inside
        inside.append(number)
        lock.release()
        inside.remove(number)
        log.append(number)

    found = list(runs(main))
    assert {run.value for run in found} == {(1, 2), (2, 1)}
    for run in found:  # nobody looks twice
        assert sorted(step.kind for step in run.steps if step.subject.__class__ is Lock) == [
            *("acquire", "acquire", "release", "release")
        ]


def test_a_lock_may_time_out():
    def main(model):
        lock = Lock()
        lock.acquire()
        with model.TaskGroup() as group:
            task = group.spawn(lock.acquire, 1)
            model.sleep(1)
            lock.release()
        return task.result()

    assert outcomes(main) == {True, False}


def test_a_deadlock_of_locks_is_found():
    def main(model):
        one, two = Lock(), Lock()
        with model.TaskGroup() as group:
            group.spawn(both, one, two)
            group.spawn(both, two, one)
        return "done"

    def both(one, two):
        one.acquire()
        two.acquire()
        two.release()
        one.release()

    found = [sim.explored(main, (sim,), RandomWalk(seed)) for seed in range(100)]
    assert {run.value or type(run.error) for run in found} == {"done", Deadlock}


def test_what_is_announced_in_a_callback_is_a_point_too():
    def main(model):
        log = []
        with model.TaskGroup() as group:
            for name in "ab":
                group.spawn(callback, name, log)
        return "".join(log)

    def callback(name, log):
        current().point("memory", (), name, in_callback=True, place=("there.py", 7))
        log.append(name)

    assert outcomes(main) == {"ab", "ba"}
    run = sim.explored(main, (sim,), FirstComeFirstServed(), record=True)
    assert [step.place for step in run.steps if step.kind == "memory"] == [("there.py", 7)] * 2


# How a run is cut.


def endless(model, log=None):
    with model.TaskGroup() as group:
        group.spawn(turn, model, log)
        turn(model, log)


def turn(model, log):
    try:
        while True:
            model.sleep(0)
    finally:
        if log is not None:
            log.append("over")
            model.sleep(0)
            log.append("never said")


@pytest.fixture
def nothing_stands_still():
    """No greenlet is left that has begun and not ended."""
    gc.collect()
    before = {id(it) for it in gc.get_objects() if isinstance(it, greenlet) and it}
    yield
    gc.collect()
    assert not [it for it in gc.get_objects() if isinstance(it, greenlet) and it and id(it) not in before]


@pytest.mark.usefixtures("nothing_stands_still")
def test_the_step_limit_cuts():
    run = sim.explored(endless, (sim, log := []), FirstComeFirstServed(), limit=50)
    assert isinstance(run.error, StepLimit) and "50 steps" in str(run.error)
    assert (run.cut, log, len(run.steps)) == (True, ["over", "over"], 51)


@pytest.mark.usefixtures("nothing_stands_still")
@pytest.mark.parametrize("kind", KINDS)
def test_a_strategy_that_raises_cuts(kind):
    class Enough(Exception):
        pass

    class Short(RandomWalk):
        left = 7

        def choose(self, steps):
            self.left -= 1
            if not self.left:
                raise Enough
            return super().choose(steps)

    async def async_endless(model):
        async with model.TaskGroup() as group:
            group.spawn(model.Channel(0).receive)
            while True:
                await model.sleep(0)

    run = KINDS[kind].explored(endless if kind == "sim" else async_endless, (load(kind),), Short(1))
    assert isinstance(run.error, Enough) and run.cut


@pytest.mark.usefixtures("nothing_stands_still")
def test_a_handler_may_cut():
    def main(model):
        current().cut_soon(KeyboardInterrupt())
        model.sleep(0)
        return "went on"

    run = sim.explored(main, (sim,), FirstComeFirstServed())
    assert type(run.error) is KeyboardInterrupt and run.cut


def test_who_swallows_the_end_is_left_where_it_is():
    def main(model):
        while True:
            try:
                model.sleep(0)
            except GreenletExit:
                pass

    before = len(units._left_behind)
    run = sim.explored(main, (sim,), FirstComeFirstServed(), limit=5)
    assert isinstance(run.error, StepLimit)
    assert len(units._left_behind) == before + 1
    assert sim.run(int) == 0


def test_a_deadlock_is_told_at_once():
    def main(model):
        try:
            model.Channel(0, "nobody").receive()
        finally:
            model.sleep(1)  # no clean-up is scheduled

    run = sim.explored(main, (sim,), FirstComeFirstServed())
    assert run.cut and isinstance(run.error, Deadlock)
    (wait,) = run.error.waits
    assert wait.startswith("main: receive on channel 'nobody' at ") and "test_sim_world.py" in wait


def test_what_fails_is_no_cut():
    run = sim.explored(lambda: 1 / 0, (), FirstComeFirstServed())
    assert type(run.error) is ZeroDivisionError and not run.cut


def test_a_run_in_a_run_is_refused():
    def main(model):
        with pytest.raises(RuntimeError, match="sim.run was called inside a run of sim: call the function directly"):
            model.run(int)
        with pytest.raises(RuntimeError, match="sim.run was called inside a run of sim"):
            model.explored(int, (), FirstComeFirstServed())
        return "both refused"

    assert sim.run(main, sim) == sim.explored(main, (sim,), FirstComeFirstServed()).value == "both refused"


# What is told.


def test_steps_have_names_and_places():
    def main(model):
        with model.TaskGroup() as group, model.Channel(1, "box") as box:
            group.spawn(box.send, 1, name="sender")
            box.receive()

    run = sim.explored(main, (sim,), FirstComeFirstServed(), record=True)
    first = main.__code__.co_firstlineno
    told = [(text_of(step.identity), str(step), step.place and step.place[1] - first) for step in run.steps]
    assert told == [
        ("0", "begin", None),
        ("1", "begin", None),
        ("0", "go on after the spawn of sender", 2),
        ("1", "send box", None),
        ("0", "receive box", 3),
        ("1", "end sender", None),
        ("0", "close box", 1),
        ("0", "leave a group", 1),
    ]
    assert repr(run.steps[3]) == "<step of sender: send box>"


def test_a_footprint_has_the_tasks_that_were_woken():
    def main(model):
        box = model.Channel(0)
        with model.TaskGroup() as group:
            group.spawn(box.receive)
            model.sleep(1)
            box.send("item")

    run = sim.explored(main, (sim,), FirstComeFirstServed())
    (send,) = [step for step in run.steps if step.kind == "send"]
    assert send.footprint == {("task", (0,)): True, ("channel", (0, 1)): True, ("task", (1,)): True}


def test_what_the_tasks_of_a_pool_tell_each_other_is_in_footprints():
    def main(model):
        with model.Pool(1) as pool:
            return pool.submit(int).result()

    run = sim.explored(main, (sim,), FirstComeFirstServed())
    (end,) = [step for step in run.steps if str(step) == "end int"]
    (ask,) = [step for step in run.steps if str(step) == "wait for int"]
    assert end.footprint.items() >= {("future", (0, 1)): True, ("task", (0,)): True}.items()  # main waits
    assert ("future", (0, 1)) in ask.footprint


def test_the_garbage_collector_comes_between_runs_only():
    def main():
        return gc.isenabled()

    assert not sim.explored(main, (), FirstComeFirstServed()).value
    assert gc.isenabled()


def test_a_pool_that_is_dropped_is_closed_within_a_step():
    def main(model):
        pool = model.Pool(1)
        inbox = pool._workers.channel
        steps = len(current().steps)
        del pool
        return inbox.closed, len(current().steps) - steps

    assert {run.value for run in runs(main)} == {(True, 0)}


def test_a_handler_may_close_a_channel_at_any_time():
    """Also while a task is switched: then that is no point at which another task could go on."""

    def main(model):
        channel = model.Channel(inf)
        with model.TaskGroup() as group:
            for _ in range(3):
                group.spawn(send_until_closed, channel)
            before = signal.signal(signal.SIGALRM, lambda *_: channel.close())
            signal.setitimer(signal.ITIMER_REAL, 0.002)
            send_until_closed(channel)
        signal.signal(signal.SIGALRM, before)
        return len(channel) >= 0 and channel.closed

    def send_until_closed(channel):
        with pytest.raises(ChannelClosed):
            while True:
                channel.send("item")

    for seed in range(20):
        assert sim.run(main, sim, seed=seed)


@pytest.mark.parametrize("kind", KINDS)
def test_ctrl_c_in_any_task_leaves_bare(kind):
    def main(model):
        with model.TaskGroup() as group:
            for _ in range(2):
                group.spawn(model.sleep, 60)
            group.spawn(interrupt)

    def interrupt():
        signal.raise_signal(signal.SIGINT)

    async def async_main(model):
        async with model.TaskGroup() as group:
            for _ in range(2):
                group.spawn(model.sleep, 60)
            group.spawn(async_interrupt)

    async def async_interrupt():
        signal.raise_signal(signal.SIGINT)

    model, program = load(kind), main if kind == "sim" else async_main
    for seed in range(20):
        with pytest.raises(KeyboardInterrupt):
            model.run(program, model, seed=seed)
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_every_schedule_is_tried():
    """The tool of these tests itself: all orders of two tasks of two steps each."""
    odometer, seen = Odometer(), set()
    while True:
        log = []
        for _ in range(3):
            log.append(odometer.branch(2))
        seen.add(tuple(log))
        if not odometer.advance():
            break
    assert len(seen) == 8
