"""Large items across a memory boundary: what arrives, what memory they keep, and what is left when a process is killed
in the middle of one."""

import array
import math
import os
import random
from contextlib import nullcontext

import numpy
import pytest
from boundaries import BOTH, in_turn
from boundary_tasks import echo, identity
from large_tasks import (
    Deadly,
    Unreadable,
    count_numbered,
    die_before_sending,
    die_once_taken,
    die_while_waiting,
    die_while_writing,
    pair,
    receive,
    send_numbered,
)
from platforms import pages_go_back

from concmodels.errors import CannotTravel, WorkerDied
from concmodels.models import processes, subinterp
from concmodels.models.memory import arena as arenas
from concmodels.models.memory.arena import COLD_BLOCKS, FREE_BLOCKS, KEPT, Arena
from concmodels.models.memory.channels.layout import LARGE, LARGE_BESIDE_WARM
from concmodels.models.memory.lives import supervisor
from concmodels.platform.memory import PAGE

pytestmark = pytest.mark.usefixtures("nothing_left_behind")
MIB = 1 << 20


@pytest.fixture
def blocks_stay(monkeypatch):
    """However long the test takes, no block is idle for long enough."""
    monkeypatch.setattr(supervisor, "IDLE_S", 1e6)


def in_use(participant):
    """How many bytes of the run's memory exist."""
    return os.fstat(participant.arena.fd).st_blocks * 512


# What arrives.

THRESHOLDS = (0, 256, PAGE, LARGE, LARGE_BESIDE_WARM, 1 << 16, 1 << 18)


