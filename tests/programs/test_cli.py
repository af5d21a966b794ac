"""The ring's command line as a user has it: what it says and writes, and what it refuses."""

import json
import os
import re

import pytest
from commands import Program, ring, skip_unless_here
from in_process import called
from platforms import linux_files

from concmodels import catalog

FIELDS = {
    "model", "variant", "nodes", "messages", "hops", "in_flight", "capacity", "payload_bytes", "setup_s", "run_s",
    "teardown_s", "total_s", "hops_per_s", "ns_per_hop", "cpu_user_s", "cpu_system_s", "peak_rss_bytes",
    "voluntary_switches", "involuntary_switches", "verified", "error", "repeat", "peak_pss_bytes", "python", "gil",
    "cpus", "platform", "library_version", "concmodels",
}  # fmt: skip


# What it says and writes.


def test_the_table():
    status, out, err = called(10, 100)
    assert (status, err) == (0, "")
    assert "ring of 10 nodes, 100 messages: 1,000 hops" in out
    assert "verified: 100 messages arrived, once each and in order" in out
    assert max(map(len, out.splitlines())) <= 80


@linux_files
def test_json_alone_on_stdout():
    status, out, err = called(3, 20, "--json", "-", "--model", "trio", "--payload", 9, "--capacity", 0)
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
    status, out, _ = called(3, 20, "--repeat", 3, "--json", tmp_path / "f")
    assert status == 0
    assert [it["repeat"] for it in json.loads((tmp_path / "f").read_text())] == [1, 2, 3]
    assert "±" in out
    assert "in all 3 runs" in out


def test_in_flight_is_clipped_and_says_so():
    status, out, err = called(3, 20, "--in-flight", 50, "--json", "-")
    assert status == 0
    assert json.loads(out)[0]["in_flight"] == 20
    assert "--in-flight 50 is more than there are messages: taken as 20" in err


def test_list():
    status, out, _ = called("--list")
    assert status == 0
    assert [line.split()[0] for line in out.splitlines()] == catalog.names(
        variants=True, distributed=True, simulated=True
    )


@pytest.mark.parametrize("width", [80, 160])
def test_the_table_of_models(width):
    status, out, err = called("--long", module="concmodels", env={"COLUMNS": str(width)})
    assert (status, err) == (0, "")
    assert max(map(len, out.splitlines())) <= width
    for name in catalog.names():
        assert re.search(rf"^{name}\b", out, re.MULTILINE)
    assert out.count("cancelled") >= (len(catalog.names()) if width == 80 else 1)


def test_without_long_each_model_has_one_line():
    status, out, err = called(module="concmodels")
    assert (status, err) == (0, "")
    head, *lines = out.partition("\n\n")[0].splitlines()
    assert head.split() == ["model", "a", "task", "is", "in", "parallel", "here"]
    shown = {line.split()[0]: line for line in lines if not line.startswith(" ")}
    assert shown.keys() == {*catalog.names(), "sim", "dask"}
    assert re.search("an OS thread +without GIL +available", shown["threads"])
    assert re.search("a trio task around a coroutine +never", shown["trio"])
    assert "--long" in out
    assert max(map(len, out.splitlines())) <= 80


def test_help():
    status, out, _ = called("--help")
    assert status == 0
    assert "--in-flight" in out


