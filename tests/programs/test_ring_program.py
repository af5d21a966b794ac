"""The ring program from Python: its result, its refusals, and that it catches a ring that cheats."""

import dataclasses
import math
import mmap
import threading
import time

import pytest
from kinds import paired
from platforms import linux_files

from concmodels import catalog
from concmodels.errors import ModelUnavailable, UnknownModel
from concmodels.platform import measuring
from concmodels.programs import limits, memory
from concmodels.programs.messages import numbered
from concmodels.programs.output.formats import duration, seconds, short, size
from concmodels.programs.result import FAILED
from concmodels.programs.signals import Alarm
from concmodels.ring import ring, tasks
from concmodels.ring.plan import Plan, Result

SETTINGS = [
    {},
    {"in_flight": 1, "capacity": 0},
    {"in_flight": 7, "capacity": 3, "payload": 100},
    {"capacity": 1, "payload": 8},
]


@pytest.mark.parametrize(("name", "settings"), paired(catalog.names(variants=True), SETTINGS))
def test_every_model_goes_round(name, settings):
    try:
        result = ring(name, nodes=4, messages=30, **settings)
    except ModelUnavailable as error:
        pytest.skip(str(error))
    assert result.error is None
    assert result.verified


@linux_files
def test_the_figures_fit_together():
    result = ring("threads", nodes=10, messages=500)
    assert result.hops == 5000
    assert result.total_s == pytest.approx(result.setup_s + result.run_s + result.teardown_s)
    assert result.hops_per_s == pytest.approx(5000 / result.run_s)
    assert result.ns_per_hop == pytest.approx(result.run_s / 5000 * 1e9)
    assert 0 < result.peak_pss_bytes <= result.peak_rss_bytes * 1.01
    assert result.voluntary_switches >= 0
    assert (result.in_flight, result.capacity, result.payload_bytes) == ("all", "inf", 0)


def test_the_result_is_immutable_and_survives_json():
    result = ring("greenlet", nodes=2, messages=3)
    with pytest.raises(dataclasses.FrozenInstanceError):
        result.run_s = 0
    assert Result.from_json(result.to_json()) == result
    assert result.library_version


def test_processes_report_their_own_use():
    result = ring("processes", nodes=3, messages=2000, in_flight=1)
    alone = ring("threads", nodes=3, messages=2000, in_flight=1)
    assert result.voluntary_switches > 2000  # the parent alone waits once per message; three nodes and a feeder do too
    assert result.peak_rss_bytes > alone.peak_rss_bytes + 3 * 2**20


def test_more_in_flight_than_messages_is_clipped():
    assert ring("greenlet", nodes=2, messages=3, in_flight=9).in_flight == 3


@pytest.mark.parametrize(
    ("settings", "complaint"),
    [
        ({"nodes": 0}, "nodes"),
        ({"nodes": -1}, "nodes"),
        ({"nodes": 1.5}, "nodes"),
        ({"messages": 0}, "messages"),
        ({"messages": 2**63}, "below"),
        ({"in_flight": 0}, "in_flight"),
        ({"capacity": -1}, "capacity"),
        ({"capacity": 0.5}, "capacity"),
        ({"payload": 7}, "payload must be a whole number of at least 8"),
    ],
)
def test_sizes_that_make_no_ring(settings, complaint):
    with pytest.raises(ValueError, match=complaint):
        ring("threads", **({"nodes": 1, "messages": 1} | settings))


def test_unknown_models():
    with pytest.raises(UnknownModel):
        ring("three", nodes=1, messages=1)


def test_a_timeout_raises():
    with pytest.raises(TimeoutError, match="timed out after 0.2 s"):
        ring("threads", nodes=3, messages=10**7, timeout=0.2)
    assert threading.active_count() <= 2  # pytest-timeout has one


def test_a_timeout_outside_the_main_thread_is_refused():
    caught = []

    def attempt():
        with pytest.raises(RuntimeError, match="main thread"):
            ring("threads", nodes=1, messages=1, timeout=9)
        caught.append(True)

    thread = threading.Thread(target=attempt)
    thread.start()
    thread.join()
    assert caught


def test_the_alarm_asks_for_help_when_nothing_ends(monkeypatch):
    monkeypatch.setattr("concmodels.programs.signals.GRACE_S", 0.05)
    hung = threading.Event()
    with Alarm(0.05, hung.set) as alarm:
        while not hung.is_set():
            try:
                hung.wait()
            except KeyboardInterrupt:
                pass  # as a model does that hangs in its clean-up
    assert alarm.struck


# Rings that cheat. The nodes are functions of this module, so that they have a name to be found by.


def _losing(inbox, outbox):
    for message in inbox:
        if message != 5:
            outbox.send(message)
    outbox.close()


def _doubling(inbox, outbox):
    for message in inbox:
        outbox.send(message)
        if message == 5:
            outbox.send(message)
    outbox.close()


def _doubling_the_last(inbox, outbox):
    message = None
    for message in inbox:
        outbox.send(message)
    outbox.send(message)
    outbox.close()


def _turning_round(inbox, outbox):
    for message in inbox:
        outbox.send(inbox.receive() if message == 5 else message)
        if message == 5:
            outbox.send(message)
    outbox.close()


