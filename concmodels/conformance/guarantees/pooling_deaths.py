"""The pool: workers that die without a result, which can only happen to processes."""

import itertools

from concmodels.errors import TaskDied, WorkerDied

from .pool_tools import all_of, double, hold, mark, meet, next_of, of_processes, outcome_of
from .tools import INF, PATIENCE, Attempts, Trouble, drain, guarantee, pause, raises

NEEDS = ("Pool",)

DEATHS = ("killed", "gone")


async def die(how):
    """End this process at once."""
    import os
    import signal

    if how == "killed":
        os.kill(os.getpid(), signal.SIGKILL)
    os._exit(3)


async def whoami():
    """Return the id of this process."""
    import os

    return os.getpid()


def kill(process):
    """End another process at once."""
    import os
    import signal

    os.kill(process, signal.SIGKILL)


@guarantee(by=of_processes, how=DEATHS)
async def the_task_of_a_dead_worker_fails(model, how):
    """If a worker dies while it runs a task, the task fails with `WorkerDied`, which names the worker."""
    async with model.Pool(2) as pool:
        call = await pool.submit(die, how)
        with raises(WorkerDied) as caught:
            await call.result(PATIENCE)
    assert caught.error.worker and caught.error.worker in str(caught.error)


async def show_and_sleep(shown):
    """Show which process this is, in shared memory, and wait to be killed.

    Nothing of the library is used from there on: a process that is killed while it holds a lock ends the run, and one
    that has sent a message may still hold the channel's when its message is received.
    """
    import os
    import time

    with shown.view() as view:
        view.cast("q")[0] = os.getpid()
    time.sleep(PATIENCE)


async def seen(model, shown):
    """Wait until a process has shown itself, and return its id."""
    attempts = Attempts(model)
    with shown.view() as view, view.cast("q") as number:
        while not number[0]:
            next(attempts)
            await model.sleep(0.001)
        return number[0]


@guarantee(by=of_processes)
async def a_worker_that_died_was_not_cancelled(model, effort):
    """If a worker is killed and then the body of the `with` raises, the call in it fails with `WorkerDied` all the
    same."""
    for _ in range(effort.rounds):
        with model.share(bytearray(8)) as shown, raises(Trouble):
            async with model.Pool(1) as pool:
                call = await pool.submit(show_and_sleep, shown)
                kill(await seen(model, shown))
                raise Trouble("in the body")
        assert await outcome_of(call) is WorkerDied


async def die_or_mark(marks, deadly, number):
    """Leave a mark; then die if this is the right number."""
    await mark(marks, number)
    if number == deadly:
        await die("killed")
    return number


@guarantee(by=of_processes, deadly=(0, 7, 39))
async def the_others_are_done_once(model, deadly):
    """Tasks that a dead worker had not begun go to other workers; no task is begun twice."""
    marks = model.Channel(INF)
    async with model.Pool(2) as pool:
        calls = [await pool.submit(die_or_mark, marks, deadly, number) for number in range(40)]
        outcomes = [await outcome_of(call) for call in calls]
    assert outcomes == [*range(deadly), WorkerDied, *range(deadly + 1, 40)]
    assert sorted(drain(marks)) == list(range(40))


@guarantee(by=of_processes, deadly=(0, 3, 39), chunksize=(None, 8))
async def a_death_is_raised_in_its_turn(model, deadly, chunksize):
    """`map` raises the death of a worker in place of the result of its task; other tasks of its batch are done once."""
    marks = model.Channel(INF)
    async with model.Pool(2) as pool:
        results = pool.map(
            die_or_mark, itertools.repeat(marks), itertools.repeat(deadly), range(40), chunksize=chunksize
        )
        assert sorted([await marks.receive(PATIENCE) for _ in range(40)]) == list(range(40))
        assert [await next_of(results) for _ in range(deadly)] == list(range(deadly))
        with raises(WorkerDied):
            await next_of(results)
        assert await all_of(pool.map(double, range(5))) == [0, 2, 4, 6, 8]
    assert drain(marks) == []


