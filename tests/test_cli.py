"""The command line as a user has it: in a process of its own, by its exit status and what it leaves behind."""

import json
import os
import pty
import random
import re
import select
import signal
import subprocess
import sys
import time
import uuid
from pathlib import Path

import interruptible
import pytest

import concmodels
from concmodels import catalog

NAMES = catalog.names(variants=True)
FIELDS = {
    "model", "variant", "nodes", "messages", "hops", "in_flight", "capacity", "payload_bytes", "setup_s", "run_s",
    "teardown_s", "total_s", "hops_per_s", "ns_per_hop", "cpu_user_s", "cpu_system_s", "peak_rss_bytes",
    "voluntary_switches", "involuntary_switches", "verified", "error", "repeat", "peak_pss_bytes", "python", "gil",
    "cpus", "platform", "library_version", "concmodels",
}  # fmt: skip
ENDS_WITHIN_S = 20  # of an interrupted program on a busy machine; usually it is a tenth of a second
GONE_WITHIN_S = 1
FOREVER = 10**9  # messages


class Program:
    """`python -m concmodels.ring ...` under observation: a session of its own, and a mark in its environment."""

    def __init__(self, folder, *arguments, module="concmodels.ring", prefix=(), env=(), **options):
        self.mark = uuid.uuid4().hex
        self.temporary = folder / f"tmp-{self.mark}"
        self.temporary.mkdir()
        root = str(Path(concmodels.__file__).parent.parent)
        path = os.pathsep.join([*dict(env).pop("PYTHONPATH", "").split(os.pathsep), root]).lstrip(os.pathsep)
        environment = os.environ | dict(env) | {"TMPDIR": str(self.temporary), "MARK": self.mark, "PYTHONPATH": path}
        command = [*prefix, sys.executable, "-m", module, *map(str, arguments)]
        options = {"stdin": subprocess.DEVNULL} | options
        self.process = interruptible.popen(command, env=environment, start_new_session=True, **options)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        """Whatever became of the test, the machine is clean after it."""
        for pid in self.alive():
            os.kill(pid, signal.SIGKILL)
        self.process.communicate()

    def end(self, timeout=60):
        """Wait for the end; return status, standard output, standard error."""
        out, err = self.process.communicate(timeout=timeout)
        return self.process.returncode, out, err

    def alive(self):
        """The processes that descend from this one, wherever they hang in the tree now, without zombies."""
        found = []
        for entry in filter(str.isdecimal, os.listdir("/proc")):
            try:
                if f"MARK={self.mark}".encode() in Path("/proc", entry, "environ").read_bytes():
                    found.append(int(entry))
            except OSError:
                pass
        return found

    def parents(self):
        """The parent of every process that is alive."""
        found = {}
        for pid in self.alive():
            try:
                found[pid] = int(Path("/proc", str(pid), "stat").read_text().rpartition(")")[2].split()[1])
            except OSError:
                pass
        return found

    def left(self, within=GONE_WITHIN_S):
        """What is still there that long after the end: processes and temporary files."""
        until(lambda: not self.alive() or None, within)
        return self.alive() + os.listdir(self.temporary)


def until(condition, within=30):
    """Return the condition's first result that is not None; None if there is none in this many seconds."""
    end = time.monotonic() + within
    while (result := condition()) is None and time.monotonic() < end:
        time.sleep(0.005)
    return result


def ring(folder, *arguments, **options):
    """Run the program to its end."""
    with Program(folder, *arguments, **options) as program:
        status, out, err = program.end()
        assert not program.left(), (status, out, err)
    return status, out, err


def skip_unless_here(name):
    """Skip a model that can't run here."""
    if why := catalog.why_not(name):
        pytest.skip(f"{name}: {why}")


# What it says and writes.


def test_the_table(tmp_path):
    status, out, err = ring(tmp_path, 10, 100)
    assert (status, err) == (0, "")
    assert "ring of 10 nodes, 100 messages: 1,000 hops" in out
    assert "verified: 100 messages arrived, once each and in order" in out
    assert max(map(len, out.splitlines())) <= 80


