"""The judgment of `concmodels.which`, on measurements that are given: nothing is measured, and no clock is read."""

import re

import pytest

from concmodels.which.advice import judge
from concmodels.which.code import code_for
from concmodels.which.measured import (
    FREE_THREADS,
    INTERPRETERS,
    LOOP,
    MANY,
    PROCESSES,
    TASKS,
    THREADS,
    Measured,
    Round,
    Way,
)
from concmodels.which.report import report_text

CALLS = 100


def a_round(call_s, computes, speed=1.0, *, cost=1.0, share=1.0, **more):
    """A round in which `speed` times as many calls were made as by a loop.

    `cost` is how much more processor time a call took, and `share` is the part of the processors that the round had:
    with 0.5 it takes twice as long, and all threads have waited for a processor meanwhile.
    """
    calls, calm_s = CALLS * speed, CALLS * call_s
    wall, used = calm_s / share, calls * call_s * computes * cost
    figures = {"calls": calls, "wall_s": wall, "thread_s": used, "process_s": used, "cpu_s": used}
    return Round(**figures | {"thread_waited_s": wall - calm_s} | more)


def given(call_s=0.01, computes=1.0, *, loop=None, share=1.0, failed=None, gil=True, releases=False, cost=1.0,
          speeds=(), **more):  # fmt: skip
    """A function that was measured in five rounds on two processors: its `speeds` by way; `failed` has reasons."""
    rounds = [a_round(call_s, computes, share=share, **(loop or {}))] * 5
    ways = {}
    for name, speed in dict(speeds).items():
        workers = 50 if name in (MANY, TASKS) else 2
        ways[name] = Way(name, workers, rounds=[a_round(call_s, computes, speed, share=share, cost=cost)] * 5)
    for name, why in (failed or {}).items():
        ways[name] = Way(name, 2, why_not=why, has_failed=True)
    if THREADS in ways:
        ways[THREADS].holds_gil = 0.02 if releases else 0.97
    known = {"result_bytes": 20, "cpus": 2, "gil": gil, "name": "work", "module": "my_program"}
    return Measured(loop=Way(LOOP, rounds=rounds), ways=ways, **known | more)


COMPUTING = {THREADS: 0.98, PROCESSES: 1.88, INTERPRETERS: 1.9}
WAITING = {MANY: 45, THREADS: 1.99, PROCESSES: 1.95, INTERPRETERS: 1.97}
TAKES_TURNS = {MANY: 0.99, THREADS: 1.0, PROCESSES: 1.96, INTERPRETERS: 1.9}
ASYNC = {"is_async": True, "result_bytes": 4}
IDLE = {"idle_s": 0.95}


@pytest.mark.parametrize(
    ("its", "use", "says"),
    [
        (given(speeds=COMPUTING), PROCESSES, "keeps the GIL"),
        (given(speeds=COMPUTING | {PROCESSES: 1.3}), INTERPRETERS, "1.9 times as fast as a loop, processes 1.3 times"),
        (given(speeds=COMPUTING | {THREADS: 1.9}, releases=True), THREADS, "C code that lets go of the GIL"),
        (given(speeds=COMPUTING | {THREADS: 1.9}, gil=False), THREADS, "has no GIL"),
        (given(computes=0.01, speeds=WAITING), THREADS, "50 threads were 45.0 times as fast"),
        (given(computes=0.01, speeds=TAKES_TURNS, shared=("LOCK, a lock",)), LOOP, "one call at a time"),
        (given(computes=0.23, speeds=WAITING | {MANY: 4.2}), THREADS, "waits for 77% of its time"),
        (given(computes=0.5, speeds=WAITING | {MANY: 1.9}), PROCESSES, "it waits and it computes"),
        (given(1e-8, speeds=dict.fromkeys(COMPUTING, 0.1)), LOOP, "a call takes 10ns"),
        (given(1e-8, speeds=dict.fromkeys(COMPUTING, 0.1) | {THREADS: 1.4}), LOOP, "a call takes 10ns"),
        (given(1e-4, speeds=dict.fromkeys(COMPUTING, 0.1), result_bytes=5_000_000), LOOP, "its result has 5.0 MB"),
        (given(speeds=COMPUTING, loop={"process_s": 1.9}), LOOP, "1.9 processors busy by itself, in threads"),
        (given(computes=0.0, speeds=WAITING, loop={"children_s": 1.9}), LOOP, "in processes that it starts"),
        (given(computes=0.05, speeds={TASKS: 40}, loop=IDLE, **ASYNC), "asyncio", "40 times as fast"),
        (given(computes=0.05, speeds={TASKS: 1}, loop=IDLE, **ASYNC), LOOP, "50 tasks were 1.0 times as fast"),
        (given(computes=0.05, speeds={TASKS: 1}, **ASYNC), "asyncio.to_thread", "lets nothing else run"),
        (given(computes=0.9, speeds={TASKS: 1}, **ASYNC), "a process", "its event loop can do nothing else"),
        (given(computes=0.65, speeds=WAITING | {MANY: 1.25}), PROCESSES, "it waits and it computes"),
        (given(computes=0.05, speeds=COMPUTING | {MANY: 1.9}, loop={"children_s": 0.9}), THREADS,
         "the programs it starts compute; threads can wait for several of them"),
        (given(computes=0.05, speeds=COMPUTING | {MANY: 1.0}, loop={"children_s": 0.9}), LOOP, "one call at a time"),
        (given(speeds=dict.fromkeys(COMPUTING, 1.0)), LOOP, "2 workers were no faster: memory"),
    ],
    ids=lambda it: it if isinstance(it, str) else "",
)  # fmt: skip
def test_the_way_to_choose(its, use, says):
    advice = judge(its)
    assert advice.use.startswith(use)
    assert says in advice.why