def items(sizes):
    for size in sizes:
        data = random.randbytes(size)
        yield data
        yield bytearray(data)
        yield data.hex()
        yield array.array("i", range(size // 4))
        yield {"first": data, "again": bytearray(data), "more": [data, size]}
        yield list(range(size // 2))


def main_items(model, capacity, sizes):
    there, back = model.Channel(capacity), model.Channel(capacity)
    with model.TaskGroup() as group:
        group.spawn(echo, there, back)
        for item in items(sizes):
            there.send(item)
            answer = back.receive()
            assert answer == item
            assert type(answer) is type(item)
        there.close()


NEAR = [size + more for size in THRESHOLDS for more in (-20, -9, -8, -1, 0, 1) if size + more >= 0]


@pytest.mark.parametrize(("model", "capacity"), in_turn([processes, subinterp], [0, 2, math.inf]))
def test_items_around_each_threshold(model, capacity):
    model.run(main_items, model, capacity, NEAR)


@pytest.mark.stress
@pytest.mark.parametrize("model", BOTH)
@pytest.mark.parametrize("capacity", [0, 1, 64, math.inf])
def test_items_of_many_sizes(model, capacity):
    sizes = [random.randrange(1 << random.randrange(1, 22)) for _ in range(150)]
    model.run(main_items, model, capacity, sizes, channel_bytes=1 << random.randrange(12, 24))


def main_numpy(model):
    there, back = model.Channel(1), model.Channel(math.inf)
    square = numpy.arange(90_000.0).reshape(300, 300)
    fixed = square.copy()
    fixed.flags.writeable = False
    arrays = [square, square.T, square[::2, ::3], fixed, numpy.arange(3), numpy.zeros((0, 5)), numpy.float32(1.5)]
    arrays += [numpy.array([1, "two", None], object), numpy.arange(99_000).astype("datetime64[s]"), square > 7]
    with model.TaskGroup() as group:
        group.spawn(echo, there, back)
        for _ in range(2):  # the second time in pieces
            for item in arrays:
                there.send({"it": item, "twice": [item, item]})
                answer = back.receive()
                assert numpy.array_equal(answer["it"], item)
                assert answer["it"].dtype == item.dtype and answer["twice"][0] is answer["it"]
                assert answer["it"].flags.writeable == item.flags.writeable
        there.close()
        answer["it"][:] = False  # its memory is its own: the block was given back


def test_arrays_arrive_as_they_were():
    processes.run(main_numpy, processes)


def main_number_arrays(model):
    there, back = model.Channel(1), model.Channel(math.inf)
    with model.TaskGroup() as group:
        group.spawn(echo, there, back)
        for code in array.typecodes.replace("u", "") * 2:  # from the second large item on they are not pickled
            item = array.array(code)
            item.frombytes(bytes(range(64)) * 2 * LARGE_BESIDE_WARM if code != "w" else bytes(4 * LARGE_BESIDE_WARM))
            there.send(item)
            answer = back.receive()
            assert answer == item or answer.tobytes() == item.tobytes()  # a nan equals nothing
            assert type(answer) is array.array and answer.typecode == code
            answer.append(answer[0])  # its memory is its own
        there.close()


@pytest.mark.parametrize("model", BOTH)
def test_arrays_of_numbers_arrive_with_their_type_code(model):
    model.run(main_number_arrays, model)


def main_streams(model, seed):
    channel, results, sent = model.Channel(math.inf), model.Channel(math.inf), {}
    choose = random.Random(seed)
    with model.TaskGroup() as group:
        for _ in range(2):
            group.spawn(count_numbered, channel, results)
        with model.TaskGroup() as senders:
            for sender in range(2):
                sent[sender] = [choose.choice((0, 30, 900, 3500, 30_000)) for _ in range(500)]
                senders.spawn(send_numbered, channel, sender, sent[sender])
        channel.close()
        seen = [results.receive() for _ in range(2)]
    assert sorted(sum(seen, [])) == [(who, number, size) for who in sent for number, size in enumerate(sent[who])]
    for part in seen:
        for who in sent:
            own = [number for sender, number, _ in part if sender == who]
            assert own == sorted(own)


@pytest.mark.parametrize("model", BOTH)
def test_a_byte_ring_that_begins_again_mixes_nothing_up(model):
    model.run(main_streams, model, 7, channel_bytes=MIB)


# Memory.


def new_arena(kept):
    memory = Arena.create()
    memory.claim = nullcontext()
    memory.words[arenas.CHANNEL_BYTES] = kept
    return memory


@pages_go_back
def test_a_block_keeps_its_pages_until_it_was_idle_for_a_turn():
    memory, asked = new_arena(64 * MIB), []
    memory.ask_to_watch = lambda: asked.append(1)
    try:
        block = memory.put(b"x" * MIB)
        memory.free(block, MIB)
        assert memory.put(b"y" * MIB) == block
        memory.free(block, MIB)
        assert memory.words[KEPT] == MIB and asked == [1]
        full = os.fstat(memory.fd).st_blocks * 512
        memory.give_back_idle()
        assert os.fstat(memory.fd).st_blocks * 512 == full > MIB  # it was used in that turn
        memory.give_back_idle()
        assert os.fstat(memory.fd).st_blocks * 512 <= full - MIB + PAGE
        assert memory.words[KEPT] == 0 and not memory.words[arenas.WATCHED]
        assert memory.allocate(MIB) == block  # its addresses are used again
        memory.free(block, MIB)
        assert asked == [1, 1]
    finally:
        memory.close(last=True)
        os.close(memory.fd)


def test_only_the_blocks_that_were_not_used_go_back():
    memory = new_arena(64 * MIB)
    try:
        busy, idle = memory.allocate(MIB), memory.allocate(MIB)
        for block in (busy, idle):
            memory.free(block, MIB)
        memory.give_back_idle()
        assert [memory.allocate(MIB), memory.allocate(MIB)] == [idle, busy]
        memory.free(idle, MIB)
        memory.give_back_idle()
        memory.free(busy, MIB)
        memory.give_back_idle()
        assert memory.words[KEPT] == MIB
        assert [memory.allocate(MIB), memory.allocate(MIB)] == [busy, idle]
    finally:
        memory.close(last=True)
        os.close(memory.fd)


@pages_go_back
def test_blocks_keep_no_more_than_one_channel_may_have():
    def main():
        channel = subinterp.Channel(math.inf)
        for number in range(12):
            channel.send(bytes([number]) * MIB)
        assert in_use(channel.home) > 12 * MIB
        for number in range(12):
            assert channel.receive() == bytes([number]) * MIB
        assert channel.home.words[KEPT] <= 4 * MIB
        return in_use(channel.home)

    assert subinterp.run(main, channel_bytes=4 * MIB) < 6 * MIB


@pages_go_back
@pytest.mark.parametrize("model", BOTH)
def test_idle_blocks_go_back_by_themselves(model, monkeypatch):
    monkeypatch.setattr(supervisor, "IDLE_S", 0.01)

    def main():
        channel = model.Channel(math.inf)
        for _ in range(2):  # and once more, when they had gone back
            for _ in range(8):
                channel.send(bytes(MIB))
            while len(channel):
                channel.receive()
            while channel.home.words[KEPT] or in_use(channel.home) > MIB:
                model.sleep(0.001)

    model.run(main)


@pytest.mark.parametrize("model", BOTH)
def test_full_memory_is_one_sentence(model, monkeypatch):
    monkeypatch.setattr(arenas.memory, "SIZES", (arenas.HEAP_AT + 4 * MIB,))

    def main():
        channel = model.Channel(3)
        for item in (bytes(8 * MIB), bytearray(8 * MIB), "x" * (8 * MIB), [bytes(4 * MIB), bytes(4 * MIB)]):
            for _ in range(2):
                with pytest.raises(MemoryError, match="shared memory has no addresses left: .* too large"):
                    channel.send(item)
                channel.send(b"x" * 1000)  # a small one still can be sent
                assert channel.receive() == b"x" * 1000

    model.run(main, channel_bytes=1 << 16)


def main_refused(model):
    channel = model.Channel(math.inf)
    for _ in range(20):
        with pytest.raises(CannotTravel, match="TextIOWrapper"):
            channel.send([bytes(MIB), open(os.devnull)])  # noqa: SIM115 - it can't be sent
        channel.send(Unreadable(MIB))
        with pytest.raises(CannotTravel, match="unpickled where it arrives"):
            channel.receive()
        with pytest.raises(TimeoutError):
            full = model.Channel(1)
            full.send(1)
            full.send(bytes(MIB), timeout=0)
    assert channel.home.words[KEPT] == 2 * MIB  # one after the other they had the same block
    return in_use(channel.home)


@pages_go_back
@pytest.mark.filterwarnings("ignore::ResourceWarning")
@pytest.mark.parametrize("model", BOTH)
@pytest.mark.usefixtures("blocks_stay")
def test_what_could_not_be_sent_or_read_leaves_no_block(model):
    assert model.run(main_refused, model) < 6 * MIB


# Pools.


def main_pool(model, sizes):
    sent = list(items(sizes))
    with model.Pool(2) as pool:
        for item in sent[:30]:
            answer = pool.submit(identity, item).result()
            assert answer == item and type(answer) is type(item)
        calls = [pool.submit(identity, value=item) for item in sent]
        assert [call.result() for call in calls] == sent
        assert list(pool.map(identity, sent)) == sent
        assert list(pool.map(pair, sent, reversed(sent), chunksize=7)) == list(zip(sent, reversed(sent), strict=True))


@pytest.mark.parametrize("model", BOTH)
def test_pools_take_and_return_items_around_each_threshold(model):
    model.run(main_pool, model, NEAR[::2], channel_bytes=1 << 16)  # so that the largest results pass piece by piece


@pytest.mark.stress
@pytest.mark.parametrize("model", BOTH)
@pytest.mark.parametrize("channel_bytes", [1 << 12, 1 << 16, 1 << 20, 1 << 26])
def test_pools_take_and_return_items_of_many_sizes(model, channel_bytes):
    sizes = [random.randrange(1 << random.randrange(1, 22)) for _ in range(60)]
    model.run(main_pool, model, sizes, channel_bytes=channel_bytes)


def main_pool_of_arrays(model):
    numbers = numpy.arange(100_000.0)
    with model.Pool(1) as pool:
        answer = pool.submit(numpy.negative, numbers).result()
        assert numpy.array_equal(answer, -numbers)
        answer[:] = 0  # its memory is its own
        assert all(numpy.array_equal(it, -numbers) for it in pool.map(numpy.negative, [numbers] * 5))


def test_a_pool_takes_and_returns_arrays():
    processes.run(main_pool_of_arrays, processes)


@pytest.mark.parametrize("model", BOTH)
def test_memory_that_is_too_small_for_a_call_fails_that_call(model, monkeypatch):
    monkeypatch.setattr(arenas.memory, "SIZES", (arenas.HEAP_AT + 4 * MIB,))

    def main():
        with model.Pool(1) as pool:
            with pytest.raises(MemoryError, match="no addresses left"):
                pool.submit(len, bytes(8 * MIB)).result()
            assert pool.submit(len, bytes(99)).result() == 99
            with pytest.raises(MemoryError, match="no addresses left"):
                list(pool.map(len, [bytes(8 * MIB)]))

    model.run(main, channel_bytes=1 << 16)


# A process that is killed.


def main_killed(function, item, sent):
    channel = processes.Channel(math.inf)
    with processes.Pool(1) as pool:
        for _ in range(3):
            if sent:
                channel.send(item)
                call = pool.submit(function, channel)
            else:
                call = pool.submit(function, channel, item)
            with pytest.raises(WorkerDied):
                call.result()
            kept = channel.home.words[KEPT]
            with channel.home.arena.claim:
                block = channel.home.arena.allocate(MIB + 8)
            assert channel.home.words[KEPT] == kept - 2 * MIB  # so there was one, with its pages
            with channel.home.arena.claim:
                channel.home.arena.free(block, MIB + 8)
    return channel.home.words[arenas.HEAP]


@pytest.mark.usefixtures("blocks_stay")
@pytest.mark.parametrize("kind", [bytes, bytearray])
def test_killed_while_a_large_block_is_written(kind):
    processes.run(main_killed, die_while_writing, kind(MIB), False)


@pytest.mark.usefixtures("blocks_stay")
def test_killed_while_a_large_block_is_read():
    processes.run(main_killed, receive, Deadly(MIB), True)


def free_blocks(arena, size):
    """How many blocks of this size are free, with their pages or without."""
    power, count = (size - 1).bit_length(), 0
    for blocks in (FREE_BLOCKS, COLD_BLOCKS):
        at = arena.words[blocks + power]
        while at:
            count, at = count + 1, arena.words[at >> 3]
    return count


def main_killed_in(function, capacity, item, size, sent):
    channel = processes.Channel(capacity)
    arena, before = channel.home.arena, None
    with processes.Pool(1) as pool:
        for _ in range(3):
            call = pool.submit(function, channel) if sent else pool.submit(function, channel, item)
            if sent:
                channel.send(item)
            with pytest.raises(WorkerDied):
                call.result()
            with arena.claim:
                now = free_blocks(arena, size), arena.words[arenas.HEAP]
            assert before in (None, now)
            before = now


@pytest.mark.usefixtures("blocks_stay")
@pytest.mark.parametrize("size", [3_000, MIB])
@pytest.mark.parametrize(
    ("function", "capacity", "sent"),
    [
        (die_before_sending, math.inf, False),
        (die_while_waiting, 0, False),
        (die_once_taken, 0, True),
        (receive, 0, True),
    ],
)
def test_killed_while_it_holds_a_block(function, capacity, sent, size):
    """From when it is allocated until another task knows it, and from then until it is read."""
    item = Deadly(size) if function is receive else bytes(size)
    processes.run(main_killed_in, function, capacity, item, size + 100, sent)
