"""The pool: `submit`, and which worker runs a task."""

from weakref import ref

from .pool_tools import Uncollected, all_of, be_freed, double, hold, mark, meet, of_one_memory, of_separate_memory
from .tools import INF, PATIENCE, answer, drain, guarantee, raises

NEEDS = ("Pool",)


@guarantee()
async def submit_gives_the_result(model):
    """`submit` has one worker call the function; the result can be asked for any number of times."""
    async with model.Pool(2) as pool:
        call = await pool.submit(answer, "value")
        assert await call.result(PATIENCE) == "value"
        assert await call.result() == "value"
        assert call.done()
    assert await call.result(0) == "value"


async def tell(*args, **kwargs):
    """Return the arguments of this call."""
    return args, kwargs


@guarantee()
async def arguments_are_passed_on(model):
    """`submit(fn, /, *args, **kwargs)` has a worker call `fn(*args, **kwargs)`, whatever the names of the arguments
    are.
    """
    async with model.Pool(1) as pool:
        call = await pool.submit(tell, 1, [2], function=3, self=("s",), fn=None, args=5)
        assert await call.result(PATIENCE) == ((1, [2]), {"function": 3, "self": ("s",), "fn": None, "args": 5})


@guarantee()
async def the_function_has_no_name(model):
    """The first parameter of `submit` and of `map` is positional only: passing the function by name raises
    `TypeError`."""
    async with model.Pool(1) as pool:
        for name in ("fn", "function"):
            with raises(TypeError):
                await pool.submit(**{name: answer})
            with raises(TypeError):
                await all_of(pool.map(**{name: answer}))


async def make_set(number):
    """Return a set of one number: an object that can be referred to weakly."""
    return {number}


@guarantee()
async def a_call_that_is_dropped_takes_its_result_along(model):
    """After a result has been asked for, only the caller holds the call and its result."""
    with Uncollected():
        async with model.Pool(2) as pool:
            for number in range(5):
                call = await pool.submit(make_set, number)
                result = await call.result(PATIENCE)
                kept = ref(result), ref(call)
                del result, call
                await be_freed(model, pool, *kept)


@guarantee(value=(None, False, "text", ("a", [1, {"b": None}]), b"\0" * 3_000_000))
async def values_travel_both_ways(model, value):
    """Arguments and results of tasks can have any size."""
    async with model.Pool(1) as pool:
        call = await pool.submit(answer, value)
        assert await call.result(PATIENCE) == value


@guarantee()
async def a_pool_knows_its_workers(model):
    """`workers` is the number of workers."""
    async with model.Pool(3) as pool:
        assert pool.workers == 3


def as_many_as_cpus():
    """Return the number of CPUs that this program may use."""
    import os

    return os.process_cpu_count() or 1


@guarantee(by=of_separate_memory)
async def there_are_as_many_workers_as_cpus(model):
    """By default a pool has as many workers as there are CPUs."""
    async with model.Pool() as pool:
        assert pool.workers == as_many_as_cpus()


@guarantee(by=of_one_memory)
async def there_are_four_workers_more_than_cpus(model):
    """By default a pool has four more workers than there are CPUs, but at most 32."""
    async with model.Pool() as pool:
        assert pool.workers == min(32, as_many_as_cpus() + 4)


@guarantee(count=(0, -1))
async def a_pool_has_at_least_one_worker(model, count):
    """`Pool(workers)` raises `ValueError` for less than one worker."""
    with raises(ValueError):
        model.Pool(count)


@guarantee()
async def more_tasks_than_workers(model, effort):
    """Each task is begun only once, even if there are many more tasks than workers."""
    marks = model.Channel(INF)
    async with model.Pool(2) as pool:
        calls = [await pool.submit(mark, marks, number) for number in range(effort.items)]
        assert [await call.result(PATIENCE) for call in calls] == list(range(effort.items))
    assert sorted(drain(marks)) == list(range(effort.items))


@guarantee()
async def workers_work_at_the_same_time(model):
    """All workers run tasks at the same time, so as many tasks as there are workers can wait for each other."""
    channels = [model.Channel(INF) for _ in range(3)]
    async with model.Pool(3) as pool:
        calls = [await pool.submit(meet, channels[n], channels[n - 1]) for n in range(3)]
        assert [await call.result(PATIENCE) for call in calls] == ["here"] * 3


@guarantee()
async def a_lone_task_is_not_held_back(model):
    """A single task is begun at once: it does not wait until others can be sent together with it."""
    begun, gate = model.Channel(INF), model.Channel(0)
    async with model.Pool(2) as pool:
        first = await pool.submit(hold, begun, gate, "first")
        assert await begun.receive(PATIENCE) == "first"
        second = await pool.submit(close, gate)
        assert await first.result(PATIENCE) == "first"
        assert await second.result(PATIENCE) is None


async def close(channel):
    """Close this channel."""
    channel.close()


