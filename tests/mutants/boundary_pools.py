"""Pools of processes and interpreters, each broken in one way."""

from functools import partial

from concmodels.errors import WorkerDied
from mutants import mutant, replace
from mutants.steps import (
    BATCHES,
    BEGUN,
    BOUNDARY_FUTURE,
    COLLECT,
    DISPATCHER,
    DISPATCHER_MODULE,
    FETCH,
    INITIALIZER,
    MAP_CALL,
    MEMORY,
    REAP,
    SIZE,
    START_WORKER,
    TASKS_BEGUN,
    WORK,
    WORKER,
    WORKER_MEMORY,
    found,
)


def twice(fn, /, *args, **kwargs):
    """Call it twice."""
    fn(*args, **kwargs)
    return fn(*args, **kwargs)


@mutant("processes", "pooling_map")
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


@mutant("processes", "pooling")
def begins_a_call_twice(model):
    """A call is done twice."""

    @replace(model.Pool, "submit")
    def submit(submit, self, fn, /, *args, **kwargs):
        return submit(self, partial(twice, fn), *args, **kwargs)


@mutant("subinterp", "pooling")
def gives_the_result_of_the_call_before(model):
    """`submit` gives the future of the call before."""

    @replace(model.Pool, "submit")
    def submit(submit, self, fn, /, *args, **kwargs):
        future = submit(self, fn, *args, **kwargs)
        before, self.before = getattr(self, "before", future), future
        return before


@mutant("subinterp", "pooling_ends")
def cancels_what_is_at_work(model):
    """`cancel()` of a call that has begun says True."""

    @replace(found(BOUNDARY_FUTURE), "cancel")
    def cancel(cancel, self):
        return cancel(self) or self.running()


@mutant("subinterp", "pooling_map")
def map_loses_the_end_of_a_chunk(model):
    """Of several items that `map` takes from its iterable at once the last is lost."""

    @replace(found(MAP_CALL), FETCH)
    def fetch(fetch, self, most):
        items = fetch(self, most)
        return items[:-1] if len(items) > 3 else items


@mutant("subinterp", "pooling_failures", "pooling_boundaries")
def loses_the_type_of_an_exception(model):
    """What a call raises arrives as a `RuntimeError`."""

    @replace(found(BOUNDARY_FUTURE), "result")
    def result(result, self, timeout=None):
        try:
            return result(self, timeout)
        except TimeoutError:
            raise
        except Exception as error:
            raise RuntimeError(str(error)) from error


@mutant("processes", "pooling_ends", "pooling_async")
def shutdown_does_not_wait(model):
    """`shutdown` never waits."""

    @replace(model.Pool, "shutdown")
    def shutdown(shutdown, self, wait=True, *, cancel_futures=False):
        shutdown(self, False, cancel_futures=cancel_futures)


@mutant("processes", "pooling_deaths")
def names_another_worker(model):
    """`WorkerDied` names another worker than the one that has died."""
    found(DISPATCHER_MODULE).WorkerDied = lambda text, _worker: WorkerDied(text, "worker 99")


@mutant("processes", "pooling_deaths")
def begins_a_deadly_task_again(model):
    """The task in which a worker has died is given to another worker."""
    begun = getattr(found(WORKER_MEMORY), BEGUN)

    @replace(found(WORKER), REAP)
    def reap(reap, self, error):
        getattr(self, COLLECT)()
        for batch in getattr(self, BATCHES):
            getattr(self, MEMORY)[begun] = batch.number + batch.done - 1
            break
        reap(self, error)


@mutant("processes", "pooling_deaths")
def does_the_batch_of_a_dead_worker_again(model):
    """What a worker had done of its batch before it died is done again."""

    @replace(found(WORKER), REAP)
    def reap(reap, self, error):
        for batch in getattr(self, BATCHES):
            getattr(batch, WORK).give_back(batch.first, batch.tasks[: batch.done])
            break
        reap(self, error)


@mutant("processes", "pooling", "pooling_ends")
def takes_back_what_has_begun(model):
    """The task that a worker is in counts as not begun."""

    @replace(found(WORKER), TASKS_BEGUN)
    def begun(begun, self, batch):
        return max(batch.done, begun(self, batch) - 1)


@mutant("processes", "pooling_deaths")
def replaces_no_worker(model):
    """No worker takes the place of a dead one."""

    @replace(found(DISPATCHER), START_WORKER)
    def start(start, self):
        self.started = getattr(self, "started", 0) + 1
        if self.started <= getattr(self, SIZE):
            start(self)


@mutant("processes:fork", "pooling_deaths")
def prepares_no_new_worker(model):
    """A worker that takes the place of a dead one does not call the initializer."""

    @replace(found(DISPATCHER), START_WORKER)
    def start(start, self):
        self.started = getattr(self, "started", 0) + 1
        if self.started > getattr(self, SIZE):
            setattr(self, INITIALIZER, (None, ()))
        start(self)
