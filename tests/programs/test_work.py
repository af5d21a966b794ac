"""The work that pools are given: that every model does it right, and that its parts keep their word."""

import contextlib
import contextvars
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest
from kinds import is_usual, is_variant
from undisturbed import undisturbed

import concmodels
from concmodels import catalog
from concmodels.work import NAMES, Option, load
from concmodels.work.clients import Clients

with contextlib.suppress(ImportError):
    import numpy  # noqa: F401  # before anybody counts threads: it keeps some

ROOT = Path(concmodels.__file__).parent.parent
WORKERS = 3
SMALL = [
    ("nothing", {}),
    ("cpu", {"kind": "factorial", "size": 50}),
    ("cpu", {"kind": "fibonacci", "size": 10}),
    ("cpu", {"kind": "sort", "size": 20}),
    ("io", {"delay": 5}),
    ("buffer", {"buffer": "share", "numbers": 100_003}),
    ("buffer", {"buffer": "copy", "numbers": 100_003}),
]


def in_pool(model, work):
    """Warm up and do the work in a sync model; return the results, those of the loop, and how long the pool took.

    First by the clock, then by one that stands still on a busy machine.
    """
    with work.prepared(model):
        with model.Pool(work.workers) as pool:
            list(pool.map(work.function, work.warm_up()))
            began = time.perf_counter(), undisturbed()
            results = list(pool.map(work.function, work.items()))
            took = time.perf_counter() - began[0], undisturbed() - began[1]
        return results, list(work.expected()), list(work.loop()), took


async def async_in_pool(model, work):
    """As `in_pool`."""
    async with work.prepared(model):
        async with model.Pool(work.workers) as pool:
            async for _ in pool.map(work.function, work.warm_up()):
                pass
            began = time.perf_counter(), undisturbed()
            results = [result async for result in pool.map(work.function, work.items())]
            took = time.perf_counter() - began[0], undisturbed() - began[1]
        return results, list(work.expected()), list(work.loop()), took


def done(model, work):
    return model.verbs.run(async_in_pool if model.facts.is_async else in_pool, model.verbs, work)


def is_left_out(params):
    """Whether this work is done on this model only with `--thorough`; so are those of a variant."""
    place = SMALL.index((params["name"], params["options"]))
    usual = is_usual(params["model"], place, len(SMALL), fully=("threads", "processes", "asyncio"))
    return is_variant(params) or not usual


@pytest.mark.thorough(when=is_left_out)
@pytest.mark.parametrize(("name", "options"), SMALL)
def test_every_model_does_the_work(model, name, options, nothing_left_behind):
    work = load(name)(model.name, 25, WORKERS, **options)
    results, expected, by_loop, _ = done(model, work)
    assert len(expected) == 25
    assert results == expected
    assert by_loop == expected


@pytest.mark.thorough(when=is_variant)
def test_requests_wait_at_the_same_time(model, thorough):
    workers = 8 if thorough else 2 if model.facts.family == "boundary" else 4  # there each imports its client
    work = load("io")(model.name, 3 * workers, workers, delay=200)
    work.loop = list  # it would take 0.2 s for each
    results, expected, _, (at_least, at_most) = done(model, work)
    assert results == expected
    assert at_least >= 0.6 and at_most < 3 * workers * 0.2  # three rounds; one after the other they take longer


@pytest.mark.thorough(when=is_variant)
def test_each_worker_has_a_client_of_its_own(model, thorough):
    workers = 8 if thorough else 4
    work = load("io")(model.name, 3 * workers, workers, delay=20)
    if not hasattr(work.function, "__self__"):
        pytest.skip("its clients live in its workers, which may be elsewhere")
    work.loop = lambda: [len(work.clients.all)]  # asked when the pool has ended
    _, _, made, _ = done(model, work)
    assert made == [workers]
    assert not work.clients.all  # and closed


class Enough(Exception):
    """The program has seen enough."""


def leave_early(model, work):
    """Fail while requests wait."""
    with work.prepared(model), model.Pool(work.workers) as pool:
        for _ in pool.map(work.function, work.items()):
            raise Enough


async def async_leave_early(model, work):
    """As `leave_early`."""
    async with work.prepared(model), model.Pool(work.workers) as pool:
        async for _ in pool.map(work.function, work.items()):
            raise Enough


def is_like_subinterp(params):
    """Whether this is the test of a variant, or of processes, whose workers make requests as those of subinterp do."""
    return is_variant(params) or params["model"] == "processes"


@pytest.mark.thorough(when=is_like_subinterp)
def test_requests_that_are_given_up_leave_nothing_behind(model, nothing_left_behind):
    work = load("io")(model.name, 20, 2, delay=100)
    with pytest.raises(Enough):
        model.verbs.run(async_leave_early if model.facts.is_async else leave_early, model.verbs, work)
    assert work.server.returncode is not None


