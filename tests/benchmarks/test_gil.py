"""What is measured with the GIL and without it, and what is told of it: twins, a shared iterator, several loops."""

import json
import re
import subprocess
import sys
from argparse import Namespace
from pathlib import Path

import pytest
from test_report import ABOUT, ring, row

from benchmarks import event_loops, machine, readme, report, shared_iterators, suites, twins
from benchmarks.__main__ import chosen, main, parser
from benchmarks.interpreters import Interpreter, NotToBeHad, find
from benchmarks.report import Chart, Look, builds
from benchmarks.report.facts import facts
from benchmarks.result import Results, Row, from_data
from benchmarks.session import Session
from benchmarks.suites import gil

US, MS = 1e-6, 1e-3
BUILD = {"version": "3.14.7", "gil_disabled": False, "compiler": "GCC 12", "optimisation": "-O3"}
WITH = BUILD | {"configure": ["--enable-optimizations"]}
WITHOUT = BUILD | {"configure": ["--disable-gil", "--enable-optimizations"], "gil_disabled": True}
PYTHONS = {
    "3.14": {"version": "3.14.7", "gil": True, "build": WITH},
    "3.14t": {"version": "3.14.7", "gil": False, "build": WITHOUT},
}


ONE = {"3.14": PYTHONS["3.14"]}


def free(path: str, *seconds: float, **more: object) -> Row:
    return row(path, *seconds, python="3.14t", gil=False, **more)


def raced(form: str, wrong: float, **more: object) -> Row:
    counts = {
        "wrong_per_million": wrong,
        "refused_per_million": 1,
        "lost_per_million": 0,
        "races": 3,
        "crashes": more.pop("crashes", 0),
    }
    about = {"kind": "baseline", "model": "threads", "step": "step", "figures": counts}
    return row(f"gil/iterator/{form}", US, US, **about | more)


FREE = {"python": "3.14t", "gil": False}
ROWS = [
    row("pool/cpu/threads", 4 * MS, 5 * MS, 6 * MS, step="task"),
    free("pool/cpu/threads", 2 * MS, 2 * MS, 2 * MS, step="task"),
    row("articles/cpu/threads", 60 * MS, step="life of the pool"),
    free("articles/cpu/threads", 30 * MS, step="life of the pool"),
    row("articles/cpu/asyncio", 50 * MS, step="life of the pool"),
    ring("stream", "threads", 100e-9),
    ring("stream", "threads", 400e-9, **FREE),
    row("classics/big/greenlet", 2 * US),
    free("classics/big/greenlet", 4 * US),
    row("classics/sieve/greenlet", 2 * US),
    free("classics/sieve/greenlet", 1 * US),
    row("spawn/units-300/threads", 50 * US, step="unit", units=300, figures={"bytes_per_unit": 8192}),
    free("spawn/units-300/threads", 50 * US, step="unit", units=300, figures={"bytes_per_unit": 16384}),
    raced("a class", 0),
    raced("a class", 1200, **FREE),
    raced("that class, locked", 0),
    raced("that class, locked", 0, **FREE),
]


def results(*rows: Row, **about: object) -> Results:
    return Results(list(rows), [], ABOUT | {"pythons": PYTHONS} | about)


def chart(name: str, *rows: Row, **about: object) -> Chart:
    found = {it.name: it for it in report.charts(results(*rows or ROWS, **about))}
    assert name in found
    return found[name]


def test_what_the_gil_costs_and_saves_is_one_ratio_per_row():
    it = chart("gil-3.14t")
    lines = {(line[0], line[1]): line[2:] for line in it.sheet.lines}
    assert lines["tasks that compute, in a pool", "threads"] == ["5 ms", "2 ms", "2.5", "2", "3"]
    assert lines["ring, everything in flight", "threads"] == ["100 ns", "400 ns", "0.25", "0.25", "0.25"]
    assert lines["the classics together, in one thread", "greenlet"] == ["", "", "1", "1", "1"]
    assert lines["memory of one among 300", "threads"] == ["8 KiB", "16 KiB", "0.5", "0.5", "0.5"]
    assert it.alt.startswith(f"{it.takeaway}. Farthest to the right, ")
    assert "classics/big classics/sieve --python 3.14 --python 3.14t" in it.command
    assert "right, threads (tasks that compute, in a pool) is 2.5 times as fast." in it.alt
    assert it.takeaway.startswith("Without the GIL, 1 of 6 figures")
    assert "left, threads (ring, everything in flight) takes 4 times as long." in it.alt
    assert "A thread among 300 takes 8 KiB of memory under 3.14, 16 KiB under 3.14t." in it.alt
    for narrow in (False, True):
        assert it.draw(Look(narrow=narrow)).axes


