"""The programs where a loop runs already, as in a notebook's cell: there an async model gets a thread of its own."""

import asyncio
import signal
import threading
import time

import pytest
import trio
from undisturbed import undisturbed

from concmodels import load
from concmodels.channel import channel
from concmodels.pool import pool
from concmodels.ring import ring
from concmodels.serve import Server, serve

ASYNC = ("asyncio", "anyio", "anyio:trio", "trio")
LOOPS = {"asyncio": asyncio.run, "trio": lambda coroutine: trio.run(lambda: coroutine)}
PROGRAMS = {
    "ring": lambda name: ring(name, nodes=5, messages=200),
    "channel": lambda name: channel(name, pattern="fanin", messages=200),
    "pool": lambda name: pool(name, tasks=20, workers=2, work="nothing"),
}
LONG = {"nodes": 3, "messages": 10**7}

pytestmark = pytest.mark.usefixtures("nothing_left_behind")


@pytest.fixture(params=LOOPS)
def in_loop(request):
    """Call a function in a running event loop of this library, as a cell of a notebook does."""

    def call(function, *args, **kwargs):
        async def cell():
            return function(*args, **kwargs)

        return LOOPS[request.param](cell())

    return call


def in_cell(function, *args, **kwargs):
    """Call it in a loop that leaves Ctrl-C as it is: so do notebooks."""

    async def cell():
        return function(*args, **kwargs)

    loop = asyncio.new_event_loop()
    try:
        return loop.run_until_complete(cell())
    finally:
        loop.close()


@pytest.mark.parametrize("program", PROGRAMS)
@pytest.mark.parametrize("name", ASYNC)
def test_every_figure_is_there(in_loop, program, name):
    result = in_loop(PROGRAMS[program], name)
    assert (result.verified, result.error, result.name) == (True, None, name)
    assert getattr(result, result.SPEED) > 0
    assert None not in (result.setup_s, result.run_s, result.teardown_s, result.cpu_s)


@pytest.mark.parametrize("name", ASYNC)
def test_what_fails_is_told_as_ever(in_loop, name, monkeypatch):
    async def wrong(inbox, outbox):
        async for number in inbox:
            await outbox.send(number + 1)

    monkeypatch.setattr("concmodels.ring.tasks.async_node", wrong)
    result = in_loop(ring, name, nodes=2, messages=5)
    assert not result.verified
    assert result.error == "message 2 came round when 0 was due"


@pytest.mark.parametrize("name", ASYNC)
def test_a_timeout_ends_the_run(in_loop, name):
    began, before = undisturbed(), threading.active_count()
    with pytest.raises(TimeoutError, match="timed out after 0.3 s"):
        in_loop(ring, name, **LONG, timeout=0.3)
    assert undisturbed() - began < 10
    assert threading.active_count() == before


class _Late(threading.Thread):
    """A thread of a run that begins only when the run has been told to end, as one may on a busy machine."""

    def _bootstrap(self):
        self._target.__self__.stop.wait()
        time.sleep(0.5)  # so that it is still there if nothing waits for it
        super()._bootstrap()


def test_a_timeout_waits_for_a_thread_that_has_not_begun(monkeypatch):
    async def cell():
        ring("trio", **LONG, timeout=0.3)

    before = threading.active_count()
    monkeypatch.setattr("concmodels.programs.beside_loop.threading.Thread", _Late)
    with pytest.raises(TimeoutError, match="timed out after 0.3 s"):
        trio.run(cell)  # where the alarm raises at once; asyncio's handler waits for its loop
    assert threading.active_count() == before


@pytest.mark.parametrize("name", ASYNC)
def test_ctrl_c_ends_the_run(name):
    main, before = threading.main_thread().ident, threading.active_count()
    timer = threading.Timer(0.3, signal.pthread_kill, (main, signal.SIGINT))
    with pytest.raises(KeyboardInterrupt):
        timer.start()
        in_cell(ring, name, **LONG)
    timer.join()
    assert threading.active_count() == before
    assert in_cell(ring, name, nodes=2, messages=5).verified


@pytest.mark.parametrize("name", ["asyncio", "anyio"])
def test_a_run_in_a_cell_says_what_to_write(name):
    async def main(model):
        return await model.sleep(0)

    model = load(name)
    with pytest.raises(RuntimeError, match="a notebook's cell says `await main"):
        in_cell(model.run, main, model)


@pytest.mark.parametrize("name", ["asyncio", "anyio", "anyio:trio"])
def test_a_server_in_a_loop_of_asyncio_names_the_call_that_works(name):
    started = []
    with pytest.raises(RuntimeError) as refused:
        in_cell(serve, name, port=0, started=started.append)
    said = str(refused.value)
    assert said.startswith(f"{name} can't serve in a thread where an event loop of asyncio runs already: ")
    assert f'`await asyncio.to_thread(serve, "{name}")`' in said
    assert started == []


@pytest.mark.parametrize("name", ["trio", "anyio"])
def test_a_server_in_a_loop_of_trio_names_the_call_that_works(name):
    async def cell():
        server = Server(name, port=0)
        with pytest.raises(RuntimeError, match=rf'`await trio.to_thread.run_sync\(serve, "{name}"\)`'):
            server.run()

    trio.run(cell)


@pytest.mark.parametrize("name", ["asyncio", "anyio", "trio", "threads"])
def test_what_a_server_says_in_a_loop_works(name):
    async def cell():
        await asyncio.to_thread(serve, name, port=0, started=lambda server: servers.append(server) or server.stop())

    servers = []
    in_loop = asyncio.new_event_loop()
    in_loop.run_until_complete(cell())
    in_loop.run_until_complete(in_loop.shutdown_default_executor())
    in_loop.close()
    assert [it.name for it in servers] == [name]


@pytest.mark.parametrize("name", ["trio", "threads"])
def test_a_server_of_another_kind_runs_in_a_loop_of_asyncio(name):
    in_cell(serve, name, port=0, started=lambda server: server.stop())


def test_what_the_cell_says_works():
    model = load("asyncio")

    async def main(model):
        channel = model.Channel(1)
        async with model.TaskGroup() as group:
            group.spawn(channel.send, "hello")
            return await channel.receive()

    loop = asyncio.new_event_loop()
    assert loop.run_until_complete(main(model)) == "hello"
    loop.close()


def test_a_result_shows_itself_as_a_table():
    result = ring("greenlet", nodes=2, messages=30)
    html = result._repr_html_()
    assert "<strong>ring of 2 nodes, 30 messages: 60 hops</strong>" in html
    for header in ("model", "hops/s", "per hop", "setup", "CPU", "peak", "PSS"):
        assert f"<th>{header}</th>" in html
    assert "<td>greenlet</td>" in html
    assert "verified: 30 messages arrived, once each and in order" in html


def test_what_a_result_says_is_escaped(monkeypatch):
    def wrong(inbox, outbox):
        raise ValueError("<script>")

    monkeypatch.setattr("concmodels.ring.tasks.node", wrong)
    html = ring("greenlet", nodes=2, messages=30)._repr_html_()
    assert "&lt;script&gt;" in html
    assert "<script>" not in html
    assert "<td>-</td>" in html
