"""The page of bugs in released packages: its tables have every bug, and what current releases have is explained."""

import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
sys.path.append(str(ROOT / "docs" / "_ext"))
pytest.importorskip("sphinx")

from concdocs import wild  # noqa: E402 - found only now
from concdocs.places import Mistake  # noqa: E402 - as above

PAGE = (ROOT / "docs" / "reference" / "exploring" / "bugs-found.md").read_text()


def test_each_bug_is_in_one_table():
    rows = {which: [line[0] for line in wild._lines(which)] for which in wild.HEADS}
    assert sorted(rows["mended"] + rows["current"]) == sorted(f"`{bug}`" for bug in wild.found())
    for which, heads in wild.HEADS.items():
        assert all(len(line) == len(heads) for line in wild._lines(which))


def test_what_is_in_current_releases_is_explained():
    for line in wild._lines("current"):
        assert f"- {line[0]}: " in PAGE


def test_a_verdict_is_told_in_words():
    assert wild._verdict({"failure": {"found_at": 1234}}) == "broken, on schedule 1,234"
    assert wild._verdict({"failure": None, "in_all": 6}) == "held in all 6"
    assert wild._verdict({"failure": None, "in_all": None}) == "held so far"


def test_without_results_a_page_says_how_to_get_them(monkeypatch):
    monkeypatch.setattr(wild, "FOUND", ROOT / "examples" / "wild" / "missing.json")
    wild.found.cache_clear()
    try:
        with pytest.raises(Mistake, match=r"python examples/wild --json examples/wild/missing\.json"):
            wild.found()
    finally:
        wild.found.cache_clear()
