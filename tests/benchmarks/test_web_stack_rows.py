"""The rows of the stack: what is measured of them, that each asks the database once, and what a killed run leaves."""

import os
import subprocess
import sys
import time
from importlib.util import find_spec
from types import SimpleNamespace

import pytest

from benchmarks.cell import NotHere
from benchmarks.interpreters import ROOT
from benchmarks.result import read
from benchmarks.web import groups
from benchmarks.web.stack import calls, cells, past
from benchmarks.web.stack.rows import rows
from benchmarks.worker import function
from concmodels.platform import measuring

ROW = "web/workers-1/threads"


def run(*options, **more):
    command = [sys.executable, "-m", "benchmarks", "run", ROW, *options]
    return subprocess.Popen(command, cwd=ROOT, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, **more)


def test_a_row_is_measured_from_end_to_end(tmp_path):
    output = tmp_path / "row.json"
    with run("--quick", "--output", str(output)) as session:
        said = session.communicate(timeout=50)[0]
    assert session.returncode == 0, said
    if "left out" in said:
        pytest.skip(said.splitlines()[0])
    (row,) = read(output).rows
    assert row.figure("queries_per_request") == row.figure("workers_seen") == 1
    assert row.per_second > 0 and row.figure("errors") == row.figure("left_processes") == 0
    assert {"PostgreSQL", "PgBouncer", "nginx", "psycopg"} <= row.libraries.keys()


def test_nothing_is_left_of_a_run_that_is_killed(tmp_path):
    with run("--quick", env=os.environ | {"TMPDIR": str(tmp_path)}) as session:
        processes = {}
        while session.poll() is None and not {"nginx", "postgres", "pgbouncer"} <= set(processes.values()):
            processes = {pid: name_of(pid) for pid in measuring.descendants(session.pid) or ()}
            time.sleep(0.005)
        if session.poll() is not None:
            pytest.skip(session.stdout.readline())
        started = {pid: measuring.started(pid) for pid in processes}
        session.kill()
    deadline = time.monotonic() + 40
    while (left := alive(started)) and time.monotonic() < deadline:
        time.sleep(0.01)
    assert not left, [processes[pid] for pid in left]


def name_of(pid):
    try:
        with open(f"/proc/{pid}/comm") as file:
            return file.read().strip()
    except OSError:
        return ""


def alive(started):
    return [pid for pid, when in started.items() if when is not None and measuring.started(pid) == when]


def test_a_row_that_can_not_be_had_says_why():
    with pytest.raises(NotHere, match="meinheld 1.0.2 does not build on CPython 3.14"):
        calls.closed("gunicorn meinheld, flask", 1, 100, 64, 20, 0, 1, 0)


def test_the_article_is_there_in_full():
    assert len(past.TABLE) == 13 and past.TABLE.keys() <= rows().keys()
    (flask,) = (it for it in past.candidates() if it.name == "gunicorn sync, flask")
    seconds, figures = function(flask.call)(**flask.sizes)
    assert (flask.kind, 1 / seconds) == ("past", pytest.approx(3473))
    assert figures == {"goodput": 3473, "p50_s": 0.028, "p99_s": 0.042}


@pytest.mark.parametrize("name", [name for name, row in rows().items() if not row.why_not])
def test_a_row_names_its_port_its_application_and_what_it_needs(name):
    row = rows()[name]
    command = row.command(4321, 3)
    assert any("4321" in it for it in command) and ("3" in command) is not row.alone
    applications = [it.partition(":")[0] for it in command if it.startswith("benchmarks.")]
    assert len(applications) == 1 and find_spec(applications[0])
    assert set(row.needs) <= groups.GROUPS.keys() and groups.STACK in row.needs


def test_a_curve_differs_in_the_workers_alone(monkeypatch):
    monkeypatch.setattr(os, "process_cpu_count", lambda: 2)
    curves = {}
    for it in cells.curves(quick=False):
        curves.setdefault(it.name, []).append(dict(it.parameters))
    assert curves["threads"][0]["rates"] == "600"
    workers = {name: [it.pop("workers") for it in curve] for name, curve in curves.items()}
    assert all(it == curve[0] for curve in curves.values() for it in curve)
    assert workers["gunicorn sync, flask"] == [1, 2, 4, 8]
    assert workers["uvicorn, starlette"] == [1, 2, 4]
    assert workers["granian wsgi, flask"] == [1, 2, 4]
    assert workers["daphne, starlette"] == workers["threads"] == [1, 2]
    assert workers["vibora"] == [1]


def test_each_answer_is_one_query(monkeypatch):
    latencies = dict.fromkeys(("mean_s", "p50_s", "p90_s", "p99_s", "p999_s", "max_s"))
    report = {
        "goodput": 10.0, "offered": None, "answers": 10, "unanswered": 2, "lost": 0, "least_served": None,
        "generator_waited": 0, "lag_p99_s": 0, "generator_cores": 0.1, "errors": {}, "reopened": 0,
        "latencies": latencies | {"count": 12, "histogram": {}},
    }  # fmt: skip
    monkeypatch.setattr(calls, "load", lambda *_, **__: report)

    def loaded(queries):
        counts = iter([100, 100 + queries])
        running = SimpleNamespace(ports=SimpleNamespace(front=1), processes={}, queries=lambda: next(counts))
        server = SimpleNamespace(pid=os.getpid())
        return calls.loaded(rows()["threads"], running, [server], connections=1, seconds=0.01)

    assert loaded(10)[0] == 0.1
    assert loaded(12)[1]["queries_per_request"] == 1.2  # two were asked for, and not answered in time
    with pytest.raises(RuntimeError, match="asked the database 20 times for 10 answers"):
        loaded(20)
    with pytest.raises(RuntimeError, match="asked the database 0 times"):
        loaded(0)