def _tampering(inbox, outbox):
    for message in inbox:
        outbox.send(message[:9] + b"!" + message[10:])
    outbox.close()


def _failing(inbox, outbox):
    for message in inbox:
        outbox.send(1 // (5 - message) and message or message)


@pytest.mark.parametrize(
    ("node", "settings", "error"),
    [
        (_losing, {}, "message 6 came round when 5 was due"),
        (_doubling, {}, "message 5 came round when 6 was due"),
        (_doubling_the_last, {}, "message 20 came round after the last one"),
        (_turning_round, {}, "message 6 came round when 5 was due"),
        (_tampering, {"payload": 30}, "message 0 came round with other bytes than it was sent with"),
        (_failing, {}, "node 1 failed: ZeroDivisionError: division by zero"),
    ],
)
@pytest.mark.parametrize("name", ["threads", "greenlet"])
def test_a_cheating_ring_is_caught(monkeypatch, name, node, settings, error):
    monkeypatch.setattr(tasks, "node", node)
    result = ring(name, nodes=2 if node is _failing else 1, messages=20, **settings)
    assert (result.verified, result.error, result.status) == (False, error, FAILED)
    assert result.run_s is None


def test_messages_that_never_come(monkeypatch):
    monkeypatch.setattr(tasks, "node", _closing)
    assert ring("threads", nodes=1, messages=20).error == "only 4 of 20 messages came round"


def _closing(inbox, outbox):
    for message in inbox:
        if message == 5:  # message 0 was the warm-up
            break
        outbox.send(message)
    outbox.close()


async def _failing_later(inbox, outbox):
    async for message in inbox:
        await outbox.send(message)
        if message == 5:
            raise LookupError("gone")


@pytest.mark.parametrize("name", ["asyncio", "trio", "anyio"])
def test_a_failing_coroutine_is_named(monkeypatch, name):
    monkeypatch.setattr(tasks, "async_node", _failing_later)
    assert ring(name, nodes=2, messages=20).error == "node 1 failed: LookupError: gone"


# The parts.


@pytest.mark.parametrize("payload", [8, 9, 15, 16, 17, 100])
def test_payloads(payload):
    for number, message in zip((0, 1, 2**40), numbered((0, 1, 2**40), payload), strict=True):
        assert len(message) == payload
        assert int.from_bytes(message[-8:]) == number
        assert payload < 16 or int.from_bytes(message[:8]) == number


def test_short_numbers():
    assert [short(it) for it in (0, 999, 1000, 12_345, 999_999)] == ["0", "999", "1k", "12.3k", "1M"]
    assert [duration(it) for it in (44.8, 999.9, 5130, 6e6)] == ["44.8ns", "1us", "5.13us", "6ms"]
    assert [seconds(it) for it in (0, 0.004, 0.13, 7.2, 12.34)] == ["0", "4ms", "0.13s", "7.20s", "12.3s"]
    assert [size(it) for it in (29 * 2**20, 1.25 * 2**30)] == ["29M", "1.2G"]


@linux_files
@pytest.mark.parametrize(
    ("plan", "short_of"),
    [
        (Plan("greenlet", 10**12, 1), "memory"),
        (Plan("greenlet", 1, 10**12), "memory"),
        (Plan("threads", 10**7, 1), "OS tasks"),
        (Plan("processes", 10**12, 1), "file descriptors|OS tasks|memory"),
    ],
)
def test_rings_that_do_not_fit(plan, short_of):
    with pytest.raises(limits.TooLarge, match=short_of):
        plan.check_limits()


def test_a_bounded_ring_holds_few_messages():
    Plan("greenlet", 10, 10**12, capacity=5).check_limits()
    Plan("greenlet", 10, 10**12, in_flight=5).check_limits()
    assert Plan("greenlet", 10, 10**12, capacity=5).held == 66
    assert Plan("greenlet", 10, 100, capacity=math.inf).held == 100


@linux_files
def test_a_cgroup_limits_too(monkeypatch, tmp_path):
    group = tmp_path / "a"
    group.mkdir()
    (group / "memory.max").write_text("max\n")
    for name, number in (("memory.max", 3000), ("memory.current", 2000), ("pids.max", 70), ("pids.current", 60)):
        (tmp_path / name).write_text(f"{number}\n")
    monkeypatch.setattr(measuring, "_cgroups", lambda: [group, tmp_path])
    with pytest.raises(limits.TooLarge, match="memory.max"):
        Plan("greenlet", 1, 1).check_limits()
    with pytest.raises(limits.TooLarge, match="pids.max"):
        Plan("threads", 20, 1).check_limits()


def test_peaks_are_those_since_the_reset():
    with mmap.mmap(-1, 64 * 2**20) as block:  # not a bytearray: without the GIL, CPython keeps freed memory for a while
        block[:: 2**12] = bytes(len(block) // 2**12)
    before = memory.own_peak()
    if not memory.reset_peak():
        pytest.skip("this kernel does not forget peaks")
    assert memory.own_peak() < before


def test_timing_starts_with_the_counted_messages():
    began = time.perf_counter()
    result = ring("threads", nodes=20, messages=1)
    assert result.setup_s + result.run_s + result.teardown_s <= time.perf_counter() - began
