"""The bank in five paradigms: each program does the same, and each broken one fails in its own way."""

from difflib import ndiff
from importlib import import_module
from pathlib import Path

import pytest

from concmodels import catalog, load
from concmodels.explore import explore, replay

FOLDER = Path(__file__).parents[2] / "examples" / "paradigms"
PARADIGMS = {
    "locks": "threads",
    "channels": "threads",
    "actors": "threads",
    "tasks": "asyncio",
    "processes": "processes",
}
"""The model on which each program runs."""
PROVED = ("locks", "tasks")
"""Those with so few schedules that all are run; of the others a sample is."""
FAILURES = {
    "locks": ("Deadlock", "which teller 2 holds"),
    "channels": ("ChannelClosed", "send on channel 'transfers': it is closed"),
    "actors": ("AssertionError", "the audit saw [120]"),
    "tasks": ("AssertionError", "an account is overdrawn"),
    "processes": ("Deadlock", "receive on channel 'lent'"),
}
MANY = [[("ada", "ben", 1), ("ben", "cleo", 2)] * 20, [("cleo", "ada", 3)] * 20, [("ben", "ada", 500)] * 3]


@pytest.fixture(autouse=True)
def folder_of_the_programs(monkeypatch):
    """Import them as a program beside them does; the processes of a model too."""
    monkeypatch.syspath_prepend(FOLDER)


@pytest.mark.parametrize(("paradigm", "name"), PARADIGMS.items())
def test_each_bank_does_the_same(paradigm, name):
    if why := catalog.why_not(name):
        pytest.skip(why)
    bank, model = import_module(f"bank_{paradigm}"), load(name)
    assert model.run(bank.main, model) == ({"ada": 30, "ben": 170}, 1)
    accounts = {"ada": 100, "ben": 60, "cleo": 70}
    assert model.run(bank.main, model, accounts, MANY, 5) == ({"ada": 140, "ben": 40, "cleo": 50}, 3)


@pytest.mark.parametrize("paradigm", PARADIGMS)
def test_each_bank_holds_in_its_schedules(paradigm, thorough):
    sampled, samples = paradigm not in PROVED, 100 if thorough else 50
    how = {"schedules": samples} if sampled else {"search": "all"}
    explore(str(FOLDER / f"bank_{paradigm}.py"), seconds=60, **how).must_hold(in_all=not sampled)


@pytest.mark.parametrize("paradigm", PARADIGMS)
def test_each_broken_bank_fails_in_its_own_way(paradigm):
    path = str(FOLDER / f"bank_{paradigm}_broken.py")
    report = explore(path, seconds=60)
    assert report.verdict == "broken", str(report)
    kind, text = FAILURES[paradigm]
    assert f"{kind}: " in str(report) and text in str(report), str(report)
    assert replay(path, schedule=report.failure.replay_id).verdict == "broken"


@pytest.mark.parametrize("paradigm", PARADIGMS)
def test_a_broken_bank_differs_in_a_few_lines(paradigm):
    right, broken = (
        (FOLDER / f"bank_{paradigm}{kind}.py").read_text().partition('"""\n\n')[2].splitlines()
        for kind in ("", "_broken")
    )
    changed = [line for line in ndiff(right, broken) if line[0] in "+-"]
    assert 2 <= len(changed) <= 8, changed
