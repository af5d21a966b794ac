"""What only looks like a deadlock: as long as anything is left that could send, a run waits on."""

import contextlib
import os
import signal
import sys
import threading
import time

import pytest
from stuck import LATER, MODELS, SOON, be_alone, model_of, programs

pytestmark = [pytest.mark.timeout(0), pytest.mark.usefixtures("by_ourselves")]  # the timeout would be a foreign thread

THREADS = ("threads", "rawthreads", "rawthreads:polling")


@pytest.fixture
def by_ourselves():
    """What a test holds is due to its own thread or timer, and not to one that was left over."""
    be_alone()


@pytest.fixture
def sigalrm():
    """Install a handler; afterwards the old one is back."""
    old = signal.getsignal(signal.SIGALRM)
    yield lambda handler: signal.signal(signal.SIGALRM, handler)
    signal.signal(signal.SIGALRM, old)


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize("program", ["sleeper", "timed_task", "computing_task"])
def test_who_will_go_on_is_in_no_deadlock(name, program):
    model = model_of(name)
    assert model.run(getattr(programs(name), program), model, LATER, deadlock_after=SOON) == "help"


def in_thread(pause, function, *args):
    """Call the function from a thread of our own, after a pause."""

    def help():
        time.sleep(pause)
        function(*args)

    threading.Thread(target=help).start()


def from_thread(pause):
    return lambda channel: in_thread(pause, channel.send_nowait, "help")


def from_thread_of_asyncio(pause):
    def helper(channel):
        import asyncio

        in_thread(pause, asyncio.get_running_loop().call_soon_threadsafe, channel.send_nowait, "help")

    return helper


def from_thread_of_trio(pause):
    def helper(channel):
        import trio

        in_thread(pause, trio.lowlevel.current_trio_token().run_sync_soon, channel.send_nowait, "help")

    return helper


FOREIGN_THREADS = {
    "threads": from_thread, "rawthreads": from_thread, "rawthreads:polling": from_thread,
    "asyncio": from_thread_of_asyncio, "anyio": from_thread_of_asyncio,
    "trio": from_thread_of_trio, "anyio:trio": from_thread_of_trio,
}  # fmt: skip


@pytest.mark.parametrize("name", FOREIGN_THREADS)
def test_a_foreign_thread_may_send(name):
    model = model_of(name)
    helper = FOREIGN_THREADS[name](LATER)
    assert model.run(programs(name).helped, model, helper, deadlock_after=SOON) == "help"


@pytest.mark.parametrize("name", ["threads", "trio"])
def test_a_foreign_thread_may_send_after_two_seconds(name):
    model = model_of(name)
    assert model.run(programs(name).helped, model, FOREIGN_THREADS[name](2)) == "help"


@pytest.mark.parametrize("name", FOREIGN_THREADS)
def test_the_main_thread_may_send_to_a_run_beside_it(name):
    model, answers, kept = model_of(name), [], []

    def helper(channel):
        kept.append((channel, _sender()))

    def run():
        answers.append(model.run(programs(name).helped, model, helper, deadlock_after=SOON))

    thread = threading.Thread(target=run)
    thread.start()
    while not kept:
        time.sleep(0.001)
    time.sleep(LATER)
    ((channel, call),) = kept
    call(channel.send_nowait, "help")
    thread.join()
    assert answers == ["help"]


def _sender():
    """How another thread calls a function in the world that this one is in."""
    with contextlib.suppress(ImportError, RuntimeError):
        import trio

        return trio.lowlevel.current_trio_token().run_sync_soon
    with contextlib.suppress(RuntimeError):
        import asyncio

        return asyncio.get_running_loop().call_soon_threadsafe
    return lambda function, *args: function(*args)


def eventlet_timer(channel):
    import eventlet

    eventlet.hubs.get_hub().schedule_call_global(LATER, channel.send_nowait, "help")


def eventlet_greenlet(channel):
    import eventlet

    eventlet.spawn_after(LATER, channel.send_nowait, "help")


def eventlet_descriptor(channel):
    import eventlet

    def wait():
        with alarm_clock() as clock:
            eventlet.hubs.trampoline(clock, read=True)
        channel.send_nowait("help")

    eventlet.spawn(wait)


