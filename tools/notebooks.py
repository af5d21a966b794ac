"""Makes notebooks of the tutorial's pages: `python tools/notebooks.py` writes them to build/notebooks.

A page's text becomes text, and each program a cell that writes it to a file (`%%writefile`): functions that are in a
file can be sent to processes and interpreters, and those of a cell can't. The next cell runs that file in a Python of
its own, where no event loop and no thread of the notebook is in the way. Charts, drawings, and what needs the site's
tabs stay on the page.
"""

import ast
import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[1]
PAGES = ROOT / "docs" / "tutorial"
FOLDER = ROOT / "build" / "notebooks"

SETUP = '''\
"""`python("file.py")` runs a file in a Python of its own, and shows what it prints."""

import subprocess
import sys


def python(*arguments):
    done = subprocess.run(
        [sys.executable, *arguments], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, encoding="utf-8", check=False
    )
    print(done.stdout, end="")
'''
ABOUT = (
    "*This notebook was made from a page of the tutorial. Run it in Jupyter, on a Python that has this library; "
    'the page "Run it here" of the site has programs that run in your browser, with nothing installed. A cell '
    "that begins with `%%writefile` writes a program to a file; change it, and run it again together with the cell "
    "below. Charts, drawings and the same programs in other libraries are on the page.*"
)

_FRONT_MATTER = re.compile(r"\A---\n.*?\n---\n\s*", re.DOTALL)
_OPENING = re.compile(r"\s*(?P<fence>`{3,}|:{3,})(?:\{(?P<directive>[\w-]+)\}\s*(?P<argument>.*)|[\w-]+)?")
_RUNS = r"\{(output-of|in-all-models)\}"
_OPTION = re.compile(r"\s*:([\w-]+):\s*(.*)")
_ROLE = re.compile(r"\{(\w+)\}`([^`]*)`")
_LINK = re.compile(r"(?<!\!)\[([^\]]*)\]\((?!https?:)([^)]*)\)")
_HIDDEN = {"jupyter": {"source_hidden": True}}
_EXAMPLE = re.compile(r"examples/(?:\w+/)*(\w+\.py)")


class Notebook:
    """The cells of a notebook, made of a page line by line."""

    def __init__(self, page: Path) -> None:
        self.cells: list[dict[str, object]] = []
        self._page = page
        self._text: list[str] = []
        self._written: set[str] = set()
        title, _, rest = _FRONT_MATTER.sub("", page.read_text(encoding="utf-8")).partition("\n")
        self._text += [title, "", ABOUT]
        self._code(SETUP)
        self._add(rest.splitlines())
        self._end_text()

    def to_json(self) -> str:
        """Return the file of the notebook."""
        kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
        cells = [{"id": f"cell-{number}", "metadata": {}} | cell for number, cell in enumerate(self.cells, 1)]
        whole = {"cells": cells, "metadata": {"kernelspec": kernel}, "nbformat": 4, "nbformat_minor": 5}
        return json.dumps(whole, indent=1, ensure_ascii=False) + "\n"

    def _add(self, lines: list[str]) -> None:
        for fence, directive, argument, body in _blocks(lines):
            if fence and directive:
                options, content = _options(body)
                getattr(self, f"_{directive.replace('-', '_')}")(argument, options, content)
            else:
                self._text += body

    # A method for each directive of the pages.

    def _code_of(self, argument: str, options: dict[str, str], _content: list[str]) -> None:
        if argument.startswith("examples/"):
            self._write(argument)
        elif "object" in options:
            self._text += ["", f"From `{argument}`:", "", "```python", _object(argument, options["object"]), "```", ""]

    def _output_of(self, argument: str, options: dict[str, str], _content: list[str]) -> None:
        words = (options.get("command") or f"python {argument} {options.get('args', '')}").split()
        for word in words:
            if word.startswith("examples/"):
                self._write(word)
        self._run(*(_EXAMPLE.sub(r"\1", word) for word in words[1:]))

    def _in_all_models(self, argument: str, _options: dict[str, str], _content: list[str]) -> None:
        for path in argument.split():
            self._write(path)
            self._run(Path(path).name)

    def _predict(self, argument: str, _options: dict[str, str], content: list[str]) -> None:
        self._text += ["", f"**Before you read on:** {argument}", ""]
        self._end_text()
        self._add(content)
        if "".join(self._text).strip():
            self._text = ["<details><summary>The answer</summary>", "", *self._text, "", "</details>"]
        self._end_text()

    def _dropdown(self, argument: str, _options: dict[str, str], content: list[str]) -> None:
        """The text becomes one fold-out; the cells come after it, with their programs hidden."""
        self._end_text()
        outer, self.cells = self.cells, []
        self._add(content)
        self._end_text()
        text = [str(cell["source"]) for cell in self.cells if cell["cell_type"] == "markdown"]
        code = [cell | {"metadata": _HIDDEN} for cell in self.cells if cell["cell_type"] == "code"]
        self.cells = outer
        if text:
            self._text = [f"<details><summary>{argument}</summary>", "", "\n\n".join(text), "", "</details>"]
        else:
            self._text = [f"**{argument}**"]
        self._end_text()
        self.cells += code

    def _drawing(self, argument: str, _options: dict[str, str], _content: list[str]) -> None:
        self._text += ["", f"*(A drawing: {argument})*", ""]

    _trace = _drawing

    def _schedule(self, argument: str, _options: dict[str, str], _content: list[str]) -> None:
        self._text += ["", f"*(Here the page has a picture of a schedule that breaks `{Path(argument).name}`.)*", ""]

    def _chart(self, _argument: str, _options: dict[str, str], _content: list[str]) -> None:
        self._text += ["", "*(Here the page has a chart.)*", ""]

    _bars = _chart

    def _same_in(self, _argument: str, _options: dict[str, str], _content: list[str]) -> None:
        pass  # its programs are folded out on the page

    # Cells.

    def _write(self, path: str) -> None:
        name = Path(path).name
        if name not in self._written:
            self._written.add(name)
            self._code(f"%%writefile {name}\n{(ROOT / path).read_text(encoding='utf-8')}")

    def _run(self, *arguments: str) -> None:
        self._code(f"python({', '.join(map(json.dumps, arguments))})")

    def _code(self, source: str) -> None:
        self._end_text()
        self.cells.append({"cell_type": "code", "execution_count": None, "outputs": [], "source": source.rstrip("\n")})

    def _end_text(self) -> None:
        text = re.sub(r" *<!--.*?-->\n?", "", "\n".join(self._text), flags=re.DOTALL)
        text = _LINK.sub(self._link, _ROLE.sub(_role, text))
        text = re.sub(r"\n{3,}", "\n\n", text).strip()
        if text:
            self.cells.append({"cell_type": "markdown", "source": text})
        self._text = []

    def _link(self, found: re.Match[str]) -> str:
        """Return a link to another notebook; what leads to other pages is text here."""
        name = found[2].partition("#")[0]
        target = PAGES / name
        if name.endswith(".md") and target.parent == PAGES and target.name in pages():
            return f"[{found[1]}]({target.stem}.ipynb)"
        return found[1]


