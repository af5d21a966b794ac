"""The suite of paradigms: a transfer in each bank, and the programs of actors, ours and Pykka's."""

import sys

import pytest

from benchmarks import banks
from benchmarks.actors import PROGRAMS, of_pykka, ours
from benchmarks.interpreters import ROOT, probed
from benchmarks.packages import Packages
from benchmarks.suites.paradigms import BANKS, PYKKA
from concmodels import catalog

SIZES = {"ring": {"nodes": 3, "messages": 4}, "ask": {"messages": 4}, "failure": {"messages": 2}}


@pytest.mark.parametrize("paradigm", BANKS)
def test_a_transfer_is_timed_without_the_start(paradigm):
    model = BANKS[paradigm][0]
    if why := catalog.why_not(model):
        pytest.skip(why)
    seconds, figures = banks.transfers(paradigm, model, 2, 3, with_start=True)
    assert seconds > 0 and figures["start_s"] > 0


def test_a_run_that_does_not_tell_the_transfers_from_the_start_is_refused(monkeypatch):
    took = iter([2.0, 1.5])
    monkeypatch.setattr(banks, "one_run", lambda *_: next(took))
    with pytest.raises(RuntimeError, match="too busy"):
        banks.transfers("locks", "threads", 1, 5, with_start=False)


@pytest.mark.parametrize("program", PROGRAMS)
@pytest.mark.parametrize("model", ["threads", "greenlet"])
def test_actors_on_a_model(model, program):
    assert ours.run(model, program, **SIZES[program]) > 0


@pytest.mark.parametrize("program", PROGRAMS)
def test_actors_of_pykka(monkeypatch, program):
    folder = ROOT / ".python" / f"peers-{probed(sys.executable).tag}" / PYKKA
    if not folder.is_dir():
        pytest.skip("Pykka is installed by the first run of the suite")
    assert Packages(probed(sys.executable), may_install=False).path((PYKKA,)) == str(folder)
    monkeypatch.syspath_prepend(folder)
    seconds, figures = of_pykka.run(program, **SIZES[program])
    assert seconds > 0 and figures["versions"]["pykka"] == PYKKA.partition("==")[2]
