"""The channel program from Python: its results, its refusals, and that it catches channels and tasks that cheat."""

import dataclasses
import itertools

import pytest
from platforms import linux_files

from concmodels import catalog
from concmodels.channel import channel
from concmodels.channel import tasks as program
from concmodels.channel.messages import add_up, expected
from concmodels.channel.plan import PATTERNS, ChannelPlan, ChannelResult
from concmodels.channel.program import ChannelTimer
from concmodels.errors import ModelUnavailable, UnknownModel
from concmodels.programs import limits
from concmodels.programs.result import FAILED
from concmodels.ring import Misdelivered

NAMES = catalog.names(variants=True)
SETTINGS = [{}, {"capacity": 0}, {"capacity": 3, "payload": 100}, {"capacity": 1, "payload": 8}]
SEVERAL = ["fanin", "fanout", "select"]


def in_turn(name, pattern):
    """One setting. So each model meets each pattern and each setting, and somewhere each pattern meets each setting."""
    return SETTINGS[(NAMES.index(name) + list(PATTERNS).index(pattern)) % len(SETTINGS)]


@pytest.mark.thorough(when=lambda params: params["name"] not in catalog.names())
@pytest.mark.parametrize(("name", "pattern"), [*itertools.product(NAMES, PATTERNS)])
def test_every_model_does_every_pattern(name, pattern, thorough):
    for settings in SETTINGS if thorough else [in_turn(name, pattern)]:
        try:
            result = channel(name, pattern=pattern, messages=30, **settings)
        except ModelUnavailable as error:
            pytest.skip(str(error))
        assert result.error is None, settings
        assert result.verified


def test_in_turn_everything_meets_everything():
    met = [(name, pattern, str(in_turn(name, pattern))) for name in catalog.names() for pattern in PATTERNS]
    settings = [*map(str, SETTINGS)]
    assert {(name, setting) for name, _, setting in met} == {*itertools.product(catalog.names(), settings)}
    assert {(pattern, setting) for _, pattern, setting in met} == {*itertools.product(PATTERNS, settings)}


@pytest.mark.parametrize("pattern", SEVERAL)
@pytest.mark.parametrize(("tasks", "messages"), [(1, 5), (7, 3), (7, 100)])
def test_any_number_of_tasks_shares_any_number_of_messages(pattern, tasks, messages):
    for name in ("threads", "trio"):
        result = channel(name, pattern=pattern, messages=messages, tasks=tasks)
        assert (result.error, result.tasks, result.messages) == (None, tasks, messages)


@linux_files
@pytest.mark.parametrize("pattern", PATTERNS)
def test_the_figures_fit_together(pattern):
    result = channel("threads", pattern=pattern, messages=500)
    assert result.total_s == pytest.approx(result.setup_s + result.run_s + result.teardown_s)
    assert result.messages_per_s == pytest.approx(500 / result.run_s)
    assert result.ns_per_message == pytest.approx(result.run_s / 500 * 1e9)
    assert 0 < result.peak_pss_bytes <= result.peak_rss_bytes * 1.01
    assert (result.pattern, result.capacity, result.payload_bytes) == (pattern, "inf", 0)
    assert result.tasks == (4 if pattern in SEVERAL else 1)


def test_the_result_is_immutable_and_survives_json():
    result = channel("greenlet", messages=3)
    with pytest.raises(dataclasses.FrozenInstanceError):
        result.run_s = 0
    assert ChannelResult.from_json(result.to_json()) == result
    assert list(result.to_json())[:7] == [
        "model",
        "variant",
        "pattern",
        "messages",
        "tasks",
        "capacity",
        "payload_bytes",
    ]


