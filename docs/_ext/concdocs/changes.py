"""`changes`: the changelog, each version's subjects folded under their titles."""

import re

from docutils import nodes
from sphinx.application import Sphinx

from concdocs.places import Directive, file_in_project


class Changes(Directive):
    """The argument is the file. Its `##` headings are versions, and its `###` headings subjects with a list each."""

    required_arguments = 1

    def build(self) -> list[nodes.Node]:
        path = file_in_project(self.arguments[0])
        self.depends_on(path)
        return self.markdown(folded(path.read_text()))


def folded(text: str) -> str:
    """The changelog in Markdown without its title, with a fold-out for each subject that says how much is in it."""
    _, *parts = re.split(r"(?m)^(?=##)", text)
    return "\n\n".join(_fold(part) if part.startswith("### ") else part.strip() for part in parts)


def _fold(part: str) -> str:
    title, _, entries = part.removeprefix("### ").partition("\n")
    count = len(re.findall(r"(?m)^- ", entries))
    return f"::::{{dropdown}} {title.strip()} ({count})\n{entries.strip()}\n::::"


def setup(app: Sphinx) -> None:
    app.add_directive("changes", Changes)
