"""`pages`: the pages of a folder, each with a sentence: those that are named in this order, then the others by name.

The folder is that of the page, or the one inside it that the argument names: `commands.md` lists those of `commands/`.
"""

from pathlib import Path

from docutils import nodes
from docutils.statemachine import StringList
from sphinx.application import Sphinx
from sphinx.directives.other import TocTree


class Pages(TocTree):
    """Sphinx's toctree, and a list with a line `NAME: SENTENCE` for each page.

    Where no page has a sentence it is the toctree alone. A name without a page is left out, so that pages may come one
    by one.
    """

    optional_arguments = 1

    def run(self) -> list[nodes.Node]:
        folder = Path(self.env.doc2path(self.env.current_document.docname)).parent
        inside = f"{self.arguments[0]}/" if self.arguments else ""
        built = (path for path in (folder / inside).glob("*.md") if self.env.path2doc(path) in self.env.found_docs)
        there = sorted(f"{inside}{path.stem}" for path in built if path.stem != "index")
        told = {f"{inside}{name}": sentence for name, sentence in map(_entry, filter(str.strip, self.content))}
        wanted = [name for name in told if name in there] + [name for name in there if name not in told]
        self.content = StringList(wanted, self.get_source_info()[0])
        self.options.setdefault("maxdepth", 1)
        self.env.note_reread()
        if not any(told.values()):
            return super().run()
        lines = [f"- []({name}.md){_after_title(folder / f'{name}.md', told.get(name, ''))}" for name in wanted]
        listed = nodes.container("", *self.parse_text_to_nodes("\n".join(lines)), classes=["pages"])
        self.options["hidden"] = True
        return [listed, *super().run()]


def _entry(line: str) -> tuple[str, str]:
    """The name of a page, and what is said of it."""
    name, _, sentence = line.strip().partition(": ")
    return name, sentence.strip()


def _after_title(page: Path, sentence: str) -> str:
    """The text after the title of a page: after a question, the answer is a sentence of its own."""
    title = next((line for line in page.read_text().splitlines() if line.startswith("# ")), "")
    if not sentence or not title.endswith("?"):
        return f": {sentence}" * bool(sentence)
    return f" {sentence[0].upper()}{sentence[1:]}"


def setup(app: Sphinx) -> None:
    app.add_directive("pages", Pages)
