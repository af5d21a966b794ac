"""What can't cross a memory boundary, and what can leave one side of it but can't arrive on the other."""

from concmodels.errors import CannotTravel

from .pool_tools import all_of, bordered
from .tools import CAPACITIES, PATIENCE, Trouble, answer, drain, guarantee, raises


class Refusing:
    """An object whose `__reduce__` raises an exception of this kind."""

    def __init__(self, kind):
        self.kind = kind

    def __reduce__(self):
        raise self.kind("it stays here")


class Broken:
    """An object that can be pickled, and whose unpickling raises an exception of this kind."""

    def __init__(self, kind=Trouble):
        self.kind = kind

    def __reduce__(self):
        return fail_to_arrive, (self.kind,)


def fail_to_arrive(kind):
    """Raise what unpickling shall raise."""
    raise kind("it can't arrive")


REASONS = (Trouble, RuntimeError, MemoryError, NotImplementedError, RecursionError)


def that_cant_travel(reason):
    """An object that raises this when it is pickled; for a `RecursionError`, one that is nested too deeply."""
    if reason is not RecursionError:
        return Refusing(reason)
    nested = []
    for _ in range(100_000):
        nested = [nested]
    return nested


class refuses(raises):
    """The block must raise `CannotTravel`, caused by an exception of this kind."""

    def __init__(self, reason):
        super().__init__(CannotTravel)
        self.reason = reason

    def __exit__(self, kind, error, trace):
        as_due = super().__exit__(kind, error, trace)
        if as_due:
            assert type(error.__cause__) is self.reason, error.__cause__
        return as_due


# Items.


@guarantee(by=bordered, reason=REASONS, capacity=CAPACITIES)
async def an_item_that_cant_be_pickled_is_refused(model, reason, capacity):
    """An item that can't be pickled is refused with `CannotTravel`, whose `__cause__` says why; it is not sent."""
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


@guarantee(by=bordered, needs=("select",), reason=REASONS)
async def a_case_that_cant_be_pickled_is_refused(model, reason):
    """A case of `select` whose item can't be pickled is refused with `CannotTravel`: none of the cases is done."""
    ready, full = model.Channel(1), model.Channel(1)
    await ready.send("stays")
    with refuses(reason):
        await model.select(ready, (full, that_cant_travel(reason)), timeout=PATIENCE)
    assert drain(ready) == ["stays"] and drain(full) == []


@guarantee(by=bordered, capacity=CAPACITIES)
async def an_item_that_cant_arrive_is_told(model, capacity):
    """An item that can't be unpickled raises `CannotTravel` where it is received; the next one arrives."""
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
    """Send so many items that can't arrive, and one that can."""
    for _ in range(count):
        await channel.send(Broken(), PATIENCE)
    await channel.send("the next one", PATIENCE)


# Tasks.


@guarantee(by=bordered, needs=("TaskGroup",), reason=REASONS)
async def an_argument_that_cant_be_pickled_is_refused(model, reason):
    """`spawn` refuses what can't be pickled with `CannotTravel`, and starts nothing; the group goes on."""
    async with model.TaskGroup() as group:
        with refuses(reason):
            group.spawn(answer, that_cant_travel(reason))
        task = group.spawn(answer, "goes on")
    assert await task.result() == "goes on"


async def make(reason):
    """Return what can't be pickled."""
    return that_cant_travel(reason)


@guarantee(by=bordered, needs=("TaskGroup",), reason=REASONS)
async def a_result_that_cant_be_pickled_is_a_failure(model, reason):
    """A task whose result can't be pickled has failed with `CannotTravel`."""
    with raises(ExceptionGroup) as caught:
        async with model.TaskGroup() as group:
            task = group.spawn(make, reason)
    with refuses(reason):
        raise caught.error.exceptions[0]
    with refuses(reason):
        await task.result()


@guarantee(by=bordered, needs=("TaskGroup",))
async def an_argument_that_cant_arrive_is_a_failure(model):
    """A task whose arguments can't be unpickled has failed with `CannotTravel`."""
    with raises(ExceptionGroup) as caught:
        async with model.TaskGroup() as group:
            group.spawn(answer, Broken())
    with refuses(Trouble):
        raise caught.error.exceptions[0]


async def make_broken(kind=Trouble):
    """Return what can't be unpickled."""
    return Broken(kind)


@guarantee(by=bordered, needs=("TaskGroup",))
async def a_result_that_cant_arrive_is_told(model):
    """A result that can't be unpickled raises `CannotTravel`, every time that it is asked for."""
    async with model.TaskGroup() as group:
        task = group.spawn(make_broken)
    for _ in range(2):
        with refuses(Trouble):
            await task.result()


# Pools.


@guarantee(by=bordered, needs=("Pool",), reason=REASONS)
async def a_call_that_cant_be_pickled_is_refused(model, reason):
    """`submit` and `map` refuse what can't be pickled with `CannotTravel`, and so does a result; the pool goes on."""
    async with model.Pool(1) as pool:
        with refuses(reason):
            await pool.submit(answer, that_cant_travel(reason))
        with refuses(reason):
            await all_of(pool.map(answer, [1, that_cant_travel(reason), 2]))
        call = await pool.submit(make, reason)
        with refuses(reason):
            await call.result(PATIENCE)
        assert await all_of(pool.map(answer, ["goes on"])) == ["goes on"]


@guarantee(by=bordered, needs=("Pool",), reason=(Trouble, SystemExit, KeyboardInterrupt))
async def a_call_that_cant_arrive_is_told(model, reason):
    """What can't be unpickled, a call, an item or a result, fails with `CannotTravel`; the pool goes on."""
    async with model.Pool(1) as pool:
        for function, args in ((answer, (Broken(reason),)), (make_broken, (reason,))):
            call = await pool.submit(function, *args)
            with refuses(reason):
                await call.result(PATIENCE)
        with refuses(reason):
            await all_of(pool.map(answer, [1, Broken(reason), 2]))
        assert await all_of(pool.map(answer, ["goes on"])) == ["goes on"]


async def ask_for(pool, function):
    """Ask a pool for a result, as a task; return what that raises, and what its cause was."""
    call = await pool.submit(function)
    try:
        await call.result(PATIENCE)
    except CannotTravel as error:
        return "CannotTravel", str(error)


class Returning:
    """Arrives as another object, which can't be pickled again."""

    def __reduce__(self):
        return Refusing, (Trouble,)


async def make_returning():
    """Return what crosses one boundary, and no second one."""
    return Returning()


@guarantee(by=bordered, needs=("Pool",))
async def a_result_for_a_task_of_the_pool_is_told_too(model):
    """A task that asks its own pool for a result that can't come hears `CannotTravel`."""
    async with model.Pool(2) as pool:
        for function in (make_broken, make_returning):
            call = await pool.submit(ask_for, pool, function)
            kind, sentence = await call.result(PATIENCE)
            assert kind == "CannotTravel" and "Trouble" in sentence
