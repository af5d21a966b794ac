"""Queries of readers: `docs/searches.txt` names, for each one, the page that answers it.

Sphinx's search looks for whole words of the text, and sorts equal results by their titles, so it answers "how many
threads" with the page on anyio. An index entry that is the query comes above all of that.
"""

from pathlib import Path

from docutils import nodes
from sphinx import addnodes
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment
from sphinx.util import logging

LOGGER = logging.getLogger(__name__)


def queries(table: Path) -> dict[str, list[str]]:
    """The queries of each page, by its name."""
    lines = [it for it in table.read_text(encoding="utf-8").splitlines() if it and not it.startswith("#")]
    found: dict[str, list[str]] = {}
    for line in lines:
        page, _, of_page = line.partition(": ")
        found.setdefault(page, []).extend(it.strip() for it in of_page.split(";"))
    return found


def check(app: Sphinx, env: BuildEnvironment) -> None:
    """For `env-check-consistency`: the table names pages that are there."""
    for page in app.config.searches.keys() - env.found_docs:
        if not (app.srcdir / f"{page}.md").exists():  # else it is left out of this site on purpose
            LOGGER.warning("searches.txt names the page %r, which doesn't exist", page)


def enter(app: Sphinx, doctree: nodes.document, page: str) -> None:
    """For `doctree-resolved`: give the page its entries."""
    if found := app.config.searches.get(page):
        doctree.insert(0, addnodes.index(entries=[("single", it, "", "main", None) for it in found]))


def setup(app: Sphinx) -> None:
    table = Path(app.srcdir) / "searches.txt"
    app.add_config_value("searches", queries(table) if table.exists() else {}, "html", types=frozenset({dict}))
    app.connect("env-check-consistency", check)
    app.connect("doctree-resolved", enter)
