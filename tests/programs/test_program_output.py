"""Every command where it can't write, where it is told of no width, and where a library is missing: one sentence.

And what the progress bar counts.
"""

import io
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from commands import Program, ring
from in_process import called

from concmodels.channel.plan import PATTERNS
from concmodels.channel.program import ChannelCommand
from concmodels.pool.plan import PoolResult
from concmodels.pool.program import PoolCommand
from concmodels.programs.measure import measure
from concmodels.programs.output import table
from concmodels.programs.output.streams import console
from concmodels.ring.plan import Result
from concmodels.ring.program import Ring

ROOT = Path(__file__).parents[2]
RESULT = ROOT / "benchmarks" / "results" / "full.json"
FIXED = ROOT / "examples" / "races" / "lost_update_fixed.py"
FULL = "can't write to standard output: No space left on device"

COMMANDS = [
    ("concmodels",),
    ("concmodels.ring", 3, 20),
    ("concmodels.ring", 3, 20, "--quiet", "--json", "-"),
    ("concmodels.ring", 2, 3, "--model", "threads", "--model", "greenlet"),
    ("concmodels.ring", "--list"),
    ("concmodels.channel", 20),
    ("concmodels.channel", 20, "--quiet", "--json", "-"),
    ("concmodels.channel", "--list"),
    ("concmodels.pool", 5, "--work", "nothing"),
    ("concmodels.pool", 5, "--work", "nothing", "--quiet", "--json", "-"),
    ("concmodels.pool", "--list"),
    ("concmodels.conformance", "--list"),
    ("concmodels.conformance", "threads", "-k", "a_rendezvous_send_returns_once_taken"),
    ("concmodels.explore", FIXED, "--quiet"),
    ("concmodels.explore", FIXED, "--quiet", "--json", "-"),
    ("benchmarks", "list"),
    ("benchmarks", "list", "ring"),
    ("benchmarks", "show", RESULT),
    ("benchmarks", "show", RESULT, "spawn"),
]
"""Each with something to write: the module, then its arguments."""
HELPS = [
    *((module, "--help") for module in sorted({command[0] for command in COMMANDS})),
    ("concmodels", "--version"),
    *(("benchmarks", name, "--help") for name in ("run", "list", "show", "report")),
]
NAMED = [" ".join(map(str, command)).replace(str(RESULT), "RESULT") for command in COMMANDS + HELPS]
USUAL = [
    *(next(it for it in COMMANDS if it[0] == module) for module in sorted({command[0] for command in COMMANDS})),
    ("concmodels.ring", 3, 20, "--quiet", "--json", "-"),
    ("concmodels.ring", 2, 3, "--model", "threads", "--model", "greenlet"),
    ("concmodels.conformance", "threads", "-k", "a_rendezvous_send_returns_once_taken"),
    ("benchmarks", "show", RESULT),
    HELPS[0],
]
"""The first of each module, and one of each other way to write; the rest is written by the same code."""
LIKE_A_RING = ("concmodels.channel", "concmodels.pool")
"""Modules whose commands write by the same code as those of concmodels.ring."""
WRITING = [it for it in USUAL if it[0] not in LIKE_A_RING]
FIRST = [next(it for it in WRITING if it[0] == module) for module in sorted({command[0] for command in WRITING})]
EACH_COMMAND = [
    pytest.param(command, id=name, marks=[] if command in WRITING else [pytest.mark.thorough])
    for command, name in zip(COMMANDS + HELPS, NAMED, strict=True)
]
"""Each command; those that are not in WRITING only with `--thorough`."""
ONE_OF_EACH = [
    pytest.param(command, id=name, marks=[] if command in FIRST else [pytest.mark.thorough])
    for command, name in zip(COMMANDS + HELPS, NAMED, strict=True)
]
"""Each command; without `--thorough` one of each module that writes by itself."""


def written_to(path, folder, command, stream="stdout"):
    """Run the command with a stream on this file; return its status and what it says on the other streams."""
    module, *arguments = command
    with open(path, "w") as file, Program(folder, *arguments, module=module, **{stream: file}) as program:
        status, out, err = program.end()
        assert not program.left()
    return status, out, err


@pytest.mark.parametrize("command", EACH_COMMAND)
def test_a_full_disk_is_one_sentence(tmp_path, command):
    status, _, err = written_to("/dev/full", tmp_path, command)
    assert status == 2
    assert err.endswith(f"{FULL}\n") and len(err.splitlines()) == 1
    assert command[0] in err.partition(":")[0]


@pytest.mark.thorough  # it writes as `benchmarks show` does, above
def test_a_report_on_a_full_disk_is_one_sentence(tmp_path):
    small = tmp_path / "small.json"
    result = json.loads(RESULT.read_text())
    small.write_text(json.dumps(result | {"benchmarks": result["benchmarks"][:1]}))
    command = ("benchmarks", "report", small, "--output", tmp_path / "report")
    status, _, err = written_to("/dev/full", tmp_path, command)
    assert (status, err) == (2, f"python -m benchmarks report: {FULL}\n")


