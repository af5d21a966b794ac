"""`python -m benchmarks all`: every file is one run of the code that is here, and only whole ones are left alone."""

from argparse import Namespace
from pathlib import Path

import pytest

from benchmarks import all_files, machine
from benchmarks.__main__ import chosen, parser
from benchmarks.record import Record

CODE = {"commit": "now", "changed_files": False}


@pytest.fixture
def options(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Namespace:
    """Those of a folder without results, in a repository whose code changed after the commit "before"."""
    monkeypatch.setattr(all_files, "code", lambda: CODE)
    monkeypatch.setattr(all_files, "commits_since", lambda commit, *paths: {"now": 0, "pages": 0, "before": 3}[commit])
    return Namespace(output=tmp_path / "results", pythons=["3.14", "3.14t"])


def written(file: Path, finished: bool = True, command: str = "one", **code: object) -> None:
    Record(file, command=command, machine=CODE | code).finish(finished)


def files(lines: list[list[str]]) -> list[str]:
    return [Path(line[-1]).name for line in lines]


def test_every_file_is_measured_by_its_own_command(options, capsys):
    ran: list[list[str]] = []
    assert all_files.measure(options, lambda line: ran.append(line) or 0) == 0
    assert files(ran) == list(all_files.FILES)
    assert [line for line in ran if "--twins" in line and "--python" not in line] == []
    for line in ran:
        assert chosen(parser().parse_args(line)), line
    assert "1 of 8: certainty.json, about 6 minutes; all that is left, " in capsys.readouterr().out


def test_what_was_interrupted_begins_again_and_what_is_whole_stays(options, capsys):
    ran: list[list[str]] = []

    def interrupted(line: list[str]) -> int:
        ran.append(line)
        stopped = Path(line[-1]).name == "shapes.json"
        written(Path(line[-1]), finished=not stopped)
        return all_files.INTERRUPTED if stopped else 1

    assert all_files.measure(options, interrupted) == all_files.INTERRUPTED
    assert files(ran) == ["certainty.json", "full.json", "shapes.json"]
    assert "shapes.json is not whole" in capsys.readouterr().out
    ran.clear()
    assert all_files.measure(options, lambda line: ran.append(line) or 1) == 1
    assert files(ran) == list(all_files.FILES)[2:]


@pytest.mark.parametrize(
    ("whole", "about"),
    [
        (True, {}),
        (True, {"commit": "pages"}),
        (False, {"commit": "before"}),
        (False, {"changed_files": True}),
        (False, {"finished": False}),
        (False, {"command": "one && another"}),
    ],
)
def test_a_file_is_whole_if_it_is_one_run_of_this_code(options, tmp_path, whole, about):
    written(tmp_path / "it.json", **about)
    assert all_files.is_whole(tmp_path / "it.json") is whole


def test_no_file_is_whole_of_code_that_is_not_committed(options, tmp_path, monkeypatch):
    written(tmp_path / "it.json")
    monkeypatch.setattr(all_files, "code", lambda: CODE | {"changed_files": True})
    assert not all_files.is_whole(tmp_path / "it.json")
    monkeypatch.setattr(all_files, "code", dict)  # without git nobody knows
    assert all_files.is_whole(tmp_path / "it.json")
    assert not all_files.is_whole(tmp_path / "none.json")


def test_without_git_nothing_is_said_of_the_code(monkeypatch, tmp_path):
    monkeypatch.setattr(machine, "ROOT", tmp_path)
    assert machine.commits_since("HEAD", "benchmarks") is None and machine.code() == {}
