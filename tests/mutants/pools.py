"""Pools whose workers share one memory, each broken in one way."""

from concurrent.futures import Future

from mutants import mutant, replace
from mutants.steps import ASYNC_WORKERS, FUTURE, INBOX, REFUSAL, WAITING, WORKERS, WORKERS_WAIT, found


@mutant("threads", "pooling_map.map_keeps_the_order")
def map_is_out_of_order(model):
    """Every second result of a `map` comes before the one before it."""

    def swapped(results):
        for one in results:
            for other in results:
                yield other
                break
            yield one

    @replace(model.Pool, "map")
    def map(map, self, fn, /, *iterables, **how):
        return swapped(map(self, fn, *iterables, **how))


@mutant("greenlet", "pooling.more_tasks_than_workers")
def gives_the_result_of_the_call_before(model):
    """`submit` gives the future of the call before."""

    @replace(model.Pool, "submit")
    def submit(submit, self, fn, /, *args, **kwargs):
        future = submit(self, fn, *args, **kwargs)
        before, self.before = getattr(self, "before", future), future
        return before


@mutant("threads", "pooling.more_tasks_than_workers")
def begins_a_call_twice(model):
    """A call is done twice."""

    def twice(fn):
        def call(*args, **kwargs):
            fn(*args, **kwargs)
            return fn(*args, **kwargs)

        return call

    @replace(model.Pool, "submit")
    def submit(submit, self, fn, /, *args, **kwargs):
        return submit(self, twice(fn), *args, **kwargs)


@mutant("threads", "pooling_ends.what_has_not_begun_can_be_taken_back")
def cancels_what_is_at_work(model):
    """`cancel()` of a call that has begun says True."""
    future = found(FUTURE)

    @replace(future, "cancel")
    def cancel(cancel, self):
        return cancel(self) or self.running()


@mutant("greenlet", "pooling_failures.an_error_keeps_its_type")
def loses_an_exception(model):
    """A call that raises returns None."""

    def calm(fn):
        def call(*args, **kwargs):
            try:
                return fn(*args, **kwargs)
            except Exception:  # noqa: BLE001 - the defect
                return None

        return call

    @replace(model.Pool, "submit")
    def submit(submit, self, fn, /, *args, **kwargs):
        return submit(self, calm(fn), *args, **kwargs)


@mutant("threads", "pooling_ends.after_shutdown_nothing_is_taken", "pooling_async")
def shutdown_does_not_wait(model):
    """`shutdown` never waits."""

    @replace(model.Pool, "shutdown")
    def shutdown(shutdown, self, wait=True, *, cancel_futures=False):
        shutdown(self, False, cancel_futures=cancel_futures)


@mutant("asyncio", "pooling_ends.leaving_waits_until_everything_is_done")
def leaving_cancels_what_waits(model):
    """Leaving the `with` cancels what has not begun."""

    @replace(model.Pool, "__aexit__")
    async def leave(leave, self, *error):
        await self.shutdown(False, cancel_futures=True)
        return await leave(self, *error)


@mutant("asyncio", "pooling_ends.the_initializer_goes_first")
def calls_no_initializer(model):
    """The initializer is not called."""

    @replace(model.Pool, "__init__")
    def init(init, self, workers=None, *, initializer=None, initargs=()):
        init(self, workers)


@mutant("threads", "pooling_ends.a_broken_pool_gives_nobody_up")
def calls_one_initializer(model):
    """Only one worker calls the initializer."""

    def once(initializer):
        calls = [initializer]

        def call(*args):
            if calls:
                calls.pop()(*args)

        return call

    @replace(model.Pool, "__init__")
    def init(init, self, workers=None, *, initializer=None, initargs=()):
        init(self, workers, initializer=initializer and once(initializer), initargs=initargs)


@mutant("threads", "pooling_ends.the_initializer_goes_first", "pooling")
def has_a_worker_too_many(model):
    """A pool has one worker more than it says."""

    @replace(model.Pool, "__init__")
    def init(init, self, workers=None, **how):
        self.said = workers
        init(self, workers and workers + 1, **how)

    said = model.Pool.workers.fget
    model.Pool.workers = property(lambda self: self.said or said(self))


@mutant("trio", "pooling_map.map_keeps_the_order")
def map_loses_its_end(model):
    """`map` of several items loses the last result."""

    async def without_last(results):
        before = []
        async for result in results:
            if before:
                yield before.pop()
            before.append(result)

    @replace(model.Pool, "map")
    def map(map, self, fn, /, *iterables, **how):
        return without_last(map(self, fn, *iterables, **how))


@mutant("greenlet", "pooling_map.map_begins_each_task_once")
def map_ignores_its_buffersize(model):
    """`map` takes all items at once, also with a `buffersize`."""

    @replace(model.Pool, "map")
    def map(map, self, fn, /, *iterables, buffersize=None, **how):
        first = [[*zip(range(1000), iterable, strict=False)] for iterable in iterables]
        return map(self, fn, *([item for _, item in items] for items in first), buffersize=buffersize, **how)


@mutant("greenlet", "pooling_ends.a_failed_initializer_breaks_the_pool")
def works_after_its_shutdown(model):
    """`submit` after the shutdown does the call itself."""

    @replace(model.Pool, "submit")
    def submit(submit, self, fn, /, *args, **kwargs):
        try:
            return submit(self, fn, *args, **kwargs)
        except RuntimeError:
            future = Future()
            future.set_result(fn(*args, **kwargs))
            return future


@mutant("greenlet", "pooling_failures")
def waits_though_the_body_has_failed(model):
    """When the body fails, what has begun goes on."""

    @replace(model.Pool, "__exit__")
    def leave(leave, self, *error):
        leave(self, None, None, None)


@mutant("threads", "pooling_failures")
def finds_no_deadlock_of_workers(model):
    """When all workers wait for what none can begin, they wait for ever."""

    @replace(found(WORKERS), WORKERS_WAIT)
    def wait_for_ever(_, self, waiter, timeout):
        found(WAITING).wait(waiter, timeout)


@mutant("threads", "pooling_ends.who_is_cancelled_with_the_pool_hears_of_that")
def tells_a_cancelled_task_that_the_pool_has_ended(model):
    """The workers say why they take nothing more, whether their caller is cancelled or not."""

    @replace(found(WORKERS), REFUSAL)
    def refuse_at_once(_, self):
        return getattr(getattr(self, INBOX), REFUSAL)()


@mutant("trio", "pooling_ends.who_is_cancelled_with_the_pool_hears_of_that")
def tells_an_awaiting_task_that_the_pool_has_ended(model):
    """As the one before."""

    @replace(found(ASYNC_WORKERS), REFUSAL)
    async def refuse_at_once(_, self):
        return getattr(getattr(self, INBOX), REFUSAL)()
