"""The suite of web services: that every server serves, what is counted, and that nothing is left of a run."""

import io
import json
import os
import re
import select
import signal
import socket
import subprocess
import sys
import time
from argparse import Namespace
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path
from types import SimpleNamespace

import pyperf
import pytest
from commands import Program

from benchmarks import packages, suites, tables, twins
from benchmarks.__main__ import main
from benchmarks.cell import Candidate, NotHere
from benchmarks.interpreters import ROOT
from benchmarks.record import Record
from benchmarks.result import Results, Row, read
from benchmarks.session import Session
from benchmarks.suites import web
from benchmarks.web import account, by_hand, groups, loading, server, servers
from benchmarks.web.by_hand import pages
from benchmarks.web.calls import check, seconds_per_answer
from benchmarks.web.idle import answered, opened
from benchmarks.web.loading import figures, slowest
from benchmarks.web.ports import reserved
from benchmarks.web.server import Server, ServerFailed
from benchmarks.web.slow import dribbling
from benchmarks.web.stop import Ending
from benchmarks.web.usage import SERVER, Moment, Usage, between
from concmodels import catalog

pytestmark = pytest.mark.skipif(not hasattr(select, "epoll"), reason="the load generator needs Linux")

FAULTY = Path(__file__).with_name("web_server.py")
"""A server with the same commands, for what is not to be measured but to be wrong."""
STUBBORN = """
import http.server, signal, subprocess, sys
signal.signal(signal.SIGTERM, signal.SIG_IGN)
child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(1000)"])

class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        body = b'{"message": "Hello, world!"}'
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

http.server.HTTPServer(("127.0.0.1", int(sys.argv[1])), Handler).serve_forever()
"""
"""It ignores SIGTERM, and has a child that does not end with it."""


@contextmanager
def stubborn() -> Iterator[Server]:
    with reserved(1) as (port,), Server("stubborn", [sys.executable, "-c", STUBBORN, str(port)], port) as running:
        yield running


@contextmanager
def served(name: str) -> Iterator[Server]:
    """Run one of the servers by hand."""
    entry = servers.servers()[f"baseline {name}"]
    with reserved(1) as (port,), Server(entry.name, entry.command(port), port) as running:
        yield running


# What is measured.


def test_web_is_measured_only_where_it_is_named_and_a_whole_run_has_no_explorers():
    assert set(suites.SUITES) == {*suites.by_default(quick=True), "web", "certainty", "scale"}
    rest = {"web", "explore", "paradigms", "certainty", "shapes", "scale"}
    assert set(suites.SUITES) == {*suites.by_default(quick=False), *rest}


@pytest.mark.parametrize(
    "left_out, options",
    [
        ({"web", "certainty", "scale"}, ["--quick"]),
        ({"web", "explore", "paradigms", "certainty", "shapes", "gil", "scale"}, []),
    ],
)
def test_a_run_without_names_says_what_it_leaves_out(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], left_out: set[str], options: list[str]
):
    ran: list[str] = []

    def stub(options: Namespace, candidates: list[Candidate], line: str) -> int:
        ran.extend(it.suite for it in candidates)
        return 0

    monkeypatch.setattr("benchmarks.running.measure", stub)
    monkeypatch.setattr(sys, "argv", ["benchmarks", "run", *options])
    assert main() == 0 and set(ran) == set(suites.SUITES) - left_out
    said = re.findall(
        r"^(\w+) was not asked for: python -m benchmarks run \1 \(.*(?:seconds|minutes?)\)$",
        capsys.readouterr().out,
        re.MULTILINE,
    )
    assert set(said) == left_out and len(said) == len(left_out)
    monkeypatch.setattr(sys, "argv", ["benchmarks", "run", "web/json"])
    assert main() == 0 and ran[-1] == "web" and not capsys.readouterr().out


def test_every_model_serves_in_every_cell_that_compares_them():
    for cell in ("json", "io", "tail", "idle"):
        names = {it.name for it in web.candidates(False) if it.cell == cell and it.kind == "model"}
        assert names == set(web.MODELS)