def pages() -> list[str]:
    """Return the files of the pages that have something to run, in the order of the tutorial."""
    index = (PAGES / "index.md").read_text(encoding="utf-8")
    listed = next(body for _, directive, _, body in _blocks(index.splitlines()) if directive == "pages")
    names = [f"{line.partition(':')[0].strip()}.md" for line in listed if line.strip()]
    return [name for name in names if re.search(_RUNS, (PAGES / name).read_text(encoding="utf-8"))]


def _blocks(lines: list[str]) -> Iterator[tuple[str, str, str, list[str]]]:
    """Yield each line, or each block between two fences: the fence, the directive, its argument, and the lines."""
    rest = iter(lines)
    for line in rest:
        found = _OPENING.fullmatch(line)
        if found is None or (found["directive"] is None and found["fence"].startswith(":")):
            yield "", "", "", [line]
            continue
        body = []
        for inner in rest:
            if inner.strip() == found["fence"]:
                if found["directive"] is None:
                    body = [line, *body, inner]
                break
            body.append(inner)
        yield found["fence"], found["directive"] or "", found["argument"] or "", body


def _options(body: list[str]) -> tuple[dict[str, str], list[str]]:
    """Return the options at the beginning of a directive, and its content."""
    options: dict[str, str] = {}
    for number, line in enumerate(body):
        found = _OPTION.fullmatch(line)
        if found is None:
            return options, body[number:]
        options[found[1]] = found[2]
    return options, []


def _role(found: re.Match[str]) -> str:
    if found[1] in ("measured", "ratio"):
        from concdocs import figures

        told: str = getattr(figures, found[1])(found[2].replace("\\|", "|"))
        return told
    return re.sub(r"\s*<[^>]*>$", "", found[2])


def _object(path: str, name: str) -> str:
    """Return the text of a class, a function or a method of a file."""
    source = (ROOT / path).read_text(encoding="utf-8")
    node: ast.AST = ast.parse(source)
    for part in name.split("."):
        node = next(it for it in ast.iter_child_nodes(node) if getattr(it, "name", None) == part)
    segment = ast.get_source_segment(source, node, padded=True)
    assert segment is not None
    return segment


def main() -> None:
    """Write the notebooks."""
    sys.path[:0] = [str(ROOT), str(ROOT / "docs" / "_ext")]
    FOLDER.mkdir(parents=True, exist_ok=True)
    for name in pages():
        path = FOLDER / Path(name).with_suffix(".ipynb")
        path.write_text(Notebook(PAGES / name).to_json(), encoding="utf-8")
        print(path.relative_to(ROOT))


if __name__ == "__main__":
    main()
