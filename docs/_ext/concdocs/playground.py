"""Programs that the reader can change and run in the page: the option `run` of `code-of`.

What runs them is in `docs/_playground`, and in `.python/playground`, which `tools/playground.sh` fetches. Where that is
missing, the site is built without a button, and without a warning: a build needs no network.
"""

import py_compile
import shutil
import tempfile
import zipfile
from html import escape
from pathlib import Path
from typing import Any, ClassVar

from docutils import nodes
from docutils.parsers.rst import directives
from sphinx.application import Sphinx

from concdocs.places import DOCS, ROOT, Directive, Mistake, file_in_project
from concmodels.explore import explore
from concmodels.explore.failures.drawing import drawing
from concmodels.explore.failures.picture import rows_of

FETCHED = ROOT / ".python" / "playground"
OWN = DOCS / "_playground"
BUILT = ROOT / "build" / "docs-playground"
SCRIPTS = ("game.js", "playground.js", "program.js", "worker.js", "playground.css")
PACKAGE = ROOT / "concmodels"
LEFT_OUT = (
    "conformance/**", "net/**", "programs/**", "ring/**", "channel/**", "pool/**", "serve/**", "stackless/**",
    "work/**", "models/[!_]*_.py", "models/*process*.py", "models/*threads.py", "models/subinterp.py",
    "models/tasklets.py", "models/memory/**", "models/cluster/**", "models/waiting/sockets/**",
    "platform/portable/**", "explore/plugin.py", "explore/command.py", "trace/**",
)  # fmt: skip
"""The parts of the package that the browser doesn't get: nothing that is explored there needs them."""


def is_there() -> bool:
    """Whether the programs that run programs in a browser were fetched."""
    return (FETCHED / ".stamp").exists()


def playground(
    name: str, shown: list[nodes.Node], told: dict[str, str], *, whole: str = "", pictured_from: int | None = None
) -> list[nodes.Node]:
    """Wrap the block of a program, so that a reader can run it; nothing changes where that is not possible.

    `told` is what the page knows of it: in `returns` the value, written in Python, that `main` has to return on every
    schedule, and in `exercise` the number of the exercise that the program belongs to. `whole` is the program where the
    block shows only a part of it.

    With `pictured_from`, the first line that is shown, there is a picture of what the button does, and one click is
    enough: the first thing that a visitor sees.
    """
    parts, classes = shown, ["playground"]
    if pictured_from is not None:
        parts, classes = [*shown, picture(name, pictured_from)], ["playground", "playground-first"]
    if not is_there():
        return parts
    data = "".join(f' data-{key}="{escape(value)}"' for key, value in ({"file": name} | told).items())
    known = _html(f'<template class="playground-program"{data}>{escape(whole)}</template>')
    identity = "run-" + Path(name).stem.replace("_", "-")
    return [nodes.container("", *parts, known, classes=classes, ids=[identity], is_playground=True)]


def picture(name: str, first_line: int) -> nodes.Node:
    """The picture of a schedule that breaks this program, found now, with lines counted from this one on."""
    failure = explore(str(file_in_project(name))).failure
    if failure is None:
        raise Mistake(f"{name} holds, so there is no schedule to show")
    return _html(f'<div class="playground-picture">{drawing(rows_of(failure.moments), first_line)}</div>')


class Schedule(Directive):
    """The picture of a schedule that breaks a program, found while the site is built."""

    required_arguments = 1

    def build(self) -> list[nodes.Node]:
        self.depends_on(file_in_project(self.arguments[0]))
        return [picture(self.arguments[0], 1)]


class Level(Directive):
    """A level of the game: a broken program, and the fewest forced switches that break it, in `fewest`.

    The content, which is a hint, follows the program; then comes the mended one.
    """

    required_arguments = 1
    has_content = True
    option_spec: ClassVar = {"fewest": directives.nonnegative_int}

    def build(self) -> list[nodes.Node]:
        broken = self.arguments[0]
        code = self.markdown(f"```{{code-of}} {broken}\n:run:\n```")
        fixed = broken.replace("_broken", "_fixed")
        after = [
            *self.parse_content_to_nodes(),
            *self.markdown(f":::{{dropdown}} One way to mend it\n```{{code-of}} {fixed}\n:run:\n```\n:::"),
        ]
        if not is_there():
            return [*code, *after]
        opening = f'<div class="level" id="level-{Path(broken).stem}" data-fewest="{self.options["fewest"]}">'
        return [_html(opening), *code, _html('<p class="level-state" role="status"></p></div>'), *after]


class Score(Directive):
    """The score of the game; where programs can't be run, a sentence that says how to play in a terminal."""

    def build(self) -> list[nodes.Node]:
        if is_there():
            return [_html('<p class="game-score" role="status"></p>')]
        return self.markdown(
            "This copy of the site was built without what runs programs in the page. Play in a terminal: "
            "`python -m concmodels.explore examples/races/lost_update_broken.py --play`."
        )


def _html(text: str) -> nodes.Node:
    return nodes.raw("", text, format="html")


def fill(app: Sphinx) -> None:
    """For `builder-inited`: put what the browser loads into a folder that becomes a part of `_static`."""
    if Path(app.srcdir) != DOCS or not is_there():
        return
    folder = BUILT / "playground"
    shutil.copytree(FETCHED, folder, dirs_exist_ok=True, ignore=shutil.ignore_patterns(".stamp"))
    for script in SCRIPTS:
        shutil.copy(OWN / script, folder)
    write_archive(folder / "concmodels.zip")
    app.config.html_static_path.append(str(BUILT))


def add_scripts(
    app: Sphinx, page: str, _template: str, _context: dict[str, Any], doctree: nodes.document | None
) -> None:
    """For `html-page-context`: load the scripts on pages that have such a program."""
    if doctree is not None and any(it.get("is_playground") for it in doctree.findall(nodes.container)):
        app.add_css_file("playground/playground.css")
        app.add_js_file("playground/playground.js", type="module")
        if page == "start/game":
            app.add_js_file("playground/game.js", type="module")


def sources() -> dict[str, Path]:
    """The modules that the browser gets, by their place in the archive."""
    found = {"greenlet.py": OWN / "greenlet.py", "concmodels/explore/page.py": OWN / "page.py"}
    for file in sorted(PACKAGE.rglob("*.py")):
        place = file.relative_to(PACKAGE)
        if not any(place.full_match(part) for part in LEFT_OUT):
            found[f"concmodels/{place.as_posix()}"] = file
    return found


def write_archive(path: Path) -> None:
    """Write the package as bytecode, which a browser imports in a third of the time that sources take.

    This Python's bytecode is also that of the Python in the browser: a test compares the two. The explorer knows by
    its path that the code of greenlet is not the program's.
    """
    found = sources()
    if path.exists() and all(
        file.stat().st_mtime <= path.stat().st_mtime for file in (*found.values(), Path(__file__))
    ):
        return
    with (
        zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive,
        tempfile.TemporaryDirectory() as folder,
    ):
        for name, file in found.items():
            seen = name if name.startswith("concmodels/") else f"concmodels/{name}"
            compiled = py_compile.compile(
                str(file), f"{folder}/compiled", f"/concmodels.zip/{seen}", doraise=True, optimize=2,
                invalidation_mode=py_compile.PycInvalidationMode.UNCHECKED_HASH,
            )  # fmt: skip
            archive.write(compiled, f"{name}c")


def setup(app: Sphinx) -> None:
    app.add_directive("schedule", Schedule)
    app.add_directive("level", Level)
    app.add_directive("game-score", Score)
    app.connect("builder-inited", fill)
    app.connect("html-page-context", add_scripts)
