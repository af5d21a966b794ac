"""What a trace says: shares, blame, what was in flight, the critical path. Every figure here is counted by hand."""

import pytest
from made import STALL, STALL_CHANNELS, trace

from concmodels.trace.analysis import Analysis


@pytest.fixture
def stall():
    return Analysis(trace(STALL, STALL_CHANNELS, cpu={"main": 41, "source": 20, "store": 20}))


def spent(analysis, name):
    lane = next(it for it in analysis.trace.lanes.values() if it.name == name)
    return analysis.spent[lane.number].within(lane.begin, lane.end)


def test_how_each_task_spent_its_time(stall):
    assert spent(stall, "main") == {"running": 410 - 150 - 150 - 50, "waiting": 350, "full": 0, "asleep": 0}
    assert spent(stall, "store") == {"running": 360 - 130 - 140, "waiting": 0, "full": 0, "asleep": 270}
    # its first message found space; the second and the third had to wait until the store had taken one
    assert spent(stall, "source") == {"running": 185 - 15 - 145, "waiting": 0, "full": 160, "asleep": 0}


def test_the_cores_that_were_used(stall):
    assert stall.wall_ns == 410
    assert stall.cores == pytest.approx(81 / 410)


def test_who_waited_for_whom(stall):
    found = {(it.waiter, it.blamed, it.did): (it.total, it.times) for it in stall.blame}
    assert found == {
        (1, 3, "sent"): (300, 2),
        (2, 3, "made space"): (160, 2),
        (1, 3, "ended"): (50, 1),
    }
    assert [it.total for it in stall.blame] == [300, 160, 50]
    meanwhile = stall.blame[0].meanwhile
    assert (meanwhile["asleep"], meanwhile["running"]) == (130 + 140, 10 + 5 + 5)


def test_a_task_that_passes_its_wait_on_is_not_to_blame():
    """`middle` keeps main waiting only because it waits for `slow` itself."""
    lanes = {
        "main": [("start", 0, 0), ("receive", 0, 102, 2, 0), ("end", 103, 103)],
        "middle": [("start", 0, 0), ("receive", 0, 99, 1, 0), ("send", 100, 101, 2, 0), ("end", 101, 101)],
        "slow": [("start", 0, 0), ("sleep", 0, 95), ("send", 96, 97, 1, 0), ("end", 97, 97)],
    }
    analysis = Analysis(trace(lanes, (("in", None), ("out", None))))
    assert [(it.waiter, it.blamed) for it in analysis.blame] == [(1, 2), (2, 3)]
    assert [(it.lane, it.total) for it in analysis.held_up()] == [(3, 96), (2, 1)]
    assert analysis.held_up()[0].doing == {"asleep": 95, "running": 1}


def test_the_longest_waits_come_first(stall):
    lengths = [wait.length for wait in stall.waits()]
    assert lengths == sorted(lengths, reverse=True) and lengths[0] == 150
    assert {(wait.cause.lane, wait.cause.did) for wait in stall.waits()[:2]} == {(3, "sent")}


def test_what_was_in_flight_by_littles_law(stall):
    boxes, stored = stall.flows()
    # in the channel from 21 to 36, from 40 to 185 and from 190 to 350
    assert (boxes.name, boxes.capacity, boxes.messages, boxes.most) == ("boxes", 1, 3, 1)
    assert boxes.mean_ns == pytest.approx((15 + 145 + 160) / 3)
    assert boxes.mean == pytest.approx((15 + 145 + 160) / (350 - 21))
    assert boxes.mean == pytest.approx(boxes.per_second * boxes.mean_ns / 1e9)
    assert stored.most == 0 or stored.mean_ns <= 1


def test_the_critical_path_leads_back_to_the_begin(stall):
    path = stall.critical_path()
    assert path[0].begin == 0 and path[-1].end == 410
    assert all(before.end == after.begin for before, after in zip(path, path[1:], strict=False))
    assert [stall.trace.name(it.lane) if it.lane else it.what for it in path] == [
        "main", "starting a task", "store", "on the way", "main",
    ]  # fmt: skip
    parts = dict(stall.path_by_task())
    assert parts["store asleep"] == 270 and sum(parts.values()) == 410


def test_a_rendezvous_waits_for_the_receiver():
    lanes = {
        "main": [("start", 0, 0), ("send", 10, 60, 1, 0), ("end", 70, 70)],
        "late": [("start", 0, 0), ("receive", 55, 62, 1, 0), ("end", 65, 65)],
    }
    analysis = Analysis(trace(lanes, (("meet", 0),)))
    [blame] = analysis.blame
    assert (blame.waiter, blame.blamed, blame.did, blame.total) == (1, 2, "came to receive", 50)
    assert analysis.spent[2].waits == []  # the sender was there before it
    assert analysis.flows()[0].most == 1


def test_what_is_there_at_once_is_no_wait():
    lanes = {
        "main": [("start", 0, 0), ("send", 0, 5, 1, 0), ("receive", 20, 40, 1, 0), ("end", 50, 50)],
    }
    analysis = Analysis(trace(lanes, (("free", 3),)))
    assert not analysis.blame and spent(analysis, "main")["running"] == 50


def test_a_wait_in_vain_has_no_cause():
    lanes = {"main": [("start", 0, 0), ("receive", 0, 100, 1, 0, "timeout"), ("end", 110, 110)]}
    analysis = Analysis(trace(lanes, (("empty", 1),)))
    assert not analysis.blame and spent(analysis, "main") == {"running": 10, "waiting": 100, "full": 0, "asleep": 0}


def test_a_worker_of_a_pool_waits_for_work():
    lanes = {
        "main": [
            ("start", 0, 0), ("submit", 10, 10, 0, 1), ("submit", 11, 11, 0, 2), ("call", 12, 90, 0, 2),
            ("end", 95, 95),
        ],
        "worker": [("start", 0, 0), ("work", 15, 40, 0, 1), ("work", 45, 85, 0, 2), ("end", 99, 99)],
    }  # fmt: skip
    analysis = Analysis(trace(lanes))
    # its second task was there already when it had done the first one
    assert spent(analysis, "worker") == {"running": 70, "waiting": 15 + 14, "full": 0, "asleep": 0}
    assert {(it.waiter, it.blamed, it.did, it.total) for it in analysis.blame} == {
        (1, 2, "did the task", 78), (2, 1, "submitted", 15),
    }  # fmt: skip
    whole, queued = analysis.flows()
    assert (whole.messages, whole.most, queued.most) == (2, 2, 2)
    assert whole.mean == pytest.approx((30 + 74) / 75)


def test_a_run_without_messages_has_tables_too():
    analysis = Analysis(trace({"main": [("start", 0, 0), ("end", 0, 0)]}))
    assert not analysis.flows() and not analysis.critical_path() and not analysis.held_up()


def test_a_trace_that_was_thinned_out_counts_messages_but_invents_no_waits():
    lanes = {
        "main": [("start", 0, 0), ("receive", 0, 40, 1, 0), ("receive", 50, 90, 1, 4), ("end", 100, 100)],
        "other": [("start", 0, 0), ("send", 30, 31, 1, 0), ("send", 80, 81, 1, 4), ("end", 95, 95)],
    }
    its = trace(lanes, (("many", None),), every=4)
    its.counts[1] = (7, 7)
    analysis = Analysis(its)
    assert (analysis.blame[0].total, analysis.blame[0].times) == (80, 2)
    assert analysis.flows()[0].messages == 7
