"""The tree of pages in the side bar: marked after the theme has made it, it is what the theme makes of a marked one."""

import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
sys.path.append(str(ROOT / "docs" / "_ext"))
pytestmark = pytest.mark.skipif(find_spec("furo") is None, reason="the theme of the site is not here")

PAGES = {
    "../start.html": {"../start/a.html": {}, "../start/b.html": {}},
    "index.html": {"a.html": {}, "deep.html": {"deep/a.html": {}, "deep/b.html": {}}, "b.html": {}},
    "../last.html": {},
}
EVERY = ("../start.html", "../start/b.html", "index.html", "a.html", "deep.html", "deep/b.html", "../last.html")


def toctree(pages, own, level=1):
    """The list of these pages as Sphinx writes it, and whether the reader's own page is in it."""
    items, found = "", False
    for address, below in pages.items():
        inside, is_above = toctree(below, own, level + 1) if below else ("", False)
        is_own = address == own
        mark = " current" if is_own or is_above else ""
        link = (
            'class="current reference internal" href="#"' if is_own else f'class="reference internal" href="{address}"'
        )
        items += f'<li class="toctree-l{level}{mark}"><a {link}>{address}</a>{inside}</li>\n'
        found = found or bool(mark)
    opening = '<ul class="current">' if found else "<ul>"
    return f"{opening}\n{items}</ul>\n", found


@pytest.fixture(scope="module")
def theme():
    """What makes the tree, and what marks it. Each worker would import the theme, and one of them needs it."""
    from furo.navigation import get_navigation_tree

    from concdocs.navigation import marked

    return get_navigation_tree, marked


@pytest.mark.parametrize("own", EVERY)
def test_it_is_marked_as_the_theme_would(own, theme):
    get_navigation_tree, marked = theme
    caption = '<p class="caption" role="heading"><span class="caption-text">Begin</span></p>\n'
    unmarked = get_navigation_tree(caption + toctree(PAGES, None)[0])
    assert marked(unmarked, own) == get_navigation_tree(caption + toctree(PAGES, own)[0]) != unmarked


def test_a_page_that_no_tree_has_is_marked_nowhere(theme):
    get_navigation_tree, marked = theme
    tree = get_navigation_tree(toctree(PAGES, None)[0])
    assert marked(tree, "search.html") == tree
