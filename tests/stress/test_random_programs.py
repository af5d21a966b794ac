"""Random programs on every model: each history must have an explanation. How it is done: `random_programs/`."""

import gc
import pickle
import random
import re
from math import inf

import pytest
from kinds import untouched
from random_programs import checker, mutants, trial
from random_programs.checker import TooHard, explain, stands_still
from random_programs.examples import BAD, GOOD, STILL, notes
from random_programs.program import LONG, NOWAIT, PAUSE, SHORT, Program, close, iterate, listing, receive, select, send
from random_programs.trial import Jury, Setting, Unexplained, hunt, sample

SUSPECTS = {
    "a close is seen by one, and an item comes after it": Program(
        (0,), ((send(0, 1),), (close(0),), (send(0, 2, NOWAIT), receive(0)))
    ),
    "the first to be closed": Program((0, 0), ((select(0, 1, priority=True),), (close(0), close(1)))),
    "a hint for a select that timed out": Program(
        (1, 1), ((select(0, 1, patience=SHORT),), (send(0, 1), send(1, 2)), (receive(0), receive(1)))
    ),
}
"""Programs that look for one race; the first of them has found it once."""


@pytest.fixture(autouse=True, scope="module")
def _nothing_frozen():
    """Hypothesis asks the garbage collector what refers to its random generators; frozen objects are not looked at."""
    gc.unfreeze()
    yield
    gc.freeze()


def few(setting, thorough):
    """Programs in each run of the tests: a second or two with `--thorough`, else half of it."""
    if setting.facts.hop > 5e-3:
        return 10  # it sleeps more than it works
    return 25 if setting.boundary else 60 if thorough else 30


def many(setting):
    """Programs under `make test-stress`."""
    return 200 if setting.boundary else 2000


@pytest.mark.thorough(when=untouched("delivery"))
def test_programs_can_be_explained(model, thorough):
    setting = Setting.named(model.name)
    count = few(setting, thorough)
    assert sample(setting, count) == count


def test_programs_with_sockets_can_be_explained(model, thorough):
    setting = Setting.named(model.name)
    if setting.boundary:
        pytest.skip("its tasks do not share the sockets of a program")
    count = few(setting, thorough)
    assert sample(setting, count, with_sockets=True) == count


@pytest.mark.stress
def test_many_programs_can_be_explained(model, pytestconfig):
    seed = pytestconfig.getoption("seed")
    number = random.randrange(2**32) if seed is None else seed
    print(f"the same programs again: --seed {number}")  # shown when it fails
    setting = Setting.named(model.name)
    assert sample(setting, many(setting), number) == many(setting)


@pytest.mark.stress
@pytest.mark.parametrize("name", SUSPECTS)
def test_a_suspect_can_be_explained_every_time(model, name):
    racy = model.facts.preemptive and model.facts.hop < 5e-3
    hunt(model.name, SUSPECTS[name], 3000 if racy else 30)


SOONER = {"select_two": 8}
"""Another seed, where the programs that are always drawn show a mutant late."""


@pytest.mark.parametrize("mutant", [*mutants.CHANNELS, *mutants.SELECTS], ids=lambda mutant: mutant.__name__)
def test_a_broken_channel_is_found(mutant):
    number = SOONER.get(mutant.__name__)
    with pytest.raises(Unexplained) as caught:
        sample(mutants.setting_with(mutant), 2000, number)  # a race decides which shows it: one of 200, as a rule
    assert caught.value.__cause__ is None  # found by its history, not by an exception


def test_a_lost_wake_up_shows_as_somebody_who_does_not_go_on():
    setting = mutants.setting_with(mutants.LosesAWakeUp)
    jury = Jury(setting, setting.play_alone)
    with pytest.raises(Unexplained, match="somebody could go on and does not"):
        for _ in range(1000):  # until the receiver happens to be there first
            jury(Program((1,), ((receive(0),), (PAUSE, send(0, 1)))))


@pytest.mark.thorough(when=untouched("delivery"))
def test_a_program_that_never_ends_is_ended(model):
    setting = Setting.named(model.name)
    setting.patience, setting.stands_still = 0.1, lambda *_: False  # as if somebody should go on
    program = Program((0,), ((receive(0),), (iterate(0, 1),)))
    with pytest.raises(Unexplained, match="somebody could go on and does not"):
        if setting.boundary:
            setting.with_team(lambda play: Jury(setting, play)(program))
        else:
            Jury(setting, setting.play_alone)(program)


def test_a_failure_shows_program_and_history_and_how_to_run_it_again():
    setting = mutants.setting_with(mutants.CloseDropsTheBuffer)
    program = Program((1,), ((send(0, 7), close(0), receive(0)),))
    with pytest.raises(Unexplained) as caught:
        Jury(setting, setting.play_alone)(program)
    text = str(caught.value)
    assert listing(program) in text and f"hunt('CloseDropsTheBuffer', {program!r})" in text
    assert re.search(r"\d +0 +receive a +closed a\n", text)


def test_a_failure_is_reduced():
    setting = mutants.setting_with(mutants.CloseDropsTheBuffer)
    setting.reducing = 1
    with pytest.raises(Unexplained) as caught:
        sample(setting, 400)
    listed = str(caught.value).split("\n\n")[1]
    assert len(listed.splitlines()) <= 8, listed


@pytest.mark.thorough(when=untouched("delivery"))
def test_a_program_can_be_run_again(model):
    program = Program((0, 1, inf), ((send(0, 1), select(1, (2, "x"))), (receive(0, LONG), send(1, 2, SHORT))))
    assert eval(repr(program), vars(trial)) == program == pickle.loads(pickle.dumps(program))
    hunt(model.name, program, 3)


# The checker itself, on histories written by hand.


@pytest.mark.parametrize("name", GOOD)
def test_the_checker_explains(name):
    program, calls = GOOD[name]
    order = explain(program, notes(*calls))
    assert sorted(call.start for together in order for call in together) == sorted(call[2] for call in calls)


@pytest.mark.parametrize("name", BAD)
def test_the_checker_rejects(name):
    program, calls = BAD[name]
    assert explain(program, notes(*calls)) is None


def test_the_checker_says_when_it_gives_up(monkeypatch):
    monkeypatch.setattr(checker, "BOUND", 1)
    program, calls = GOOD["through a buffer"]
    with pytest.raises(TooHard):
        explain(program, notes(*calls))


@pytest.mark.parametrize(("program", "calls", "still"), STILL)
def test_who_could_go_on_does_not_stand_still(program, calls, still):
    assert stands_still(program, list(notes(*calls))) is still
