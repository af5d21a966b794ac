"""When a task looks for an item before it blocks for it, and that this changes nothing but the time."""

import math

import pytest
from boundaries import BOTH
from looking_tasks import answer, look_always, wait_for_item

from concmodels.models.memory import looking
from concmodels.models.memory.arena import NEXT_RECORD
from concmodels.models.memory.looking import Looking
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


@pytest.mark.parametrize("model", BOTH)
@pytest.mark.parametrize("capacity", [1, math.inf])
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
