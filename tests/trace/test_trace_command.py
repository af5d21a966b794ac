"""`python -m concmodels.trace`: tables, the picture, and errors in a sentence."""

import json
import os
import stat
import sys
from xml.etree import ElementTree

import pytest
from made import STALL, STALL_CHANNELS, content

from concmodels.trace.command import trace_command


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "stall.json"
    path.write_text(json.dumps(content(STALL, STALL_CHANNELS, program="stall.py", cpu={"main": 41})))
    return str(path)


def test_the_tables_say_who_waited_for_whom(file, capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "100")
    assert trace_command([file]) == 0
    said = [" ".join(line.split()) for line in capsys.readouterr().out.splitlines()]
    assert said[0] == "stall.py on threads"
    assert said[1] == "3 tasks, 410 ns, 5 messages, 0.10 cores used"
    assert "main 410 ns 15% 85% - - 41 ns" in said
    assert "main store sent 2 300 ns slept 93%" in said
    assert "source store made space 2 160 ns slept 86%" in said
    assert any(line.startswith("store kept others waiting for") for line in said)
    assert any(line.startswith("store asleep 270 ns 66%") for line in said)
    assert any(line.startswith("boxes 1 3 ") for line in said)


def test_the_picture_is_written(file, tmp_path, capsys):
    picture = tmp_path / "stall.svg"
    assert trace_command([file, "--svg", str(picture), "--title", "A stall"]) == 0
    assert ElementTree.parse(picture).getroot().get("aria-label") == "A stall"
    assert "stall.py" in capsys.readouterr().out
    assert trace_command([file, "--svg", str(tmp_path)]) == 0
    assert ElementTree.parse(tmp_path / "stall.svg").getroot().get("aria-label") == "stall.py on threads"
    capsys.readouterr()
    assert trace_command([file, "--svg", "-"]) == 0
    assert ElementTree.fromstring(capsys.readouterr().out).get("aria-label") == "stall.py on threads"


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["none.json"], "can't read 'none.json': No such file or directory"),
        (["FILE", "--svg", "no/such/folder.svg"], "can't write 'no/such/folder.svg': No such file or directory"),
        ([], "the following arguments are required: FILE"),
        (["FILE", "--sgv", "x"], "unrecognized arguments: --sgv x"),
    ],
)
def test_errors_are_one_sentence(file, arguments, says, capsys):
    assert trace_command([file if it == "FILE" else it for it in arguments]) == 2
    assert capsys.readouterr().err == f"concmodels.trace: {says}\n"


def test_without_vizviewer_it_says_where_to_open_the_file(file, capsys, monkeypatch):
    monkeypatch.setenv("PATH", "")
    assert trace_command([file, "--open"]) == 0
    last = capsys.readouterr().out.splitlines()[-1]
    assert "https://ui.perfetto.dev" in last and file in last


def test_vizviewer_is_started_if_it_is_there(file, tmp_path, monkeypatch, capsys):
    viewer = tmp_path / "vizviewer"
    viewer.write_text(f"#!{sys.executable}\nimport sys\nopen(sys.argv[1] + '.seen', 'w')\n")
    viewer.chmod(viewer.stat().st_mode | stat.S_IXUSR)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert trace_command([file, "--open"]) == 0
    assert os.path.exists(f"{file}.seen")


def test_a_run_in_which_nothing_waits_says_so(tmp_path, capsys):
    path = tmp_path / "short.json"
    path.write_text(json.dumps(content({"main": [("start", 0, 0), ("end", 5, 5)]}, ended="KeyboardInterrupt")))
    assert trace_command([str(path)]) == 0
    said = capsys.readouterr().out
    assert "No task waited for another one." in said and "It ended with KeyboardInterrupt" in said


def test_of_a_trace_that_was_thinned_out_it_says_only_what_that_tells(tmp_path, capsys):
    path = tmp_path / "long.json"
    path.write_text(json.dumps(content(STALL, STALL_CHANNELS, every=8)))
    assert trace_command([str(path), "--svg", str(tmp_path / "long.svg")]) == 0
    said = [" ".join(line.split()) for line in capsys.readouterr().out.splitlines()]
    assert "Of 8 messages one is here: this tells no times in which a task ran." in said
    assert "store 360 ns 16 24" in said and "main store sent 2 300 ns" in said
    assert not [line for line in said if "critical path" in line or "running" in line or "kept others" in line]
    assert "the more messages it has" in (tmp_path / "long.svg").read_text()
