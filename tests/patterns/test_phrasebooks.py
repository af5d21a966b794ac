"""From Go and from Erlang: each line of the tables does what it says, on threads, greenlets and `sim`, or awaited."""

import asyncio
import math
from importlib import import_module
from inspect import signature
from pathlib import Path

import pytest

from concmodels import catalog, load

FOLDER = Path(__file__).parents[2] / "examples" / "paradigms"
RETURNED = {
    "from_go": {
        "start": 42,
        "make": [0, 8, math.inf],
        "send_and_receive": 1,
        "iterate": [1, 2],
        "receive_from_a_closed_one": "closed",
        "select": 1,
        "select_with_default": "nothing yet",
        "wait_no_longer": "too late",
        "leave_out_a_case": [1, 2],
        "wait_for_all": [0, 1, 4, 9],
        "limit_the_time": "too late",
        "cancel": True,
        "exclude_each_other": 1,
        "count_permits": 1,
        "generate": [0, 1, 4],
        "fan_in": [1, 2],
        "recover": "recovered",
    },
    "from_erlang": {
        "spawn": 5,
        "tell": 2,
        "ask": 1,
        "own_pid": True,
        "begin_and_end": (1, ["closed"]),
        "reply_later": 3,
        "restart": 7,
        "end_it": "stopped",
        "crash_together": "all have ended",
        "crash_of_a_call": 5,
        "resume": 5,
        "end_in_order": "stopped",
        "register": 5,
        "receive_by_pattern": "first",
        "wait_no_longer": "late",
    },
}


AWAITED_FILE = "from_go_asyncio"
AWAITED = {
    "start": 42,
    "make": [0, 8],
    "send_and_receive": 1,
    "iterate": [1, 2],
    "receive_from_a_closed_one": "closed",
    "select": [1],
    "select_with_default": "nothing yet",
    "wait_no_longer": "too late",
    "wait_for_all": [0, 1, 4, 9],
    "limit_the_time": "too late",
    "cancel": True,
    "exclude_each_other": 1,
    "count_permits": 9,
}
"""What the lines of from_go_asyncio.py return, each in two forms: on a model, and with asyncio alone."""


@pytest.fixture(scope="module", autouse=True)
def folder_of_the_programs():
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(FOLDER)
        yield


@pytest.mark.parametrize("name", ["threads", "greenlet", "sim"])
@pytest.mark.parametrize(("file", "line"), [(file, line) for file, lines in RETURNED.items() for line in lines])
def test_a_line(name, file, line):
    model = load(name)
    returned = model.run(getattr(import_module(file), line), model)
    if line == "make":
        returned = [channel.capacity for channel in returned]
    assert returned == RETURNED[file][line]


@pytest.mark.parametrize("file", RETURNED)
def test_every_line_is_tested(file):
    of_the_file = [it for it in vars(import_module(file)).values() if getattr(it, "__module__", "") == file]
    lines = {it.__name__ for it in of_the_file if list(signature(it).parameters) == ["model"]}
    assert lines == RETURNED[file].keys()


@pytest.mark.parametrize("name", ["asyncio", "trio", "anyio", "sim:async"])
@pytest.mark.parametrize("line", AWAITED)
def test_an_awaited_line(name, line):
    if reason := catalog.why_not(name):
        pytest.skip(f"{name}: {reason}")
    model = load(name)
    assert model.run(getattr(import_module(AWAITED_FILE), line), model) == AWAITED[line]


@pytest.mark.parametrize("line", AWAITED)
def test_asyncio_alone_does_the_same(line):
    alone = getattr(import_module(AWAITED_FILE), f"{line}_alone")
    assert asyncio.run(alone()) == AWAITED[line]


def test_every_awaited_line_is_tested():
    file = import_module(AWAITED_FILE)
    of_the_file = [it for it in vars(file).values() if getattr(it, "__module__", "") == AWAITED_FILE]
    lines = {it.__name__ for it in of_the_file if list(signature(it).parameters) == ["model"]}
    alone = {it.__name__.removesuffix("_alone") for it in of_the_file if it.__name__.endswith("_alone")}
    assert lines == alone == AWAITED.keys()


def test_asyncio_alone_takes_from_both_queues():
    """What the page says of `asyncio.wait`, where a select takes one item only."""

    async def main():
        queues = [asyncio.Queue(), asyncio.Queue()]
        for queue in queues:
            queue.put_nowait(1)
        gets = [asyncio.create_task(queue.get()) for queue in queues]
        done, _ = await asyncio.wait(gets, return_when=asyncio.FIRST_COMPLETED)
        return len(done)

    assert asyncio.run(main()) == 2
