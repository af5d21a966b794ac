"""Words of the glossary show their definition while the mouse rests on them: Sphinx links them, this adds a title."""

import functools

from docutils import nodes
from sphinx.application import Sphinx

GLOSSARY = "glossary"
MOST = 240
"""Letters; a longer definition ends with its last whole sentence, or in the middle of its first."""


@functools.cache
def definitions(app: Sphinx) -> dict[str, str]:
    """The definitions by the name of their anchor."""
    found: dict[str, str] = {}
    for entry in app.env.get_doctree(GLOSSARY).findall(nodes.definition_list_item):
        definition = next(entry.findall(nodes.definition))
        for term in entry.findall(nodes.term):
            found |= {name: shortened(definition[0].astext()) for name in term["ids"]}
    return found


def shortened(text: str) -> str:
    """The first sentences of a definition, in one line."""
    line = " ".join(text.split())
    return line if len(line) <= MOST else f"{line[:MOST].rpartition('. ')[0] or line[:MOST].rpartition(' ')[0]} ..."


def entitle(app: Sphinx, doctree: nodes.document, page: str) -> None:
    """For `doctree-resolved`: give each link to a word its definition as a title."""
    links = [it for it in doctree.findall(nodes.reference) if "std-term" in it.get("classes", ()) + of_content(it)]
    if not links or page == GLOSSARY:
        return
    known = definitions(app)
    for link in links:
        name = link.get("refid") or link.get("refuri", "").partition("#")[2]
        if name in known:
            link["reftitle"] = known[name]


def of_content(link: nodes.reference) -> list[str]:
    """The classes of what a link encloses."""
    return [name for it in link.children if isinstance(it, nodes.inline) for name in it["classes"]]


def setup(app: Sphinx) -> None:
    app.connect("doctree-resolved", entitle)
