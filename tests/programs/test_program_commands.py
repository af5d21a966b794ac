"""The commands `concmodels.channel` and `concmodels.pool` as a user has them; what they share with the ring's is tested
there.
"""

import json
import os
import random
import re
import signal
import time
import uuid
from contextlib import suppress
from pathlib import Path

import pytest
from commands import ENDS_WITHIN_S, FOREVER, Program, on_a_terminal, ring, skip_unless_here, until
from in_process import called
from kinds import HALVES, in_turn, one_of_each_kind
from platforms import linux_files

from concmodels import catalog
from concmodels.platform import measuring

SHARED = {
    "model", "variant", "setup_s", "run_s", "teardown_s", "total_s", "cpu_user_s", "cpu_system_s", "peak_rss_bytes",
    "voluntary_switches", "involuntary_switches", "verified", "error", "repeat", "status", "peak_pss_bytes",
    "python", "gil", "cpus", "platform", "library_version", "concmodels", "other_cpus",
}  # fmt: skip
CHANNEL = {"pattern", "messages", "tasks", "capacity", "payload_bytes", "messages_per_s", "ns_per_message"}
POOL = {"work", "sizes", "tasks", "workers", "tasks_per_s", "us_per_task", "speedup", "loop_s", "loop_tasks"}
MAY_BE_NONE = {"variant", "error", "other_cpus"}
ENDLESS = {
    "channel": ("stream", FOREVER, "--capacity", 3),
    "pool": (FOREVER, "--work", "cpu", "--size", 500, "--workers", 2),
}


def run(folder, program, *arguments, **options):
    """Run one of them to its end; return status, standard output, standard error."""
    return ring(folder, *arguments, module=f"concmodels.{program}", **options)


# What they say and write.


@pytest.mark.parametrize(
    ("arguments", "headline", "verdict"),
    [
        ((100,), "stream: 100 messages", "100 messages arrived once, in order"),
        (("pingpong", 100), "pingpong: 100 round trips", "100 round trips, each back before the next"),
        (("fanin", 100), "fanin of 4 senders: 100 messages", "100 messages arrived once, in order by sender"),
        (("fanout", 100, "--tasks", 2), "fanout of 2 receivers: 100 messages", "100 messages arrived once, in order"),
        (("select", "--tasks", 1, 1), "select of 1 sender: 1 message", "1 message arrived once, in order"),
    ],
)
def test_the_table_of_channels(arguments, headline, verdict):
    status, out, err = called(*arguments, module="concmodels.channel")
    assert (status, err) == (0, "")
    lines = out.splitlines()
    assert (lines[0], lines[-1]) == (headline, f"verified: {verdict}")
    assert max(map(len, lines)) <= 80


@pytest.mark.parametrize(
    ("arguments", "headline"),
    [
        ((30, "--work", "nothing", "--workers", 3), "pool of 3 workers: 30 tasks of nothing"),
        ((1, "--size", 100, "--workers", 1), "pool of 1 worker: 1 task of cpu"),
    ],
)
def test_the_table_of_pools(arguments, headline):
    status, out, err = called(*arguments, module="concmodels.pool")
    assert (status, err) == (0, "")
    lines = out.splitlines()
    assert lines[0] == headline
    assert re.fullmatch(r"verified: \d+ tasks?, each with the right result", lines[-1])
    assert "speedup" in lines[3]
    assert max(map(len, lines)) <= 80


SEVERAL = {"channel": ("pingpong", 50), "pool": (50, "--work", "nothing", "--workers", 2)}