def test_what_cannot_be_sent_is_given_as_the_reason():
    why = "its result, a generator, can't be pickled"
    no = dict.fromkeys([PROCESSES, INTERPRETERS], "TypeError")
    advice = judge(given(speeds={THREADS: 0.98}, failed=no, hindrances=(why,)))
    assert advice.use == LOOP
    assert advice.why.endswith(f"neither in another process nor in another interpreter: {why}")


def test_an_extension_that_loads_in_no_subinterpreter_is_named():
    why = "ImportError: module greenlet._greenlet does not support loading in subinterpreters"
    its = given(speeds={THREADS: 0.98, PROCESSES: 1.9}, failed={INTERPRETERS: why})
    assert judge(its).use == PROCESSES
    assert why in " ".join(report_text(its, judge(its)).split())


def test_a_lock_is_named_and_that_processes_do_not_share_it():
    advice = judge(given(computes=0.01, speeds=TAKES_TURNS, shared=("LOCK, a lock",)))
    assert advice.notes[0].startswith("All calls use LOCK, a lock. Each process and each subinterpreter has its own")


def test_the_share_that_computes_bounds_the_threads():
    advice = judge(given(computes=0.25, speeds=WAITING | {MANY: 4.0}))
    assert advice.workers == 4
    assert advice.notes[0].startswith("What it computes takes turns under the GIL: more than 4 threads don't help")
    released = judge(given(computes=0.25, speeds=WAITING | {MANY: 7.8}))
    assert released.workers == 32


def test_threads_without_the_gil_are_told():
    its = given(speeds=COMPUTING | {FREE_THREADS: 1.8}, loop={"busy_s": 1.0})
    assert re.search(r"^threads without the GIL +2 +[\d.]+k?  1\.80", report_text(its, judge(its)), re.MULTILINE)
    no = given(speeds=COMPUTING, failed={FREE_THREADS: "there is no module numpy"})
    assert "threads without the GIL        2         -  there is no module numpy" in report_text(no, judge(no))


@pytest.mark.parametrize("share", [0.5, 0.1])
@pytest.mark.parametrize(("releases", "use"), [(False, PROCESSES), (True, THREADS)])
def test_on_a_busy_machine_the_processor_time_decides(share, releases, use):
    """Other programs have the processors: two of anything are as fast as one, or slower."""
    slow = {name: 0.9 if name != THREADS or releases else 0.5 for name in COMPUTING}
    its = given(speeds=slow, share=share, releases=releases, loop={"busy_s": 1000})
    assert its.is_disturbed and all(its.speed(name) < 1 for name in slow)
    assert its.undisturbed(use) == pytest.approx(2.0)
    assert judge(its).use == use
    text = report_text(its, judge(its))
    assert "of 2 CPUs meanwhile" in text and "with all processors" in text


