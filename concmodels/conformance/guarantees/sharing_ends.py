"""`share`: how the sharing ends, and what remains of it."""

from .pool_tools import of_processes
from .sharing import TEXT, done_by, read, write
from .tools import INF, PATIENCE, Trouble, guarantee, raises

NEEDS = ("share",)


@guarantee(how=("release", "with", "with that fails"))
async def after_release_it_is_over(model, how):
    """`release()`, or leaving the `with` of the handle, ends the sharing: after that `view()` raises `RuntimeError`."""
    shared = model.share(bytearray(TEXT))
    if how == "release":
        shared.release()
    elif how == "with":
        with shared as same:
            assert same is shared
    else:
        with raises(Trouble), shared:
            raise Trouble
    with raises(RuntimeError):
        shared.view()
    with raises(RuntimeError):
        shared.array()


@guarantee()
async def it_may_be_released_twice(model):
    """A second call of `release()` does nothing."""
    with model.share(TEXT) as shared:
        shared.release()
        shared.release()
    shared.release()


async def try_when_told(shared, ready, gate):
    """Read once; when told to, try again, and report how that ended."""
    before = await read(shared)
    ready.send_nowait("has read")
    async for _ in gate:
        pass
    try:
        shared.view()
    except RuntimeError:
        return before, "refused"
    return before, "viewed"


@guarantee()
async def a_task_sees_the_release(model):
    """After `release()`, `view()` raises `RuntimeError` in every worker, even if the worker had a view before."""
    ready, gate = model.Channel(INF), model.Channel(0)
    async with model.TaskGroup() as group:
        with model.share(TEXT) as shared:
            tasks = [group.spawn(try_when_told, shared, ready, gate) for _ in range(2)]
            for _ in tasks:
                assert await ready.receive(PATIENCE) == "has read"
        gate.close()
        for task in tasks:
            assert await task.result(PATIENCE) == (TEXT, "refused")


async def read_late(channel, gate):
    """When told to, take the handle from a channel, and try it."""
    async for _ in gate:
        pass
    shared = await channel.receive(PATIENCE)
    try:
        shared.view()
    except RuntimeError:
        return "refused"
    return "viewed"


@guarantee()
async def what_arrives_late_is_over_too(model):
    """After `release()`, `view()` raises `RuntimeError` even in a task that gets the handle only then."""
    channel, gate = model.Channel(1), model.Channel(0)
    async with model.TaskGroup() as group:
        task = group.spawn(read_late, channel, gate)
        with model.share(TEXT) as shared:
            await channel.send(shared)
        gate.close()
        assert await task.result(PATIENCE) == "refused"


async def keep_a_view(shared, ready, gate):
    """Keep a view while the handle is released, and read through the view after that."""
    view = shared.view()
    ready.send_nowait("has a view")
    async for _ in gate:
        pass
    return view.tobytes()


@guarantee()
async def a_view_outlives_the_release(model):
    """Memory of which a worker still has a view is freed when the worker has let go of the view, not before."""
    ready, gate = model.Channel(INF), model.Channel(0)
    async with model.TaskGroup() as group:
        with model.share(TEXT) as shared:
            task = group.spawn(keep_a_view, shared, ready, gate)
            assert await ready.receive(PATIENCE) == "has a view"
        with model.share(bytes(len(TEXT))):
            gate.close()
            assert await task.result(PATIENCE) == TEXT


@guarantee()
async def one_release_leaves_the_others(model):
    """Each call of `share` makes a block of its own; releasing one does not affect the others."""
    with model.share(bytearray(TEXT)) as first, model.share(bytearray(TEXT[::-1])) as second:
        first.release()
        await done_by(model, write, second, 0, 7)
        assert await read(second) == b"\7" + TEXT[::-1][1:]


async def share_and_forget(model):
    """Share blocks, and release none of them."""
    blocks = [model.share(bytearray(1_000_000)) for _ in range(3)]
    assert [await done_by(model, read, shared) for shared in blocks] == [bytes(1_000_000)] * 3


@guarantee()
def what_nobody_releases_ends_with_the_run(model):
    """A run leaves no block of memory behind, even if it was never released."""
    model.run(share_and_forget, model)


async def view_and_die(shared):
    """End this process at once, while it has a view."""
    import os
    import signal

    view = shared.view()
    os.kill(os.getpid(), signal.SIGKILL)
    view.release()


@guarantee(by=of_processes, needs=("Pool", "share"))
async def a_dead_worker_leaves_it_whole(model):
    """A worker that dies with a view does not affect the others, and leaves nothing behind."""
    from concmodels.errors import WorkerDied

    async with model.Pool(2) as pool:
        with model.share(bytearray(TEXT)) as shared:
            call = await pool.submit(view_and_die, shared)
            with raises(WorkerDied):
                await call.result(PATIENCE)
            call = await pool.submit(read, shared)
            assert await call.result(PATIENCE) == TEXT


# numpy.


def having_numpy(_facts):
    """The models where numpy is installed."""
    from importlib.util import find_spec

    return find_spec("numpy") is not None


def without_numpy(facts):
    """The models where numpy is not installed."""
    return not having_numpy(facts)


async def sum_of_array(shared):
    """Return what numpy says about the block, or that numpy can't be imported."""
    try:
        array = shared.array()
    except ImportError:
        return "ImportError"
    return str(array.dtype), array.shape, int(array.sum())


@guarantee(by=having_numpy, uses=("numpy",))
async def array_keeps_type_and_shape(model, facts):
    """`array()` returns a numpy array with the dtype of the source, or raises `ImportError` if numpy can't be
    imported."""
    import numpy

    source = numpy.arange(60, dtype="int16").reshape(6, 10)
    loads = facts.file != "subinterp"
    with model.share(source) as shared:
        assert await sum_of_array(shared) == ("int16", (6, 10), 1770)
        assert await done_by(model, sum_of_array, shared) == (("int16", (6, 10), 1770) if loads else "ImportError")


@guarantee(by=having_numpy, uses=("numpy",))
async def an_array_is_of_the_same_bytes(model):
    """`array()` shows the same bytes as `view()`, and is read-only if the view is."""
    with model.share(bytearray(8)) as shared:
        shared.array()[0] = 30
        assert shared.view()[0] == 30 and await done_by(model, read, shared) == bytes([30, *bytes(7)])
    with model.share(bytes(8)) as shared, raises(ValueError):
        shared.array()[0] = 30


@guarantee(by=without_numpy)
async def there_is_no_array_without_numpy(model):
    """`array()` raises `ImportError` if numpy is not installed."""
    with model.share(bytes(8)) as shared:
        with raises(ImportError):
            shared.array()
        assert await done_by(model, sum_of_array, shared) == "ImportError"