@pytest.mark.parametrize(
    ("program", "width"),
    [
        ("channel", 80),
        pytest.param("pool", 150, marks=pytest.mark.thorough),
        pytest.param("channel", 150, marks=pytest.mark.thorough),
        pytest.param("pool", 80, marks=pytest.mark.thorough),
    ],
)
def test_several_models_and_repeats_in_one_table(tmp_path, program, width):
    models = ("--model", "rawthreads", "--model", "processes:spawn", "--model", "greenlet")
    options = (*models, "--repeat", 2, "--json", tmp_path / "f")
    status, out, err = run(tmp_path, program, *SEVERAL[program], *options, env={"COLUMNS": str(width)})
    assert (status, err) == (0, "")
    assert "in all 6 runs" in out
    assert "±" in out
    assert max(map(len, out.splitlines())) <= width
    results = json.loads((tmp_path / "f").read_text())
    assert [(it["model"], it["repeat"]) for it in results][:3] == [
        ("rawthreads", 1),
        ("rawthreads", 2),
        ("processes", 1),
    ]


@linux_files
@pytest.mark.parametrize(
    ("program", "arguments", "fields"),
    [
        ("channel", ("fanout", 20, "--payload", 9, "--capacity", 2), SHARED | CHANNEL),
        ("pool", (20, "--work", "buffer", "--numbers", 1000), SHARED | POOL),
    ],
)
def test_json_alone_on_stdout(program, arguments, fields):
    status, out, err = called(*arguments, "--json", "-", "--model", "trio", module=f"concmodels.{program}")
    (figures,) = json.loads(out)
    assert status == 0
    assert figures.keys() == fields
    assert not [name for name in fields - MAY_BE_NONE if figures[name] is None]
    assert figures["verified"] is True
    assert "verified:" in err


@pytest.mark.parametrize("program", ["channel", pytest.param("pool", marks=pytest.mark.thorough)])
def test_json_and_quiet(tmp_path, program):
    path = tmp_path / "figures.json"
    options = ("--json", path, "--quiet", "--model", "threads", "--model", "processes")
    assert run(tmp_path, program, 20, *options) == (0, "", "")
    assert [it["model"] for it in json.loads(path.read_text())] == ["threads", "processes"]


def test_one_of_several_is_asked_for_the_same(tmp_path):
    options = ("--work", "buffer", "--buffer", "copy", "--numbers", 500, "--workers", 3)
    models = ("--model", "threads", "--model", "greenlet")
    status, out, _ = run(tmp_path, "pool", 5, *options, *models, "--json", "-")
    asked = [(it["work"], it["sizes"], it["tasks"], it["workers"]) for it in json.loads(out)]
    assert (status, asked) == (0, [("buffer", {"buffer": "copy", "numbers": 500}, 5, 3)] * 2)
    status, out, _ = run(
        tmp_path, "channel", "select", 7, "--capacity", 2, "--payload", 8, "--tasks", 3, *models, "--json", "-"
    )
    asked = [
        (it["pattern"], it["messages"], it["capacity"], it["payload_bytes"], it["tasks"]) for it in json.loads(out)
    ]
    assert (status, asked) == (0, [("select", 7, 2, 8, 3)] * 2)


@pytest.mark.parametrize("program", ["channel", "pool"])
def test_list_and_help(program):
    status, out, _ = called("--list", module=f"concmodels.{program}")
    assert status == 0
    assert [line.split()[0] for line in out.splitlines()] == catalog.names(
        variants=True, distributed=True, simulated=True
    )
    status, out, _ = called("--help", module=f"concmodels.{program}")
    assert status == 0
    assert f"python -m concmodels.{program}" in out


# Status 2: one sentence, before anything has started.


@linux_files
@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        ([], "MESSAGES is needed, as in"),
        (["fanin"], "MESSAGES is needed, as in"),
        (["circle", 5], "there is no pattern 'circle'; there are stream, pingpong, fanin, fanout, select"),
        (["circle"], "there is no pattern 'circle'"),
        ([0], "messages must be a whole number of at least 1"),
        (["stream", "1e4"], "MESSAGES must be a whole number, not '1e4'"),
        ([10, "--tasks", 2], "a stream is between two: tasks are for fanin, fanout, select"),
        (["fanin", 10, "--tasks", 0], "tasks must be a whole number of at least 1"),
        (["fanin", 10, "--tasks", "few"], "--tasks: a whole number is needed, not 'few'"),
        ([10, "--in-flight", 1], "--in-flight"),
        ([10, "--payload", 7], "at least 8"),
        ([10, "--model", "tread"], "there is no model 'tread'"),
        ([10, "--json", "/nowhere/f"], "can't write '/nowhere/f'"),
        ([10**13, "--model", "trio"], "memory"),
        (["select", 1, "--tasks", 10**9], "OS tasks"),
    ],
)
def test_bad_input_of_the_channel_program(arguments, complaint):
    refused("concmodels.channel", arguments, complaint)