@pytest.mark.parametrize(
    "command",
    [
        ("concmodels.ring", 3, 20, "--json", "-"),
        pytest.param(
            ("concmodels.conformance", "threads", "-k", "a_rendezvous_send_returns_once_taken", "--json", "-"),
            marks=pytest.mark.thorough,
        ),
    ],
)
def test_figures_that_find_no_room_are_told_after_the_table(tmp_path, command):
    status, _, err = written_to("/dev/full", tmp_path, command)
    assert status == 2
    assert err.splitlines()[-1].endswith(FULL) and "Traceback" not in err and "ignored" not in err


def test_a_full_disk_for_the_table_costs_no_figures(tmp_path):
    status, out, _ = written_to("/dev/full", tmp_path, ("concmodels.ring", 3, 20, "--json", "-"), "stderr")
    assert (status, json.loads(out)[0]["verified"]) == (2, True)


@pytest.mark.parametrize("command", ONE_OF_EACH)
def test_a_reader_that_has_gone_is_no_mistake(tmp_path, command):
    module, *arguments = command
    closed = ("sh", "-c", '{ "$@"; echo $? >&2; } | :', "sh")
    *said, status = ring(tmp_path, *arguments, module=module, prefix=closed)[2].splitlines()
    assert said == [] and status == ("1" if "a_rendezvous_send_returns_once_taken" in command else "0")


SIZES = ["0", "-5", "", "text", "²", "80.0", "65536", "1" + 5000 * "0"]
TABLES = [
    ("concmodels",),
    ("concmodels.ring", 3, 20),
    ("concmodels.conformance", "threads", "-k", "a_rendezvous_send_returns_once_taken"),
]


@pytest.fixture(scope="module")
def in_80():
    """What the table of the models is in 80 columns: status, standard output, standard error."""
    return called("--long", module="concmodels", env={"COLUMNS": "80"})


@pytest.mark.parametrize("columns", SIZES, ids=lambda columns: columns[:6])
def test_what_is_no_width_is_taken_as_80(in_80, columns):
    assert max(map(len, in_80[1].splitlines())) == 80
    assert called("--long", module="concmodels", env={"COLUMNS": columns, "LINES": columns}) == in_80


@pytest.mark.parametrize("command", TABLES, ids=lambda command: command[0])
@pytest.mark.parametrize("columns", ["0", pytest.param("²", marks=pytest.mark.thorough)])
def test_every_table_is_shown_where_there_is_no_width(command, columns):
    module, *arguments = command
    status, out, err = called(*arguments, module=module, env={"COLUMNS": columns, "LINES": columns})
    assert (status, err) == (0, "")
    assert 40 < max(map(len, out.splitlines())) <= 80


@pytest.mark.parametrize("command", [*TABLES, ("concmodels.pool", "--help")], ids=lambda command: command[0])
@pytest.mark.parametrize("columns", [1, 65535])
def test_any_width_is_written_in(command, columns):
    module, *arguments = command
    status, out, err = called(*arguments, module=module, env={"COLUMNS": str(columns)})
    assert (status, err) == (0, "")
    assert out.strip()


# Libraries that are not installed.


NEEDED = [
    *(("rich", command) for command in COMMANDS if not {"--quiet", "--list"} & set(command)),
    ("rich", ("concmodels.conformance", "--list")),
    ("rich", ("concmodels.ring", 3, 20, "--json", "-")),
    ("rich", ("benchmarks", "report", RESULT)),
    ("pyperf", ("benchmarks", "show", RESULT)),
    ("pyperf", ("benchmarks", "run", "ring/token/asyncio", "--quick")),
    ("matplotlib", ("benchmarks", "report", RESULT)),
    ("httpx", ("concmodels.pool", 5, "--work", "io")),
    ("httpcore", ("concmodels.pool", 5, "--work", "io", "--model", "greenlet")),
    ("httpcore", ("concmodels.pool", 5, "--work", "io", "--model", "processes", "--model", "threads")),
    ("trio", ("concmodels.channel", 5, "--model", "trio")),
    ("distributed", ("concmodels.channel", 5, "--model", "dask")),
]


@pytest.mark.parametrize(
    ("library", "command"),
    [
        pytest.param(library, command, marks=[] if library != "rich" or command in USUAL else [pytest.mark.thorough])
        for library, command in NEEDED
    ],
    ids=str,
)
def test_a_missing_library_is_one_sentence(library, command):
    module, *arguments = command
    status, out, err = called(*arguments, module=module, missing=[library])
    assert (status, out) == (2, "")
    assert (library if library != "distributed" else "dask") in err
    assert "not installed; pip install" in err and len(err.splitlines()) == 1


