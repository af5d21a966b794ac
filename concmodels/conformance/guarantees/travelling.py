"""Objects that can't cross a memory boundary: they can't be pickled, or can't be unpickled."""

from concmodels.errors import CannotTravel

from .pool_tools import all_of, of_separate_memory
from .tools import CAPACITIES, PATIENCE, Trouble, answer, drain, guarantee, raises


class Refusing:
    """An object whose `__reduce__` raises an exception of this kind."""

    def __init__(self, kind):
        self.kind = kind

    def __reduce__(self):
        raise self.kind("it stays here")


class Broken:
    """An object that can be pickled, but whose unpickling raises an exception of this kind."""

    def __init__(self, kind=Trouble):
        self.kind = kind

    def __reduce__(self):
        return fail_to_arrive, (self.kind,)


def fail_to_arrive(kind):
    """Raise the exception for unpickling."""
    raise kind("it can't arrive")


REASONS = (Trouble, RuntimeError, MemoryError, NotImplementedError, RecursionError)


def that_cant_travel(reason):
    """Return an object that raises this exception when it is pickled; for a `RecursionError`, a deeply nested one."""
    if reason is not RecursionError:
        return Refusing(reason)
    nested = []
    for _ in range(100_000):
        nested = [nested]
    return nested


class refuses(raises):
    """`with refuses(...)` fails unless its block raises `CannotTravel`, caused by an exception of this kind."""

    def __init__(self, reason):
        super().__init__(CannotTravel)
        self.reason = reason

    def __exit__(self, kind, error, trace):
        as_due = super().__exit__(kind, error, trace)
        if as_due:
            assert type(error.__cause__) is self.reason, error.__cause__
        return as_due


# Items.


@guarantee(by=of_separate_memory, reason=REASONS, capacity=CAPACITIES)
async def an_item_that_cant_be_pickled_is_refused(model, reason, capacity):
    """An item that can't be pickled is refused with `CannotTravel`, whose `__cause__` is the reason; it is not sent."""
    channel, item = model.Channel(capacity), that_cant_travel(reason)
    with refuses(reason):
        await channel.send(item, PATIENCE)
    with refuses(reason):
        channel.send_nowait(item)
    assert len(channel) == 0 and drain(channel) == []
    async with model.TaskGroup() as group:
        group.spawn(send, channel, "goes on")
        assert await channel.receive(PATIENCE) == "goes on"


async def send(channel, item):
    """Send one item."""
    await channel.send(item, PATIENCE)


@guarantee(by=of_separate_memory, needs=("select",), reason=REASONS)
async def a_case_that_cant_be_pickled_is_refused(model, reason):
    """`select` raises `CannotTravel` if the item of a case can't be pickled, and performs none of its cases."""
    ready, full = model.Channel(1), model.Channel(1)
    await ready.send("stays")
    with refuses(reason):
        await model.select(ready, (full, that_cant_travel(reason)), timeout=PATIENCE)
    assert drain(ready) == ["stays"] and drain(full) == []


@guarantee(by=of_separate_memory, capacity=CAPACITIES)
async def an_item_that_cant_arrive_is_told(model, capacity):
    """If an item can't be unpickled, `receive` raises `CannotTravel` in its place; the next item arrives."""
    channel = model.Channel(capacity)
    async with model.TaskGroup() as group:
        group.spawn(send_broken, channel, 3)
        with refuses(Trouble):
            await channel.receive(PATIENCE)
        with refuses(Trouble):
            await model.select(channel, timeout=PATIENCE)
        with refuses(Trouble):
            async for _ in channel:
                pass
        assert await channel.receive(PATIENCE) == "the next one"


async def send_broken(channel, count):
    """Send so many items that can't be unpickled, and one that can."""
    for _ in range(count):
        await channel.send(Broken(), PATIENCE)
    await channel.send("the next one", PATIENCE)


# Tasks.


