"""When a task looks for an item before it blocks for it, and that this changes nothing but the time."""

import math
import os
from concurrent.futures import ThreadPoolExecutor

import pytest
from boundaries import BOTH, in_turn
from boundary_tasks import identity
from looking_tasks import always, answer, look_always, wait_for_item, worker_looks_always, worker_never_finds

from concmodels.errors import WorkerDied
from concmodels.models import processes, subinterp
from concmodels.models.memory import looking
from concmodels.models.memory.arena import NEXT_RECORD
from concmodels.models.memory.looking import Looking
from concmodels.models.memory.pool import worker_memory
from concmodels.models.memory.pool.dispatcher import OPEN, Dispatcher
from concmodels.models.memory.pool.worker import Worker
from concmodels.models.memory.pool.worker_handle import Batch, WorkerHandle
from concmodels.platform import measuring
from concmodels.platform.portable import measuring as portable_measuring

# The rule, in a world that a test makes up.


class World:
    """A clock, and a channel's words: an item comes after so many looks of 40 ns, or never as long as one looks."""

    def __init__(self, monkeypatch, records=3):
        self.now = self.looks = self.blocks = 0
        self.words = {NEXT_RECORD: records}
        self.place = Looking(self.words)
        monkeypatch.setattr(looking, "perf_counter_ns", lambda: self.now)
        monkeypatch.setattr(looking, "_is_processor_free", lambda: self.free)
        self.free = True

    def __getitem__(self, _tail_at):
        self.now += 40
        self.left -= 1
        return int(self.left < 0)

    def waits(self, count, block_ns, found_after):
        """So many waits, as a channel does them; return how many of them were looks that found something."""
        found = 0
        for _ in range(count):
            measured, self.left = not self.place.rest, found_after
            if self.place.rest:
                self.place.rest -= 1
            elif self.place.finds(self, 0, 0):
                found += 1
                continue
            self.now += block_ns
            if measured:
                self.place.blocked()
        return found


NEVER = math.inf


def test_who_finds_quickly_looks(monkeypatch):
    assert World(monkeypatch).waits(20_000, 25_000, found_after=20) > 19_800


@pytest.mark.parametrize(("block_ns", "found_after"), [(4_000, NEVER), (4_000, 200), (25_000, 900)])
def test_who_looks_in_vain_or_for_longer_blocks(block_ns, found_after, monkeypatch):
    world = World(monkeypatch)
    assert world.waits(50_000, block_ns, found_after) < 120
    assert world.now < 1.06 * 50_000 * block_ns


def test_long_waits_are_never_looked_for(monkeypatch):
    world = World(monkeypatch)
    assert world.waits(10_000, 100_000, found_after=1) == 0
    assert world.now == 10_000 * 100_000


def test_nobody_looks_in_a_run_of_many_tasks_or_without_a_free_processor(monkeypatch):
    assert World(monkeypatch, records=300).waits(10_000, 25_000, found_after=20) == 0
    world = World(monkeypatch)
    world.free = False
    assert world.waits(10_000, 25_000, found_after=20) == 0


def test_the_rule_follows_what_changes(monkeypatch):
    world = World(monkeypatch)
    for _ in range(3):
        world.waits(looking._SELDOM + 100, 25_000, found_after=20)
        assert world.waits(5_000, 25_000, found_after=20) > 4_900
        assert world.waits(20_000, 4_000, found_after=NEVER) < 100


def test_runnable_threads_are_counted(tmp_path, monkeypatch):
    assert measuring.PROC == "/proc"
    if not measuring.PORTABLE:
        assert measuring.runnable() >= 1  # this one
        (tmp_path / "loadavg").write_text("0.5 0.4 0.3 7/123 4567\n")
        monkeypatch.setattr(measuring, "PROC", str(tmp_path))
        assert measuring.runnable() == 7
        (tmp_path / "loadavg").write_text("nothing of the kind")
        assert measuring.runnable() is None
        (tmp_path / "loadavg").unlink()
        assert measuring.runnable() is None
    assert portable_measuring.runnable() is None


