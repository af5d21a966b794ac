"""A task that waits for a lock of the model's own is cancelled like any other; for a thread's lock nobody can."""

import threading
import time
import warnings

import pytest
from stuck import PATH, line, model_of, programs
from undisturbed import undisturbed

from concmodels import catalog
from concmodels.errors import Deadlock
from concmodels.models.tasks import group

THREADS = ["threads", "rawthreads"]


def gevent_lock():
    from gevent.lock import Semaphore

    return Semaphore()


def eventlet_lock():
    from eventlet.semaphore import Semaphore

    return Semaphore()


def asyncio_lock():
    import asyncio

    return asyncio.Lock()


def trio_lock():
    import trio

    return trio.Lock()


def anyio_lock():
    import anyio

    return anyio.Lock()


LOCKS = {
    "gevent": gevent_lock, "eventlet": eventlet_lock, "asyncio": asyncio_lock, "trio": trio_lock,
    "anyio": anyio_lock, "anyio:trio": anyio_lock,
}  # fmt: skip


@pytest.mark.parametrize("name", LOCKS)
def test_who_waits_for_a_lock_is_cancelled(name):
    model, told = model_of(name), []
    with pytest.raises(ExceptionGroup) as caught:
        model.run(programs(name).locked, model, LOCKS[name](), told)
    (error,), (cancelled,) = caught.value.exceptions, told
    assert type(error) is OSError
    assert isinstance(cancelled, model.Cancelled)


@pytest.mark.parametrize("program, where", [("locked_out", "main wanting"), ("locked_out_in_group", "body wanting")])
def test_a_deadlock_at_a_lock_of_gevents(program, where, monkeypatch):
    monkeypatch.chdir(PATH.parent)
    model = model_of("gevent")
    with pytest.raises(Deadlock) as caught:
        model.run(getattr(programs("gevent"), program), model, gevent_lock())
    main, *others = caught.value.waits
    assert main == f"main: waits at {PATH.name}:{line(where)}"
    assert others == [f"wants: waits at {PATH.name}:{line('wanting')}"] * (program != "locked_out")


@pytest.fixture
def impatient(monkeypatch):
    """The warning comes soon."""
    monkeypatch.setattr(group, "STUBBORN_S", 0.1)
    monkeypatch.chdir(PATH.parent)


@pytest.fixture
def lock():
    """Somebody gives it back, but only when who wants it has had half a second for the rest: on a busy machine, ten."""
    lock, over = threading.Lock(), threading.Event()

    def give_back():
        while not lock.locked():
            if over.wait(0.01):
                return
        taken, at_the_latest = undisturbed(), time.monotonic() + 10
        while undisturbed() - taken < 0.5 and time.monotonic() < at_the_latest:
            time.sleep(0.01)
        lock.release()

    giver = threading.Thread(target=give_back)
    giver.start()
    yield lock
    over.set()
    giver.join()


WARNING = (
    "cancelled 0.1 s ago, but still at work without waiting: wants at {}; "
    "a thread can't be stopped, so the group waits on"
)


@pytest.mark.parametrize("name", THREADS)
def test_for_a_threads_lock_the_group_waits_and_says_so(name, impatient, lock):
    model, told = model_of(name), []
    with pytest.warns(RuntimeWarning) as warned, pytest.raises(ExceptionGroup) as caught:
        model.run(programs(name).locked, model, lock, told)
    (warning,) = warned
    assert str(warning.message) == WARNING.format(f"{PATH.name}:{line('wanting')}")
    assert warning.filename == str(PATH)
    assert [type(error) for error in caught.value.exceptions] == [OSError]
    assert not told, "it had its lock"


@pytest.mark.parametrize("name", THREADS)
def test_where_warnings_are_errors_it_is_one_of_the_failures(name, impatient, lock):
    model = model_of(name)
    with warnings.catch_warnings(), pytest.raises(ExceptionGroup) as caught:
        warnings.simplefilter("error")
        model.run(programs(name).locked, model, lock, [])
    assert [type(error) for error in caught.value.exceptions] == [OSError, RuntimeWarning]


def test_five_seconds_are_the_default():
    assert group.STUBBORN_S == 5


@pytest.mark.parametrize("name", catalog.names())
def test_the_facts_say_that_nobody_stops_one_that_computes(name):
    facts = catalog.facts(name)
    assert ("nothing stops one that computes" in facts.cancellation) != facts.separate
    assert ("threading.Lock" in facts.cancellation) == (name in THREADS)
