"""`share`: one block of memory that all workers see."""

import array
import itertools
import mmap

from .pool_tools import all_of, bordered, of_one_memory
from .tools import INF, PATIENCE, promise, raises

NEEDS = ("share",)

TEXT = bytes(range(240))


def anonymous_map(text):
    """Memory of no file, with this in it."""
    memory = mmap.mmap(-1, len(text))
    memory[:] = text
    return memory


WRITABLE = {
    "bytearray": bytearray,
    "array": lambda text: array.array("H", text),
    "mmap": anonymous_map,
    "memoryview": lambda text: memoryview(bytearray(text)),
}
READ_ONLY = {"bytes": bytes, "read-only memoryview": memoryview}
SOURCES = WRITABLE | READ_ONLY


async def read(shared):
    """The bytes."""
    with shared.view() as view:
        return view.tobytes()


async def write(shared, position, value):
    """Change one byte."""
    shared.view().cast("B")[position] = value


async def done_by(room, function, *args):
    """What a task of a group returns."""
    async with room.TaskGroup() as group:
        task = group.spawn(function, *args)
    return await task.result()


@promise(source=tuple(SOURCES))
async def a_view_has_the_bytes(room, source):
    """`share` takes what has a buffer; `view()` is of its bytes, here and in a task."""
    with room.share(SOURCES[source](TEXT)) as shared:
        assert (shared.nbytes, shared.readonly) == (len(TEXT), source in READ_ONLY)
        assert shared.view().tobytes() == TEXT
        assert await done_by(room, read, shared) == TEXT


@promise(size=(0, 1, 4095, 4096, 4097, 20_000_000))
async def any_size_can_be_shared(room, size):
    """`share` takes a buffer of any size."""
    source = bytearray(size)
    source[-1:] = b"\7" * min(size, 1)
    with room.share(source) as shared:
        assert shared.nbytes == shared.view().nbytes == size
        assert await done_by(room, read, shared) == source


@promise(source=(3, "text", [1, 2], None))
async def what_has_no_buffer_is_refused(room, source):
    """`share` raises `TypeError` for what has no buffer."""
    with raises(TypeError):
        room.share(source)


@promise(source=tuple(WRITABLE))
async def what_is_written_is_seen(room, source):
    """A task and who shared see the same bytes: what one writes the other reads."""
    with room.share(WRITABLE[source](TEXT)) as shared:
        await done_by(room, write, shared, 0, 111)
        await write(shared, 1, 222)
        assert await done_by(room, read, shared) == bytes([111, 222]) + TEXT[2:]
        assert await read(shared) == bytes([111, 222]) + TEXT[2:]


async def answer_in_memory(shared, questions, answers):
    """Write the double of what stands there, whenever told to."""
    view = shared.view()
    async for place in questions:
        view[place] = 2 * view[place]
        await answers.send(place)


@promise()
async def a_view_stays_the_same_memory(room):
    """A task and who shared see the same bytes: also through a view that was there before they were written."""
    questions, answers = room.Channel(0), room.Channel(0)
    with room.share(bytearray(10)) as shared:
        view = shared.view()
        async with room.TaskGroup() as group:
            group.spawn(answer_in_memory, shared, questions, answers)
            for place in range(10):
                view[place] = place
                await questions.send(place)
                assert await answers.receive(PATIENCE) == place
                assert view[place] == 2 * place
            questions.close()


@promise(source=tuple(READ_ONLY))
async def what_is_read_only_stays_so(room, source):
    """A read-only source gives read-only views, here and in a task."""
    with room.share(READ_ONLY[source](TEXT)) as shared:
        assert shared.view().readonly
        with raises(TypeError):
            await write(shared, 0, 1)
        with raises(ExceptionGroup) as caught:
            await done_by(room, write, shared, 0, 1)
        assert [type(error) for error in caught.error.exceptions] == [TypeError]


async def describe(shared):
    """What a view says of itself, and an item of it."""
    view = shared.view()
    return view.format, view.shape, view.itemsize, view.tolist()