@pytest.mark.parametrize("pattern", PATTERNS)
def test_processes_report_their_own_use(pattern):
    plan = ChannelPlan("processes", 3000, pattern)
    timer = ChannelTimer(plan)
    used = timer.measure(catalog.load("processes"))
    assert len(used) == plan.tasks
    for user_s, system_s, voluntary, involuntary, peak_rss in used:
        assert peak_rss > 2**20
        assert user_s + system_s > 0 and voluntary + involuntary > 0
    figures = timer.figures(used)
    assert figures["voluntary_switches"] >= sum(it[2] for it in used)
    assert figures["cpu_user_s"] >= sum(it[0] for it in used)


@pytest.mark.parametrize(
    ("settings", "complaint"),
    [
        ({"pattern": "circle"}, "there is no pattern 'circle'; there are stream, pingpong"),
        ({"messages": 0}, "messages must be"),
        ({"messages": 2**63}, "below"),
        ({"tasks": 0, "pattern": "fanin"}, "tasks must be"),
        ({"tasks": 2, "pattern": "pingpong"}, "a pingpong is between two: tasks are for fanin, fanout, select"),
        ({"capacity": -1}, "capacity"),
        ({"payload": 7}, "at least 8"),
    ],
)
def test_sizes_that_make_no_sense(settings, complaint):
    with pytest.raises(ValueError, match=complaint):
        channel("threads", **({"messages": 1} | settings))


def test_unknown_models():
    with pytest.raises(UnknownModel):
        channel("three", messages=1)


def test_a_timeout_raises():
    with pytest.raises(TimeoutError, match="timed out after 0.2 s"):
        channel("threads", pattern="pingpong", messages=10**7, timeout=0.2)


# Tasks that cheat. They are functions of this module, so that they have a name to be found by.


class Cheating:
    """A channel whose `send` does what this one says with the message that is to be tampered with."""

    def __init__(self, outbox, cheat):
        self._outbox = outbox
        self._cheat = cheat
        self._seen = 0

    def send(self, message):
        if message is not None:
            self._seen += 1
        if message is None or self._seen != 6:
            self._outbox.send(message)
        else:
            self._cheat(self._outbox, message)


def _losing(outbox, message):
    pass


def _doubling(outbox, message):
    outbox.send(message)
    outbox.send(message)


def _tampering(outbox, message):
    outbox.send(message[:9] + b"!" + message[10:])


def _ending(outbox, message):
    outbox.send(None)


def _failing(outbox, message):
    raise LookupError("gone")


@pytest.mark.parametrize(
    ("cheat", "payload", "error"),
    [
        (_losing, None, "message {next} arrived when {it} was due"),
        (_doubling, None, "message {it} arrived when {next} was due"),
        (_tampering, 30, "message {it} arrived with other bytes than it was sent with"),
        (_ending, None, "a sender ended before all its messages had arrived"),
        (_failing, None, "sender 1 failed: LookupError: gone"),
    ],
)
@pytest.mark.parametrize(("pattern", "tasks"), [("stream", 1), ("fanin", 3), ("select", 3)])
@pytest.mark.parametrize("name", ["threads", "greenlet"])
def test_a_cheating_sender_is_caught(monkeypatch, name, pattern, tasks, cheat, payload, error):
    send = program.send

    def crooked(orders, outbox, number, step, payload):
        send(orders, Cheating(outbox, cheat) if number == 0 else outbox, number, step, payload)

    monkeypatch.setattr(program, "send", crooked)
    result = channel(name, pattern=pattern, messages=60, tasks=tasks, payload=payload)
    caught = error.format(it=5 * tasks, next=6 * tasks)
    assert (result.verified, result.error, result.status) == (False, caught, FAILED)
    assert result.run_s is None


def _garrulous(orders, outbox, number, step, payload):
    for limit in orders:
        last = limit
        number = program.emit(outbox, range(number, limit, step), payload)
    outbox.send(last)
    outbox.send(None)


@pytest.mark.parametrize("pattern", ["stream", "fanin", "select"])
def test_a_message_too_many_is_caught(monkeypatch, pattern):
    monkeypatch.setattr(program, "send", _garrulous)
    result = channel("threads", pattern=pattern, messages=20, capacity=1)
    assert result.error.endswith("arrived after the last one")


