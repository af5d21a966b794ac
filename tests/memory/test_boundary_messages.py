"""How messages cross memory boundaries: values and sizes, channels of channels, memory, the rendezvous."""

import math
import os

import pytest
from boundaries import ALL, BOTH, EACH_CARRIER, carried_in_turn, in_turn
from boundary_tasks import count_into, echo, hammer, receive_into, send_channel, send_or_tell, send_range, spawn_below
from platforms import pages_go_back

from concmodels.errors import ChannelClosed, WouldBlock
from concmodels.models import processes, subinterp
from concmodels.models.memory import arena
from concmodels.models.memory.channels import layout

pytestmark = pytest.mark.usefixtures("nothing_left_behind")


def main_big(model, size):
    there, back = model.Channel(2), model.Channel(0)
    data = os.urandom(size)
    with model.TaskGroup() as group:
        group.spawn(echo, there, back)
        for _ in range(3):
            there.send(data)
            assert back.receive() == data
        there.close()


@pytest.mark.parametrize(("model", "size"), carried_in_turn([10, 5000, 70_000, 3_000_000]))
def test_payloads_of_any_size(model, size):
    model.run(main_big, model, size)


VALUES = [0, -1, 1 << 61, -(1 << 61), (1 << 62) - 1, 1 << 62, -(1 << 62), -(1 << 62) - 1]
VALUES += [(1 << 63) - 1, 1 << 63, -(1 << 63)]
VALUES += [10**40, None, True, False, 1.5, "x", b"", (), [1, [2]], {"a": {1}}, ChannelClosed, os.getpid]


def main_values(model, capacity):
    there, back = model.Channel(capacity), model.Channel(capacity)
    with model.TaskGroup() as group:
        group.spawn(echo, there, back)
        for value in VALUES:
            there.send(value)
            answer = back.receive()
            assert answer == value
            assert type(answer) is type(value)
        there.close()


@pytest.mark.parametrize(("model", "capacity"), carried_in_turn([0, 1, math.inf]))
def test_values_arrive_as_they_were(model, capacity):
    model.run(main_values, model, capacity)


def main_channels(model):
    outer = model.Channel(0)
    with model.TaskGroup() as group:
        group.spawn(send_channel, model, outer)
        inner = outer.receive()
        assert inner.name == "made in a child"
        assert list(inner) == ["first", "second"]


@pytest.mark.parametrize("model", EACH_CARRIER)
def test_a_channel_made_in_a_child_travels_through_a_channel(model):
    model.run(main_channels, model)


def main_grandchildren(model):
    channel = model.Channel(math.inf)
    with model.TaskGroup() as group:
        task = group.spawn(spawn_below, model, 3, channel)
    assert task.result() == 4
    assert channel.receive() > 0


@pytest.mark.parametrize("model", ALL)
def test_grandchildren(model):
    model.run(main_grandchildren, model)


def main_many(model, capacity):
    channel, results = model.Channel(capacity), model.Channel(math.inf)
    with model.TaskGroup() as group:
        for _ in range(3):
            group.spawn(count_into, channel, results)
        with model.TaskGroup() as senders:
            for number in range(3):
                senders.spawn(send_range, channel, 1000 * number, 1000 * number + 300)
        channel.close()
        got = [results.receive() for _ in range(3)]
    everything = sorted(sum(got, []))
    assert everything == [number for start in (0, 1000, 2000) for number in range(start, start + 300)]
    for items in got:
        for start in (0, 1000, 2000):
            own = [number for number in items if start <= number < start + 1000]
            assert own == sorted(own)


@pytest.mark.parametrize(("model", "capacity"), in_turn([processes, subinterp], [0, 1, 7, math.inf]))
def test_many_senders_and_receivers(model, capacity):
    model.run(main_many, model, capacity)


