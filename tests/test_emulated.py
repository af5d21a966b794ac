"""What `make test-arm64` runs, and what it leaves out; the emulator itself is not needed here."""

import re
import sys
from pathlib import Path

import emulated
import pytest

from concmodels import catalog
from concmodels.conformance.suite import guarantees

TESTS = Path(__file__).parent


def test_what_is_run_is_there():
    assert set(emulated.MODELS) <= set(catalog.names())
    assert set(emulated.CHAPTERS) <= {it.chapter for it in guarantees()}


def test_what_can_not_be_run_is_there_and_has_a_reason():
    assert [name for name in emulated.NOT_EMULATED if not (TESTS / name.partition("::")[0]).exists()] == []
    for name, reason in emulated.NOT_EMULATED.items():
        _, _, function = name.partition("::")
        assert f"def {function}(" in (TESTS / name.partition("::")[0]).read_text() if function else True
        assert len(reason.split()) > 4


@pytest.mark.parametrize(
    ("code", "how"),
    [("pass", "right"), ("raise SystemExit(3)", "exit status 3"), ("import time; time.sleep(3600)", "not ended")],
)
def test_a_piece_is_right_or_not(code, how, monkeypatch):
    monkeypatch.setattr(emulated, "PYTHON", sys.executable)
    seconds = 0.1 if how == "not ended" else 60
    assert emulated.run(("-c", code), seconds) == how


@pytest.mark.parametrize(("outcomes", "status", "line"), [
    (["right", "right"], 0, "2 right, 0 wrong"),
    (["right", "exit status 1"], 1, "1 right, 1 wrong: two"),
    (["right", "not ended"], 0, "not run, because the time was over: two"),
    (["not ended", "right"], 1, "1 right, 1 wrong: one"),
    (["not ended", "not ended"], 1, "0 right, 1 wrong: one"),
])  # fmt: skip
def test_the_last_line_counts(outcomes, status, line, monkeypatch, capsys):
    left = iter(outcomes)
    monkeypatch.setattr(emulated, "pieces", lambda: [("one", (), 10), ("two", (), 1000)])
    monkeypatch.setattr(emulated, "run", lambda _arguments, _seconds: next(left))
    assert emulated.main(100) == status
    assert line in capsys.readouterr().out


def test_what_hangs_is_wrong_and_the_next_one_is_run(monkeypatch, capsys):
    monkeypatch.setattr(emulated, "PYTHON", sys.executable)
    code = ("import time; time.sleep(3600)", "pass")
    monkeypatch.setattr(emulated, "pieces", lambda: [("hangs", ("-c", code[0]), 0.1), ("goes on", ("-c", code[1]), 60)])
    assert emulated.main(120) == 1
    assert "1 right, 1 wrong: hangs" in capsys.readouterr().out


def test_a_program_that_hangs_is_seen_in_the_minute_of_the_whole_check():
    check = (TESTS.parent / ".ci" / "run").read_text()
    seconds = int(re.search(r"test-arm64 SECONDS=(\d+)", check)[1])
    (_, arguments, longest), *_ = emulated.pieces()
    assert arguments[0] == "-m" and longest < seconds


@pytest.mark.parametrize("outcome", ["not ended", None])
def test_where_nothing_was_right_nothing_was_shown(outcome, monkeypatch, capsys):
    monkeypatch.setattr(emulated, "run", lambda _arguments, _seconds: outcome)
    assert emulated.main(10 if outcome else 0) == 1  # none is begun when the time is over, or all are cut off by it
    assert "0 right, 0 wrong" in capsys.readouterr().out