def test_the_sentence_turns_with_the_figures():
    turned = [row("pool/cpu/threads", 1 * MS, step="task"), free("pool/cpu/threads", 2 * MS, step="task")]
    alt = chart("gil-3.14t", *turned).alt
    assert (
        alt.startswith("Without the GIL, 0 of 1 figures are better, 1 worse, 0 undecided.")
        and "takes 2 times as long" in alt
    )


def test_a_chart_says_whether_the_builds_are_twins():
    assert "by one compiler with the same flags" in chart("gil-3.14t").alt
    other = PYTHONS | {"3.14t": PYTHONS["3.14t"] | {"build": WITHOUT | {"compiler": "Clang 20"}}}
    assert "not built alike" in chart("gil-3.14t", pythons=other).alt
    assert "does not say how" in chart("gil-3.14t", pythons={}).alt


def test_twins_differ_in_the_gil_alone():
    assert twins.alike(WITH, WITHOUT)
    assert not twins.alike(WITH, WITH)
    for name, value in {
        "version": "3.14.8",
        "compiler": "x",
        "optimisation": "-O2",
        "configure": ["--disable-gil"],
    }.items():
        assert twins.alike(WITH, WITHOUT | {name: value}) is False
    assert twins.alike(None, WITHOUT) is None and twins.alike(WITH, {}) is None


def test_three_works_are_one_table_with_a_row_for_each_python():
    it = chart("works-3.14t")
    assert it.sheet.head == ["", "cpu", "warm cpu"]
    assert [line[0] for line in it.sheet.lines] == ["threads", "threads, 3.14t", "asyncio"]
    assert it.sheet.lines[0] == ["threads", "60 (60 to 60) ms", "5 (4 to 6) ms"]
    assert it.sheet.lines[2] == ["asyncio", "50 (50 to 50) ms", ""]
    assert it.takeaway == "Three kinds of work, with the GIL and without it"
    assert "Computing is called cpu here" in it.note


def test_threads_are_held_against_one_thread_of_their_own_python():
    """The other build has another allocator too: that is no gain of threads."""
    alone = row("pool/cpu/asyncio", 4 * MS, 5 * MS, 6 * MS, step="task")
    free_alone = free("pool/cpu/asyncio", 3 * MS, 4 * MS, 5 * MS, step="task")
    assert chart("works-3.14t", *ROWS, alone, free_alone).takeaway == (
        "With the GIL, computing in threads takes as long as in one thread; without it, it is 2 times as fast"
    )


def test_the_gain_of_a_pool_begins_with_threads_where_there_are_two_pythons():
    gained = [
        row("pool/cpu/threads", 100 * MS, step="task", workers=2, figures={"speedup": 1}),
        free("pool/cpu/threads", 50 * MS, step="task", workers=2, figures={"speedup": 2}),
    ]
    assert chart("pool-speedup", *gained).takeaway == (
        "Beside a plain loop, computing in threads takes as long under 3.14 (1 to 1) and is 2 times as fast under 3.14t"
        " (2 to 2)"
    )


def test_a_race_says_how_often_it_went_wrong_and_whether_it_crashed():
    it = chart("iterator-3.14t")
    assert ["a class, 3.14t", "1,200", "1,200", "1,200", "1", "0", "18", "0", "1 µs", "1 µs", "1 µs"] in it.sheet.lines
    assert it.takeaway == "Of 2 shared iterators, 0 went wrong with the GIL and 1 without it"
    crashed = chart("iterator-3.14t", raced("a class", 0), raced("a class", 5, crashes=1, **FREE))
    assert [line[6:8] for line in crashed.sheet.lines] == [["18", "0"], ["18", "6"]]


def test_a_race_without_a_mistake_is_told():
    it = chart("iterator-3.14t", raced("a class", 0), raced("a class", 0, **FREE))
    assert it.takeaway == "Of 1 shared iterators, 0 went wrong with the GIL and 0 without it"