def _stuttering(inbox, outbox):
    for message in inbox:
        outbox.send(message + (message == 5))
    outbox.close()


def _falling_silent(inbox, outbox):
    outbox.send(inbox.receive())
    outbox.close()


@pytest.mark.parametrize(
    ("echo", "error"),
    [(_stuttering, "message 6 arrived when 5 was due"), (_falling_silent, "only 0 of 20 messages arrived")],
)
def test_a_cheating_echo_is_caught(monkeypatch, echo, error):
    monkeypatch.setattr(program, "echo", echo)
    assert channel("threads", pattern="pingpong", messages=20).error == error


def _forgetful(inbox, payload):
    count, checksum = program.take.honest(inbox, payload)
    return (max(0, count - 1), checksum)


def _confused(inbox, payload):
    count, checksum = program.take.honest(inbox, payload)
    return (count, checksum + 1)


@pytest.mark.parametrize(
    ("take", "error"),
    [
        (_forgetful, "16 messages arrived where 20 were sent"),
        (_confused, "as many messages arrived as were sent, but some of them twice and others not at all"),
    ],
)
def test_receivers_that_have_not_got_it_all_are_caught(monkeypatch, take, error):
    take.honest = program.take
    monkeypatch.setattr(program, "take", take)
    result = channel("greenlet", pattern="fanout", messages=20, capacity=1)
    assert result.error == error


def test_a_receiver_to_whom_they_come_out_of_order_says_so():
    with pytest.raises(Misdelivered, match="message 3 arrived after 4 had arrived"):
        program.take(iter([1, 4, 3]), 0)


async def _failing_later(orders, outbox, number, step, payload):
    async for _ in orders:
        raise LookupError("gone")


@pytest.mark.parametrize("name", ["asyncio", "trio", "anyio"])
def test_a_failing_coroutine_is_named(monkeypatch, name):
    monkeypatch.setattr(program, "async_send", _failing_later)
    assert channel(name, messages=20).error == "sender 1 failed: LookupError: gone"


# The parts.


def test_what_is_due():
    due = expected(3, 0)
    assert list(due) == [0, 1, 2]
    assert next(due[1]) == 4
    assert list(expected(2, 9)) == [b"\0" * 9, b"\0" * 8 + b"\1"]


def test_reports_that_add_up():
    def report(numbers):
        return len(numbers), sum(hash((it,)) for it in numbers)

    add_up([report([0, 3]), report([1]), report([2])], range(4))
    with pytest.raises(Misdelivered, match="3 messages arrived where 4 were sent"):
        add_up([report([0, 3]), report([1])], range(4))
    with pytest.raises(Misdelivered, match="some of them twice"):
        add_up([report([0, 3]), report([1, 1])], range(4))


@linux_files
@pytest.mark.parametrize(
    ("plan", "short_of"),
    [
        (
            ChannelPlan("greenlet", 10**12),
            "a stream of 1 task of greenlet with up to 1,000,000,000,000 messages .*memory",
        ),
        (ChannelPlan("threads", 1, "fanin", 10**7), "OS tasks"),
        (ChannelPlan("processes", 1, "select", 10**12), "file descriptors|OS tasks|memory"),
    ],
)
def test_what_does_not_fit(plan, short_of):
    with pytest.raises(limits.TooLarge, match=short_of):
        plan.check_limits()


def test_bounded_channels_hold_few_messages():
    assert ChannelPlan("greenlet", 10**12, capacity=5).held == 7
    assert ChannelPlan("greenlet", 10**12, "select", 3, capacity=5).held == 19
    assert ChannelPlan("greenlet", 10**12, "pingpong").held == 1
    ChannelPlan("greenlet", 10**12, capacity=5).check_limits()
