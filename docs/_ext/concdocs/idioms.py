"""`idioms` and `same-in`: the same task in the own idioms of several libraries, from examples/idioms.

`idioms` has all programs of all tasks, folded, so that the page can be read without scripts; the page's script takes
out the two that the reader chooses and puts them beside each other. `same-in` is a fold-out with some of them in tabs.
"""

import ast
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import ClassVar

from docutils import nodes
from docutils.parsers.rst import directives
from sphinx.application import Sphinx
from sphinx.highlighting import PygmentsBridge

from concdocs.places import ROOT, Directive, Mistake, fenced

FOLDER = ROOT / "examples" / "idioms"
LISTED = FOLDER / "idioms.toml"
USUAL = "threading asyncio trio"
SYNC = {"threading": "threads"}
"""The model whose tabs a library's belong to, where the name is another one: a reader's choice holds for both."""


@dataclass(frozen=True)
class Task:
    """A task: what is to be done, what each program prints, and why some libraries have none."""

    name: str
    title: str
    about: str
    prints: str
    without: dict[str, str]


@dataclass(frozen=True)
class Program:
    """A program, without the sentence at its beginning that says what the idiom is."""

    path: Path
    idiom: str
    code: str


def listed() -> tuple[dict[str, str], dict[str, Task]]:
    """The libraries with their titles, and the tasks, by their names."""
    found = tomllib.loads(LISTED.read_text())
    tasks = {name: Task(name, **{"without": {}} | about) for name, about in found["tasks"].items()}
    return found["libraries"], tasks


def program(library: str, task: str) -> Program:
    """The program of a library for a task that it has one for."""
    path = FOLDER / library / f"{task}.py"
    text = path.read_text()
    first = ast.parse(text).body[0]
    assert isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant)
    code = "\n".join(text.splitlines()[first.end_lineno :]).strip("\n")
    return Program(path, str(first.value.value), code)


def _must_have(known: Mapping[str, object], *names: str) -> None:
    for name in names:
        if name not in known:
            raise Mistake(f"idioms.toml has no {name!r}; it has {', '.join(known)}")


class Idioms(Directive):
    """The arguments are a task and the two libraries that the page starts with."""

    required_arguments = 3

    def build(self) -> list[nodes.Node]:
        libraries, tasks = listed()
        task, left, right = self.arguments
        _must_have(tasks, task)
        _must_have(libraries, left, right)
        self.depends_on(LISTED, *FOLDER.rglob("*.py"))
        return [nodes.raw("", page(libraries, tasks, *self.arguments), format="html")]


def page(libraries: dict[str, str], tasks: dict[str, Task], task: str, left: str, right: str) -> str:
    """Three lists to choose from, the place for what is chosen, and all programs."""
    titles = {name: it.title for name, it in tasks.items()}
    every = "".join(task_html(it, libraries, is_open=name == task) for name, it in tasks.items())
    return (
        '<div class="idioms"><form class="sides-choice" aria-label="Two programs to compare">'
        f"{_choice('task', 'Task', titles, task)}"
        f"{_choice('left', 'Left', libraries, left)}{_choice('right', 'Right', libraries, right)}"
        '<button type="button" class="sides-swap">Swap</button></form>'
        '<div class="idioms-chosen"><p class="sides-status" role="status"></p><p class="idioms-about"></p>'
        '<div class="idioms-pair"><div class="left"></div><div class="right"></div></div>'
        '<div class="idioms-printed"></div></div>'
        f'<div class="idioms-all">{every}</div></div>'
    )


def _choice(name: str, label: str, options: dict[str, str], chosen: str) -> str:
    shown = "".join(
        f'<option value="{key}"{" selected" if key == chosen else ""}>{escape(title)}</option>'
        for key, title in options.items()
    )
    return f'<label>{label} <select name="{name}" autocomplete="off">{shown}</select></label>'


def task_html(task: Task, libraries: dict[str, str], *, is_open: bool) -> str:
    """A task, folded, with the libraries in it, folded again."""
    inside = "".join(
        f'<details data-library="{library}"><summary>{escape(title)}</summary>'
        f'<div class="idiom">{_side(library, title, task)}</div></details>'
        for library, title in libraries.items()
    )
    return (
        f'<details data-task="{task.name}"{" open" if is_open else ""}><summary>{escape(task.title)}</summary>'
        f'<p class="idioms-about">{escape(task.about)}</p>'
        f'<div class="idioms-prints"><p>Each program prints:</p><div class="highlight"><pre>{escape(task.prints)}</pre>'
        f"</div></div>{inside}</details>"
    )


def _side(library: str, title: str, task: Task) -> str:
    """A program with what is said about it, or why there is none."""
    name = f'<p class="idiom-name">{escape(title)}</p>'
    if library in task.without:
        return f'{name}<p class="idiom-without">{escape(task.without[library])}</p>'
    found = program(library, task.name)
    path = found.path.relative_to(ROOT)
    return (
        f"{name}<p>{_with_code(found.idiom)}</p>"
        f'{PygmentsBridge("html").highlight_block(found.code, "python")}<p class="idiom-path">{path}</p>'
    )


def _with_code(text: str) -> str:
    """HTML of a sentence in which backticks mark code."""
    parts = escape(text).split("`")
    return "".join(f"<code>{it}</code>" if odd % 2 else it for odd, it in enumerate(parts))


class SameIn(Directive):
    """The argument is a task; `:libraries:` says which, and the content is what to say before the programs."""

    required_arguments = 1
    has_content = True
    option_spec: ClassVar = {"libraries": directives.unchanged_required}

    def build(self) -> list[nodes.Node]:
        titles, tasks = listed()
        names = self.options.get("libraries", USUAL).split()
        _must_have(tasks, self.arguments[0])
        _must_have(titles, *names)
        task = tasks[self.arguments[0]]
        self.depends_on(LISTED, *FOLDER.rglob(f"{task.name}.py"))
        shown = {name: titles[name].replace(" and queue", "") for name in names}
        tabs = [_tab(name, title, task) for name, title in shown.items()]
        top = [
            "::::::{dropdown} " + f"{task.title}: the same in {' / '.join(shown.values())}",
            ":class-container: same-in",
        ]
        about = ["", *(self.content or [task.about]), ""]
        both = f"{self._home()}side-by-side.html#{task.name}/{names[0]}/{names[-1]}"
        link = f'<p><a href="{both}">{task.title} in two libraries side by side</a></p>'
        tab_set = [":::::{tab-set}", ":sync-group: model", "", *tabs, ":::::", ""]
        return self.markdown("\n".join([*top, *about, *tab_set, link, "::::::"]))

    def _home(self) -> str:
        """The way from this page to the top of the site."""
        return "../" * self.env.docname.count("/")


def _tab(library: str, title: str, task: Task) -> str:
    parts = [f"::::{{tab-item}} {title}", f":sync: {SYNC.get(library, library)}", ""]
    if library in task.without:
        parts.append(task.without[library])
    else:
        found = program(library, task.name)
        parts += [found.idiom, "", fenced(found.code, "python")]
    return "\n".join([*parts, "::::", ""])


def setup(app: Sphinx) -> None:
    app.add_directive("idioms", Idioms)
    app.add_directive("same-in", SameIn)