def test_rows_of_two_pythons_stand_side_by_side():
    bars = [text.get_text() for text in chart("ring-stream").draw(Look()).axes[0].texts]
    assert "threads" in bars and "threads, 3.14t" in bars
    assert {line[0] for line in chart("classics").sheet.lines} == {"greenlet", "greenlet, 3.14t"}
    assert {line[0] for line in chart("spawn-time").sheet.lines} == {"threads", "threads, 3.14t"}
    assert chart("spawn-memory").sheet.lines == [["threads", "8 KiB"], ["threads, 3.14t", "16 KiB"]]
    assert [line[0] for line in chart("article-subinterpreters").sheet.lines] == ["cpu"] * 3


def test_rows_of_one_python_have_no_python_in_their_names():
    alone = [it for it in ROWS if it.python == "3.14t"]
    assert [line[0] for line in chart("ring-stream", *alone).sheet.lines] == ["threads"]


def test_the_builds_are_a_table_and_a_sentence():
    every = results(*ROWS, preliminary=True)
    flags = [line[4] for line in builds.sheet(every).lines]
    assert flags == ["`--enable-optimizations`", "`--disable-gil` `--enable-optimizations`"]
    said = list(builds.notes(every))
    assert "preliminary" in said[0] and said[-1].startswith("The two are of one version")
    assert builds.sheet(results(pythons={"3.14": {"version": "3.14.8", "gil": True}})).lines[0][4] == "not known"


def test_a_build_is_told_without_folders():
    build = machine.build()
    assert build["compiler"] and build["version"] == sys.version.split()[0]
    assert build["gil_disabled"] == ("free-threading" in sys.version)
    assert "/" not in json.dumps([it for name, it in build.items() if name != "optimisation"])


def test_a_build_leaves_out_what_names_folders(monkeypatch: pytest.MonkeyPatch):
    known = {
        "CONFIG_ARGS": "'--prefix=/opt/x' '--disable-gil' 'CC=/usr/bin/gcc -O2'",
        "Py_GIL_DISABLED": 1,
        "OPT": None,
    }
    monkeypatch.setattr("sysconfig.get_config_var", known.get)
    build = machine.build()
    assert build["configure"] == ["--disable-gil"] and build["gil_disabled"] and build["optimisation"] == ""


def test_a_result_says_how_its_python_was_built():
    about = find(None).about()
    assert about["build"] == machine.build()


@pytest.mark.parametrize(
    "build", [3, {}, WITH | {"configure": "-O3"}, WITH | {"configure": [3]}, WITH | {"gil_disabled": "no"}], ids=str
)
def test_a_build_that_can_not_be_is_refused(build: object):
    data = {"benchmarks": [], "concmodels": {"left_out": [], "pythons": {"3.14": {"build": build}}}}
    with pytest.raises((KeyError, TypeError)):
        from_data(data)


def test_the_report_tells_how_a_python_was_built():
    assert ("Python", "3.14.7 with the GIL (GCC 12, --enable-optimizations)") in list(facts(results(pythons=ONE)))