def test_a_run_of_the_suite_takes_75_minutes_and_a_quick_one_two():
    assert web.seconds([it for it in web.candidates(False) if not twins.only(it)], False) < 78 * 60
    assert web.seconds(web.candidates(True), True) < 120


def test_a_sweep_of_rates_differs_in_the_rate_alone():
    found = [it for it in web.candidates(False) if it.cell.startswith("rate-") and it.name == "trio"]
    others = [{name: value for name, value in it.parameters.items() if name != "rate"} for it in found]
    assert [it.parameters["rate"] for it in found] == list(web.RATES) and others == others[:1] * len(found)


def test_what_servers_need_is_pinned():
    needed = {need for it in web.candidates(False) for need in it.needs}
    assert needed <= set(groups.GROUPS)
    for requirements in groups.GROUPS.values():
        assert all(it.count("==") == 1 for it in requirements)
    assert groups.requirements("janus") == ("janus",) and "granian" in groups.distributions("web-granian")


def test_another_version_is_installed_anew(tmp_path: Path):
    (tmp_path / packages.STAMP).write_text(packages.stamp(("granian==1",)))
    assert packages.is_there(tmp_path, ("granian==1",)) and not packages.is_there(tmp_path, ("granian==2",))
    assert packages.is_there(tmp_path, ("janus",)) and not packages.is_there(tmp_path / "nowhere", ("janus",))


# An article's own figures.


def test_the_article_has_a_figure_for_each_of_its_cells():
    found = [it for it in web.web_granian.candidates(False) if it.kind == "past"]
    assert len(found) == 29 and sum(it.parameters["python"] == "3.14t" for it in found) == 13
    measured = {it.path for it in web.candidates(False)}
    for it in found:
        assert it.path.removesuffix(f" on {it.parameters['python']}") in measured, it.path


def test_what_was_published_is_quoted_and_not_measured(tmp_path: Path):
    file = tmp_path / "web.json"
    options = Namespace(quick=False, rounds=5, pythons=None, output=file)
    paths = ["web/granian/asgi W1 /json on 3.14", "web/granian/asgi W1 /json on 3.14t"]
    session = Session(options, [suites.find(path) for path in paths], "a command")
    session.run(lambda turn: None)
    fast, slow = read(file).of("web", "granian")
    assert (fast.kind, slow.kind) == ("past", "past") and fast.candidate.endswith("on 3.14")
    assert fast.per_second == pytest.approx(30_415) and fast.figure("mean_s") == pytest.approx(0.0042)
    assert fast.parameters["python"] == "3.14" and slow.parameters["python"] == "3.14t" and fast.seconds.keys() == {1}


def test_a_sweep_of_threads_takes_the_cell_with_64():
    record = Record(None)
    for it in web.candidates(False):
        if it.name == "wsgi W1 /io":
            about = {"suite": "web", "cell": it.cell, "candidate": it.name, "kind": "peer", "round": 1, "gil": "on"}
            about |= {"python": "3.14", "step": "request", "inner_loops": 1, "libraries": "{}", "unit": "second"}
            about |= {"name": f"{it.path}@3.14", "parameters": json.dumps(it.parameters)}
            text = io.StringIO()
            pyperf.Benchmark([pyperf.Run([0.1], metadata=about, collect_metadata=False)]).dump(text)
            record.add(text.getvalue())
    sweep = record.results().sweep("web", "threads", "wsgi W1 /io")
    assert [value for value, _ in sweep] == [1, 8, 32, 64, 128]


# Servers written by hand.


@pytest.mark.parametrize("name", servers.BY_HAND)
def test_a_server_by_hand_answers_what_comes_in_pieces_and_what_comes_at_once(name: str):
    if why := catalog.why_not(servers.servers()[f"baseline {name}"].model):
        pytest.skip(why)
    with served(name) as running:
        running.body("/json")
        assert running.body("/io?ms=10") == b"slept for 10 ms\n"
        with socket.create_connection(("127.0.0.1", running.port), 10) as client:
            for byte in b"GET /json HTTP/1.1\r\nHost: x\r\n\r\n":
                client.sendall(bytes([byte]))
            assert received(client, len(pages.JSON)) == pages.JSON
            client.sendall(b"GET /io HTTP/1.1\r\n\r\n")
            assert received(client, len(pages.WAITED)) == pages.WAITED