@guarantee(by=of_separate_memory, needs=("TaskGroup",), reason=REASONS)
async def an_argument_that_cant_be_pickled_is_refused(model, reason):
    """`spawn` raises `CannotTravel` if the function or an argument can't be pickled, and starts nothing; the group goes
    on."""
    async with model.TaskGroup() as group:
        with refuses(reason):
            group.spawn(answer, that_cant_travel(reason))
        task = group.spawn(answer, "goes on")
    assert await task.result() == "goes on"


async def make(reason):
    """Return an object that can't be pickled."""
    return that_cant_travel(reason)


@guarantee(by=of_separate_memory, needs=("TaskGroup",), reason=REASONS)
async def a_result_that_cant_be_pickled_is_a_failure(model, reason):
    """A task whose result can't be pickled fails with `CannotTravel`."""
    with raises(ExceptionGroup) as caught:
        async with model.TaskGroup() as group:
            task = group.spawn(make, reason)
    with refuses(reason):
        raise caught.error.exceptions[0]
    with refuses(reason):
        await task.result()


@guarantee(by=of_separate_memory, needs=("TaskGroup",))
async def an_argument_that_cant_arrive_is_a_failure(model):
    """A task whose arguments can't be unpickled fails with `CannotTravel`."""
    with raises(ExceptionGroup) as caught:
        async with model.TaskGroup() as group:
            group.spawn(answer, Broken())
    with refuses(Trouble):
        raise caught.error.exceptions[0]


async def make_broken(kind=Trouble):
    """Return an object that can't be unpickled."""
    return Broken(kind)


@guarantee(by=of_separate_memory, needs=("TaskGroup",))
async def a_result_that_cant_arrive_is_told(model):
    """If a result can't be unpickled, asking for it raises `CannotTravel`, every time."""
    async with model.TaskGroup() as group:
        task = group.spawn(make_broken)
    for _ in range(2):
        with refuses(Trouble):
            await task.result()


# Pools.


@guarantee(by=of_separate_memory, needs=("Pool",), reason=REASONS)
async def a_call_that_cant_be_pickled_is_refused(model, reason):
    """`submit` and `map` raise `CannotTravel` for what can't be pickled, and so does asking for such a result; the pool
    goes on."""
    async with model.Pool(1) as pool:
        with refuses(reason):
            await pool.submit(answer, that_cant_travel(reason))
        with refuses(reason):
            await all_of(pool.map(answer, [1, that_cant_travel(reason), 2]))
        call = await pool.submit(make, reason)
        with refuses(reason):
            await call.result(PATIENCE)
        assert await all_of(pool.map(answer, ["goes on"])) == ["goes on"]


@guarantee(by=of_separate_memory, needs=("Pool",), reason=(Trouble, SystemExit, KeyboardInterrupt))
async def a_call_that_cant_arrive_is_told(model, reason):
    """A call, an item or a result that can't be unpickled fails with `CannotTravel`; the pool goes on."""
    async with model.Pool(1) as pool:
        for function, args in ((answer, (Broken(reason),)), (make_broken, (reason,))):
            call = await pool.submit(function, *args)
            with refuses(reason):
                await call.result(PATIENCE)
        with refuses(reason):
            await all_of(pool.map(answer, [1, Broken(reason), 2]))
        assert await all_of(pool.map(answer, ["goes on"])) == ["goes on"]


async def ask_for(pool, function):
    """Ask a pool for a result, as a task; return the exception that this raises, and its cause."""
    call = await pool.submit(function)
    try:
        await call.result(PATIENCE)
    except CannotTravel as error:
        return "CannotTravel", str(error)


class Returning:
    """An object that arrives as another object, which can't be pickled again."""

    def __reduce__(self):
        return Refusing, (Trouble,)


async def make_returning():
    """Return an object that crosses one boundary, but no second one."""
    return Returning()


@guarantee(by=of_separate_memory, needs=("Pool",))
async def a_result_for_a_task_of_the_pool_is_told_too(model):
    """If a task asks its own pool for a result that can't be unpickled, that raises `CannotTravel`."""
    async with model.Pool(2) as pool:
        for function in (make_broken, make_returning):
            call = await pool.submit(ask_for, pool, function)
            kind, sentence = await call.result(PATIENCE)
            assert kind == "CannotTravel" and "Trouble" in sentence
