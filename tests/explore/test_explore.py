"""`explore` and `replay`: the verdicts, what is told of a failure, and what can't be explored."""

import gc
import os
import shlex
import subprocess
import sys
from itertools import count
from pathlib import Path

import programs
import pytest
from undisturbed import undisturbed

from concmodels import load
from concmodels.explore import CannotExplore, NotRepeatable, StillComputing, explore, replay
from concmodels.explore.running.runs import Runs
from concmodels.models.simulated.steps import Runner

sim = load("sim")
RACES = Path(__file__).parents[2] / "examples" / "races"


@pytest.fixture(scope="module")
def deadlock():
    """What is found of the philosophers."""
    return explore(programs.philosophers, seconds=50)


def test_what_can_deadlock_is_broken_and_every_task_is_named(deadlock):
    report, failure = deadlock, deadlock.failure
    assert (report.verdict, failure.kind, failure.forced_switches) == ("broken", "Deadlock", 2)
    assert len(failure.replay_id) <= 60
    text = str(report)
    for seat in range(3):
        assert f"philosopher {seat}: receive on channel 'fork {(seat + 1) % 3}' at " in text
    assert "programs.py:" in text and "other = second.receive()" in text


def test_what_cannot_deadlock_is_held_in_all():
    report = explore(programs.polite_philosophers, 2, seconds=50)
    assert report.verdict == "held in all" and report.in_all > 1 and report.failure is None
    report.must_hold(in_all=True)
    assert str(report) == f"polite_philosophers: held in all {report.in_all} schedules"


def test_the_outcomes_are_counted_and_arguments_passed_on():
    report = explore(programs.first_of_two, ("x", "y"), seconds=50)
    assert report.verdict == "held in all" and set(report.outcomes) == {"x", "y"}


def test_a_coroutine_function_is_explored_as_it_is():
    report = explore(programs.first_of_two_awaited, seconds=50)
    assert report.verdict == "held in all" and set(report.outcomes) == {"a", "b"}


@pytest.mark.parametrize("switches", ["checkpoints", "anywhere"])
def test_in_async_programs_await_is_where_others_come_in(switches):
    assert explore(programs.lost_update_awaited, switches=switches).verdict == "broken"
    assert explore(programs.no_update_lost_awaited, switches=switches, seconds=50).verdict == "held in all"


@pytest.mark.parametrize(
    ("program", "outcomes"),
    [
        (programs.pools, {0}),
        (programs.cancels_in_a_pool, {True, False}),
        (programs.maps, {(1, 0)}),
        (programs.pools_awaited, {0}),
        (programs.maps_awaited, {(1, 0)}),
    ],
)
def test_pools_are_searched_to_the_end(program, outcomes):
    report = explore(program, seconds=50)
    assert report.verdict == "held in all", str(report)
    assert set(report.outcomes) == outcomes


def test_check_decides_about_the_result():
    def must_be_a(result):
        assert result == "a", f"it was {result}"

    report = explore(programs.first_of_two, check=must_be_a)
    assert report.verdict == "broken" and "it was b" in str(report)
    with pytest.raises(AssertionError, match="it was b"):
        report.must_hold()


@pytest.mark.parametrize("search", ["random", "pct", "pos", "all", "auto"])
def test_every_search_finds_the_deadlock(search):
    failure = explore(programs.philosophers, search=search, schedules=200).failure
    assert failure.kind == "Deadlock" and failure.forced_switches == 2


def test_a_sample_proves_nothing():
    report = explore(programs.first_of_two, search="pos", schedules=50)
    assert (report.verdict, report.schedules) == ("held so far", 50)
    with pytest.raises(AssertionError):
        report.must_hold(in_all=True)


