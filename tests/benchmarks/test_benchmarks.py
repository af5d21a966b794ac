"""The benchmarks as a program: what they would measure, what they write, how they end. How fast anything is, never."""

import importlib
import inspect
import io
import json
import os
import signal
import subprocess
import sys
import time
from annotationlib import Format
from argparse import Namespace
from pathlib import Path

import interruptible
import pyperf
import pytest
from in_process import called

from benchmarks import child, goals, packages, suites, tables
from benchmarks.__main__ import chosen, main, parser
from benchmarks.cell import KINDS
from benchmarks.interpreters import ROOT, NotToBeHad, find
from benchmarks.record import Record
from benchmarks.result import BadResult, LeftOut, Results, read
from benchmarks.session import Session
from concmodels.programs import memory

FULL_AND_QUICK = pytest.mark.parametrize("quick", [False, True], ids=["full", "quick"])
SUITES = pytest.mark.parametrize("suite", suites.SUITES)


def command(*arguments: str) -> subprocess.CompletedProcess[str]:
    line = [sys.executable, "-m", "benchmarks", *arguments]
    return subprocess.run(line, cwd=ROOT, capture_output=True, text=True, timeout=50, check=False)


def run_of(path: str, number: int, seconds: float, **more: object) -> str:
    """What a worker writes."""
    suite, cell, candidate = path.split("/", 2)
    about = {"name": f"{path}@3.14", "suite": suite, "cell": cell, "candidate": candidate, "kind": "model"}
    about |= {"model": "threads", "python": "3.14", "gil": "on", "round": number, "step": "hop", "inner_loops": 10}
    about |= {"parameters": "{}", "libraries": "{}", "python_executable": "/somewhere/python", "unit": "second"}
    benchmark = pyperf.Benchmark([pyperf.Run([seconds], metadata=about | more, collect_metadata=False)])
    return dumped(benchmark)


def dumped(benchmark: pyperf.Benchmark) -> str:
    text = io.StringIO()
    benchmark.dump(text)
    return text.getvalue()


def results_of(cell: str = "stream", **seconds: list[float]) -> Results:
    """Results of a cell of the ring with these candidates, round by round."""
    record = Record(None)
    for name, values in seconds.items():
        for number, value in enumerate(values, 1):
            record.add(run_of(f"ring/{cell}/{name}", number, value))
    return record.results()