@pytest.mark.parametrize(("number", "free"), [(None, True), (1, True), (1 << 20, False)])
def test_a_processor_is_free_if_not_more_threads_can_run(number, free, monkeypatch):
    monkeypatch.setattr(measuring, "runnable", lambda: number)
    assert looking._is_processor_free() is free


# Two tasks that both look whenever they wait.


@pytest.fixture
def looks_at_most_a_moment(monkeypatch):
    monkeypatch.setattr(looking, "_LOOKS", looking._LOOKS)  # which `look_always` changes


pytestmark = pytest.mark.usefixtures("nothing_left_behind", "looks_at_most_a_moment")


def main_pingpong(model, capacity, items):
    there, back = model.Channel(capacity), model.Channel(capacity)
    look_always(there, back)
    with model.TaskGroup() as group:
        group.spawn(answer, there, back)
        for item in items:
            there.send(item)
            assert back.receive() == item
        for item in items[:capacity] if capacity < len(items) else items:
            there.send(item)
        there.close()
        assert list(back) == (items[:capacity] if capacity < len(items) else items)


@pytest.mark.parametrize(("model", "capacity"), in_turn([processes, subinterp], [1, math.inf]))
def test_items_arrive_where_both_sides_look(model, capacity):
    model.run(main_pingpong, model, capacity, [*range(300), "text", b"x" * 100_000])


def main_ended(model, how, way):
    ready, channel, results = model.Channel(1), model.Channel(1), model.Channel(1)
    with model.TaskGroup() as group:
        task = group.spawn(wait_for_item, ready, channel, results, way)
        ready.receive()
        if how == "an item":
            channel.send("item")
        elif how == "a close":
            channel.close()
        else:
            task.cancel()
        found = results.receive()
        if how == "a cancellation":
            assert len(channel) == 0
            channel.send("still there")
            assert channel.receive() == "still there"
        group.cancel()
    return found


@pytest.mark.parametrize("model", BOTH)
@pytest.mark.parametrize("way", ["receive", "iteration"])
def test_a_look_ends(model, way):
    assert model.run(main_ended, model, "an item", way) == "item"
    assert model.run(main_ended, model, "a cancellation", way) == "Cancelled"


def main_closed(model, way):
    return main_ended(model, "a close", way)


@pytest.mark.parametrize("model", BOTH)
def test_a_close_ends_a_look(model):
    assert model.run(main_closed, model, "iteration") == "over"


# A pool whose worker looks for work, and whose caller looks for its result.


def pool_that_looks(model, look=worker_looks_always, workers=1):
    pool = model.Pool(workers, initializer=look)
    always(pool._collector._looking)
    return pool


class Noted(list):
    """Words that note in which order they are stored and loaded, and a fence."""

    def __init__(self):
        super().__init__([0] * worker_memory.WORDS)
        self.steps = []

    def __getitem__(self, at):
        self.steps.append(("load", at))
        return super().__getitem__(at)

    def __setitem__(self, at, value):
        self.steps.append(("store", at))
        super().__setitem__(at, value)

    def __enter__(self):
        pass

    def __exit__(self, *_):
        self.steps.append("fence")

    def are_in_order(self, *steps):
        places = [self.steps.index(step) for step in steps]
        return places == sorted(places)


def test_each_side_looks_after_it_has_stored():
    """Else a wake-up is lost if the other side begins to wait in just this moment, which a run hardly ever sees."""
    worker, given, told = Worker.__new__(Worker), iter([True, False]), []
    words = worker.words = worker.ordered = worker._fence = Noted()
    worker.wait_for_work, worker._do, worker.notify = lambda: next(given), lambda _: None, lambda: told.append(1)
    worker.work()
    assert words.are_in_order(("store", worker_memory.LEFT), "fence", ("load", worker_memory.WATCHED)) and told

    handle = WorkerHandle.__new__(WorkerHandle)
    words = handle.words = handle.ordered = handle._fence = Noted()
    handle.batches, handle.notify = [], told.clear
    words[worker_memory.WAITS] = 1
    handle.give(Batch(None, 0, ["a task"]), 0, 0, 0, 0)
    assert words.are_in_order(("store", worker_memory.GIVEN), "fence", ("load", worker_memory.WAITS)) and not told