@pytest.mark.parametrize("switches", ["checkpoints", "gil", "anywhere"])
@pytest.mark.parametrize("search", ["random", "all"])
def test_a_search_keeps_nothing_of_its_schedules(switches, search):
    before = living_runners()
    report = explore(str(RACES / "aba_fixed.py"), search=search, schedules=100, switches=switches, seconds=50)
    assert report.schedules + report.redundant >= 30
    assert living_runners() < before + 20


def living_runners():
    """Return how many runs are kept alive, by this test or by one before it."""
    for _ in range(3):  # what the finalizer of a pool brings back to life is found to be garbage again in the next pass
        gc.collect()
    return sum(isinstance(it, Runner) for it in gc.get_objects())


def test_threads_that_share_a_greenlet_share_no_thread_local(tmp_path):
    """One begins after the other's end, and goes on in its greenlet."""
    program = tmp_path / "program.py"
    program.write_text(
        "import contextvars, threading\n"
        "local, variable, seen = threading.local(), contextvars.ContextVar('variable', default=0), []\n"
        "def visit():\n"
        "    seen.append((hasattr(local, 'name'), variable.get()))\n"
        "    local.name = 'mine'\n"
        "    variable.set(1)\n"
        "def main():\n"
        "    for _ in range(3):\n"
        "        thread = threading.Thread(target=visit)\n"
        "        thread.start()\n"
        "        thread.join()\n"
        "    return tuple(seen)\n"
    )
    report = explore(str(program))
    assert report.verdict == "held in all"
    assert set(report.outcomes) == {((False, 0),) * 3}


def test_the_seconds_are_kept():
    begin = undisturbed()
    report = explore(programs.polite_philosophers, 7, seconds=0.5)
    assert report.verdict == "held so far" and undisturbed() - begin < 5


def test_a_failure_in_a_group_is_told_by_its_cause():
    failure = explore(programs.fails_in_a_group).failure
    assert failure.kind == "ZeroDivisionError" and failure.place.rpartition(":")[0].endswith("programs.py")


def test_a_program_that_leaves_without_an_error_has_not_failed():
    assert explore(programs.leaves).failure is None


def test_random_is_seeded_for_each_schedule_and_put_back():
    import random

    random.seed(7)
    expected = random.random()
    random.seed(7)
    assert explore(programs.seeded_by_explore).failure is None
    assert random.random() == expected


def test_steps_without_end_are_no_failure_and_no_proof():
    report = explore(programs.polls, steps=50, schedules=300)
    assert report.verdict == "held so far" and report.limited
    assert "schedules were cut after 50 steps" in str(report)


@pytest.mark.parametrize(
    ("program", "message"),
    [
        (programs.draws_by_itself, "does not repeat itself: .* seed what is random"),
        (programs.leaves_something, "leaves another value in survives .* make it inside of main"),
        (programs.counts_on, "ended differently"),
    ],
)
def test_what_does_not_repeat_itself_is_refused(program, message):
    with pytest.raises(NotRepeatable, match=message):
        explore(program)


def test_a_program_that_computes_for_ever_ends_with_its_stack():
    with pytest.raises(StillComputing, match=r"still computing .* at .*programs.py:\d+ in computes_for_ever") as caught:
        explore(programs.computes_for_ever, seconds=0.5)
    assert "number += 1" in caught.value.stack[0] or "while True" in caught.value.stack[0]


def test_a_schedule_that_is_under_way_when_the_time_is_over_takes_no_verdict_away(monkeypatch):
    a_run = explore(programs.computes_between_steps, schedules=1).seconds / 2  # it is made twice
    monkeypatch.setattr("concmodels.explore.running.watchdog.GRACE_S", 0.2 * a_run)
    report = explore(programs.computes_between_steps, seconds=3.5 * a_run)
    assert report.verdict == "held so far" and report.schedules >= 1


LONG = """
import threading

def main():
    count = 0
    lock = threading.Lock()

    def work():
        nonlocal count
        for _ in range(8):
            with lock:
                pass
            count += 1

    threads = [threading.Thread(target=work) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert count == 16
"""


