"""Where things are, and how a directive complains and writes Markdown."""

from pathlib import Path

from docutils import nodes
from sphinx.util import logging
from sphinx.util.docutils import SphinxDirective

ROOT = Path(__file__).resolve().parents[3]
DOCS = ROOT / "docs"
_log = logging.getLogger(__name__)


class Mistake(ValueError):
    """A mistake of the writer of a page, in one sentence."""


class NotMeasured(Exception):
    """Figures are not there that a page can do without, in one sentence; nobody got anything wrong."""


def warn(text: str, location: object) -> None:
    """Say what is wrong and where; an error under `make docs`."""
    _log.warning("%s", text, location=location, type="concdocs")


def mistaken(name: str, mistake: Mistake, location: object) -> nodes.Node:
    """Warn of a writer's mistake with this directive; return what the page shows instead."""
    warn(f"{name}: {mistake}", location)
    return nodes.literal_block("", f"{name}: {mistake}")


def file_in_project(name: str) -> Path:
    """The file of this name, counted from the top of the project. Raises `Mistake` if there is none."""
    path = (ROOT / name).resolve()
    if not path.is_file() or not path.is_relative_to(ROOT):
        raise Mistake(f"there is no file {name} in the project; names count from its top folder")
    return path


class Directive(SphinxDirective):
    """A directive that says its mistakes as warnings, and nothing where it has no figures: subclasses write `build`."""

    def build(self) -> list[nodes.Node]:
        """The nodes. May raise `Mistake` or `NotMeasured`."""
        raise NotImplementedError

    def run(self) -> list[nodes.Node]:
        try:
            return self.build()
        except Mistake as mistake:
            return [mistaken(self.name, mistake, self.get_location())]
        except NotMeasured:
            return []

    def markdown(self, text: str) -> list[nodes.Node]:
        """The nodes of this Markdown, as if it stood on the page."""
        return self.parse_text_to_nodes(text, allow_section_headings=True)

    def depends_on(self, *paths: Path) -> None:
        """Have the page built again when one of these changes."""
        for path in paths:
            self.env.note_dependency(str(path))


def fenced(text: str, language: str) -> str:
    """A code block in Markdown, with a fence that the text has not."""
    fence = "```"
    while fence in text:
        fence += "`"
    return f"{fence}{language}\n{text.rstrip()}\n{fence}\n"