def test_json_alone_on_stdout(tmp_path):
    status, out, err = ring(tmp_path, 3, 20, "--json", "-", "--model", "trio", "--payload", 9, "--capacity", 0)
    (figures,) = json.loads(out)
    assert status == 0
    assert figures.keys() >= FIELDS
    assert "verified:" in err
    assert (figures["model"], figures["variant"], figures["hops"]) == ("trio", None, 60)
    assert (figures["in_flight"], figures["capacity"], figures["payload_bytes"]) == ("all", 0, 9)
    assert figures["verified"] is True
    assert figures["error"] is None
    assert not [name for name in FIELDS - {"variant", "error"} if figures[name] is None]


def test_json_and_quiet(tmp_path):
    path = tmp_path / "figures.json"
    status, out, err = ring(tmp_path, 3, 20, "--json", path, "--quiet", "--model", "processes:forkserver")
    assert (status, out, err) == (0, "", "")
    assert json.loads(path.read_text())[0]["variant"] == "forkserver"


def test_several_models_one_table_fastest_first(tmp_path):
    names = ("rawthreads", "greenlet", "asyncio")
    models = [part for name in names for part in ("--model", name)]
    status, out, err = ring(tmp_path, 10, 500, *models, "--model", "asyncio", "--json", tmp_path / "f")
    assert (status, err) == (0, "")
    results = json.loads((tmp_path / "f").read_text())
    assert [it["model"] for it in results] == list(names)  # once each, in the order given
    ranked = [it["model"] for it in sorted(results, key=lambda it: -it["hops_per_s"])]
    assert [line.split()[0] for line in out.splitlines()[4:7]] == ranked
    assert "in all 3 runs" in out


def test_repeats(tmp_path):
    status, out, _ = ring(tmp_path, 3, 20, "--repeat", 3, "--json", tmp_path / "f")
    assert status == 0
    assert [it["repeat"] for it in json.loads((tmp_path / "f").read_text())] == [1, 2, 3]
    assert "±" in out
    assert "in all 3 runs" in out


def test_in_flight_is_clipped_and_says_so(tmp_path):
    status, out, err = ring(tmp_path, 3, 20, "--in-flight", 50, "--json", "-")
    assert status == 0
    assert json.loads(out)[0]["in_flight"] == 20
    assert "--in-flight 50 is more than there are messages: taken as 20" in err


def test_list(tmp_path):
    status, out, _ = ring(tmp_path, "--list")
    assert status == 0
    assert [line.split()[0] for line in out.splitlines()] == NAMES


@pytest.mark.parametrize("width", [80, 160])
def test_the_table_of_models(tmp_path, width):
    status, out, err = ring(tmp_path, module="concmodels", env={"COLUMNS": str(width)})
    assert (status, err) == (0, "")
    assert max(map(len, out.splitlines())) <= width
    for name in catalog.names():
        assert re.search(rf"^{name}\b", out, re.MULTILINE)


def test_help(tmp_path):
    status, out, _ = ring(tmp_path, "--help")
    assert status == 0
    assert "--in-flight" in out


# Status 2: one sentence, before anything has started.


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        ([], "NODES and MESSAGES are needed"),
        ([300], "NODES and MESSAGES are needed"),
        ([0, 1], "NODES: a whole number of at least 1"),
        ([-3, 1], "NODES: a whole number of at least 1"),
        (["many", 1], "not 'many'"),
        ([1, 0], "MESSAGES: a whole number"),
        ([1, "1e4"], "not '1e4'"),
        ([1, 10**30], "MESSAGES"),
        ([1, 1, "--in-flight", 0], "--in-flight: a whole number of at least 1, or all"),
        ([1, 1, "--capacity", -1], "--capacity: a whole number of at least 0, or inf"),
        ([1, 1, "--payload", 7], "at least 8"),
        ([1, 1, "--repeat", 0], "--repeat"),
        ([1, 1, "--timeout", 0], "--timeout"),
        ([1, 1, "--timeout", "nan"], "--timeout"),
        ([1, 1, "--model", "tread"], "there is no model 'tread'; there are threads,"),
        ([1, 1, "--model", "subinterp:qeue"], "it has queue,"),
        ([1, 1, "--model", "trio", "--model", "x"], "there is no model 'x'"),
        ([1, 1, "--json", "/nowhere/figures.json"], "can't write '/nowhere/figures.json': No such file"),
        ([1, 1, "--json", "/"], "Is a directory"),
        ([1, 1, "--json", "/dev/full"], "No space left"),
        ([1, 1, "--frobnicate"], "--frobnicate"),
        ([10**9, 1], "nodes of threads"),
        ([10**9, 1, "--model", "processes"], "file descriptors"),
        ([10**12, 1, "--model", "trio"], "memory"),
    ],
)
def test_bad_input(tmp_path, arguments, complaint):
    status, out, err = ring(tmp_path, *arguments)
    assert (status, out) == (2, "")
    assert complaint in err
    assert len(err.splitlines()) == 1


