"""`share`: one block of memory that all workers see."""

import array
import ctypes  # noqa: F401 - now: libffi keeps a descriptor from here on, which is not what a run leaves behind
import itertools
import mmap

from .pool_tools import all_of, of_one_memory, of_separate_memory
from .tools import INF, PATIENCE, guarantee, raises

NEEDS = ("share",)

TEXT = bytes(range(240))


def anonymous_map(text):
    """Return memory without a file, with this content."""
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
    """Return the bytes."""
    with shared.view() as view:
        return view.tobytes()


async def write(shared, position, value):
    """Change one byte."""
    shared.view().cast("B")[position] = value


async def done_by(model, function, *args):
    """Return what a task of a group returns."""
    async with model.TaskGroup() as group:
        task = group.spawn(function, *args)
    return await task.result()


@guarantee(source=tuple(SOURCES))
async def a_view_has_the_bytes(model, source):
    """`share` accepts objects with a buffer; `view()` shows their bytes, in this task and in others."""
    with model.share(SOURCES[source](TEXT)) as shared:
        assert (shared.nbytes, shared.readonly) == (len(TEXT), source in READ_ONLY)
        assert shared.view().tobytes() == TEXT
        assert await done_by(model, read, shared) == TEXT


@guarantee(size=(0, 1, 4095, 4096, 4097, 20_000_000))
async def any_size_can_be_shared(model, size):
    """`share` accepts a buffer of any size."""
    source = bytearray(size)
    source[-1:] = b"\7" * min(size, 1)
    with model.share(source) as shared:
        assert shared.nbytes == shared.view().nbytes == size
        assert await done_by(model, read, shared) == source


@guarantee(source=(3, "text", [1, 2], None))
async def what_has_no_buffer_is_refused(model, source):
    """`share` raises `TypeError` for an object without a buffer."""
    with raises(TypeError):
        model.share(source)


@guarantee(source=tuple(WRITABLE))
async def what_is_written_is_seen(model, source):
    """All tasks see the same bytes: what one of them writes, the others read."""
    with model.share(WRITABLE[source](TEXT)) as shared:
        await done_by(model, write, shared, 0, 111)
        await write(shared, 1, 222)
        assert await done_by(model, read, shared) == bytes([111, 222]) + TEXT[2:]
        assert await read(shared) == bytes([111, 222]) + TEXT[2:]


async def answer_in_memory(shared, questions, answers):
    """Whenever told to, double the number that is in the memory."""
    view = shared.view()
    async for place in questions:
        view[place] = 2 * view[place]
        await answers.send(place)


@guarantee()
async def a_view_stays_the_same_memory(model):
    """A view that was made before the bytes were written shows them too."""
    questions, answers = model.Channel(0), model.Channel(0)
    with model.share(bytearray(10)) as shared:
        view = shared.view()
        async with model.TaskGroup() as group:
            group.spawn(answer_in_memory, shared, questions, answers)
            for place in range(10):
                view[place] = place
                await questions.send(place)
                assert await answers.receive(PATIENCE) == place
                assert view[place] == 2 * place
            questions.close()


@guarantee(source=tuple(READ_ONLY))
async def what_is_read_only_stays_so(model, source):
    """A read-only source gives read-only views, in this task and in others."""
    with model.share(READ_ONLY[source](TEXT)) as shared:
        assert shared.view().readonly
        with raises(TypeError):
            await write(shared, 0, 1)
        with raises(ExceptionGroup) as caught:
            await done_by(model, write, shared, 0, 1)
        assert [type(error) for error in caught.error.exceptions] == [TypeError]


async def describe(shared):
    """Return what a view says about itself, and one of its items."""
    view = shared.view()
    return view.format, view.shape, view.itemsize, view.tolist()


SHAPES = {
    "int32 3x4": lambda: memoryview(array.array("i", range(12))).cast("B").cast("i", (3, 4)),
    "double": lambda: array.array("d", [0.5, -1.5]),
    "every second": lambda: memoryview(bytearray(TEXT))[::2],
    "backwards": lambda: memoryview(TEXT)[::-1],
}