def received(client: socket.socket, length: int) -> bytes:
    data = b""
    while len(data) < length:
        data += client.recv(length - len(data))
    return data


def test_by_hand_says_what_is_by_hand():
    assert by_hand.__doc__


# A server's process.


def test_a_server_that_ends_at_once_is_said_with_its_last_line():
    command = [sys.executable, "-c", "import sys; sys.exit('no such app')"]
    with pytest.raises(ServerFailed, match="^mine ended at once; its last line: no such app$"):
        Server("mine", command, 1).__enter__()


def test_a_server_that_answers_wrongly_has_failed():
    with subprocess.Popen([sys.executable, FAULTY, "at_once"], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        other = Server("mine", [sys.executable, "-c", "import time; time.sleep(1000)"], int(process.stdout.readline()))
        try:
            with pytest.raises(ServerFailed, match="mine answered /json with status 200 and b'ok'"):
                other.__enter__()
        finally:
            process.kill()
    assert other.stopped is not None and other.process.returncode == -signal.SIGTERM


def test_a_server_that_switches_the_gil_on_has_failed():
    says = "print('The global interpreter lock (GIL) has been enabled to load x', flush=True)"
    program = STUBBORN.replace("signal.signal(signal.SIGTERM, signal.SIG_IGN)", says).replace("1000", "0")
    failed = pytest.raises(ServerFailed, match="mine has switched the GIL on: The global interpreter lock")
    with reserved(1) as (port,), failed, Server("mine", [sys.executable, "-c", program, str(port)], port) as running:
        assert running.body("/json")


def test_a_server_that_does_not_end_is_killed_with_its_children(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(server, "STOP_S", 0.1)
    monkeypatch.setattr(server, "LEFT_S", 0.1)
    with stubborn() as running:
        tree = account.tree(running.pid)
        assert len(tree) == 2
    stopped = running.stop()
    assert stopped.killed and stopped.left == 1 and stopped.seconds >= 0.1
    soon(lambda: not any(alive(pid) for pid in tree))


def test_an_end_is_waited_for_as_long_as_that_may_take():
    with subprocess.Popen(["sleep", "1000"]) as process:
        assert not server.ended(process, 0.01)
        process.kill()
        assert server.ended(process, 50) and process.returncode == -signal.SIGKILL
        assert server.ended(process, 0)


def soon(condition: Callable[[], bool]) -> None:
    """Wait until this holds; the limit on the test says when that is too late."""
    while not condition():
        time.sleep(0.01)


def alive(pid: int) -> bool:
    """Whether a process has not ended; a zombie has."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(") ")[2][0] not in "ZX"
    except OSError:
        return False


def test_what_a_server_takes_is_that_of_all_its_processes():
    with stubborn() as running:
        counted = account.counted(running.pid)
        assert counted["processes"] == 2 and counted["threads"] >= 2
        assert counted["peak_pss_bytes"] > (account.measuring.pss(running.pid) or 0)
        usage = Usage({SERVER: [running.pid]})
        with usage.halfway(0.01):
            running.body("/json")
        found = usage.figures(1.0, 1)
        assert found["processes"] == 2 and found["threads"] == counted["threads"]
        assert (found["peak_pss_bytes"] or 0) > 0
        for pid in account.tree(running.pid):  # to be asked first would take five seconds
            os.kill(pid, signal.SIGKILL)


def test_what_a_part_takes_is_not_that_of_others():
    begin = Moment(clock=10, parts={SERVER: 3, "nginx": 1}, ours=5, machine=20, stolen=1)
    end = Moment(clock=12, parts={SERVER: 4, "nginx": 1.25}, ours=5.5, machine=23.25, stolen=1.2)
    expected = {"server_cores": 0.5, "cpu_us_per_request": 1000.0, "nginx_cpu_us": 250.0, "foreign_cores": 0.75}
    assert between(begin, end, 2.0, 1000) == pytest.approx(expected | {"steal": 0.1})
    assert between(begin, end, 2.0, 0) == pytest.approx(
        {"server_cores": 0.5, "cpu_us_per_request": None, "foreign_cores": 0.75, "steal": 0.1}
    )


# What the load does.


def test_clients_that_dribble_never_end_their_request():
    with socket.create_server(("127.0.0.1", 0)) as listener:
        running = Server("mine", [], listener.getsockname()[1])
        with dribbling(running, 2) as number:
            assert number == 2
            client, _ = listener.accept()
            begun = client.recv(1)
            assert begun == b"G"
        client.close()


def test_connections_that_wait_are_still_answered():
    with served("epoll") as running:
        with opened(running, 5) as (waiting, took):
            assert took > 0 and all(map(answered, waiting))
        running.stop()
        with pytest.raises(RuntimeError, match="took 0 of 5 connections"), opened(running, 5):
            pass


def test_a_server_ends_once_the_load_has_lasted():
    with served("epoll") as running:
        ending = Ending(running, 1)
        ending.watch(0.9, 10)
        assert running.process.poll() is None
        ending.watch(1.1, 20)
        ending.watch(1.6, 20)
        ending.wait()
        assert running.stopped is not None and not running.stopped.killed


def test_where_p99_could_be_chance_the_longest_stands_for_it():
    assert slowest({"p99_s": 0.5, "max_s": 2.0}) == 0.5
    assert slowest({"p99_s": None, "max_s": 2.0}) == 2.0
    with pytest.raises(RuntimeError, match="nothing was answered"):
        slowest({"p99_s": None, "max_s": None})


def test_the_processor_counts_for_the_answers_of_the_warm_up_too(monkeypatch):
    """They are not among the latencies, but the server's time is counted from before the warm-up."""
    latencies = dict.fromkeys(("mean_s", "p50_s", "p90_s", "p99_s", "p999_s", "max_s"), 0.1) | {"histogram": {}}
    known = ("goodput", "offered", "answers", "lost", "least_served", "generator_cores", "generator_waited")
    report = dict.fromkeys((*known, "lag_p99_s", "reopened"), 0)
    report |= {"unanswered": 0, "errors": {}, "latencies": latencies | {"count": 2000}}
    monkeypatch.setattr(loading, "load", lambda *_, **__: report)
    used = iter([1.0, 2.25])
    monkeypatch.setattr(account, "of_tree", lambda _: next(used))
    monkeypatch.setattr(account, "counted", lambda _: {})
    _, found = loading.watched(SimpleNamespace(pid=1, port=1, tls=None), "/", 2, warmup_s=0.5)
    assert found["cpu_us_per_request"] == pytest.approx(1.25 / 2500 * 1e6)
    assert found["server_cores"] == pytest.approx(0.5)


def test_errors_are_counted_and_named():
    latencies = dict.fromkeys(("mean_s", "p50_s", "p90_s", "p99_s", "p999_s", "max_s"), 0.1) | {"histogram": {"5": 1}}
    report = {"goodput": 1.0, "offered": None, "answers": 1, "unanswered": 0, "lost": 3, "least_served": None}
    report |= dict.fromkeys(("generator_cores", "generator_waited", "lag_p99_s"), 0.1) | {
        "reopened": 2,
        "errors": {"a": 1, "b": 2},
        "latencies": latencies,
    }
    found = figures(report)
    assert found["errors"] == 3 and found["error_names"] == {"a": 1, "b": 2} and found["reconnects"] == 2


@pytest.mark.parametrize(("errors", "wrong"), [({"closed within an answer": 3}, False), ({"status 500": 1}, True)])
def test_a_wrong_answer_is_a_failure_and_a_lost_one_a_figure(errors: dict[str, int], wrong: bool):
    with pytest.raises(RuntimeError, match="answered wrongly: 1 times status 500") if wrong else nullcontext():
        check({"errors": errors})


def test_answers_that_all_come_after_the_end_of_a_short_load_are_answers():
    latencies = {"count": 64, "mean_s": 3.2}
    report = {"goodput": 0.0, "connections": 64, "unanswered": 0, "errors": {}, "latencies": latencies}
    assert seconds_per_answer(report) == 0.05
    assert seconds_per_answer(report | {"goodput": 4.0}) == 0.25
    with pytest.raises(RuntimeError, match="nothing was answered"):
        seconds_per_answer(report | {"unanswered": 64})


@pytest.mark.parametrize(("generator", "others", "said"), [(0.5, 0.05, False), (0.95, 0.0, True), (0.5, 0.2, True)])
def test_a_row_beside_other_work_is_counted(generator: float, others: float, said: bool):
    figures = {"generator_cores": {1: generator}, "foreign_cores": {1: others}}
    row = Row(
        "web", "json", "trio", "model", "trio", "3.14", True, "request", 1, {}, {}, seconds={1: 0.1}, figures=figures
    )
    assert ("1 of 1 rows had a round that other work disturbed" in tables.summary(Results([row], [], {}))) == said


def test_too_many_connections_for_this_machine_are_a_reason(monkeypatch: pytest.MonkeyPatch):
    from benchmarks.web import idle

    monkeypatch.setattr("concmodels.platform.measuring.raise_descriptor_limit", lambda need: 1024)
    with pytest.raises(NotHere, match=r"10,000 connections need 10,080 file descriptors; the limit here is 1,024"):
        idle.idle("threads", "/json", 10_000, 16, 1, 1)


# A whole run.


def test_a_run_is_written_with_its_histogram_and_read(tmp_path: Path):
    file = tmp_path / "web.json"
    wanted = ["web/json/baseline epoll", "web/tail/threads", "web/stop/asyncio"]
    line = [sys.executable, "-m", "benchmarks", "run", *wanted, "--quick", "--output", str(file)]
    ended = subprocess.run(line, cwd=ROOT, capture_output=True, text=True, timeout=50, check=False)
    assert ended.returncode == 0, ended.stderr
    results = read(file)
    row = results.row("web", "json", "baseline epoll")
    assert not results.left_out
    assert row is not None and row.step == "request"
    assert row.figure("goodput") == pytest.approx(row.per_second) and row.error_names == {1: {}}
    assert sum(row.histograms[1].values()) >= (row.figure("answers") or 0) > 0
    tail, stop = results.row("web", "tail", "threads"), results.row("web", "stop", "asyncio")
    assert tail is not None and stop is not None and tail.figure("left_processes") == stop.figure("left_processes") == 0
    assert stop.step == "end" and stop.figure("stop_s") == pytest.approx(stop.median) and stop.figure("killed") == 0
    assert stop.figure("lost") is not None
    shown = subprocess.run(
        [sys.executable, "-m", "benchmarks", "show", str(file)], cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout
    assert "per second" in shown and "lost" in shown


def test_nothing_is_left_of_a_session_that_is_killed(tmp_path: Path):
    with Program(tmp_path, "run", "web/json/processes", "--rounds", "100", module="benchmarks", cwd=ROOT) as program:
        soon(lambda: any(serves(pid) for pid in program.alive()))
        program.process.kill()
        program.process.wait()
        soon(lambda: not [pid for pid in program.alive() if alive(pid)])


def test_nothing_is_left_of_a_session_after_control_c(tmp_path: Path):
    file = tmp_path / "web.json"
    line = ["run", "web/json/threads", "--rounds", "100", "--output", str(file)]
    with Program(tmp_path, *line, module="benchmarks", cwd=ROOT) as program:
        soon(lambda: any(serves(pid) for pid in program.alive()))
        program.process.send_signal(signal.SIGINT)
        status, _, errors = program.end()
        assert status == 130 and "Traceback" not in errors
        soon(lambda: not [pid for pid in program.alive() if alive(pid)])
    assert read(file).about["finished"] is False


def serves(pid: int) -> bool:
    """Whether this process is a server of ours."""
    try:
        return b"concmodels.serve" in Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return False