def main_memory(model, item, count):
    channel, back = model.Channel(math.inf), model.Channel(1)
    sizes = []
    with model.TaskGroup() as group:
        group.spawn(echo, channel, back)
        for number in range(count):
            channel.send(item)
            back.receive()
            if number in (count // 2, count - 1):
                sizes.append(os.fstat(channel.home.arena.fd).st_blocks * 512)
        channel.close()
    assert sizes[1] <= max(sizes[0] * 1.1, sizes[0] + (1 << 20)), sizes
    assert sizes[1] < 8 << 20


@pages_go_back
@pytest.mark.parametrize("model", BOTH)
@pytest.mark.parametrize(("item", "count"), [(b"x" * 1000, 3000), (b"x" * 300_000, 60)], ids=["ring", "blocks"])
def test_memory_stays_flat(model, item, count, monkeypatch):
    model.run(main_memory, model, item, count)


@pages_go_back
def test_pages_of_words_go_back():
    def main():
        channel = subinterp.Channel(math.inf)
        for _ in range(3):
            for number in range(100_000):
                channel.send(number)
            for number in range(100_000):
                assert channel.receive() == number
        return os.fstat(channel.home.arena.fd).st_blocks * 512

    assert subinterp.run(main) < 2_000_000


def test_a_ring_wraps_around(thorough):
    def main():
        channel = subinterp.Channel(math.inf)
        words, expected = 1 << 17, 0
        for start in range(0, (5 if thorough else 2) * words, 50_000):
            for number in range(start, start + 50_000):
                channel.send(number)
            for _ in range(50_000):
                assert channel.receive() == expected
                expected += 1
        data = 0
        for start in range(200):
            for number in range(40):
                channel.send((start, number, "x" * 700))
            for number in range(40):
                assert channel.receive()[:2] == (start, number)
                data += 700
        with pytest.raises(MemoryError, match="channel_bytes"):
            while True:
                channel.send(1)

    subinterp.run(main, channel_bytes=1 << 20)


# The rendezvous.


def main_nowait(model):
    channel, results = model.Channel(0), model.Channel(math.inf)
    with pytest.raises(WouldBlock):
        channel.send_nowait(1)
    with pytest.raises(WouldBlock):
        channel.receive_nowait()
    with pytest.raises(TimeoutError):
        channel.send(1, 0.01)
    with pytest.raises(TimeoutError):
        channel.receive(0.01)
    with model.TaskGroup() as group:
        for _ in range(2):
            group.spawn(receive_into, channel, results)
        sent = 0
        while sent < 2:
            try:
                channel.send_nowait(sent)
            except WouldBlock:
                model.sleep(0.001)
            else:
                sent += 1
    assert {results.receive(), results.receive()} == {0, 1}
    with pytest.raises(WouldBlock):
        channel.send_nowait(1)


@pytest.mark.parametrize("model", BOTH)
def test_nowait_on_a_rendezvous(model):
    model.run(main_nowait, model)


def main_close_refuses(model):
    channel, results = model.Channel(0), model.Channel(math.inf)
    with model.TaskGroup() as group:
        for number in range(3):
            group.spawn(send_or_tell, channel, number, results)
        while waiting_senders(channel) < 3:
            model.sleep(0.001)
        channel.close()
        with pytest.raises(ChannelClosed):
            channel.receive()
        assert [results.receive() for _ in range(3)] == ["refused"] * 3


def waiting_senders(channel):
    words, count = channel.home.words, 0
    with channel.home.arena.claim:
        record = words[channel._at + layout.SENDERS]
        while record:
            record, count = words[record + arena.NEXT], count + 1
    return count


@pytest.mark.parametrize("model", [processes, subinterp])
def test_close_refuses_who_waits_on_a_rendezvous(model):
    model.run(main_close_refuses, model)


def main_timeouts(model, capacity):
    channel, results = model.Channel(capacity), model.Channel(math.inf)
    received = []
    with model.TaskGroup() as group:
        for number in range(3):
            group.spawn(hammer, channel, results, 0.0005, 1000 * number)
        sent = []
        while len(results) < 3:
            try:
                received.append(channel.receive(0.0005))
            except TimeoutError:
                pass
        while True:
            try:
                received.append(channel.receive(0))
            except TimeoutError:
                break
        for _ in range(3):
            sent += results.receive()
    assert sorted(received) == sorted(sent)


@pytest.mark.parametrize(("model", "capacity"), in_turn([processes, subinterp], [0, 1]))
def test_a_timeout_and_a_partner_agree(model, capacity):
    model.run(main_timeouts, model, capacity)


def test_the_arena_uses_blocks_again():
    memory = arena.Arena.create()
    try:
        first = memory.allocate(1000)
        second = memory.allocate(100_000)
        memory.free(first, 1000)
        memory.free(second, 100_000)
        assert memory.allocate(1020) == first
        assert memory.allocate(70_000) == second
    finally:
        memory.close(last=True)
        os.close(memory.fd)