@SUITES
@FULL_AND_QUICK
def test_every_candidate_can_be_called_as_it_says(suite: str, quick: bool, thorough: bool):
    found = suites.load(suite, quick)
    assert len({it.path for it in found}) == len(found) > 0
    for it in found:
        assert it.suite == suite and it.kind in KINDS and it.steps >= 1 and it.loops >= 0
        assert json.loads(json.dumps(it.parameters)) == it.parameters
        module, _, name = it.call.partition(":")
        function = getattr(importlib.import_module(module), name)
        inspect.signature(function, annotation_format=Format.FORWARDREF).bind(**it.sizes)
    for it in found if thorough else found[:: len(found) // 9 + 1]:  # it loads the suite each time
        assert suites.find(it.path, quick).path == it.path


@SUITES
def test_a_quick_run_measures_every_suite_with_smaller_sizes(suite: str):
    def work(quick: bool) -> int:
        return sum(it.steps for it in suites.load(suite, quick))

    assert work(True) < work(False) / 2


def test_every_goal_is_between_two_candidates():
    paths = {it.path for suite in suites.SUITES for it in suites.load(suite)}
    for goal in goals.goals():
        assert {goal.ours, goal.theirs} <= paths


def test_a_quick_run_has_both_sides_of_every_goal_for_one_size():
    paths = {it.path for suite in suites.SUITES for it in suites.load(suite, True)}
    kept = [it for it in goals.goals() if it.ours.startswith(("ring/stream", "ring/token", "ring/bounded"))]
    assert len(kept) > 30
    for goal in kept:
        assert {goal.ours, goal.theirs} <= paths


def test_what_has_a_goal_and_what_has_none_are_all_together():
    def paths(*options: str) -> set[str]:
        return {it.path for it in chosen(parser().parse_args(["run", "--quick", *options]))}

    only, without = paths("--goals", "only"), paths("--goals", "without")
    assert only | without == paths() and not only & without
    assert only == {path for it in goals.goals() for path in (it.ours, it.theirs)} & paths()


def test_a_run_is_written_and_read(tmp_path: Path):
    file = tmp_path / "new.json"
    options = ["--quick", "--rounds", "2", "--output", str(file)]
    ended = command("run", "ring/token/asyncio", "ring/stream/asyncio", *options)
    assert ended.returncode == 0, ended.stderr
    results = read(file)
    assert results.about["finished"] and results.about["quick"] and results.about["wanted"] == 2
    assert results.cells("ring") == ["token", "stream"] and not results.left_out
    row = results.row("ring", "token", "asyncio")
    assert row is not None and set(row.seconds) == {1, 2} and 0 < row.least <= row.median <= row.most
    assert row.parameters["in_flight"] == 1 and row.steps == row.parameters["nodes"] * row.parameters["messages"]
    assert row.gil == sys._is_gil_enabled() and row.python == results.pythons[0]
    assert row.figure("setup_s") is not None and row.figure("peak_pss_bytes") is not None
    assert str(ROOT) not in file.read_text().replace(str(tmp_path), "")


def test_pyperf_reads_a_result(tmp_path: Path):
    record = Record(tmp_path / "new.json")
    for number in (1, 2):
        record.add(run_of("ring/stream/threads", number, number / 10, figure_setup_s=0.5))
    record.finish(True)
    (benchmark,) = pyperf.BenchmarkSuite.load(str(tmp_path / "new.json")).get_benchmarks()
    assert benchmark.get_name() == "ring/stream/threads@3.14" and benchmark.get_values() == (0.1, 0.2)


def test_what_names_this_machine_is_not_kept(tmp_path: Path):
    record = Record(tmp_path / "new.json")
    record.add(run_of("ring/stream/threads", 1, 0.1))
    record.finish(True)
    assert "somewhere" not in (tmp_path / "new.json").read_text()


def test_a_result_without_any_measurement_is_valid(tmp_path: Path):
    record = Record(tmp_path / "new.json")
    record.left_out.append(LeftOut("", "", "", "3.99", False, "there is none"))
    record.finish(False)
    results = read(tmp_path / "new.json")
    assert results.rows == [] and results.left_out[0].name == "Python 3.99" and not results.about["finished"]


def test_a_calibration_counts_for_nothing():
    record = Record(None)
    run = pyperf.Benchmark.loads(run_of("ring/stream/threads", 1, 0.1)).get_runs()[0]
    metadata = run.get_metadata() | {"calibrate_loops": 8}
    calibration = pyperf.Run((), warmups=[(8, 0.1)], metadata=metadata, collect_metadata=False)
    record.add(dumped(pyperf.Benchmark([calibration])))
    assert record.results().rows == []
    record.add(run_of("ring/stream/threads", 1, 0.2))
    assert record.results().rows[0].seconds == {1: 0.2}


@pytest.mark.parametrize(
    "text", ["", "{}", "[]", '{"version": "1.0", "benchmarks": []}', '{"concmodels": {}, "benchmarks": []}']
)
def test_another_file_is_refused_with_a_sentence(tmp_path: Path, text: str):
    file = tmp_path / "other.json"
    file.write_text(text)
    with pytest.raises(BadResult, match=r"other\.json is not a result of"):
        read(file)


def test_a_sweep_has_the_values_of_one_size_in_order():
    record = Record(None)
    cells = {"capacity-64": 64, "capacity-0": 0, "base": "inf", "other": 7}
    for number, (cell, capacity) in enumerate(cells.items(), 1):
        parameters = {"nodes": 3 if cell == "other" else 100, "messages": number, "capacity": capacity}
        record.add(run_of(f"ring/{cell}/threads", 1, number, parameters=json.dumps(parameters)))
    sweep = record.results().sweep("ring", "capacity", "threads")
    assert [(value, row.cell) for value, row in sweep] == [
        (0, "capacity-0"), (64, "capacity-64"), (float("inf"), "base"),
    ]  # fmt: skip


def test_ratios_are_taken_round_by_round():
    results = results_of(threads=[1, 2, 4] * 2, **{"queue.Queue": [10, 12, 40] * 2})
    verdict = next(it for it in goals.verdicts(results) if it.goal.theirs.endswith("queue.Queue"))
    assert verdict.ratio == (10, 6, 10, 6)
    assert verdict.met == "yes" and not verdict.wild


@pytest.mark.parametrize(
    ("ratios", "met"),
    [([6] * 6, "yes"), ([4] * 6, "no"), ([4, 6, 6, 6, 6, 6], "undecided"), ([6] * 5, "undecided")],
)
def test_a_goal_is_met_missed_or_undecided(ratios: list[float], met: str):
    results = results_of(threads=[1] * len(ratios), **{"queue.Queue": ratios})
    verdict = next(it for it in goals.verdicts(results) if it.goal.theirs.endswith("queue.Queue"))
    assert verdict.goal.least == 5 and verdict.met == met


def test_wild_is_only_what_is_off_in_every_round():
    results = results_of(threads=[1, 1], **{"queue.Queue": [0.1, 4]}, **{"baseline threads": [0.09, 0.08]})
    wild = {it.goal.theirs: it.wild for it in goals.verdicts(results)}
    assert wild == {"ring/stream/queue.Queue": False, "ring/stream/baseline threads": True}


def test_a_ratio_to_a_queue_that_polls_is_never_wild():
    results = results_of("token", subinterp=[1, 1], **{"interpreters.Queue": [9, 9], "baseline subinterp": [0.1, 0.1]})
    wild = {it.goal.theirs: it.wild for it in goals.verdicts(results)}
    assert wild == {"ring/token/interpreters.Queue": False, "ring/token/baseline subinterp": True}


def test_what_one_reason_keeps_out_is_one_line():
    why = [LeftOut("ring", "stream", name, "3.14", False, "not installed") for name in "abcdef"]
    (line,) = tables.left_out(Results([], why, {}))
    assert line.startswith("left out: ring/stream/a@3.14, ") and line.endswith("and 2 more: not installed")


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["run", "rings"], "there is no suite 'rings'; there are ring, channel"),
        (["run", "ring/streams"], "there is nothing like 'ring/streams' in ring"),
        (["run", "ring", "--model", "nothing"], "there is no model 'nothing'"),
        (["run", "ring/stream/threads", "--model", "trio"], "nothing there is measured for trio"),
        (["run", "ring", "--output", "/nowhere/new.json"], "its folder is not there"),
        (["run", "ring", "--output", "README.md"], "README.md is not a result of"),
        (["show", "/nowhere.json"], "can't be read: No such file"),
        (["show", "README.md"], "is not a result of"),
    ],
)
def test_bad_input_is_a_sentence(
    arguments: list[str], says: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    monkeypatch.chdir(ROOT)
    monkeypatch.setattr(sys, "argv", ["benchmarks", *arguments])
    assert main() == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert says in line


NO_RESULTS = {
    "deep": b"[" * 100_000,
    "deep in itself": b'{"concmodels":' * 100_000,
    "list": b"[]",
    "number": b"1e999",
    "nothing": b"null",
    "text": b'"concmodels"',
    "empty": b"",
    "binary": bytes(range(256)),
    "no text": b"\xff\xfe[\x00]\x00",
    "a benchmark that is none": b'{"concmodels": {"left_out": []}, "benchmarks": [""]}',
    "what is no reason": b'{"concmodels": {"left_out": [{}]}, "benchmarks": []}',
    "what is no machine": b'{"concmodels": {"left_out": [], "machine": 3}, "benchmarks": []}',
}


@pytest.mark.parametrize(
    ("asked", "name"),
    [
        *((["show"], name) for name in [*NO_RESULTS, "truncated", "a folder", "missing"]),
        (["report"], "deep"),
    ],
    ids=str,
)
def test_what_is_no_result_is_one_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, asked: list[str], name: str
):
    file = tmp_path / "new.json"
    if name in NO_RESULTS:
        file.write_bytes(NO_RESULTS[name])
    elif name == "truncated":
        file.write_text(run_of("ring/stream/threads", 1, 0.1)[:-20])
    elif name == "a folder":
        file.mkdir()
    monkeypatch.chdir(ROOT)
    status, out, err = called(*asked, file, module="benchmarks")
    assert (status, out) == (2, "")
    assert err.startswith(f"python -m benchmarks {asked[0]}: {file} ")
    assert err.count("\n") == 1 and len(err) < 500


