"""The rings by hand: every message comes round, whatever can't is noticed, and nothing is left behind."""

import pytest

from benchmarks import baselines
from concmodels import catalog

UNITS = {"processes": 3, "subinterp": 3}
"""Nodes of those whose nodes are slow to start."""


@pytest.fixture(params=baselines.BASELINES)
def baseline(request):
    """A model that has a baseline, and can run here."""
    if why := catalog.why_not(request.param):
        pytest.skip(why)
    baselines.load(request.param).token(1, 1)  # what its libraries keep for ever, they have now
    return request.param


@pytest.mark.parametrize("lap", [baselines.stream, baselines.token])
def test_a_ring_by_hand_comes_round(baseline, lap, nothing_left_behind):
    assert lap(baseline, UNITS.get(baseline, 10), 200) > 0


@pytest.mark.parametrize("lap", [baselines.stream, baselines.token])
def test_the_smallest_ring_by_hand(baseline, lap, nothing_left_behind):
    assert lap(baseline, 1, 1) > 0


def test_greenlets_that_find_everything_at_once(nothing_left_behind):
    assert baselines.load("greenlet").batch(10, 200) > 0


def test_a_message_that_is_lost_is_noticed(monkeypatch, nothing_left_behind):
    def feed_from_one(gate, outbox):
        for messages in iter(gate.get, None):
            for number in range(1, messages + 1):
                outbox.put(number)
        outbox.put(None)

    threads = baselines.load("threads")
    monkeypatch.setattr(threads, "feed", feed_from_one)
    with pytest.raises(RuntimeError, match="message 1 came when 0 was due"):
        threads.stream(3, 10)


def test_every_model_has_a_baseline():
    assert list(baselines.BASELINES) == catalog.names()


def test_there_is_no_baseline_of_that_name():
    with pytest.raises(ValueError, match="no baseline for 'curio'; there is one for threads, rawthreads, "):
        baselines.load("curio")