def eventlet_worker(channel):
    import eventlet.tpool

    def wait():
        eventlet.tpool.execute(time.sleep, LATER)
        eventlet.tpool.killall()  # before the run ends, and its hub with it
        channel.send_nowait("help")

    eventlet.spawn(wait)


def gevent_greenlet(channel):
    import gevent

    gevent.spawn_later(LATER, channel.send_nowait, "help")


def gevent_worker(channel):
    import gevent

    pool = gevent.get_hub().threadpool

    def wait():
        pool.apply(time.sleep, (LATER,))
        pool.kill()
        channel.send_nowait("help")

    gevent.spawn(wait)


def asyncio_timer(channel):
    import asyncio

    asyncio.get_running_loop().call_later(LATER, channel.send_nowait, "help")


def asyncio_worker(channel):
    import asyncio

    future = asyncio.get_running_loop().run_in_executor(None, time.sleep, LATER)
    future.add_done_callback(lambda _: channel.send_nowait("help"))


def asyncio_descriptor(channel):
    import asyncio

    loop, clocks = asyncio.get_running_loop(), contextlib.ExitStack()
    clock = clocks.enter_context(alarm_clock())

    def strikes():
        loop.remove_reader(clock)
        clocks.close()
        channel.send_nowait("help")

    loop.add_reader(clock, strikes)


def asyncio_signal(channel):
    import asyncio

    loop = asyncio.get_running_loop()

    def strikes():
        loop.remove_signal_handler(signal.SIGALRM)
        channel.send_nowait("help")

    loop.add_signal_handler(signal.SIGALRM, strikes)
    signal.setitimer(signal.ITIMER_REAL, LATER)


def trio_sleeper(channel):
    _trio_task(channel, "sleep", LATER)


def trio_worker(channel):
    import trio

    _trio_task(channel, "to_thread.run_sync", time.sleep, LATER)
    assert trio.lowlevel.in_trio_run()


def trio_descriptor(channel):
    clock = alarm_clock()
    _trio_task(channel, "lowlevel.wait_readable", clock.__enter__(), done=lambda: clock.__exit__(None, None, None))


def _trio_task(channel, wait, *args, done=lambda: None):
    import operator

    import trio

    async def helper():
        await operator.attrgetter(wait)(trio)(*args)
        done()
        channel.send_nowait("help")

    trio.lowlevel.spawn_system_task(helper)


@contextlib.contextmanager
def alarm_clock():
    """A descriptor that is readable later."""
    clock = os.timerfd_create(time.CLOCK_MONOTONIC)
    os.timerfd_settime(clock, initial=LATER)
    try:
        yield clock
    finally:
        os.close(clock)


HELPERS = [
    *(("eventlet", helper) for helper in (eventlet_timer, eventlet_greenlet, eventlet_descriptor, eventlet_worker)),
    *(("gevent", helper) for helper in (gevent_greenlet, gevent_worker)),
    *((name, helper) for name in ("asyncio", "anyio") for helper in (asyncio_timer, asyncio_worker)),
    *((name, helper) for name in ("asyncio", "anyio") for helper in (asyncio_descriptor, asyncio_signal)),
    *((name, helper) for name in ("trio", "anyio:trio") for helper in (trio_sleeper, trio_worker, trio_descriptor)),
]


@pytest.mark.parametrize("name, helper", HELPERS)
def test_something_of_the_models_own_may_send(name, helper, monkeypatch):
    model = model_of(name)
    if helper is trio_worker:
        monkeypatch.setattr(sys.modules["trio"]._core._thread_cache, "IDLE_TIMEOUT", 0.01)
    assert model.run(programs(name).helped, model, helper, deadlock_after=SOON) == "help"


@pytest.mark.parametrize("name", THREADS)
def test_a_signal_handler_may_send(name, sigalrm):
    model = model_of(name)

    def helper(channel):
        sigalrm(lambda *_: channel.send_nowait("help"))
        signal.setitimer(signal.ITIMER_REAL, LATER)

    assert model.run(programs(name).helped, model, helper, deadlock_after=SOON) == "help"
