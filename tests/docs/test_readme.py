"""What the README shows: the program of the front page, and the figures of the committed results.

Its commands are run with those of the site.
"""

import re
from pathlib import Path

import pytest

from benchmarks import readme
from concmodels import names
from concmodels.explore import explore
from concmodels.trace.diagram import draw
from concmodels.trace.reading import read

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text()
LINK = re.compile(r"\]\(([^)\s]+)\)|(?:src|srcset)=\"([^\"]+)\"")


def test_the_six_lines_are_those_of_the_front_page():
    """A test of its own runs that program on every model."""
    shown = re.findall(r"^```python\n(.*?)^```$", README, re.MULTILINE | re.DOTALL)
    program = (ROOT / "examples" / "front_page" / "sync.py").read_text()
    assert shown == [program.partition("\n\n")[2]]


def test_every_model_is_named():
    for name in names():
        assert f"| `{name}` |" in README or f"| `{name}` † |" in README, name
        assert README.count(f"`{name}`") >= 2 or name == "threads", f"{name} is in the table alone"


def test_its_figures_are_those_of_the_results_files():
    assert readme.with_tables(README) == README, "python -m benchmarks.readme writes the tables again"
    for name in readme.TABLES:
        assert f"<!-- {name} -->\n| {'what' if name == 'free-threaded' else 'model'} |" in README


def test_its_picture_is_that_of_the_results_file():
    pictures = readme.pictures()
    for path, text in pictures.items():
        assert path.read_text() == text, "python -m benchmarks.readme draws the picture again"
        assert f'"{path.relative_to(ROOT)}"' in README
    assert len(set(pictures.values())) == 2


def test_its_broken_schedule_is_what_the_explorer_shows(tmp_path):
    failure = explore(str(ROOT / "examples/races/lost_update_broken.py")).failure
    failure.trace(tmp_path / "trace.json")
    picture = ROOT / "docs/pictures/lost-update.svg"
    title = re.search('aria-label="(.*?)"', picture.read_text())[1]
    assert draw(read(tmp_path / "trace.json"), title) == picture.read_text()


def test_it_is_read_on_one_screen():
    """Without the rows of its tables."""
    assert len([line for line in README.splitlines() if not line.startswith("|")]) <= 110


@pytest.mark.parametrize("page", ["README.md", "CONTRIBUTING.md"])
def test_its_links_lead_to_files(page):
    links = [one or other for one, other in LINK.findall((ROOT / page).read_text())]
    assert links and [it for it in links if "://" not in it and not (ROOT / it.partition("#")[0]).exists()] == []


def test_a_commands_minutes_are_those_that_make_tells():
    told = re.search(r"^test:.*## .* (\d+) minutes$", (ROOT / "Makefile").read_text(), re.MULTILINE)[1]
    assert re.search(rf"^\$ make test +# {told} minutes:", README, re.MULTILINE)
