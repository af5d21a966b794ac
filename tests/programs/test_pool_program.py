"""The pool program from Python: its results, its refusals, and that it notices tasks and workers that fail."""

import dataclasses
import os
import signal

import pytest
from kinds import HALVES, KINDS, one_of_each_kind, paired
from platforms import linux_files

from concmodels import catalog
from concmodels.errors import ModelUnavailable, UnknownModel
from concmodels.pool import plan, pool, program
from concmodels.pool.plan import PoolPlan, PoolResult
from concmodels.programs import limits
from concmodels.programs.result import FAILED
from concmodels.work.nothing import Work

NAMES = catalog.names(variants=True)
WORKS = [
    ("nothing", {}, 300),
    ("cpu", {"size": 200}, 20),
    ("cpu", {"kind": "fibonacci", "size": 8}, 20),
    ("cpu", {"kind": "sort", "size": 20}, 20),
    ("buffer", {"numbers": 100_000}, 7),
    ("buffer", {"buffer": "copy", "numbers": 1000}, 7),
]
SYNC_AND_ASYNC = ["threads", "greenlet", "processes", "asyncio", "trio", "anyio"]


def measured(name, **settings):
    """The result on this model, if it can run here."""
    try:
        return pool(name, **settings)
    except ModelUnavailable as error:
        pytest.skip(str(error))


def works():
    """Each work on each model; as a rule in one of its sizes, in turn, and without the variants (see `kinds`)."""
    for number, name in enumerate(NAMES):
        for work, sizes, tasks in WORKS:
            all_sizes = [it for other, it, _ in WORKS if other == work]
            in_turn = name in catalog.names() and sizes is all_sizes[number % len(all_sizes)]
            yield pytest.param(name, work, sizes, tasks, marks=[] if in_turn else [pytest.mark.thorough])


@pytest.mark.parametrize(("name", "work", "sizes", "tasks"), [*works()])
def test_every_model_does_every_work(name, work, sizes, tasks):
    result = measured(name, tasks=tasks, work=work, workers=2, **sizes)
    assert result.error is None
    assert (result.verified, result.tasks, result.workers, result.work) == (True, tasks, 2, work)
    assert result.sizes | sizes == result.sizes


@pytest.mark.parametrize("name", one_of_each_kind(NAMES, of=[it for it in KINDS if it != "subinterp"]))
def test_every_model_waits_for_a_server(name):
    result = measured(name, tasks=12, work="io", workers=3, delay=20)
    assert result.error is None
    assert result.speedup == pytest.approx(result.loop_s / result.run_s)  # `test_work` shows that they wait together


FEW_AND_MANY = [(1, 5), (5, 2), (5, 200)]


@pytest.mark.parametrize(
    ("name", "numbers"),
    paired(["threads", "processes", "subinterp", "trio"], FEW_AND_MANY, fully=["threads", "trio"]),
)
def test_any_number_of_workers_does_any_number_of_tasks(name, numbers):
    workers, tasks = numbers
    result = measured(name, tasks=tasks, work="nothing", workers=workers)
    assert (result.error, result.workers) == (None, workers)


@linux_files
def test_the_figures_fit_together():
    result = pool("threads", tasks=500, work="nothing", workers=2)
    assert result.total_s == pytest.approx(result.setup_s + result.run_s + result.teardown_s)
    assert result.tasks_per_s == pytest.approx(500 / result.run_s)
    assert result.us_per_task == pytest.approx(result.run_s / 500 * 1e6)
    assert result.speedup == pytest.approx(result.loop_s / result.run_s)
    assert result.loop_tasks == 500
    assert 0 < result.peak_pss_bytes <= result.peak_rss_bytes * 1.01


def test_what_prepares_the_work_is_in_no_lap():
    quick = pool("threads", tasks=3, work="io", workers=3, delay=100)
    assert quick.error is None
    assert quick.loop_s > 0.3
    assert quick.setup_s < 0.3 + quick.loop_s / 2  # one round of the workers, and not the server, nor the loop
    assert quick.teardown_s < quick.loop_s / 3


def test_a_long_loop_is_left_and_extrapolated(monkeypatch):
    monkeypatch.setattr(program, "_LOOP_S", 0.1)
    result = pool("threads", tasks=60, work="io", workers=30, delay=20)
    assert result.loop_tasks < 10
    assert result.loop_s > 60 * 0.02


def test_the_result_is_immutable_and_survives_json():
    result = pool("greenlet", tasks=3, work="cpu", size=10)
    with pytest.raises(dataclasses.FrozenInstanceError):
        result.run_s = 0
    assert PoolResult.from_json(result.to_json()) == result
    assert list(result.to_json())[:6] == ["model", "variant", "work", "sizes", "tasks", "workers"]


def test_processes_report_their_own_use():
    size = 3000
    alone = pool("threads", tasks=20, work="cpu", size=size)
    result = pool("processes", tasks=20, work="cpu", size=size, workers=2)
    assert result.cpu_s > alone.cpu_s / 3  # the workers' own: the caller only hands out
    assert result.peak_rss_bytes > alone.peak_rss_bytes + 2 * 2**20


