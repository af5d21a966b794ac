"""The tables of systems are what `docs/reference/_systems.py` makes of `concmodels.platform.tried`."""

import importlib.util
from pathlib import Path

import pytest

from concmodels.platform import tried

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def systems():
    spec = importlib.util.spec_from_file_location("_systems", ROOT / "docs" / "reference" / "_systems.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_pages_have_these_tables(systems):
    for path, text in systems.written().items():
        assert path.read_text() == text, "run python docs/reference/_systems.py"
        assert text.count("<!-- systems -->") == 1


def test_every_machine_that_was_tried_is_in_the_table(systems):
    shown = {
        (system, how) for (system, _), how in zip(systems.SYSTEMS.values(), systems.tested().values(), strict=True)
    }
    assert {(system, how) for (system, _), how in tried.TRIED.items()} <= shown
    assert {len(cells) for cells in systems.WORKS.values()} == {len(systems.SYSTEMS)}


def test_what_nobody_has_tried_is_said_to_be_unknown(systems):
    for position, how in enumerate(systems.tested().values()):
        cells = {cells[position] for cells in systems.WORKS.values()}
        assert (cells == {systems.UNKNOWN}) == (how == tried.UNTRIED)