@linux_files
@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        ([], "TASKS is needed, as in"),
        ([0], "tasks must be a whole number of at least 1"),
        (["many"], "not 'many'"),
        ([1, "--work", "sleep"], "--work"),
        ([1, "--kind", "prime"], "--kind"),
        ([1, "--delay", 5], "--delay is for --work io, not cpu"),
        ([1, "--work", "io", "--delay", -1], "delay must be a whole number of at least 0"),
        ([1, "--size", 10**9], "size must be at most"),
        ([1, "--workers", 0], "workers must be a whole number of at least 1"),
        ([1, "--workers", 10**9], "OS tasks"),
        ([1, "--model", "tread"], "there is no model 'tread'"),
        ([1, "--timeout", 0], "--timeout"),
        ([1, "--json", "/"], "Is a directory"),
    ],
)
def test_bad_input_of_the_pool_program(arguments, complaint):
    refused("concmodels.pool", arguments, complaint)


def refused(program, arguments, complaint):
    """It says so in one line, and does nothing."""
    status, out, err = called(*arguments, module=program)
    assert (status, out) == (2, "")
    assert complaint in err
    assert err.startswith(f"{program}: ") and len(err.splitlines()) == 1


def limited(descriptors):
    """What starts a program that may have so many file descriptors."""
    return ("sh", "-c", f'ulimit -n {descriptors} && exec "$@"', "sh")


@pytest.mark.parametrize("name", one_of_each_kind(catalog.names(variants=True)))
def test_a_pool_with_too_few_descriptors_for_its_connections(monkeypatch, name):
    skip_unless_here(name)
    monkeypatch.setattr(measuring, "raise_descriptor_limit", lambda need: 64 if need > 64 else None)
    arguments = (100, "--work", "io", "--workers", 100, "--model", name)
    complaint = "a pool of 100 workers of .* needs about [0-9]+ file descriptors, and the limit is 64 "
    status, out, err = called(*arguments, module="concmodels.pool")
    assert (status, out) == (2, "")
    assert re.fullmatch(rf"concmodels\.pool: {complaint}\(ulimit -Hn\); ask for fewer, or raise that limit\n", err)


IN_PLACE = [name for name in catalog.names() if not catalog.facts(name).descriptors]


@pytest.mark.parametrize("name", one_of_each_kind(IN_PLACE, of=["greenlet", "asyncio"]))
def test_a_pool_with_just_enough_descriptors(tmp_path, name):
    """What is not refused succeeds, and hardly more is asked for than is needed."""
    skip_unless_here(name)
    asked = (40, "--work", "io", "--workers", 20, "--delay", 1, "--model", name, "--quiet")
    enough = 20
    while (ended := run(tmp_path, "pool", *asked, prefix=limited(enough)))[0] == 2:  # also once the model is loaded
        enough = int(re.search("needs about ([0-9]+) file descriptors", ended[2])[1])
    assert ended == (0, "", "")
    assert 20 < enough <= 20 + 18


REQUESTS = (12, "--work", "io", "--workers", 2, "--delay", 1)
NOT_HERE = {"ring": ("greenlet", "gevent", "eventlet", "anyio"), "pool": ("greenlet", "gevent", "eventlet", "trio")}
"""Libraries without which there are still models of most kinds; greenlets need no descriptors, and are tried above."""