@pytest.fixture
def without_trio(tmp_path):
    """An environment in which trio is not installed."""
    folder = tmp_path / "site"
    folder.mkdir()
    (folder / "sitecustomize.py").write_text("import sys\nsys.modules['trio'] = None\n")
    return {"PYTHONPATH": str(folder)}


def test_a_missing_library_named_explicitly(tmp_path, without_trio):
    for name in ("trio", "anyio:trio"):
        status, out, err = ring(tmp_path, 1, 1, "--model", "threads", "--model", name, env=without_trio)
        assert (status, out) == (2, "")
        assert "pip install trio" in err
        assert len(err.splitlines()) == 1


def test_all_leaves_out_what_is_missing(tmp_path, without_trio):
    status, out, err = ring(tmp_path, 2, 3, "--model", "all", "--json", tmp_path / "f", env=without_trio)
    assert status == 0
    results = json.loads((tmp_path / "f").read_text())
    here = [name for name in catalog.names() if name != "trio" and catalog.why_not(name) is None]
    assert [it["model"] for it in results] == here
    assert [line for line in err.splitlines() if "trio is left out" in line and "pip install trio" in line]


def test_the_soft_limit_on_descriptors_is_raised(tmp_path):
    skip_unless_here("processes")
    enough = ("sh", "-c", 'ulimit -Sn 70 && exec "$@"', "sh")
    assert ring(tmp_path, 12, 3, "--model", "processes", prefix=enough)[0] == 0


def test_the_hard_limit_on_descriptors_is_told(tmp_path):
    skip_unless_here("processes")
    short = ("sh", "-c", 'ulimit -n 70 && exec "$@"', "sh")
    status, out, err = ring(tmp_path, 12, 3, "--model", "processes", prefix=short)
    assert (status, out) == (2, "")
    assert "file descriptors, and the limit is 70" in err


def test_too_large_for_some_of_all(tmp_path):
    skip_unless_here("processes")
    short = ("sh", "-c", 'ulimit -n 70 && exec "$@"', "sh")
    status, out, err = ring(tmp_path, 12, 3, "--model", "all", "--json", "-", prefix=short)
    assert status == 2
    assert "processes is left out: " in err
    assert "threads" in [it["model"] for it in json.loads(out)]


# A reader that goes away.


@pytest.mark.parametrize(
    "arguments", [(3, 20), (3, 20, "--json", "-"), (2, 3, "--model", "threads", "--model", "greenlet"), ("--list",)]
)
def test_a_closed_pipe(tmp_path, arguments):
    reader, writer = os.pipe()
    os.close(reader)
    with Program(tmp_path, *arguments, stdout=writer) as program:
        os.close(writer)
        status, _, err = program.end()
        assert (status, "Error" in err, "Traceback" in err) == (0, False, False)
        assert not program.left()


def test_a_full_disk(tmp_path):
    with open("/dev/full", "w") as full, Program(tmp_path, 3, 20, stdout=full) as program:
        status, _, err = program.end()
    assert status == 2
    assert err == "concmodels.ring: can't write to standard output: No space left on device\n"