def test_a_server_whose_parent_is_gone_when_it_would_tell_its_port_ends_in_silence():
    reader, writer = os.pipe()
    os.close(reader)
    command = [sys.executable, "-I", ROOT / "concmodels" / "work" / "server.py", "10"]
    try:
        done = subprocess.run(command, input=b"", stdout=writer, stderr=subprocess.PIPE)
    finally:
        os.close(writer)
    assert (done.returncode, done.stderr) == (0, b"")


@pytest.mark.parametrize("name", NAMES)
def test_the_loop_may_be_left_at_any_time(name, nothing_left_behind):
    work = load(name)("threads", 1000, 2)
    with work.prepared(catalog.load("threads")):
        loop = work.loop()
        assert next(iter(loop)) == next(iter(work.expected()))
        loop.close()


@pytest.mark.parametrize("name", NAMES)
def test_what_children_import_for_a_task_is_light(name):
    heavy = {"asyncio", "multiprocessing", "typing", "dataclasses", "enum", "inspect", "httpx", "numpy", "subprocess"}
    program = f"import sys; import concmodels.work.{name}; print(*sys.modules)"
    command = [sys.executable, "-S", "-c", program]
    out = subprocess.run(command, capture_output=True, text=True, check=True, env={"PYTHONPATH": str(ROOT)})
    assert not heavy & set(out.stdout.split())


# What is refused.


@pytest.mark.parametrize(
    ("name", "options", "sentence"),
    [
        ("cpu", {"kind": "chess"}, "kind is one of factorial, fibonacci, sort, not 'chess'"),
        ("cpu", {"size": 0}, "size must be a whole number of at least 1, not 0"),
        ("cpu", {"size": 2.5}, "size must be a whole number of at least 1, not 2.5"),
        ("cpu", {"kind": "fibonacci", "size": 41}, "size must be at most 40 for fibonacci, not 41"),
        ("io", {"delay": -1}, "delay must be a whole number of at least 0, not -1"),
        ("io", {"delay": 60_000}, "delay must be at most 30000, not 60000"),
        ("buffer", {"buffer": "steal"}, "buffer is one of share, copy, not 'steal'"),
    ],
)
def test_an_option_that_can_not_be_is_refused(name, options, sentence):
    with pytest.raises(ValueError, match=sentence):
        load(name)("threads", 10, **options)


def test_an_option_of_another_work_is_refused():
    with pytest.raises(TypeError, match="the work 'cpu' has no option 'delay'"):
        load("cpu")("threads", 10, delay=5)


def test_an_unknown_work_is_refused():
    with pytest.raises(ValueError, match="there is no work 'gpu'; there are nothing, cpu, io, buffer"):
        load("gpu")


@pytest.mark.parametrize("sizes", [(0, 1), (1, 0), (1.5, 1), ("2", 1)])
def test_a_number_of_tasks_or_workers_that_can_not_be_is_refused(sizes):
    with pytest.raises(ValueError, match="must be a whole number of at least 1"):
        load("nothing")("threads", *sizes)


def test_none_is_the_default():
    assert load("io")("threads", 1, delay=None).delay == 100
    assert all(isinstance(option, Option) for name in NAMES for option in load(name).options)


# The numbers of tasks that do not divide what is to be done.


@pytest.mark.parametrize(("tasks", "numbers"), [(1, 1), (7, 3), (3, 1009), (11, 12_345)])
def test_slices_of_the_buffer_are_all_of_it(tasks, numbers):
    work = load("buffer")("threads", tasks, numbers=numbers, buffer="copy")
    with work.prepared(None):
        assert sum(work.expected()) == sum(work.source) == sum(work.loop())
        assert [len(part) for part, _ in work.items()] == [stop - start for start, stop in work.slices()]


@pytest.mark.parametrize(("size", "value"), [(1, 1), (2, 1), (3, 2), (10, 55)])
def test_fibonacci_numbers(size, value):
    work = load("cpu")("threads", 2, kind="fibonacci", size=size)
    assert list(work.loop()) == list(work.expected()) == [value, value]


def test_a_list_in_a_wrong_order_has_another_checksum():
    from concmodels.work.cpu import checksum, shuffled

    numbers = shuffled(3, 20)
    assert checksum(sorted(numbers)) != checksum(numbers)


class Client:
    """Stands in for one of httpx's."""

    def __init__(self):
        self.is_closed = False

    def close(self):
        self.is_closed = True


def test_there_are_as_many_clients_as_are_borrowed_at_a_time():
    clients = Clients(Client)

    def borrow(deep):
        with clients.borrowed() as client:
            return [client, *(borrow(deep - 1) if deep else [])]

    contexts = [contextvars.copy_context() for _ in range(3)]
    seen = [context.run(borrow, 1) for context in contexts]
    assert len(clients.all) == len({it for pair in seen for it in pair}) == 2
    assert all(first is not second for first, second in seen)


def test_a_closed_client_is_not_lent():
    clients = Clients(Client)
    with clients.borrowed() as first:
        clients.close()
    with clients.borrowed() as second:
        assert second is not first and not second.is_closed