@linux_files
@pytest.mark.timeout(180)
@pytest.mark.parametrize(
    ("program", "arguments", "descriptors"),
    [
        ("ring", (5, 20), 80),
        pytest.param("channel", ("fanin", 50), 20, marks=pytest.mark.thorough),
        ("pool", REQUESTS, 20),
        pytest.param("ring", (5, 20), 20, marks=pytest.mark.thorough),
        pytest.param("pool", REQUESTS, 80, marks=pytest.mark.thorough),
    ],
)
def test_any_number_of_descriptors_is_enough_or_refused(tmp_path, thorough, program, arguments, descriptors):
    options, missing = ("--model", "all+" if thorough else "all", "--json", "-"), () if thorough else NOT_HERE[program]
    (tmp_path / "sitecustomize.py").write_text(f"import sys\nsys.modules.update(dict.fromkeys({missing!r}))\n")
    env = {"PYTHONPATH": str(tmp_path)}
    status, out, err = run(tmp_path, program, *arguments, *options, prefix=limited(descriptors), env=env)
    done = {it["model"] + (f":{it['variant']}" if it["variant"] else "") for it in json.loads(out) if it["verified"]}
    lines = [line for line in err.splitlines() if "file descriptors" in line]
    names = [it for it in catalog.names(variants=thorough) if not set(catalog.facts(it).needs) & set(missing)]
    here = [name for name in names if catalog.why_not(name) is None]
    assert status == (2 if lines else 0), err
    assert len(done) == len(here) - len(lines), err
    assert "Traceback" not in err


@pytest.mark.thorough  # test_pool_program.py asks the plan
def test_a_cluster_needs_connections_for_its_workers_and_not_for_its_tasks(tmp_path):
    skip_unless_here("dask")
    asked = (200, "--work", "io", "--workers", 5, "--delay", 1, "--model", "dask", "--quiet")
    with Program(tmp_path, *asked, module="concmodels.pool", prefix=limited(90)) as program:
        assert program.end() == (0, "", "")  # Dask itself leaves a file


def test_the_soft_limit_is_raised_for_connections(tmp_path):
    few = ("sh", "-c", 'ulimit -Sn 40 && exec "$@"', "sh")
    asked = (60, "--work", "io", "--workers", 60, "--delay", 1, "--quiet")
    assert run(tmp_path, "pool", *asked, prefix=few) == (0, "", "")


# Status 1, 124, 130.


def test_a_killed_worker(tmp_path):
    skip_unless_here("processes")
    work = ("--kind", "fibonacci", "--size", 30, "--workers", 2)
    arguments = (FOREVER, *work, "--model", "processes", "--json", tmp_path / "f")
    with Program(tmp_path, *arguments, module="concmodels.pool") as program:
        killed = set()
        assert until(lambda: _has_ended_of(killed, program) or None)
        status, out, err = program.end(ENDS_WITHIN_S)
        assert (status, out) == (1, "")
        died = r"worker \d of the pool died \(killed by SIGKILL\) in the middle of fibonacci"
        assert re.fullmatch(rf"concmodels\.pool: processes: {died}\n", err)
        assert not program.left()
    (figures,) = json.loads((tmp_path / "f").read_text())
    assert figures["verified"] is False
    assert figures["tasks_per_s"] is figures["speedup"] is None


def _has_ended_of(killed, program):
    """Kill a worker that is past the warm-up, a tenth of a second; return whether the program has ended of that.

    One that dies between two tasks takes none with it: another worker has its place, and the program goes on.
    """
    with suppress(ProcessLookupError, FileNotFoundError):  # it ends
        victim = _a_worker(program)
        if victim not in (None, *killed) and _cpu_ticks(victim) > 50:
            os.kill(victim, signal.SIGKILL)
            killed.add(victim)
    return program.process.poll() is not None


def _a_worker(program):
    """One of two processes whose parent is not the program itself but its forkserver."""
    parents = program.parents()
    workers = [pid for pid, parent in parents.items() if parent in parents and parent != program.process.pid]
    return workers[0] if len(workers) == 2 else None