@pytest.mark.parametrize("closed", ["<&-", ">&-", "2>&-", ">&- 2>&-"])
def test_closed_descriptors(tmp_path, closed):
    shell = ("sh", "-c", f'exec "$@" {closed}', "sh")
    status, _, err = ring(tmp_path, 3, 20, "--json", tmp_path / "f", prefix=shell)
    assert (status, err) == (0, "")
    assert json.loads((tmp_path / "f").read_text())[0]["verified"]


def test_a_poor_encoding(tmp_path):
    poor = {"PYTHONIOENCODING": "ascii"}
    status, out, _ = ring(tmp_path, 3, 20, "--repeat", 2, env=poor)
    assert status == 0
    assert "####" in out
    assert ring(tmp_path, module="concmodels", env=poor)[0] == 0


# Status 1 and 124.


def test_a_killed_node(tmp_path):
    skip_unless_here("processes")
    with Program(tmp_path, 3, FOREVER, "--in-flight", 5, "--model", "processes", "--json", tmp_path / "f") as program:
        victim = until(lambda: _a_node(program))
        killed = time.monotonic()
        os.kill(victim, signal.SIGKILL)
        status, out, err = program.end()
        assert time.monotonic() - killed < 10
        assert (status, out) == (1, "")
        *before, sentence = err.splitlines()
        assert re.search(r"processes: .*(node \d|feeder).*", sentence)
        assert re.fullmatch(r"(this will take about .*; Ctrl-C ends it)?", "".join(before))  # if it got that far
        assert not program.left()
    (figures,) = json.loads((tmp_path / "f").read_text())
    assert figures["verified"] is False
    assert re.search(r"node \d|feeder", figures["error"])
    assert figures["run_s"] is figures["hops_per_s"] is figures["peak_rss_bytes"] is None


def _a_node(program):
    """One of four processes whose parent is not the program itself but its forkserver."""
    parents = program.parents()
    nodes = [pid for pid, parent in parents.items() if parent in parents and parent != program.process.pid]
    return nodes[0] if len(nodes) == 4 else None


@pytest.mark.parametrize("name", NAMES)
def test_a_timeout(tmp_path, name):
    skip_unless_here(name)
    options = ("--in-flight", 2, "--model", name, "--timeout", 0.6, "--json", tmp_path / "f")
    status, out, err = ring(tmp_path, 3, FOREVER, *options)
    assert (status, out) == (124, "")
    assert [line for line in err.splitlines() if line == f"concmodels.ring: {name}: timed out after 0.6 s"]
    (figures,) = json.loads((tmp_path / "f").read_text())
    assert (figures["verified"], figures["error"], figures["run_s"]) == (False, "timed out after 0.6 s", None)


def test_of_several_models_the_gravest_status(tmp_path):
    skip_unless_here("subinterp:queue")  # 500 hops of 10 ms take it 3 seconds, and threads 10 milliseconds
    models = ("--model", "threads", "--model", "subinterp:queue", "--model", "greenlet")
    status, out, err = ring(tmp_path, 5, 200, "--in-flight", 1, *models, "--timeout", 2.5, "--json", tmp_path / "f")
    assert status == 124
    assert "in 2 of 3 runs" in out
    assert "subinterp:queue: timed out" in err
    assert [it["verified"] for it in json.loads((tmp_path / "f").read_text())] == [True, False, True]


# Status 130.


def interrupt(folder, name, after, *, messages=FOREVER):
    """Press Ctrl-C this long after the program has begun (its JSON file is there); it must end with nothing left."""
    path = folder / f"{uuid.uuid4().hex}.json"
    options = ("--in-flight", 3, "--model", name, "--json", path)
    with Program(folder, 4, messages, *options) as program:
        assert until(lambda: path.exists() or None)
        time.sleep(after)  # the random moment
        program.process.send_signal(signal.SIGINT)
        status, _, err = program.end(ENDS_WITHIN_S)
        assert not program.left(), f"left after Ctrl-C at {after}"
    assert "Traceback" not in err, f"{status} after {after}: {err}"
    (figures,) = json.loads(path.read_text())
    return status, figures["error"]


@pytest.mark.parametrize("name", NAMES)
def test_interrupts(tmp_path, name):
    skip_unless_here(name)
    for third in range(3):  # the start, the set-up, the run
        after = random.uniform(third * 0.2, third * 0.2 + 0.2)
        assert interrupt(tmp_path, name, after) == (130, "interrupted"), f"Ctrl-C after {after} s"