LIBRARIES = ("rich", "httpx", "httpcore", "numpy", "pyperf", "matplotlib")
CAN_DO_WITHOUT = [
    ("concmodels.ring", 3, 20, "--quiet"),
    ("concmodels.pool", 3, "--work", "nothing", "--quiet", "--json", "-"),
    ("concmodels.pool", 3, "--work", "cpu", "--quiet"),
    ("concmodels.pool", 3, "--work", "buffer", "--numbers", 1000, "--quiet"),
    ("concmodels.channel", "--list"),
    ("concmodels", "--help"),
    ("concmodels.conformance", "--help"),
    ("benchmarks", "--help"),
]
"""Commands that need none of these libraries."""
CALLS = """
import json, sys
from in_process import called

print(json.dumps([called(*arguments, module=module)[::2] for module, *arguments in json.loads(sys.argv[1])]))
"""


@pytest.fixture(scope="module")
def told_without_libraries(tmp_path_factory):
    """The status of each of these commands, and its standard error, in one Python that has none of the libraries."""
    folder = tmp_path_factory.mktemp("site")
    (folder / "sitecustomize.py").write_text(f"import sys\nsys.modules.update(dict.fromkeys({LIBRARIES!r}))\n")
    env = os.environ | {"PYTHONPATH": os.pathsep.join(map(str, (folder, ROOT / "tests", ROOT)))}
    command = [sys.executable, "-c", CALLS, json.dumps(CAN_DO_WITHOUT)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=env, cwd=folder)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.mark.parametrize("command", CAN_DO_WITHOUT, ids=str)
def test_what_a_command_can_do_without_is_not_missed(told_without_libraries, command):
    assert told_without_libraries[CAN_DO_WITHOUT.index(command)] == [0, ""]


# The progress bar.


class Counter:
    """Stands in for the bar: notes how far the program is when the counted phase begins, and when it ends."""

    def __init__(self, model, steps, done):
        self.steps = steps
        self.done = done
        self.seen = []

    def start(self):
        self.seen.append(self.done())

    def stop(self):
        if len(self.seen) == 1:
            self.seen.append(self.done())
            assert self.seen == [0, self.steps]
            Counter.ends += 1


@pytest.mark.parametrize("name", ["threads", "asyncio", "processes"])
@pytest.mark.parametrize(
    ("program", "sizes"),
    [
        (Ring(), (3, 200)),
        *((ChannelCommand(), (600, pattern)) for pattern in PATTERNS),
        (PoolCommand(), (200, 2, "nothing")),
    ],
    ids=["ring", *PATTERNS, "pool"],
)
def test_the_bar_counts_what_counts(monkeypatch, name, program, sizes):
    monkeypatch.setattr("concmodels.programs.output.progress.Bar", Counter)
    Counter.ends = 0
    result = measure(program, program.plan(name, *sizes), progress=True)
    assert (result.error, Counter.ends) == (None, 1)


# What explains the table.


def shown(*results):
    stream = io.StringIO()
    table.print_table(results, console(stream))
    return " ".join(stream.getvalue().split())


def of_a_ring(**figures):
    about = {"model": "threads", "variant": None, "nodes": 3, "messages": 10, "hops": 30, "in_flight": "all", "cpus": 2}
    about |= {"capacity": "inf", "payload_bytes": 0, "verified": True, "hops_per_s": 1e3, "ns_per_hop": 1e6}
    return Result(**about | figures)


def test_the_words_of_a_ring_are_explained():
    text = shown(of_a_ring())
    for word in ("in flight:", "bare numbers:", "CPU:", "peak:", "PSS:", "switch:"):
        assert word in text
    assert "bare numbers:" not in shown(of_a_ring(payload_bytes=100))


def test_the_words_of_a_pool_are_explained():
    about = {"model": "threads", "variant": None, "work": "cpu", "sizes": {}, "tasks": 3, "workers": 2}
    assert "speedup: how many times as fast as a plain loop" in shown(
        PoolResult(**about, verified=True, tasks_per_s=9.0)
    )


def test_a_column_that_is_left_out_is_not_explained(monkeypatch):
    monkeypatch.setenv("COLUMNS", "60")
    assert "PSS" not in shown(of_a_ring())


def test_other_programs_are_told_if_they_disturb():
    assert "other programs used 0.9 of 2 CPUs meanwhile" in shown(of_a_ring(other_cpus=0.9))
    assert "other programs used up to 0.9 of 2 CPUs meanwhile" in shown(
        *(of_a_ring(other_cpus=it) for it in (0.1, 0.9))
    )
    for few in (None, 0.1):
        assert "other programs" not in shown(of_a_ring(other_cpus=few))