def _cpu_ticks(pid):
    """The user time of a process, in hundredths of a second."""
    return int(Path("/proc", str(pid), "stat").read_text().rpartition(")")[2].split()[11])


@pytest.mark.parametrize(("name", "program"), in_turn(catalog.names(), ENDLESS, of=HALVES[0]))
def test_a_timeout(tmp_path, name, program):
    skip_unless_here(name)
    options = ("--model", name, "--timeout", 0.3, "--json", tmp_path / "f")
    status, out, err = run(tmp_path, program, *ENDLESS[program], *options)
    assert (status, out) == (124, "")
    assert f"concmodels.{program}: {name}: timed out after 0.3 s" in err.splitlines()
    (figures,) = json.loads((tmp_path / "f").read_text())
    assert (figures["verified"], figures["error"], figures["run_s"]) == (False, "timed out after 0.3 s", None)


@pytest.mark.parametrize("name", one_of_each_kind(catalog.names(), of=HALVES[1]))
def test_a_timeout_where_nobody_ever_waits(tmp_path, name):
    """Empty tasks: the caller is nearly all the time inside the library, where nothing may be raised."""
    skip_unless_here(name)
    status, _, err = run(tmp_path, "pool", 10**7, "--work", "nothing", "--model", name, "--timeout", 0.3)
    assert status == 124
    assert f"{name}: timed out after 0.3 s" in err and "would not end" not in err


@pytest.mark.parametrize(("name", "program"), in_turn(catalog.names(), ENDLESS, first=1, of=HALVES[1]))
def test_interrupts(tmp_path, name, program):
    skip_unless_here(name)
    after = random.uniform(0, 0.9)  # the start, the set-up, the run
    assert interrupted(tmp_path, program, name, after) == (130, "interrupted"), f"Ctrl-C after {after} s"


def interrupted(folder, program, name, after):
    """Press Ctrl-C this long after the program has begun (its JSON file is there); it must end with nothing left."""
    path = folder / f"{uuid.uuid4().hex}.json"
    arguments = (*ENDLESS[program], "--model", name, "--json", path)
    with Program(folder, *arguments, module=f"concmodels.{program}") as running:
        assert until(lambda: path.exists() or None)
        time.sleep(after)  # the random moment
        running.process.send_signal(signal.SIGINT)
        status, _, err = running.end(ENDS_WITHIN_S)
        assert not running.left(), f"left after Ctrl-C at {after}"
    assert "Traceback" not in err, f"{status} after {after}: {err}"
    (figures,) = json.loads(path.read_text())
    return status, figures["error"]


@pytest.mark.parametrize("name", ["threads", "asyncio", "processes"])
def test_an_interrupt_while_many_wait_for_a_server(tmp_path, name):
    path = tmp_path / "f"
    arguments = (200, "--work", "io", "--delay", 300, "--workers", 20, "--model", name, "--json", path)
    with Program(tmp_path, *arguments, module="concmodels.pool") as program:
        assert until(lambda: path.exists() or None)  # before that, the signal is for Python's own start
        time.sleep(random.uniform(0, 2.4))  # the random moment: the loop, the warm-up, the run
        program.process.send_signal(signal.SIGINT)
        status, _, err = program.end(ENDS_WITHIN_S)
        assert not program.left()  # the server too
    assert (status, "Traceback" in err) == (130, False), err


# On a terminal.


@pytest.mark.parametrize(
    ("program", "arguments"),
    [
        ("channel", ("pingpong", 10**5)),
        pytest.param("pool", (10**6, "--work", "nothing", "--workers", 2), marks=pytest.mark.thorough),
    ],
)
def test_progress(tmp_path, program, arguments):
    seen = r"rawthreads:polling.* [1-9]\d*%"
    naps = ("--model", "rawthreads:polling")  # each message waits for one, so that the run is long
    written = on_a_terminal(tmp_path, *arguments, *naps, module=f"concmodels.{program}", look_for=seen)
    assert "rawthreads:polling: starting" in written
    assert re.search(seen, written)
