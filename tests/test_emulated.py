"""What `make test-arm64` runs, and what it leaves out; the emulator itself is not needed here."""

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
    [("pass", "right"), ("raise SystemExit(3)", "exit status 3"), ("import time; time.sleep(3600)", "no time left")],
)
def test_a_piece_is_right_or_not(code, how, monkeypatch):
    monkeypatch.setattr(emulated, "PYTHON", sys.executable)
    seconds = 0.1 if how == "no time left" else 60
    assert emulated.run(("-c", code), seconds) == how


@pytest.mark.parametrize(("outcomes", "status", "line"), [
    (["right", "right"], 0, "2 right, 0 wrong"),
    (["right", "exit status 1"], 1, "1 right, 1 wrong: two"),
    (["right", "no time left"], 0, "not run, because the time was over: two"),
])  # fmt: skip
def test_the_last_line_counts(outcomes, status, line, monkeypatch, capsys):
    left = iter(outcomes)
    monkeypatch.setattr(emulated, "pieces", lambda: [("one", ()), ("two", ())])
    monkeypatch.setattr(emulated, "run", lambda _arguments, _seconds: next(left))
    assert emulated.main(100) == status
    assert line in capsys.readouterr().out


def test_nothing_is_begun_when_the_time_is_over(monkeypatch, capsys):
    monkeypatch.setattr(emulated, "run", None)
    assert emulated.main(0) == 0
    assert "0 right, 0 wrong" in capsys.readouterr().out