def test_twins_are_what_tells_something_about_the_gil(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    found = [it for suite in suites.by_default(quick=False) for it in suites.load(suite) if twins.wanted(it)]
    assert {it.suite for it in found} == set(twins.CELLS)
    assert not [it.path for it in found if it.needs or it.model not in (None, *twins.MODELS)]
    cells = {(it.suite, it.cell) for it in found}
    assert {(suite, cell) for suite, some in twins.CELLS.items() for cell in some} <= cells
    paths = {it.path for it in found}
    shown = {f"{group.suite}/{group.cell}/{name}" for group in report.gil.GROUPS for name in group.candidates}
    assert shown <= paths and {path for path, _ in readme.FREE_THREADED.values()} <= paths
    monkeypatch.setattr(sys, "argv", ["benchmarks", "run", "ring/stream", "--model", "eventlet", "--twins"])
    assert main() == 2
    assert "nothing there is among what --twins measures" in capsys.readouterr().err


def test_twins_have_the_article_on_web_services_where_it_is_named():
    found = [it for it in suites.load("web") if twins.wanted(it)]
    assert sum(it.kind == "past" for it in found) == 29 and sum(it.kind == "peer" for it in found) == 21
    line = parser().parse_args(["run", "--twins", "web"])
    assert chosen(line) and {it.path for it in chosen(line)} == {it.path for it in found}


def test_a_second_python_of_the_same_name_is_a_line(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("benchmarks.session.find", lambda name: Interpreter("3.14", "3.14.7", True, WITH, str(name)))
    session = Session(Namespace(quick=True, rounds=None, pythons=["3.14", "/other"], output=None), [], "a command")
    assert [it.path for it in session.pythons] == ["3.14"]
    (line,) = session.record.left_out
    assert line.python == "/other" and "another Python is 3.14 here already" in line.why


def test_a_python_without_the_packages_is_told_how_to_get_them(tmp_path: Path):
    other = tmp_path / "python"
    other.write_text("#!/bin/sh\necho \"ModuleNotFoundError: No module named 'pyperf'\" >&2\nexit 1\n")
    other.chmod(0o755)
    with pytest.raises(NotToBeHad, match="first on the PATH, and `make setup`"):
        find(str(other))


def test_the_suite_names_every_iterator_and_every_way():
    assert tuple(shared_iterators.FORMS) == gil.FORMS
    assert tuple(event_loops.WAYS) == gil.WAYS


@pytest.mark.parametrize("form", gil.FORMS)
def test_one_thread_alone_never_goes_wrong(form: str):
    counts = shared_iterators.one_race(form, threads=1, steps=100)
    assert counts.pop("seconds") > 0
    assert counts == {"steps": 100, "wrong": 0, "refused": 0, "lost": 0}


def test_a_lock_keeps_an_iterator_right():
    counts = shared_iterators.one_race("that class, locked", threads=4, steps=20_000)
    assert (counts["steps"], counts["wrong"], counts["lost"]) == (20_000, 0, 0)


def test_a_number_that_is_handed_out_twice_is_counted(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setitem(shared_iterators.FORMS, "wrong", lambda steps: iter([0, 1, 1, 4]))
    counts = shared_iterators.one_race("wrong", threads=1, steps=4)
    assert (counts["steps"], counts["wrong"], counts["lost"]) == (4, 1, 2)


def test_a_refused_step_is_counted(monkeypatch: pytest.MonkeyPatch):
    class Refusing:
        def __iter__(self) -> Refusing:
            return self

        def __next__(self) -> int:
            raise ValueError("generator already executing")

    monkeypatch.setitem(shared_iterators.FORMS, "refusing", lambda steps: Refusing())
    counts = shared_iterators.one_race("refusing", threads=2, steps=10)
    assert (counts["steps"], counts["wrong"], counts["refused"], counts["lost"]) == (10, 10, 10, 0)


def ended(*codes: int) -> object:
    left = list(codes)
    text = json.dumps({"seconds": 0.5, "steps": 1000, "wrong": 2, "refused": 0, "lost": 1})

    def run(command: list[str], **_: object) -> subprocess.CompletedProcess[str]:
        return subprocess.CompletedProcess(command, left.pop(0), text, "")

    return run


def test_a_race_that_ends_its_process_is_a_crash(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("subprocess.run", ended(0, -11, 0))
    seconds, figures = shared_iterators.raced("range", 4, 1000, 3)
    assert seconds == 1.5
    per_million = {"wrong_per_million": 2000, "refused_per_million": 0, "lost_per_million": 1000}
    assert figures == per_million | {"crashes": 1, "races": 3}
    monkeypatch.setattr("subprocess.run", ended(-11, -6))
    with pytest.raises(RuntimeError, match=re.escape("each of 2 races ended its process, by the signals [11, 6]")):
        shared_iterators.raced("range", 4, 1000, 2)


@pytest.mark.parametrize("way", gil.WAYS)
def test_conversations_are_held_in_one_loop_and_in_several(way: str):
    assert event_loops.held(way, loops=2, conversations=4, trips=3) > 0


def test_the_readme_shows_both_pythons():
    text = readme.free_threaded_table()
    assert text.startswith("| what | 3.14 | 3.14t | times as fast, or as small, on 3.14t (spread) |")
    assert text.count("\n| ") == len(readme.FREE_THREADED) + 1