def test_as_many_workers_as_cpus_but_more_where_they_wait():
    assert PoolPlan("threads", 1).workers == os.process_cpu_count()
    assert PoolPlan("trio", 1, work="io").workers == 8


@pytest.mark.parametrize("name", ["dask", "threads"])
def test_connections_are_those_of_the_workers_and_not_of_the_tasks(name):
    assert [PoolPlan(name, tasks, 5, "io").descriptors for tasks in (1, 200)] == [5, 5]


@pytest.mark.parametrize(
    ("settings", "complaint"),
    [
        ({"tasks": 0}, "tasks must be"),
        ({"workers": 0}, "workers must be"),
        ({"workers": 1.5}, "workers must be"),
        ({"work": "sleep"}, "there is no work 'sleep'"),
        ({"size": 0}, "size must be"),
        ({"kind": "prime"}, "kind is one of factorial"),
    ],
)
def test_sizes_that_make_no_sense(settings, complaint):
    with pytest.raises(ValueError, match=complaint):
        pool("threads", **({"tasks": 1} | settings))


def test_options_of_another_work():
    with pytest.raises(TypeError, match="delay"):
        pool("threads", tasks=1, work="cpu", delay=3)


def test_unknown_models():
    with pytest.raises(UnknownModel):
        pool("three", tasks=1)


def test_a_timeout_raises():
    with pytest.raises(TimeoutError, match="timed out after 0.3 s"):
        pool("threads", tasks=10**7, work="nothing", timeout=0.3)


# Tasks and workers that fail. They are functions of this module, so that they have a name to be found by.


def failing(number):
    if number == 50:
        raise LookupError("gone")
    return number


def wrong(number):
    return number + (number == 50)


def dying(number):
    if number == 50:
        os.kill(os.getpid(), signal.SIGKILL)
    return number


def dying_at_once(number):
    os.kill(os.getpid(), signal.SIGKILL)


async def async_failing(number):
    return failing(number)


async def async_wrong(number):
    return wrong(number)


@pytest.fixture
def tasks_that(monkeypatch):
    """Has the pool call another function than the plain loop does."""

    def call(plain, awaited=None):
        class Sabotaged(Work):
            def choose(self):
                self.function = awaited if self.facts.is_async else plain

        monkeypatch.setattr(plan, "load", lambda name: Sabotaged)

    return call


@pytest.mark.parametrize("name", one_of_each_kind(catalog.names(), of=HALVES[0]))
def test_a_task_that_fails(tasks_that, name):
    tasks_that(failing, async_failing)
    result = measured(name, tasks=100)
    assert (result.verified, result.error, result.status) == (False, "a task failed: LookupError: gone", FAILED)
    assert result.run_s is result.speedup is None


@pytest.mark.parametrize("name", one_of_each_kind(catalog.names(), first=1, of=HALVES[1]))
def test_a_wrong_result(tasks_that, name):
    tasks_that(wrong, async_wrong)
    assert measured(name, tasks=100).error == "task 51 returned 51 where 50 is right"


@pytest.mark.parametrize("name", ["threads", "asyncio"])
def test_a_wrong_result_among_many(tasks_that, monkeypatch, name):
    monkeypatch.setattr(program, "MOST_KEPT", 60)
    tasks_that(wrong, async_wrong)
    assert pool(name, tasks=100).error == "task 51 returned 51 where 50 is right"


PROCESSES = ["processes", *(pytest.param(f"processes:{it}", marks=pytest.mark.thorough) for it in ("spawn", "fork"))]


@pytest.mark.parametrize("name", PROCESSES)
def test_a_worker_that_dies(tasks_that, name):
    tasks_that(dying)
    result = measured(name, tasks=100)
    assert result.status == FAILED
    assert "died (killed by SIGKILL) in the middle of dying" in result.error


def test_a_worker_that_dies_before_it_begins(tasks_that):
    tasks_that(dying_at_once)
    assert "died (killed by SIGKILL)" in measured("processes", tasks=100).error


@pytest.mark.parametrize("name", SYNC_AND_ASYNC)
def test_many_results_are_checked_as_they_come(monkeypatch, name):
    monkeypatch.setattr(program, "MOST_KEPT", 10)
    monkeypatch.setattr(program, "_AHEAD", 20)
    stopwatch = program.PoolTimer(PoolPlan(name, 300, 2, "nothing"))
    stopwatch.measure(catalog.load(name))
    assert stopwatch.steps_done() == 300
    assert not stopwatch._results


@linux_files
@pytest.mark.parametrize(
    ("plan", "short_of"),
    [
        (PoolPlan("greenlet", 1, 10**12), "a pool of 1,000,000,000,000 workers of greenlet may need .*memory"),
        (PoolPlan("threads", 1, 10**7), "OS tasks"),
        (PoolPlan("processes", 1, 10**12), "file descriptors|OS tasks|memory"),
    ],
)
def test_pools_that_do_not_fit(plan, short_of):
    with pytest.raises(limits.TooLarge, match=short_of):
        plan.check_limits()