CHANGES = [
    (("benchmarks", 0, "metadata", "kind"), "none"),
    (("benchmarks", 0, "metadata", "suite"), 3),
    (("benchmarks", 0, "metadata", "model"), True),
    (("benchmarks", 0, "metadata", "parameters"), "3"),
    (("benchmarks", 0, "metadata", "parameters"), "[" * 100_000),
    (("benchmarks", 0, "metadata", "inner_loops"), "many"),
    (("benchmarks", 0, "runs", 0, "metadata"), []),
    (("benchmarks", 0, "runs", 0), ""),
    (("concmodels", "left_out", 0, "why"), {}),
    (("concmodels", "left_out", 0, "failed"), "no"),
    (("concmodels", "pythons", "3.14"), 3),
    (("concmodels", "machine", "load_avg"), 1),
    (("concmodels", "seconds"), "few"),
]


@pytest.mark.parametrize(("place", "value"), CHANGES, ids=lambda it: str(it)[:60])
def test_a_result_with_one_value_that_can_not_be_is_refused(
    tmp_path: Path, place: tuple[str | int, ...], value: object
):
    data = json.loads((ROOT / "benchmarks/results/full.json").read_text())
    data["benchmarks"] = data["benchmarks"][:1]
    inner = data
    for step in place[:-1]:
        inner = inner[step]
    inner[place[-1]] = value
    (tmp_path / "new.json").write_text(json.dumps(data))
    with pytest.raises(BadResult, match="is not a result of"):
        read(tmp_path / "new.json")