def test_waits_for_a_processor_are_no_waits():
    its = given(computes=1.0, speeds=COMPUTING, share=0.1)
    assert its.computes == pytest.approx(1.0)
    assert its.call_s == pytest.approx(0.01)


@pytest.mark.parametrize(("why_not", "failed"), [("there was no time left for it", False), ("OSError: full", True)])
def test_an_async_function_without_figures_of_many_tasks_gets_no_verdict(why_not, failed):
    its = given(computes=0.05, loop=IDLE, **ASYNC)
    its.ways[TASKS] = Way(TASKS, 50, why_not=why_not, has_failed=failed)
    advice = judge(its)
    assert advice.use == "" and why_not in advice.why
    assert ("--seconds" in advice.why) != failed
    text = report_text(its, advice)
    assert "No verdict: there are no figures" in text and "Write:" not in text


def test_too_little_time_is_no_verdict():
    its = given(speeds={})
    its.ways.update({name: Way(name, 2, why_not="there was no time left for it") for name in COMPUTING})
    assert "--seconds" in judge(its).why and judge(its).use.startswith(PROCESSES)


CHUNKED = given(1e-6, speeds=COMPUTING | {PROCESSES: 1.3})
CHUNKED.ways[PROCESSES].chunk = 4000
EACH = [
    CHUNKED,
    given(speeds=COMPUTING), given(speeds=COMPUTING | {PROCESSES: 1.3}), given(computes=0.01, speeds=WAITING),
    given(computes=0.01, speeds=TAKES_TURNS), given(computes=0.05, speeds={TASKS: 40}, loop=IDLE, **ASYNC),
    given(computes=0.05, speeds={TASKS: 1}, loop=IDLE, **ASYNC), given(computes=0.05, speeds={TASKS: 1}, **ASYNC),
    given(computes=0.9, speeds={TASKS: 1}, **ASYNC),
]  # fmt: skip


@pytest.mark.parametrize("arguments", [(), ("3",), ("3", "'four'")])
@pytest.mark.parametrize("its", EACH, ids=lambda it: judge(it).use.partition(" ")[0] + "-chunks" * (it is CHUNKED))
def test_the_program_to_write_is_a_program(its, arguments, tmp_path, monkeypatch):
    """It is run, with a function that takes the arguments: what it gives back are a hundred results."""
    its = Measured(**vars(its) | {"arguments": arguments})
    text = code_for(its, judge(its))
    begin = "async " if its.is_async else ""
    (tmp_path / "my_program.py").write_text(f"{begin}def work(*arguments):\n    return arguments\n")
    runs = judge(its).use not in (PROCESSES, INTERPRETERS)  # their workers could not import this file
    names = {"__name__": "__main__" if runs else "written"}
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(__import__("sys").modules, "my_program", raising=False)
    exec(compile(text, "written", "exec"), names)
    if text and runs:
        assert set(names["results"]) == {tuple(map(eval, arguments))} and len(names["results"]) == 100


def test_the_program_calls_by_the_full_name(tmp_path, monkeypatch):
    text = "class Shop:\n    @staticmethod\n    def total(*them): return len(them)\n"
    (tmp_path / "a_shop.py").write_text(text)
    monkeypatch.syspath_prepend(tmp_path)
    its = given(speeds=WAITING, computes=0.01, name="Shop.total", module="a_shop", arguments=("max(1, 2)", "[3]", "4"))
    text = code_for(its, judge(its))
    assert "from a_shop import Shop\n" in text
    names = {"__name__": "__main__"}
    exec(compile(text, "written", "exec"), names)
    assert names["results"] == [3] * 100


def test_short_calls_are_handed_to_processes_many_at_a_time():
    its = Measured(**vars(given(1e-6, speeds=COMPUTING)) | {"arguments": ("3",)})
    its.ways[PROCESSES].chunk = 4000
    assert "results = list(pool.map(work, items, chunksize=4000))" in code_for(its, judge(its))


def test_the_report_is_read_in_eighty_columns():
    its = given(speeds=COMPUTING | {FREE_THREADS: 1.8}, failed={INTERPRETERS: "a reason " * 20})
    lines = report_text(its, judge(its)).partition("Write:")[0].splitlines()
    assert max(map(len, lines)) <= 80
    assert " ".join(lines).startswith(
        "work() takes 10ms; it computes for 100% of that and waits for 0%: it is CPU-bound."
    )
