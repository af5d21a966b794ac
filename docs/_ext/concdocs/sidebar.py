"""The captions of the side bar: Sphinx calls them headings and says of no level, which a screen reader can't place."""

from typing import Any

from sphinx.application import Sphinx

AFTER_THE_THEME = 900


def captions_are_text(app: Sphinx, page: str, template: str, context: dict[str, Any], doctree: object) -> None:
    """The list of pages that the theme has made, its captions being plain text."""
    tree = context.get("furo_navigation_tree")
    if tree:
        context["furo_navigation_tree"] = tree.replace(' role="heading"', "")


def setup(app: Sphinx) -> None:
    app.connect("html-page-context", captions_are_text, priority=AFTER_THE_THEME)
