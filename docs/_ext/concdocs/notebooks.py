"""`notebooks`: the tutorial's pages as notebooks, to download; and on each of these pages a link to its own.

`tools/notebooks.py` makes them, when a build begins, in the folder where it always puts them.
"""

import importlib.util
import zipfile
from pathlib import Path
from types import ModuleType

from docutils import nodes
from sphinx.application import Sphinx

from concdocs.places import DOCS, ROOT, Directive

ALL = "tutorial.zip"
LONG_AGO = (1980, 1, 1, 0, 0, 0)  # so that the same notebooks make the same file


class Notebooks(Directive):
    """A list of all notebooks, after one file that has them all."""

    def build(self) -> list[nodes.Node]:
        maker = _maker()
        lines = [f"{_download('All of them', maker.FOLDER / ALL, self.docname)}, in one file, or one by one:", ""]
        lines += [f"- {_download(_title(maker, it), _file(maker, it), self.docname)}" for it in maker.pages()]
        return self.markdown("\n".join(lines))

    @property
    def docname(self) -> str:
        return self.env.current_document.docname


def _maker() -> ModuleType:
    spec = importlib.util.spec_from_file_location("tools_notebooks", ROOT / "tools" / "notebooks.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def write_notebooks(app: Sphinx) -> None:
    """For `builder-inited`: write the notebooks, and all of them into one file."""
    if Path(app.srcdir) != DOCS:
        return  # a site of other pages
    maker = _maker()
    maker.FOLDER.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(maker.FOLDER / ALL, "w", zipfile.ZIP_DEFLATED) as packed:
        for name in maker.pages():
            text = maker.Notebook(maker.PAGES / name).to_json()
            path = _file(maker, name)
            path.write_text(text, encoding="utf-8")
            packed.writestr(zipfile.ZipInfo(f"tutorial/{path.name}", LONG_AGO), text)


def add_link(app: Sphinx, docname: str, source: list[str]) -> None:
    """For `source-read`: end a page that has a notebook with a link to it."""
    folder, _, name = docname.rpartition("/")
    maker = _maker()
    if Path(app.srcdir) == DOCS and folder == maker.PAGES.name and f"{name}.md" in maker.pages():
        source[0] += f"\n\n{_download('This page as a notebook', _file(maker, f'{name}.md'), docname)}\n"


def _title(maker: ModuleType, name: str) -> str:
    lines = (maker.PAGES / name).read_text(encoding="utf-8").splitlines()
    return next(line for line in lines if line.startswith("# ")).removeprefix("# ").replace("`", "")


def _file(maker: ModuleType, name: str) -> Path:
    file: Path = maker.FOLDER / Path(name).with_suffix(".ipynb")
    return file


def _download(text: str, path: Path, docname: str) -> str:
    return f"{{download}}`{text} <{path.relative_to((DOCS / docname).parent, walk_up=True).as_posix()}>`"


def setup(app: Sphinx) -> None:
    app.add_directive("notebooks", Notebooks)
    app.connect("builder-inited", write_notebooks)
    app.connect("source-read", add_link)