# Status 2: one sentence, before anything has started.


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        ([], "NODES and MESSAGES are needed"),
        ([300], "NODES and MESSAGES are needed"),
        ([0, 1], "nodes must be a whole number of at least 1, not 0"),
        ([-3, 1], "nodes must be a whole number of at least 1, not -3"),
        (["many", 1], "NODES: a whole number is needed, not 'many'"),
        ([1, 0], "messages must be a whole number of at least 1"),
        ([1, "1e4"], "MESSAGES: a whole number is needed, not '1e4'"),
        ([1, 10**30], "messages must be below 2**63"),
        ([1, 1, "--in-flight", 0], "in_flight must be a whole number of at least 1"),
        ([1, "1_0"], "a whole number is needed, not '1_0'"),
        (["+3", 1], "a whole number is needed, not '+3'"),
        ([" 3", 1], "a whole number is needed, not ' 3'"),
        ([1, "\u0663"], "a whole number is needed, not '\u0663'"),
        ([1, 1, "--timeout", "1_0"], "a number of seconds above 0 is needed, not '1_0'"),
        ([1, 1, "--in-flight", "some"], "--in-flight: a whole number or all is needed, not 'some'"),
        ([1, 1, "--capacity", -1], "capacity must be a whole number of at least 0"),
        ([1, 1, "--capacity", "none"], "--capacity: a whole number or inf is needed, not 'none'"),
        ([1, 1, "--payload", 7], "at least 8"),
        ([1, 1, "--repeat", 0], "--repeat"),
        ([1, 1, "--timeout", 0], "--timeout"),
        ([1, 1, "--timeout", "nan"], "--timeout"),
        ([1, 1, "--model", "tread"], "there is no model 'tread': did you mean threads? There are threads,"),
        ([1, 1, "--model", "processes:spwan"], "it has spawn,"),
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
def test_bad_input(arguments, complaint):
    status, out, err = called(*arguments)
    assert (status, out) == (2, "")
    assert complaint in err
    assert len(err.splitlines()) == 1


@pytest.mark.parametrize("name", ["trio", "anyio:trio"])
def test_a_missing_library_named_explicitly(name):
    status, out, err = called(1, 1, "--model", "threads", "--model", name, missing=["trio"])
    assert (status, out) == (2, "")
    assert "pip install trio" in err
    assert len(err.splitlines()) == 1


@pytest.fixture
def with_few(tmp_path):
    """An environment with few libraries: all models are then fewer, each of which is a program of its own."""
    folder = tmp_path / "few"
    folder.mkdir()
    (folder / "sitecustomize.py").write_text(f"import sys\nsys.modules.update(dict.fromkeys({MISSING}))\n")
    return {"PYTHONPATH": str(folder)}


MISSING = ["trio", "anyio", "gevent", "eventlet", "greenlet"]


def test_all_leaves_out_what_is_missing(tmp_path, with_few):
    status, out, err = ring(tmp_path, 2, 3, "--model", "all", "--json", tmp_path / "f", env=with_few)
    assert status == 0
    results = json.loads((tmp_path / "f").read_text())
    here = [it for it in catalog.names() if not set(catalog.facts(it).needs) & set(MISSING) and not catalog.why_not(it)]
    assert [it["model"] for it in results] == here and "threads" in here
    for name in MISSING:
        assert [line for line in err.splitlines() if f"{name} is left out" in line and f"pip install {name}" in line]


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


def test_too_large_for_some_of_all(tmp_path, with_few):
    skip_unless_here("processes")
    short = ("sh", "-c", 'ulimit -n 70 && exec "$@"', "sh")
    status, out, err = ring(tmp_path, 12, 3, "--model", "all", "--json", "-", prefix=short, env=with_few)
    assert status == 2
    assert "processes is left out: " in err
    assert "threads" in [it["model"] for it in json.loads(out)]


# A reader that goes away.


@pytest.mark.parametrize(
    "arguments",
    [
        (3, 20),
        (2, 3, "--model", "threads", "--model", "greenlet"),
        pytest.param((3, 20, "--json", "-"), marks=pytest.mark.thorough),
        pytest.param(("--list",), marks=pytest.mark.thorough),
    ],
)
def test_a_closed_pipe(tmp_path, arguments):
    reader, writer = os.pipe()
    os.close(reader)
    with Program(tmp_path, *arguments, stdout=writer) as program:
        os.close(writer)
        status, _, err = program.end()
        assert (status, "Error" in err, "Traceback" in err) == (0, False, False)
        assert not program.left()


@pytest.mark.thorough  # in test_program_output.py this command is one of several
def test_a_full_disk(tmp_path):
    with open("/dev/full", "w") as full, Program(tmp_path, 3, 20, stdout=full) as program:
        status, _, err = program.end()
    assert status == 2
    assert err == "concmodels.ring: can't write to standard output: No space left on device\n"


@pytest.mark.parametrize("closed", ["<&-", ">&-", pytest.param("2>&-", marks=pytest.mark.thorough), ">&- 2>&-"])
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