SHAPES = {
    "int32 3x4": lambda: memoryview(array.array("i", range(12))).cast("B").cast("i", (3, 4)),
    "double": lambda: array.array("d", [0.5, -1.5]),
    "every second": lambda: memoryview(bytearray(TEXT))[::2],
    "backwards": lambda: memoryview(TEXT)[::-1],
}


@promise(shape=tuple(SHAPES))
async def format_and_shape_are_kept(room, shape):
    """`view()` has the format and the shape of the source, here and in a task."""
    source = memoryview(SHAPES[shape]())
    wanted = source.format, source.shape, source.itemsize, source.tolist()
    with room.share(SHAPES[shape]()) as shared:
        assert shared.nbytes == source.nbytes
        assert await describe(shared) == wanted
        assert await done_by(room, describe, shared) == wanted


# One process, or a border.


@promise(by=of_one_memory, source=("bytearray", "array", "mmap"))
async def in_one_process_it_is_the_object_itself(room, source):
    """In one process nothing is copied: what a task writes is written into the object that was shared."""
    buffer = WRITABLE[source](TEXT)
    with room.share(buffer) as shared:
        await done_by(room, write, shared, 0, 111)
        assert memoryview(buffer).cast("B")[0] == 111


@promise(by=bordered)
async def beyond_a_border_it_is_a_copy(room):
    """Beyond a border the bytes are copied: the object that they came from does not see what is written there."""
    source = bytearray(TEXT)
    with room.share(source) as shared:
        await done_by(room, write, shared, 0, 111)
        source[1] = 222
        assert await done_by(room, read, shared) == bytes([111]) + TEXT[1:]
        assert source[0] == TEXT[0]


# How it travels.


async def read_what_comes(channel):
    """The first bytes of each block that comes."""
    return [(await read(shared))[0] async for shared in channel]


@promise(capacity=(0, INF))
async def it_travels_through_channels(room, capacity):
    """The handle may be an item of a channel."""
    channel = room.Channel(capacity)
    blocks = [room.share(bytes([number] * 100)) for number in range(3)]
    async with room.TaskGroup() as group:
        task = group.spawn(read_what_comes, channel)
        for shared in blocks:
            await channel.send(shared)
        channel.close()
        assert await task.result(PATIENCE) == [0, 1, 2]
    for shared in blocks:
        shared.release()


async def share_and_wait(room, channel, gate):
    """Share something from here, and release it when told to."""
    with room.share(bytearray(b"made in a task")) as shared:
        await channel.send(shared)
        async for _ in gate:
            pass


@promise()
async def a_task_may_share(room):
    """A task may call `share`, and others read and write what it has shared."""
    channel, gate = room.Channel(1), room.Channel(0)
    async with room.TaskGroup() as group:
        group.spawn(share_and_wait, room, channel, gate)
        shared = await channel.receive(PATIENCE)
        await write(shared, 0, ord("M"))
        assert await done_by(room, read, shared) == b"Made in a task"
        gate.close()
    with raises(RuntimeError):
        shared.view()


async def add_up(shared, number):
    """The number, and the sum of the bytes."""
    return number, sum(shared.view())


@promise(needs=("Pool", "share"))
async def pools_take_it(room):
    """The handle may be an argument of `submit` and of `map`."""
    async with room.Pool(2) as pool:
        with room.share(TEXT) as shared:
            call = await pool.submit(add_up, shared, number=0)
            assert await call.result(PATIENCE) == (0, sum(TEXT))
            results = await all_of(pool.map(add_up, itertools.repeat(shared), range(5)))
            assert results == [(number, sum(TEXT)) for number in range(5)]


async def count(shared, position):
    """Count one more here: nobody else does."""
    with shared.view() as view:
        view[position] += 1


@promise(needs=("Pool", "share"))
async def pools_write_into_it(room, effort):
    """All workers see one block: each task of a pool, begun once, leaves its mark there."""
    size = 10 * effort.items
    async with room.Pool(2) as pool:
        with room.share(array.array("I", bytes(4 * size))) as shared:
            await all_of(pool.map(count, itertools.repeat(shared), range(size)))
            assert shared.view().tolist() == [1] * size