@pytest.mark.stress
@pytest.mark.parametrize("name", NAMES)
def test_many_interrupts(tmp_path, name):
    skip_unless_here(name)
    for _ in range(14):
        after = random.uniform(0, 1.5)
        assert interrupt(tmp_path, name, after) == (130, "interrupted"), f"Ctrl-C after {after} s"
    for _ in range(6):  # near the end: it may have been over before
        after = random.uniform(0, 0.6)
        assert interrupt(tmp_path, name, after, messages=500) in ((130, "interrupted"), (0, None)), after


def test_an_interrupt_of_several_models_is_passed_on_once(tmp_path):
    path = tmp_path / "f"
    models = ("--model", "threads", "--model", "greenlet")
    with Program(tmp_path, 4, FOREVER, "--in-flight", 3, *models, "--json", path) as program:
        until(lambda: len(program.alive()) >= 2 or None)
        program.process.send_signal(signal.SIGINT)
        status, _, err = program.end(ENDS_WITHIN_S)
        assert not program.left()
    assert status == 130
    assert err == "concmodels.ring: threads: interrupted\n"
    assert [it["error"] for it in json.loads(path.read_text())] == ["interrupted"]


# A program that is killed.


@pytest.mark.parametrize(
    "arguments", [("processes",), ("processes:spawn",), ("processes:fork",), ("threads", "processes")]
)
def test_a_killed_program_leaves_no_process(tmp_path, arguments):
    for name in arguments:
        skip_unless_here(name)
    models = [part for name in arguments for part in ("--model", name)]
    size = (4, FOREVER) if len(arguments) == 1 else (4, FOREVER, "--timeout", 1)  # so that the second one gets its turn
    with Program(tmp_path, *size, "--in-flight", 3, *models) as program:
        assert until(lambda: len(program.alive()) >= 6 or None)
        program.process.kill()
        killed = time.monotonic()
        assert until(lambda: not program.alive() or None, 10)
        assert time.monotonic() - killed < GONE_WITHIN_S


# On a terminal.


def on_a_terminal(folder, *arguments, look_for, within=30):
    """Run it with standard error on a terminal until this shows there; then Ctrl-C. Return all that it wrote."""
    ours, theirs = pty.openpty()
    written = ""
    with Program(folder, *arguments, stderr=theirs, env={"TERM": "xterm-256color"}) as program:
        os.close(theirs)
        end = time.monotonic() + within
        while not re.search(look_for, written) and time.monotonic() < end:
            if select.select([ours], [], [], 0.1)[0]:
                written += os.read(ours, 4096).decode(errors="replace")
        program.process.send_signal(signal.SIGINT)
        while chunk := _read(ours):
            written += chunk
        assert program.end(ENDS_WITHIN_S)[0] == 130
        assert not program.left()
    os.close(ours)
    return written


def _read(terminal):
    try:
        return os.read(terminal, 4096).decode(errors="replace")
    except OSError:  # the other side is closed
        return ""


def test_a_long_run_shows_progress_on_a_terminal(tmp_path):
    written = on_a_terminal(tmp_path, 3, 10**7, "--in-flight", 5, look_for=r"threads.* [1-9]\d*%")
    assert "starting 3 nodes" in written
    assert re.search(r"threads.* [1-9]\d*%", written)


def test_an_estimate_is_told_and_the_run_goes_on(tmp_path):
    skip_unless_here("rawthreads:polling")
    written = on_a_terminal(
        tmp_path, 30, 10**7, "--in-flight", 1, "--model", "rawthreads:polling", look_for=r"this will take about \d+ \w+"
    )
    assert re.search(r"this will take about \d[\d,]* (hour|day)s", written)


def test_progress_of_one_of_several(tmp_path):
    models = ("--model", "threads", "--model", "greenlet")
    written = on_a_terminal(tmp_path, 3, 10**7, "--in-flight", 5, *models, look_for=r"threads.* [1-9]\d*%")
    assert re.search(r"threads.* [1-9]\d*%", written)