@guarantee()
async def a_free_worker_does_what_a_busy_one_has_not_begun(model):
    """As long as a worker is free, no task waits for another one, whatever the other workers have begun."""
    begun, gate = model.Channel(INF), model.Channel(0)
    async with model.Pool(2) as pool:
        calls = [await pool.submit(double, number) for number in range(20)]
        slow = await pool.submit(hold, begun, gate, "slow")
        calls += [await pool.submit(double, number) for number in range(20)]
        assert [await call.result(PATIENCE) for call in calls] == [*range(0, 40, 2)] * 2
        gate.close()
        assert await slow.result(PATIENCE) == "slow"


@guarantee(timeout=(0, -1, 0.02))
async def waiting_for_a_result_may_time_out(model, timeout):
    """`result(timeout)` raises `TimeoutError`; the task goes on undisturbed."""
    begun, gate = model.Channel(INF), model.Channel(0)
    async with model.Pool(1) as pool:
        call = await pool.submit(hold, begun, gate, "value")
        with raises(TimeoutError):
            await call.result(timeout)
        assert not call.done()
        gate.close()
        assert await call.result(PATIENCE) == "value"


# Pools, tasks and other pools.


async def sum_of_doubles(pool, numbers):
    """Let the pool of this task do the work."""
    calls = [await pool.submit(double, number) for number in numbers]
    return sum([await call.result() for call in calls])


@guarantee()
async def a_task_may_give_its_pool_tasks(model):
    """A task may give its own pool further tasks and wait for them."""
    async with model.Pool(3) as pool:
        calls = [await pool.submit(sum_of_doubles, pool, range(start, 9)) for start in (0, 5)]
        assert [await call.result(PATIENCE) for call in calls] == [72, 52]


async def map_doubles(pool, count):
    """Let the pool of this task do the work, by `map`."""
    return [result async for result in pool.map(double, range(count))]


@guarantee()
async def a_task_may_map(model):
    """A task may give its own pool further tasks by `map`, and wait for them."""
    async with model.Pool(2) as pool:
        call = await pool.submit(map_doubles, pool, 10)
        assert await call.result(PATIENCE) == list(range(0, 20, 2))


async def submit_and_go(pool, marks, number):
    """Give the pool one more task, and end."""
    await pool.submit(mark, marks, number)


@guarantee()
async def what_tasks_submit_is_done_before_the_end(model):
    """Leaving the `with` waits until everything is done, including tasks that were submitted by tasks of the pool."""
    marks = model.Channel(INF)
    async with model.Pool(2) as pool:
        calls = [await pool.submit(submit_and_go, pool, marks, number) for number in range(4)]
        for call in calls:
            await call.result(PATIENCE)
    assert sorted(drain(marks)) == [0, 1, 2, 3]


@guarantee()
async def a_task_of_a_group_may_use_a_pool(model):
    """A pool can be passed to a task of a group, which can use it like the task that made it."""
    async with model.Pool(2) as pool:
        async with model.TaskGroup() as group:
            task = group.spawn(map_doubles, pool, 5)
        assert await task.result() == [0, 2, 4, 6, 8]


@guarantee()
async def many_may_use_a_pool(model, effort):
    """Several tasks of a group may submit to a pool at the same time; each gets its own results."""
    count = min(effort.items, 50)
    async with model.Pool(2) as pool:
        async with model.TaskGroup() as group:
            tasks = [group.spawn(map_doubles, pool, count) for _ in range(3)]
            mine = await map_doubles(pool, count)
        for result in (mine, *[await task.result() for task in tasks]):
            assert result == list(range(0, 2 * count, 2))


async def ask_a_task(model, number):
    """Let a task of a group of its own double the number and send the result through a channel."""
    answers = model.Channel(1)
    async with model.TaskGroup() as group:
        group.spawn(double_and_send, answers, number)
        return await answers.receive(PATIENCE)


async def double_and_send(answers, number):
    """Send twice the number."""
    await answers.send(2 * number)


@guarantee()
async def a_worker_is_a_task(model):
    """The tasks of a pool may do everything that a task may do: make channels, and spawn tasks in groups of their
    own."""
    async with model.Pool(2) as pool:
        calls = [await pool.submit(ask_a_task, model, number) for number in range(4)]
        assert [await call.result(PATIENCE) for call in calls] == [0, 2, 4, 6]


async def make_a_pool(model, count):
    """Make a pool in this task."""
    async with model.Pool(2) as pool:
        return await map_doubles(pool, count)


@guarantee()
async def a_task_may_make_a_pool(model):
    """A task may make a pool of its own, both a task of a group and a task of another pool."""
    async with model.TaskGroup() as group:
        task = group.spawn(make_a_pool, model, 5)
    assert await task.result() == [0, 2, 4, 6, 8]
    async with model.Pool(1) as pool:
        call = await pool.submit(make_a_pool, model, 3)
        assert await call.result(PATIENCE) == [0, 2, 4]


@guarantee()
async def two_pools_are_two(model):
    """Each pool has its own workers: tasks of two pools can wait for each other."""
    here, there = model.Channel(INF), model.Channel(INF)
    async with model.Pool(1) as first, model.Pool(1) as second:
        calls = [await first.submit(meet, here, there), await second.submit(meet, there, here)]
        assert [await call.result(PATIENCE) for call in calls] == ["here", "here"]
