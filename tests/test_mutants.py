"""The guarantees that `make test` holds models to find every mutant, and nothing in a model without a defect.

A mutant is a model with one defect: see `mutants`. `python tests/mutants` prints which guarantee finds which.
"""

import subprocess
import sys
from pathlib import Path

import pytest
from mutants import judge, mutants, named

QUICK = (
    *("channels.loses_an_item", "groups.leaves_before_the_last_task", "selects.ignores_priority"),
    *("pools.has_a_worker_too_many", "runs.leaves_a_thread_behind", "boundary_channels.breaks_the_order"),
    *("boundary_groups.gives_the_task_before", "boundary_pools.begins_a_deadly_task_again"),
)
"""One of each kind, which is found within a second or two."""


TESTS = Path(__file__).parent
SPOILING = """
import os
from concmodels import catalog
from mutants import mutants

found = [(it, catalog.load(it.model)) for it in mutants() if catalog.why_not(it.model) is None]
for it, model in found:
    child = os.fork()  # a spoiled process is good for nothing more
    if child == 0:
        try:
            it.spoil(model)
        except Exception as error:
            print(f"{it!r}: {error!r}", flush=True)
        finally:
            os._exit(0)
    os.waitpid(child, 0)
"""
"""Spoils each model in a child, and prints what can't be spoiled."""


@pytest.mark.timeout(240)  # a dozen processes, and what they start
def test_some_mutants_are_killed():
    found = [named(name) for name in QUICK]
    alive = [it.mutant for it in judge.judge_all(found, judge.reduced, rounds=judge.ROUNDS) if not it.killers]
    assert not alive


@pytest.mark.stress
@pytest.mark.timeout(850)
def test_every_mutant_is_killed():
    alive = [it.mutant for it in judge.judge_all(mutants(), judge.reduced, rounds=judge.ROUNDS) if not it.killers]
    assert not alive


@pytest.mark.parametrize("name", ["threads", "subinterp"])
def test_without_a_defect_nothing_is_killed(name):
    holder = judge.Holder(name)
    try:
        reasons = [holder.reason(it) for it in judge.reduced(name) if it.chapter == "waiting"]
    finally:
        holder.end()
    assert len(reasons) > 10 and not any(reasons)


def test_what_the_healthy_model_does_not_keep_kills_nobody(monkeypatch):
    mutant = named("groups.swallows_a_failure")
    monkeypatch.setattr(judge.Healthy, "keeps", lambda *_: False)
    suite = judge.in_order(mutant, judge.whole(mutant.model))[:1]
    with judge.Healthy() as healthy:
        verdict = judge.judge(mutant, suite, healthy)
    assert not verdict.killers and [kill.guarantee for kill in verdict.disputed] == [str(suite[0])]


def test_every_mutant_finds_what_it_spoils():
    """What a mutant spoils may get another name, or another place: see `steps`. A defect that can't be made is none."""
    done = subprocess.run([sys.executable, "-W", "ignore", "-c", SPOILING], capture_output=True, text=True, cwd=TESTS)
    assert (done.stdout, done.returncode) == ("", 0), done.stderr


def test_mutants_are_of_all_kinds():
    models = [it.model.partition(":")[0] for it in mutants()]
    assert len(models) >= 40 and sum(it in ("processes", "subinterp") for it in models) >= 12
    assert len({repr(it) for it in mutants()}) == len(models)