@pytest.mark.parametrize("looks", [0, 1, 2, 5])
def test_a_failure_that_takes_long_to_be_made_short_is_told_as_it_is_by_then(tmp_path, monkeypatch, looks):
    """The time for that is over when the search has looked at the clock so often."""
    path, looked = tmp_path / "long.py", count()
    path.write_text(LONG)
    monkeypatch.setattr(Runs, "is_late", property(lambda runs: next(looked) >= looks))
    report = explore(str(path), search="pos")
    assert report.verdict == "broken" and report.failure.moments
    assert next(looked) > looks
    assert replay(str(path), schedule=report.failure.replay_id).verdict == "broken"


def test_another_model_is_refused():
    with pytest.raises(CannotExplore, match="threads can't be explored"):
        explore(programs.first_of_two, load("threads"))


@pytest.mark.parametrize("options", [{"schedules": 0}, {"seconds": -1}, {"search": "fast"}, {"switches": "never"}])
def test_options_that_make_no_sense_are_refused(options):
    with pytest.raises(CannotExplore, match=next(iter(options))):
        explore(programs.first_of_two, **options)


# Replay.


def test_a_replay_does_the_same(deadlock):
    first = deadlock.failure
    again = replay(programs.philosophers, schedule=first.replay_id).failure
    assert again.moments == first.moments and str(again.error) == str(first.error)


@pytest.mark.parametrize("source", ["pos30", "pct4.60", "random7", "all0.0"])
def test_a_schedule_that_is_too_long_for_an_id_is_found_again(source, deadlock):
    start = deadlock.failure.replay_id.rpartition("-")[0]
    wanted = f"{start}-{source}"
    assert shlex.quote(wanted) == wanted  # the report's command can be pasted into a shell
    one, other = (replay(programs.philosophers, schedule=wanted) for _ in range(2))
    assert one.verdict == other.verdict and str(one.failure) == str(other.failure)


def test_an_id_of_another_program_is_refused(deadlock):
    failure = deadlock.failure
    with pytest.raises(CannotExplore, match="another version of the program"):
        replay(programs.seeded_by_explore, schedule=failure.replay_id)
    with pytest.raises(CannotExplore, match="made by Python 3.9"):
        replay(programs.philosophers, schedule="3.9" + failure.replay_id[4:])
    with pytest.raises(CannotExplore, match="is no replay id"):
        replay(programs.philosophers, schedule="something")


@pytest.mark.timeout(240)  # twenty processes
def test_processes_with_other_hash_seeds_replay_the_same_bytes(deadlock, thorough):
    program = "from programs import philosophers; from concmodels.explore import replay; "
    program += "print(replay(philosophers, schedule={!r}))"
    expected = deadlock.failure.replay_id
    command = [sys.executable, "-c", program.format(expected)]
    outputs = set()
    for seed in range(20 if thorough else 2):
        environment = os.environ | {"PYTHONHASHSEED": str(seed), "PYTHONPATH": os.pathsep.join(sys.path)}
        done = subprocess.run(command, env=environment, capture_output=True, timeout=50, check=True)
        outputs.add(done.stdout)
    assert len(outputs) == 1 and b"Deadlock" in outputs.pop()


def test_a_file_that_explores_itself_must_guard_the_call(tmp_path):
    file = tmp_path / "itself.py"
    file.write_text("import threading\nfrom concmodels.explore import explore\ndef main(): pass\nexplore(main)\n")
    with pytest.raises(CannotExplore, match="under `if __name__"):
        explore(str(file))


def test_what_is_not_seen_is_not_proved():
    """A function without a source is run on every schedule, but what its tasks share can't be followed."""
    names = {"sim": sim}
    exec("def main():\n    sim.sleep(0)\n", names)
    report = explore(names["main"])
    assert report.verdict == "held so far" and "source of the program can't be read" in str(report)
