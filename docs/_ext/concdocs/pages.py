"""`pages`: a table of contents of a folder: the named pages in this order, then the others by name."""

from pathlib import Path

from docutils import nodes
from docutils.statemachine import StringList
from sphinx.application import Sphinx
from sphinx.directives.other import TocTree


class Pages(TocTree):
    """Sphinx's toctree. A name without a page is left out, so that pages may come one by one."""

    def run(self) -> list[nodes.Node]:
        folder = Path(self.env.doc2path(self.env.current_document.docname)).parent
        there = sorted(path.stem for path in folder.glob("*.md") if path.stem != "index")
        named = [name for line in self.content if (name := line.strip())]
        wanted = [name for name in named if name in there] + [name for name in there if name not in named]
        self.content = StringList(wanted, self.get_source_info()[0])
        self.options.setdefault("maxdepth", 1)
        self.env.note_reread()
        return super().run()


def setup(app: Sphinx) -> None:
    app.add_directive("pages", Pages)