@pytest.mark.parametrize("asked", ["/nowhere/python", "/", "python", "3.x"])
def test_a_python_that_there_is_not(asked: str):
    with pytest.raises(NotToBeHad, match="is neither a version like"):
        find(asked)


def test_a_python_without_pyperf(tmp_path: Path):
    other = tmp_path / "python"
    other.write_text("#!/bin/sh\necho 'no pyperf here' >&2\nexit 1\n")
    other.chmod(0o755)
    with pytest.raises(NotToBeHad, match="can't run the benchmarks: no pyperf here"):
        find(str(other))


def test_a_python_that_is_missing_is_a_line_and_the_others_are_measured(tmp_path: Path):
    file = tmp_path / "new.json"
    pythons = ["--python", "/nowhere/python", "--python", sys.executable]
    ended = command("run", "ring/token/asyncio", "--quick", *pythons, "--output", str(file))
    assert ended.returncode == 0, ended.stderr
    assert "left out: Python /nowhere/python: /nowhere/python is neither a version" in ended.stdout
    assert len(read(file).rows) == 1


def test_a_library_is_not_installed_for_a_quick_run():
    ours = packages.Packages(find(None), may_install=False)
    assert ours.path(()) is None
    with pytest.raises(NotToBeHad, match="no-such-library is not installed"):
        ours.path(("no-such-library",))


def test_a_candidate_that_fails_is_said_with_its_error():
    with pytest.raises(child.Failed, match="KeyError: 'ring/stream/nobody'") as caught:
        child.measure(find(None), "ring/stream/nobody", 1, 1, True, None)
    assert caught.value.fault


