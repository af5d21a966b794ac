"""What `concmodels.csp` guarantees: programs, in the async form, each with a capacity of the channels."""

from concmodels import csp

PATIENCE = 15
"""Seconds to wait for what must come; what breaks a guarantee is found by this, not by a hang."""


def double(number):
    """What `map_` is given."""
    return 2 * number


def is_odd(number):
    """What `filter_` is given."""
    return number % 2 == 1


def fail(number):
    """A function that fails."""
    raise LookupError(number)


async def all_of(channel):
    """Receive all items."""
    return [item async for item in channel]


async def read_into(channel, report):
    """Receive all items, and report them."""
    await report.send([item async for item in channel])


def filled(model, items):
    """Return a closed channel that has these items."""
    source = model.Channel(len(items))
    for item in items:
        source.send_nowait(item)
    source.close()
    return source


async def a_generator_gives_all(model, capacity):
    """`generator` gives the items of an iterable in order."""
    async with model.TaskGroup() as group:
        assert await all_of(csp.generator(model, group, range(3), capacity=capacity)) == [0, 1, 2]


async def a_function_converts_each_item(model, capacity):
    """`map_` keeps the order of the items."""
    async with model.TaskGroup() as group:
        assert await all_of(csp.map_(model, group, double, filled(model, [3, 4]), capacity=capacity)) == [6, 8]


async def a_predicate_chooses(model, capacity):
    """`filter_` keeps the order of the items."""
    async with model.TaskGroup() as group:
        assert await all_of(csp.filter_(model, group, is_odd, filled(model, range(4)), capacity=capacity)) == [1, 3]


async def functions_work_at_the_same_time(model, capacity):
    """`pipeline` calls one function after the other for each item."""
    async with model.TaskGroup() as group:
        source = filled(model, [1, 2])
        assert await all_of(csp.pipeline(model, group, source, double, double, capacity=capacity)) == [4, 8]


async def merge_has_the_items_of_all(model, capacity):
    """`merge` has each item once, and those of one source in their order."""
    async with model.TaskGroup() as group:
        sources = [filled(model, [f"{name}0", f"{name}1"]) for name in "ab"]
        items = await all_of(csp.merge(model, group, *sources, capacity=capacity))
        assert sorted(items) == ["a0", "a1", "b0", "b1"]
        assert [it for it in items if it[0] == "a"] == ["a0", "a1"]
        assert await all_of(csp.merge(model, group)) == []


async def take_ends_what_feeds_it(model, capacity):
    """`take` gives the first items, and the generator of more than anybody could take ends."""
    async with model.TaskGroup() as group:
        numbers = csp.generator(model, group, range(10**9), capacity=capacity)
        assert await all_of(csp.take(model, group, 2, numbers, capacity=capacity)) == [0, 1]


async def take_gives_no_more_than_there_is(model, capacity):
    """`take` ends with its source."""
    async with model.TaskGroup() as group:
        assert await all_of(csp.take(model, group, 2, filled(model, ["x"]), capacity=capacity)) == ["x"]


async def a_reader_may_leave(model, capacity):
    """Once the reader has closed the channel, all that feeds it ends."""
    async with model.TaskGroup() as group:
        numbers = csp.generator(model, group, range(10**9), capacity=capacity)
        doubled = csp.map_(model, group, double, numbers, capacity=capacity)
        await doubled.receive()
        doubled.close()


async def tee_gives_all_to_each(model, capacity):
    """Each channel of `tee` has all items."""
    async with model.TaskGroup() as group:
        one, other = csp.tee(model, group, 2, filled(model, [0, 1]), capacity=capacity)
        report = model.Channel(1)
        group.spawn(read_into, one, report)
        assert await all_of(other) == [0, 1]
        assert await report.receive() == [0, 1]


async def tee_forgets_a_reader_that_leaves(model, capacity):
    """A channel of `tee` that its reader has closed doesn't stop the other one."""
    async with model.TaskGroup() as group:
        one, left = csp.tee(model, group, 2, filled(model, [0, 1]), capacity=capacity)
        left.close()
        assert await all_of(one) == [0, 1]


async def fan_out_gives_each_item_once(model, capacity):
    """Each item is in one of the channels of `fan_out`."""
    async with model.TaskGroup() as group:
        one, other = csp.fan_out(model, group, 2, filled(model, [0, 1]), capacity=capacity)
        report = model.Channel(1)
        group.spawn(read_into, one, report)
        items = await all_of(other)
        assert sorted(items + await report.receive()) == [0, 1]


