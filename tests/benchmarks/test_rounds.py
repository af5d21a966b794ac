"""What rounds can tell: the interval of a median, and how often a rule is wrong that sees nothing but noise."""

import random

import pytest
from test_report import Look, results, row

from benchmarks import suites
from benchmarks.report import certainty
from benchmarks.rounds import ENOUGH, interval


@pytest.mark.parametrize(
    ("rounds", "low", "high"), [(6, 1, 6), (8, 1, 8), (9, 2, 8), (11, 2, 10), (12, 3, 10), (20, 6, 15)]
)
def test_the_interval_leaves_out_what_the_sign_test_allows(rounds: int, low: int, high: int):
    it = interval(range(rounds, 0, -1))
    assert (it.low, it.high, it.rounds) == (low, high, rounds) and it.is_known


def test_fewer_rounds_have_their_ends_and_no_conclusion():
    it = interval([1.2, 1.3, 1.4, 1.5, 1.6])
    assert it == (1.4, 1.2, 1.6, 5) and ENOUGH == 6
    assert not (it.above(1) or it.below(2) or it.within(1, 2))


def test_the_interval_has_the_true_median_as_often_as_it_says():
    rng = random.Random(1)
    for rounds in (6, 9, 12, 24):
        found = [interval([rng.lognormvariate(0, 0.3) for _ in range(rounds)]) for _ in range(4000)]
        assert 0.94 < sum(it.low <= 1 <= it.high for it in found) / len(found) < 0.985


def test_more_rounds_find_more():
    rng = random.Random(2)

    def found(rounds: int) -> int:
        sessions = ([rng.lognormvariate(0.1, 0.1) for _ in range(rounds)] for _ in range(2000))
        return sum(interval(it).above(1) for it in sessions)

    few, more, most = (found(rounds) for rounds in (6, 9, 20))
    assert found(5) == 0 < few < more < most


# The suite that puts the rule to the test.


def arms(cell: str, factor: float, rounds: int) -> list:
    rng = random.Random(cell)
    names = [*((f"arm {number}", 1.0) for number in range(1, 7)), ("+10 %", factor)]
    return [
        row(f"certainty/{cell}/{name}", *(rng.gauss(1, 0.02) * times for _ in range(rounds)), kind="baseline")
        for name, times in names
    ]


def test_false_alarms_and_finds_are_counted_by_session():
    found = certainty.chart(results(*arms("loop", 1.1, 36), *arms("stream", 1.1, 36)))
    lines = {line[0]: line[1:] for line in found.sheet.lines}
    assert list(lines) == ["2", "3", "4", "6", "9", "12"]
    assert lines["2"][0] == "0%" and 40 < float(lines["2"][1].rstrip("%")) < 60
    assert float(lines["6"][0].rstrip("%")) < 9 and lines["6"][2] == lines["12"][2] == "100%"
    assert lines["2"][-1] == "" and 90 < float(lines["6"][-1].rstrip("%")) <= 100
    for narrow in (False, True):
        assert found.draw(Look(narrow=narrow)).axes


def test_arms_report_exactly_so_much_more(monkeypatch):
    from benchmarks import calls

    monkeypatch.setattr(calls, "turns", lambda number: number / 100)
    known = {it.name: calls.slowed(**it.sizes) for it in suites.load("certainty") if it.cell == "loop"}
    assert known["arm 1"] == 30_000 and known["+20 %"] == pytest.approx(36_000)