def test_a_worker_that_takes_too_long_is_ended(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(child, "LIMIT_S", 0.1)
    monkeypatch.setattr(child, "GRACE_S", 0.1)
    with pytest.raises(child.Failed, match=r"took more than 0\.1 s"):
        child.finished(["sh", "-c", "trap '' INT; while :; do sleep 0.01; done"], 2, None)


def test_a_fork_that_takes_too_long_is_ended_and_the_next_one_is_measured(monkeypatch: pytest.MonkeyPatch):
    with monkeypatch.context() as patched:
        patched.setattr(child, "LIMIT_S", 0)
        with pytest.raises(child.Failed, match="took more than 0 s"):
            child.measure(find(None), "ring/token/processes", 1, 1, True, None)
    assert json.loads(child.measure(find(None), "ring/token/asyncio", 1, 1, True, None))["benchmarks"]


def test_what_a_worker_leaves_behind_is_ended(tmp_path: Path):
    file = tmp_path / "pid"
    assert child.finished(["sh", "-c", f"sleep 1000 & echo $! > {file}; exit 3"], 2, None) == 3
    gone_soon(int(file.read_text()))


def gone_soon(pid: int) -> None:
    """Wait until it has ended: its new parent may take a moment to reap it."""
    while Path(f"/proc/{pid}").exists() and "\nState:\tZ" not in Path(f"/proc/{pid}/status").read_text():
        time.sleep(0.01)


def test_an_interrupted_session_leaves_what_it_has(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    def stub(python: object, path: str, number: int, *_: object) -> str:
        if number == 2 and path.endswith("trio"):
            raise KeyboardInterrupt
        return run_of(path, number, 0.1)

    monkeypatch.setattr("benchmarks.session.measure", stub)
    options = Namespace(quick=False, rounds=3, pythons=None, output=tmp_path / "new.json")
    wanted = [suites.find(f"ring/stream/{model}") for model in ("asyncio", "trio", "anyio")]
    session, told = Session(options, wanted, "a command"), []
    with pytest.raises(KeyboardInterrupt):
        session.run(lambda turn: told.append((turn.number, turn.candidate.name)))
    first = [(1, "asyncio"), (1, "trio"), (1, "anyio")]
    assert told == [*first, (2, "trio")]  # every round begins with another one
    results = read(tmp_path / "new.json")
    assert not results.about["finished"] and len(results.rows) == 3


def test_what_can_not_be_measured_is_tried_once(monkeypatch: pytest.MonkeyPatch):
    tried = []

    def stub(python: object, path: str, number: int, *_: object) -> str:
        tried.append(path)
        raise child.Failed("no such thing", fault=path.endswith("trio"))

    monkeypatch.setattr("benchmarks.session.measure", stub)
    options = Namespace(quick=False, rounds=3, pythons=None, output=None)
    wanted = [suites.find(f"ring/stream/{model}") for model in ("asyncio", "trio")]
    session = Session(options, wanted, "a command")
    session.run(lambda turn: None)
    assert tried == ["ring/stream/asyncio", "ring/stream/trio"]
    assert [it.failed for it in session.record.left_out] == [False, True]


@pytest.mark.skipif(sys.platform != "linux", reason="finds the processes in /proc")
@pytest.mark.parametrize("how", [[], ["--quick"]], ids=["a worker", "a fork"])
def test_control_c_leaves_a_valid_result_and_no_process(tmp_path: Path, how: list[str]):
    file = tmp_path / "new.json"
    line = ["-m", "benchmarks", "run", "ring/token/processes", "--rounds", "1000", "--output", str(file), *how]
    run = interruptible.popen([sys.executable, *line], cwd=ROOT)
    while len(started := memory.descendants(run.pid)) < 20:  # the worker's nodes
        assert run.poll() is None
        time.sleep(0.01)
    run.send_signal(signal.SIGINT)
    errors = run.communicate(timeout=50)[1]
    assert run.returncode == 130 and "Traceback" not in errors
    for pid in started:
        gone_soon(pid)
    assert not read(file).about["finished"]


def test_list_names_all_suites(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(sys, "argv", ["benchmarks", "list"])
    assert main() == 0
    out = capsys.readouterr().out
    assert all(suite in out for suite in suites.SUITES)


def test_the_modules_that_children_import_are_light():
    heavy = "{'typing', 'json', 'argparse', 'pyperf', 'asyncio', 'multiprocessing'}"
    code = f"import sys, benchmarks.worker, benchmarks.units; print(*set(sys.modules) & {heavy})"
    line, clean = [sys.executable, "-S", "-c", code], os.environ | {"PYTHONPATH": str(ROOT)}
    ended = subprocess.run(line, cwd=ROOT, env=clean, capture_output=True, text=True, check=True)
    assert ended.stdout.strip() == ""
