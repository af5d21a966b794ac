"""Long pages say in short what is on them, and words of the glossary say what they mean where they are linked."""

import re
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
sys.path.append(str(ROOT / "docs" / "_ext"))
pytest.importorskip("sphinx")

from docutils import nodes  # noqa: E402 - what follows the path is found only now
from sphinx import addnodes  # noqa: E402

from concdocs import hover  # noqa: E402

PAGES = [path for path in sorted((ROOT / "docs").rglob("*.md")) if "_ext" not in path.parts]
BOX = re.compile(r"^:::\{dropdown\} In short\n(.*?)^:::$", re.MULTILINE | re.DOTALL)


def boxes() -> dict[str, tuple[str, str]]:
    """By page, what stands before its box and what is in it."""
    found = {}
    for path in PAGES:
        text = path.read_text()
        if box := BOX.search(text):
            found[path.relative_to(ROOT).as_posix()] = (text[: box.start()], box[1])
    return found


def test_in_short_is_three_lines_below_the_first_paragraph():
    assert len(boxes()) > 50
    for page, (before, content) in boxes().items():
        lines = content.splitlines()
        assert len(lines) == 3 and all(line.startswith("- ") and line.endswith(".") for line in lines), page
        after_title = before.partition("\n# ")[2] if before.startswith("---") else before
        assert "\n## " not in after_title and "\n```" not in after_title, page


def test_a_definition_is_shortened_to_its_first_sentences():
    assert hover.shortened("One task\n  and another. Two.") == "One task and another. Two."
    sentence = "word " * 30 + "end."
    assert hover.shortened(f"{sentence} {sentence} {sentence}") == f"{sentence.rstrip('.')} ..."
    assert hover.shortened("word " * 90) == f"{('word ' * 90)[: hover.MOST].rpartition(' ')[0]} ..."


def linked(name: str, text: str) -> nodes.reference:
    inline = nodes.inline("", text, classes=["xref", "std", "std-term"])
    return nodes.reference("", "", inline, refuri=f"glossary.html#{name}", internal=True)


def test_a_link_to_a_word_has_its_definition_as_a_title_except_in_the_glossary(monkeypatch):
    monkeypatch.setattr(hover, "definitions", lambda app: {"term-ring": "Tasks in a circle."})
    page = nodes.document(None, None)
    page += [linked("term-ring", "ring"), linked("term-new", "new")]
    page += nodes.reference("", "", nodes.Text("elsewhere"), refuri="https://example.org/#term-ring")
    hover.entitle(None, page, "tutorial/ring")
    assert [it.get("reftitle") for it in page.findall(nodes.reference)] == ["Tasks in a circle.", None, None]
    own = nodes.document(None, None)
    own += linked("term-ring", "ring")
    hover.entitle(None, own, "glossary")
    assert own[0].get("reftitle") is None


def test_definitions_are_those_of_the_glossary():
    term = nodes.term("", "ring", ids=["term-ring"])
    definition = nodes.definition("", nodes.paragraph("", "Tasks in a circle."), nodes.paragraph("", "More."))
    entries = nodes.definition_list("", nodes.definition_list_item("", term, definition))
    glossary = nodes.document(None, None)
    glossary += addnodes.glossary("", entries)

    class App:
        class env:
            get_doctree = staticmethod({"glossary": glossary}.__getitem__)

    assert hover.definitions(App) == {"term-ring": "Tasks in a circle."}
