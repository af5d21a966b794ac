"""The tree of pages in the side bar, made once for each folder and not once for each page.

Sphinx would copy the tree of all pages for each page, and the theme read that again as HTML, which took three quarters
of the time in which pages are written. In a folder all pages have the same tree but for the entry of the page itself
and those above it, which are marked here, as the theme would.
"""

import functools
import re
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.environment.adapters.toctree import global_toctree_for_doc

ENTRY = re.compile(r'<li class="toctree-l(\d+)')
NO_PAGE = "?"
"""The name of a page that no tree has."""


@functools.cache
def unmarked(builder: Any, folder: str, **how: Any) -> str:
    """The tree for the pages of a folder, in which no page is the reader's."""
    tree = global_toctree_for_doc(builder.env, folder + NO_PAGE, builder, tags=builder.tags, **how)
    return str(builder.render_partial(tree)["fragment"])


def marked(tree: str, address: str) -> str:
    """The theme's tree, with the page at this address as the reader's; one that it lacks is marked nowhere."""
    lines = tree.splitlines(keepends=True)
    link = f'<a class="reference internal" href="{address}">'
    own = next((number for number, line in enumerate(lines) if link in line), None)
    if own is None or (entry := ENTRY.match(lines[own])) is None:
        return tree
    lines[own] = lines[own].replace(link, '<a class="current reference internal" href="#">')
    lines[own] = _current(re.sub(r'^<li class="[^"]*', r"\g<0> current-page", lines[own]))
    level = int(entry[1])
    for number in range(own - 1, -1, -1):
        if level == 1 and lines[number] == "<ul>\n":
            lines[number] = '<ul class="current">\n'
            break
        if lines[number].startswith(f'<li class="toctree-l{level - 1}'):
            level -= 1
            lines[number] = _current(lines[number]).replace("<ul>", '<ul class="current">')
    return "".join(lines)


def _current(line: str) -> str:
    """The line of an entry that is the reader's page or above it; what is below it is unfolded."""
    return ENTRY.sub(r"\g<0> current", line).replace(
        ' class="toctree-checkbox"', ' checked="" class="toctree-checkbox"'
    )


def share(app: Sphinx, page: str, _template: str, context: dict[str, Any], _doctree: nodes.document | None) -> None:
    """For `html-page-context`, before the theme: give it the tree of the folder."""
    if "toctree" in context:
        context["toctree"] = functools.partial(unmarked, app.builder, _folder(page))


def mark(app: Sphinx, page: str, _template: str, context: dict[str, Any], _doctree: nodes.document | None) -> None:
    """For `html-page-context`, after the theme, which has made its own of that."""
    address = app.builder.get_relative_uri(_folder(page) + NO_PAGE, page)
    context["furo_navigation_tree"] = marked(context["furo_navigation_tree"], address)


def _folder(page: str) -> str:
    """With a slash at its end; that of the front page is empty."""
    folder, slash, _ = page.rpartition("/")
    return folder + slash


def setup(app: Sphinx) -> None:
    app.connect("html-page-context", share, priority=400)
    app.connect("html-page-context", mark, priority=600)
