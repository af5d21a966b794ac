"""What other libraries do with an executor, done with a pool."""

import asyncio
import itertools

import dask.threaded
import joblib
import pool_tasks as tasks
import pytest
import tenacity
from joblib.parallel import ParallelBackendBase
from pool_models import COOPERATIVE, runs
from stuck import model_of

from concmodels import catalog
from concmodels.errors import CannotTravel

SYNC = [name for name in catalog.names() if not catalog.facts(name).is_async and name != "dask"]
BESIDE_A_LOOP = [name for name in SYNC if name not in COOPERATIVE]
"""Those whose workers go on while the thread that made the pool is in an event loop."""


@runs(BESIDE_A_LOOP)
def test_asyncio_runs_functions_in_a_pool(model):
    async def main(pool):
        run = asyncio.get_running_loop().run_in_executor
        assert await asyncio.gather(*(run(pool, pow, 2, it) for it in range(20))) == [2**it for it in range(20)]
        with pytest.raises(ZeroDivisionError):
            await run(pool, divmod, 1, 0)
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0):  # it has passed before the task can end
                await run(pool, model.sleep, 0.1)

    with model.Pool(2) as pool:
        asyncio.run(main(pool))


@runs(BESIDE_A_LOOP)
def test_dask_computes_a_graph_in_a_pool(model):
    """Dask asks an executor for `_max_workers`, and waits for it with a queue made for threads."""
    graph = {"a": 3, "b": (pow, "a", 2), "c": (pow, "b", 2)}
    with model.Pool(2) as pool:
        assert dask.threaded.get(graph, "c", pool=pool) == 81


class PoolBackend(ParallelBackendBase):
    """A backend of joblib that gives its batches to a pool."""

    def __init__(self, pool):
        super().__init__(nesting_level=0)
        self.pool = pool

    def effective_n_jobs(self, n_jobs):
        return self.pool.workers

    def submit(self, func, callback=None):
        future = self.pool.submit(func)
        future.add_done_callback(callback)
        return future

    def retrieve_result(self, out, timeout=None):
        return out.result(timeout)


def in_parallel(pool, function, *iterables, **options):
    calls = (joblib.delayed(function)(*items) for items in zip(*iterables, strict=False))
    with joblib.parallel_config(PoolBackend(pool)):
        return joblib.Parallel(n_jobs=2, **options)(calls)


def joblib_runs_on(model, **options):
    with model.Pool(2) as pool:
        assert in_parallel(pool, pow, itertools.repeat(2), range(50), **options) == [2**it for it in range(50)]
        with pytest.raises(ZeroDivisionError):
            in_parallel(pool, divmod, range(3), range(3), **options)


@runs([name for name in BESIDE_A_LOOP if name != "subinterp"])
def test_joblib_runs_on_a_pool(model):
    joblib_runs_on(model)


@runs(COOPERATIVE)
def test_joblib_runs_on_a_cooperative_pool(model):
    """Without `pre_dispatch` the workers submit too, under a lock of joblib's that keeps only threads apart."""
    joblib_runs_on(model, pre_dispatch="all")


def test_joblib_can_not_be_imported_in_a_subinterpreter():
    """It imports `faulthandler`, which refuses. What its worker says arrives."""
    model = model_of("subinterp")

    def main():
        with model.Pool(2) as pool, pytest.raises(CannotTravel, match="faulthandler does not support"):
            in_parallel(pool, abs, range(3))

    model.run(main)


@runs(SYNC)
def test_tenacity_tries_again(model):
    """In the program, with a new task for each attempt, and in a task."""
    again = tenacity.Retrying(stop=tenacity.stop_after_attempt(4), wait=tenacity.wait_fixed(0.001), sleep=model.sleep)
    with model.Pool(2) as pool:
        divisors = iter([0, 0, 3])
        assert again(lambda: pool.submit(divmod, 9, next(divisors)).result()) == (3, 0)
        assert again.statistics["attempt_number"] == 3
        assert pool.submit(tasks.tried_again, model.sleep, 0, 3).result() == 3
        with pytest.raises(ZeroDivisionError):
            pool.submit(tasks.tried_again, model.sleep, 0, 0).result()
