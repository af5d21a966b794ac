"""How the ring's command ends when it does not end well, and what it shows on a terminal until then."""

import json
import os
import pty
import random
import re
import signal
import time
import uuid

import pytest
from commands import (
    ENDS_WITHIN_S,
    FOREVER,
    GONE_WITHIN_S,
    NAMES,
    OF_A_RING,
    Program,
    on_a_terminal,
    ring,
    skip_unless_here,
    until,
)
from kinds import in_turn, one_of_each_kind
from platforms import linux_files
from undisturbed import undisturbed

# Status 1 and 124.


def test_a_killed_node(tmp_path):
    skip_unless_here("processes")
    with Program(tmp_path, 3, FOREVER, "--in-flight", 5, "--model", "processes", "--json", tmp_path / "f") as program:
        victim = until(lambda: _a_node(program))
        os.kill(victim, signal.SIGKILL)
        status, out, err = program.end()
        assert (status, out) == (1, "")
        assert re.fullmatch(r"concmodels.ring: processes: .*(node \d|feeder).*\n", err)
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


@pytest.mark.parametrize("name", one_of_each_kind(NAMES))
def test_a_timeout(tmp_path, name):
    skip_unless_here(name)
    options = ("--in-flight", 2, "--model", name, "--timeout", 0.3, "--json", tmp_path / "f")
    status, out, err = ring(tmp_path, 3, FOREVER, *options)
    assert (status, out) == (124, "")
    assert [line for line in err.splitlines() if line == f"concmodels.ring: {name}: timed out after 0.3 s"]
    (figures,) = json.loads((tmp_path / "f").read_text())
    assert (figures["verified"], figures["error"], figures["run_s"]) == (False, "timed out after 0.3 s", None)


def test_of_several_models_the_gravest_status(tmp_path):
    # Each of the 40,000 hops waits for a poll, which takes at least 0.1 ms: 4 seconds, where the others take 0.1.
    models = ("--model", "greenlet", "--model", "rawthreads:polling", "--model", "tasklets")
    status, out, err = ring(tmp_path, 2, 20_000, "--in-flight", 1, *models, "--timeout", 3, "--json", tmp_path / "f")
    assert status == 124
    assert "in 2 of 3 runs" in out
    assert "rawthreads:polling: timed out" in err
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


@pytest.mark.parametrize(("name", "third"), in_turn(NAMES, range(3)))
def test_interrupts(tmp_path, name, third):
    """The start, the set-up, the run."""
    skip_unless_here(name)
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


@pytest.mark.parametrize("third", range(3))
def test_interrupts_of_several_models(tmp_path, third):
    """The start of the program, the start of its child, the run."""
    models = ("--model", "greenlet", "--model", "threads")
    path, after = tmp_path / "f", random.uniform(third * 0.2, third * 0.2 + 0.2)
    with Program(tmp_path, 4, FOREVER, "--in-flight", 3, *models, "--json", path) as program:
        assert until(lambda: path.exists() or None)
        time.sleep(after)  # the random moment
        program.process.send_signal(signal.SIGINT)
        status, _, err = program.end(ENDS_WITHIN_S)
        assert not program.left(), f"left after Ctrl-C at {after}"
    assert (status, err) == (130, "concmodels.ring: greenlet: interrupted\n"), f"Ctrl-C after {after} s"
    assert [it["error"] for it in json.loads(path.read_text())] == ["interrupted"]


# A program that is killed.


@linux_files
@pytest.mark.parametrize(
    "arguments",
    [
        ("processes",),
        pytest.param(("processes:spawn",), marks=pytest.mark.thorough),
        ("processes:fork",),
        ("processes", "threads"),
    ],
)
def test_a_killed_program_leaves_no_process(tmp_path, arguments):
    """Killed when all are there: a client that dies while it asks for a process leaves CPython's forkserver behind."""
    for name in arguments:
        skip_unless_here(name)
    models = [part for name in arguments for part in ("--model", name)]
    with Program(tmp_path, 4, FOREVER, "--in-flight", 3, *models) as program:
        processes = OF_A_RING[arguments[0]] + (len(arguments) > 1)  # each of several models has a process of its own
        assert until(lambda: len(program.alive()) == processes or None)
        program.process.kill()
        killed = undisturbed()
        assert until(lambda: not program.alive() or None)
        assert undisturbed() - killed < GONE_WITHIN_S


# On a terminal.


NAPS = (3, 10**5, "--in-flight", 1, "--model", "rawthreads:polling")
"""A long run that hardly computes: each hop waits for a nap."""


def test_a_long_run_shows_progress_on_a_terminal_and_how_long_it_will_take(tmp_path):
    seen = r"rawthreads:polling.* [1-9]\d*%.*\d+:\d\d:\d\d"
    written = on_a_terminal(tmp_path, *NAPS, look_for=seen)
    assert "rawthreads:polling: starting" in written
    assert re.search(seen, written)


def test_a_short_run_shows_no_bar(tmp_path):
    ours, theirs = pty.openpty()
    with Program(tmp_path, 3, 20, stderr=theirs, env={"TERM": "xterm-256color"}) as program:
        os.close(theirs)
        assert program.end()[0] == 0
        written = os.read(ours, 4096).decode()
    os.close(ours)
    assert "threads: starting" in written and "%" not in written
    assert written.endswith(("\x1b[2K", "\x1b[?25h"))  # the line is empty again


def test_progress_of_one_of_several(tmp_path):
    seen = r"rawthreads:polling.* [1-9]\d*%"
    written = on_a_terminal(tmp_path, *NAPS, "--model", "greenlet", look_for=seen)
    assert re.search(seen, written)