@guarantee(shape=tuple(SHAPES))
async def format_and_shape_are_kept(model, shape):
    """`view()` has the format and the shape of the source, in this task and in others."""
    source = memoryview(SHAPES[shape]())
    wanted = source.format, source.shape, source.itemsize, source.tolist()
    with model.share(SHAPES[shape]()) as shared:
        assert shared.nbytes == source.nbytes
        assert await describe(shared) == wanted
        assert await done_by(model, describe, shared) == wanted


# One process, or a memory boundary.


@guarantee(by=of_one_memory, source=("bytearray", "array", "mmap"))
async def in_one_process_it_is_the_object_itself(model, source):
    """Within one process nothing is copied: what a task writes is written into the object that was shared."""
    buffer = WRITABLE[source](TEXT)
    with model.share(buffer) as shared:
        await done_by(model, write, shared, 0, 111)
        assert memoryview(buffer).cast("B")[0] == 111


@guarantee(by=of_separate_memory)
async def beyond_a_boundary_it_is_a_copy(model):
    """Beyond a memory boundary the bytes are copied: the object that was shared does not see what is written there."""
    source = bytearray(TEXT)
    with model.share(source) as shared:
        await done_by(model, write, shared, 0, 111)
        source[1] = 222
        assert await done_by(model, read, shared) == bytes([111]) + TEXT[1:]
        assert source[0] == TEXT[0]


# How it travels.


async def read_what_comes(channel):
    """Return the first bytes of each block that comes."""
    return [(await read(shared))[0] async for shared in channel]


@guarantee(capacity=(0, INF))
async def it_travels_through_channels(model, capacity):
    """A handle of shared memory can be an item of a channel."""
    channel = model.Channel(capacity)
    blocks = [model.share(bytes([number] * 100)) for number in range(3)]
    async with model.TaskGroup() as group:
        task = group.spawn(read_what_comes, channel)
        for shared in blocks:
            await channel.send(shared)
        channel.close()
        assert await task.result(PATIENCE) == [0, 1, 2]
    for shared in blocks:
        shared.release()


async def share_and_wait(model, channel, gate):
    """Share a block from this task, and release it when told to."""
    with model.share(bytearray(b"made in a task")) as shared:
        await channel.send(shared)
        async for _ in gate:
            pass


@guarantee()
async def a_task_may_share(model):
    """A task may call `share`, and other tasks read and write what it has shared."""
    channel, gate = model.Channel(1), model.Channel(0)
    async with model.TaskGroup() as group:
        group.spawn(share_and_wait, model, channel, gate)
        shared = await channel.receive(PATIENCE)
        await write(shared, 0, ord("M"))
        assert await done_by(model, read, shared) == b"Made in a task"
        gate.close()
    with raises(RuntimeError):
        shared.view()


async def add_up(shared, number):
    """Return the number, and the sum of the bytes."""
    return number, sum(shared.view())


@guarantee(needs=("Pool", "share"))
async def pools_take_it(model):
    """A handle of shared memory can be an argument of `submit` and of `map`."""
    async with model.Pool(2) as pool:
        with model.share(TEXT) as shared:
            call = await pool.submit(add_up, shared, number=0)
            assert await call.result(PATIENCE) == (0, sum(TEXT))
            results = await all_of(pool.map(add_up, itertools.repeat(shared), range(5)))
            assert results == [(number, sum(TEXT)) for number in range(5)]


async def count(shared, position):
    """Count one more at this place, which no other task uses."""
    with shared.view() as view:
        view[position] += 1


@guarantee(needs=("Pool", "share"))
async def pools_write_into_it(model, effort):
    """All workers of a pool see one block of memory: each task leaves its mark there once."""
    size = 10 * effort.items
    async with model.Pool(2) as pool:
        with model.share(array.array("I", bytes(4 * size))) as shared:
            await all_of(pool.map(count, itertools.repeat(shared), range(size)))
            assert shared.view().tolist() == [1] * size