def main_calls(model, look, looks, items):
    looking._LOOKS = looks
    with pool_that_looks(model, look) as pool:
        for item in items:
            assert pool.submit(identity, item).result() == item
        calls = [pool.submit(identity, item) for item in items]
        assert [call.result() for call in calls] == items
        assert list(pool.map(identity, items)) == items
        assert pool.submit(identity, "last").result() == "last"


@pytest.mark.parametrize(
    ("model", "how"),
    in_turn(
        [processes, subinterp],
        [
            *((worker_looks_always, looks) for looks in (0, 1, 40, 20_000)),
            *((worker_never_finds, looks) for looks in (1, 0, 20_000, 40)),  # each model has each number once
        ],
    ),
)
def test_no_call_is_lost_however_long_both_sides_look(model, how):
    """With few looks one side stops just when the other one looks whether it has to be woken."""
    model.run(main_calls, model, *how, [*range(200), "text", None, b"x" * 9_000, bytes(300_000)])


def main_many(model):
    looking._LOOKS = 40
    with pool_that_looks(model, workers=2) as pool, ThreadPoolExecutor(2) as threads:
        others = [threads.submit(lambda: [pool.submit(identity, n).result() for n in range(100)]) for _ in range(2)]
        assert [pool.submit(identity, n).result() for n in range(200)] == list(range(200))
        assert [other.result() for other in others] == [list(range(100))] * 2


@pytest.mark.parametrize("model", BOTH)
def test_other_threads_get_their_results_beside_a_task_that_looks(model):
    model.run(main_many, model)


def main_dies():
    with pool_that_looks(processes) as pool:
        for _ in range(3):
            with pytest.raises(WorkerDied):
                pool.submit(os._exit, 3).result()
            assert pool.submit(identity, 5).result() == 5


def test_a_worker_that_dies_while_its_caller_looks_costs_its_task_alone():
    processes.run(main_dies)


def main_cancelled(model):
    with model.TaskGroup() as group, pool_that_looks(model) as pool:
        assert pool.submit(identity, 1).result() == 1
        group.cancel()
        pool.submit(identity, 2).result()
        raise AssertionError("a task that was cancelled got its result without a checkpoint")


@pytest.mark.parametrize("model", BOTH)
def test_a_result_is_a_checkpoint_for_a_task_that_looks(model):
    model.run(main_cancelled, model)


def receive_one(gate):
    return gate.receive()


def main_shut_down(model, monkeypatch):
    looking._LOOKS = 1 << 40  # until it finds something
    gate, pool, finds = model.Channel(1), pool_that_looks(model), Looking.finds
    assert pool.submit(identity, 1).result() == 1  # from here on the worker has begun, and gets the call at once

    def open_gate_and_look(*args):
        gate.send("the last")
        return finds(*args)

    call = pool.submit(receive_one, gate)
    pool.shutdown(wait=False)
    with monkeypatch.context() as patched:
        patched.setattr(Looking, "finds", open_gate_and_look)
        assert call.result() == "the last"
    pool._collector.join()  # without a call that would wake it


@pytest.mark.parametrize("model", BOTH)
def test_workers_leave_when_the_last_result_was_found_by_looking(model, monkeypatch):
    model.run(main_shut_down, model, monkeypatch)


class GivesBack:
    """A worker's handle; to collect from it gives a task back."""

    def __init__(self, queue):
        self.queue = queue

    def watch(self, on):
        """Do nothing."""

    def collect(self):
        self.queue.append("what the worker could not read")


def test_what_a_look_gives_back_is_to_be_handed_out():
    dispatcher = Dispatcher(None, None, 1, ())
    dispatcher._handles = [GivesBack(queue := [])]
    dispatcher._queues.append(queue)
    assert dispatcher.stage == OPEN
    assert not dispatcher.end_look(dispatcher._handles[0])
