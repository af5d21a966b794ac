"""The look of a link to a page where somebody sends it: a title, a description, a card.

The description is `description` in the page's front matter, else its first sentence; of a short one, or of a question,
the next one too. Where CONCMODELS_SITE (or `-D html_baseurl=`) says where the site will be, there are also the page's
own address and a card. Elsewhere nobody could find a card, and each takes a tenth of a second or two.
"""

import re
import shutil
import textwrap
from collections.abc import Iterator
from html import escape
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx

from concdocs import cards, charts

FOLDER = "_cards"
SHORT, LONG = 40, 200
SENTENCES = re.compile(r"(?<=[.?!])\s+(?=[A-Z0-9])")
PROSE = (nodes.document, nodes.section, nodes.container)
"""What a paragraph is inside of, if it is no caption, cell, note or point of a list."""


def description(doctree: nodes.document, given: str = "") -> str:
    """The description of a page, in a sentence or two; empty if it has no text."""
    said = given
    for sentence in () if given else sentences(doctree):
        said = f"{said} {sentence}".strip()
        if len(said) >= SHORT and not said.endswith("?"):
            break
    return textwrap.shorten(said, LONG, placeholder=" …")


def sentences(doctree: nodes.document) -> Iterator[str]:
    """The sentences of a page's own text."""
    for paragraph in doctree.findall(nodes.paragraph):
        if is_prose(paragraph):
            words = (it.astext() for it in paragraph.findall(nodes.Text) if not isinstance(it.parent, nodes.raw))
            yield from SENTENCES.split(" ".join("".join(words).split()))


def is_prose(node: nodes.Node) -> bool:
    while (node := node.parent) is not None:
        if not isinstance(node, PROSE):
            return False
    return True


def add_tags(app: Sphinx, page: str, template: str, context: dict[str, Any], doctree: nodes.document | None) -> None:
    """For `html-page-context`: the tags in a page's head. Sphinx's own pages have none: nobody sends them."""
    if doctree is None:
        return
    title = app.env.titles[page].astext()
    given = (context["meta"] or {}).get("description", "")
    said = description(doctree, given) or f"{title}, a page of {app.config.project}"
    named = {"description": said}
    shared = {"og:type": "website", "og:site_name": app.config.project, "og:title": title, "og:description": said}
    if app.config.html_baseurl:
        shared["og:url"] = context["pageurl"]
        address, alt = card_of(app, page, title, said, doctree)
        named["twitter:card"] = "summary_large_image"
        shared |= {"og:image": address, "og:image:alt": alt}
        shared |= {"og:image:width": str(cards.WIDTH), "og:image:height": str(cards.HEIGHT)}
    lines = [f'<meta name="{name}" content="{escape(text)}">' for name, text in named.items()]
    lines += [f'<meta property="{name}" content="{escape(text)}">' for name, text in shared.items()]
    context["metatags"] += "\n" + "\n".join(lines) + "\n"


def card_of(app: Sphinx, page: str, title: str, said: str, doctree: nodes.document) -> tuple[str, str]:
    """Put a page's card beside the pages; return its address, and what there is to see on it."""
    shown = next((it for it in doctree.findall(charts.chart) if it.next_node(charts.picture)), None)
    if shown is None:
        file, alt = cards.card(title, said), f"{title}: {said}"
    else:
        result, drawn = charts.named_chart(shown["shows"])
        file, alt = cards.card(title, said, drawn, charts.state(result)), f"{title}: {drawn.takeaway}"
    name = f"{FOLDER}/{page.replace('/', '-')}.png"
    target = Path(app.outdir) / name
    target.parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(file, target)
    return f"{app.config.html_baseurl.rstrip('/')}/{name}", alt


def setup(app: Sphinx) -> None:
    app.connect("html-page-context", add_tags)