@guarantee(by=of_processes)
async def a_new_worker_takes_the_place(model):
    """A new worker takes the place of a dead one: after several deaths there are as many workers as before."""
    async with model.Pool(2) as pool:
        for number in range(4):
            call = await pool.submit(die, DEATHS[number % 2])
            assert await outcome_of(call) is WorkerDied
        here, there = model.Channel(INF), model.Channel(INF)
        calls = [await pool.submit(meet, here, there), await pool.submit(meet, there, here)]
        assert [await outcome_of(call) for call in calls] == ["here", "here"]
        assert pool.workers == 2


@guarantee(by=of_processes)
async def the_new_worker_calls_the_initializer(model):
    """A worker that takes the place of a dead one first calls `initializer(*initargs)` too."""
    marks = model.Channel(INF)
    async with model.Pool(1, initializer=mark, initargs=(marks, "ready")) as pool:
        for _ in range(2):
            assert await outcome_of(await pool.submit(die, "killed")) is WorkerDied
        assert await outcome_of(await pool.submit(mark, marks, "done")) == "done"
    assert drain(marks) == ["ready", "ready", "ready", "done"]


@guarantee(by=of_processes)
async def the_last_worker_is_replaced_too(model):
    """If the only worker dies, tasks that it had not begun go to the worker that takes its place."""
    async with model.Pool(1) as pool:
        calls = [await pool.submit(*task) for task in ((die, "killed"), (double, 1), (die, "gone"), (double, 2))]
        assert [await outcome_of(call) for call in calls] == [WorkerDied, 2, WorkerDied, 4]


@guarantee(by=of_processes)
async def all_workers_may_die_at_once(model):
    """Every dead worker is replaced, even if all workers die."""
    async with model.Pool(3) as pool:
        calls = [await pool.submit(die, "killed") for _ in range(3)]
        assert [await outcome_of(call) for call in calls] == [WorkerDied] * 3
        assert await all_of(pool.map(double, range(6))) == [0, 2, 4, 6, 8, 10]


@guarantee(by=of_processes)
async def an_idle_worker_may_die(model):
    """If a worker dies while it runs no task, no task fails."""
    async with model.Pool(1) as pool:
        for number in range(3):
            process = await (await pool.submit(whoami)).result(PATIENCE)
            if number == 1:
                await pause(model)
            kill(process)
            call = await pool.submit(whoami)
            assert await outcome_of(call) not in (process, WorkerDied)


@guarantee(by=of_processes)
async def a_worker_may_be_killed_from_outside(model):
    """If a worker is killed while its task waits, the task fails with `WorkerDied`; the other workers go on."""
    begun, gate = model.Channel(INF), model.Channel(0)
    with model.share(bytearray(8)) as shown:
        async with model.Pool(2) as pool:
            calls = [await pool.submit(show_and_sleep, shown), await pool.submit(hold_and_tell, begun, gate)]
            other = await begun.receive(PATIENCE)
            kill(await seen(model, shown))
            await pause(model)
            gate.close()
            assert [await outcome_of(call) for call in calls] == [WorkerDied, other]


async def hold_and_tell(begun, gate):
    """Hold, and report the id of this process."""
    return await hold(begun, gate, await whoami())


@guarantee(by=of_processes)
async def leaving_survives_a_death(model):
    """Leaving the `with` waits until everything is done, and ends even though workers die meanwhile."""
    marks = model.Channel(INF)
    async with model.Pool(2) as pool:
        calls = [await pool.submit(die_or_mark, marks, 3, number) for number in range(10)]
    assert [await outcome_of(call) for call in calls] == [0, 1, 2, WorkerDied, *range(4, 10)]
    assert sorted(drain(marks)) == list(range(10))


@guarantee(by=of_processes)
async def a_death_in_the_initializer_breaks_the_pool(model):
    """A worker that dies in the initializer breaks the pool; its death is the `__cause__` of the `BrokenExecutor`."""
    from concurrent.futures import BrokenExecutor

    async with model.Pool(2, initializer=die, initargs=("killed",)) as pool:
        with raises(BrokenExecutor) as caught:
            call = await pool.submit(double, 1)
            await call.result(PATIENCE)
    assert isinstance(caught.error.__cause__, TaskDied)