async def fan_out_loses_nothing_when_a_reader_leaves(model, capacity):
    """The items go to the channels of `fan_out` that are open."""
    async with model.TaskGroup() as group:
        source = model.Channel(2)
        one, left = csp.fan_out(model, group, 2, source, capacity=capacity)
        left.close()
        await source.send(0)
        await source.send(1)
        source.close()
        assert await all_of(one) == [0, 1]


async def what_nobody_reads_is_not_sent(model, capacity):
    """When all readers have left, `tee`, `fan_out` and `broadcast` close their source, and so does `merge`."""
    for spread, count in ((csp.tee, 10**9), (csp.fan_out, 10**9), (csp.broadcast, 3)):  # the last one never waits
        async with model.TaskGroup() as group:
            numbers = csp.generator(model, group, range(count))
            for out in spread(model, group, 2, numbers, capacity=capacity):
                out.close()
    async with model.TaskGroup() as group:
        merged = csp.merge(model, group, csp.generator(model, group, range(10**9)), capacity=capacity)
        await merged.receive()
        merged.close()


async def broadcast_waits_for_nobody(model, capacity):
    """`broadcast` leaves out a reader without room."""
    async with model.TaskGroup() as group:
        slow, fast = csp.broadcast(model, group, 2, filled(model, range(3)), capacity=2)
        got = await all_of(fast)
        assert got == sorted(set(got)) and len(got) >= 2
        assert await all_of(slow) == [0, 1]


async def batches_are_full_but_the_last(model, capacity):
    """`batch` collects items."""
    async with model.TaskGroup() as group:
        numbers = filled(model, range(5))
        assert await all_of(csp.batch(model, group, 2, numbers, capacity=capacity)) == [[0, 1], [2, 3], [4]]


async def a_batch_is_sent_in_time(model, capacity):
    """With `within`, `batch` doesn't wait longer for the rest of a batch."""
    async with model.TaskGroup() as group:
        source = model.Channel(1)
        batches = csp.batch(model, group, 2, source, within=0.01, capacity=capacity)
        await source.send("first")
        assert await batches.receive(PATIENCE) == ["first"]
        source.close()


async def a_source_that_stops_is_left(model, capacity):
    """`timeout` ends when the source has had no item for that time, and closes it."""
    source = model.Channel(1)
    await source.send("only")
    async with model.TaskGroup() as group:
        assert await all_of(csp.timeout(model, group, 0.01, source, capacity=capacity)) == ["only"]
    assert source.closed


async def quit_ends_a_wait_for_the_source(model, capacity):
    """`quit_on` ends while it waits for its source."""
    async with model.TaskGroup() as group:
        quit, silent = model.Channel(1), model.Channel(1)
        out = csp.quit_on(model, group, quit, silent, capacity=capacity)
        await quit.send("enough")
        assert await all_of(out) == []


async def quit_ends_a_wait_for_the_reader(model, capacity):
    """`quit_on` ends while it waits for its reader, and so does what feeds it."""
    async with model.TaskGroup() as group:
        quit, numbers = model.Channel(1), csp.generator(model, group, range(10**9), capacity=capacity)
        csp.quit_on(model, group, quit, numbers, capacity=capacity)
        quit.close()


async def a_function_that_fails_fails_the_group(model, capacity):
    """The exception of a function is that of the group."""
    try:
        async with model.TaskGroup() as group:
            failing = csp.merge(model, group, csp.filter_(model, group, fail, filled(model, [7]), capacity=capacity))
            await failing.receive()
    except ExceptionGroup as errors:
        assert [error for error in errors.exceptions if isinstance(error, LookupError)]
    else:
        raise AssertionError("the failure was lost")


PROGRAMS = {
    it.__name__: it
    for it in (
        a_generator_gives_all,
        a_function_converts_each_item,
        a_predicate_chooses,
        functions_work_at_the_same_time,
        merge_has_the_items_of_all,
        take_ends_what_feeds_it,
        take_gives_no_more_than_there_is,
        a_reader_may_leave,
        tee_gives_all_to_each,
        tee_forgets_a_reader_that_leaves,
        fan_out_gives_each_item_once,
        fan_out_loses_nothing_when_a_reader_leaves,
        what_nobody_reads_is_not_sent,
        broadcast_waits_for_nobody,
        batches_are_full_but_the_last,
        a_batch_is_sent_in_time,
        a_source_that_stops_is_left,
        quit_ends_a_wait_for_the_source,
        quit_ends_a_wait_for_the_reader,
        a_function_that_fails_fails_the_group,
    )
}
