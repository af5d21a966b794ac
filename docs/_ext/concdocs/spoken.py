"""Repairs of what a screen reader would say wrongly of the finished page."""

from typing import Any

from sphinx.application import Sphinx

AFTER_THE_THEME = 900
EMPTY_CORNER = '<th class="head"><p></p></th>'


def mend_captions(app: Sphinx, page: str, template: str, context: dict[str, Any], doctree: object) -> None:
    """Make the captions of the side bar plain text, and the empty corner of a table a cell.

    Sphinx calls the captions headings and says of no level, so a screen reader can't place them. A heading of a column
    that is empty has no name to say.
    """
    if tree := context.get("furo_navigation_tree"):
        context["furo_navigation_tree"] = tree.replace(' role="heading"', "")
    if body := context.get("body"):
        context["body"] = body.replace(EMPTY_CORNER, '<td class="head"></td>')


def setup(app: Sphinx) -> None:
    app.connect("html-page-context", mend_captions, priority=AFTER_THE_THEME)
