"""The core of the library, which can be read in an afternoon: how long it is, what it imports, how it is laid out."""

import ast
import re
import sys
from pathlib import Path

import pytest

import concmodels
from concmodels import catalog

PACKAGE = Path(concmodels.__file__).parent
ROOT = PACKAGE.parent

CORE = (
    "contract.py",
    "models/waiting/channel.py",
    "models/waiting/waiter.py",
    "models/waiting/select.py",
    "models/waiting/timeouts.py",
    "models/threads.py",
    "models/trio_.py",
    "models/greenlet_.py",
    "models/asyncio_.py",
)
"""In the order in which it is read."""

MOST_LINES = 3000

OUTSIDE = {
    "greenlet": "the library of the greenlet model",
    "trio": "the library of the trio model",
    "concmodels.errors": "the exceptions that a program catches",
    "concmodels.models.deadlocks.loops": "how a deadlock is found on an event loop",
    "concmodels.models.deadlocks.report": "how a deadlock is described",
    "concmodels.models.deadlocks.threads": "how a deadlock is found among threads and greenlets",
    "concmodels.models.pools.awaited": "the pool of the async models, over a channel and a group",
    "concmodels.models.pools.executor": "the pool of the sync models, over a channel and a group",
    "concmodels.models.pools.run": "the pools of a run, which end with it",
    "concmodels.models.sharing": "`share`, which is the same for all tasks of one process",
    "concmodels.models.tasks.asyncio_group": "the group of the asyncio model, on asyncio's own",
    "concmodels.models.tasks.signals.frames": "where in the program a task waits, for a deadlock",
    "concmodels.models.tasks.group": "the group of threads and of greenlets",
    "concmodels.models.tasks.signals.guard": "Ctrl-C that never breaks a channel",
    "concmodels.models.tasks.signals.loop_guard": "the same on an event loop",
    "concmodels.models.tasks.nesting": "the refusal of a run inside of a run",
    "concmodels.models.tasks.runs": "what every `run` does first and last: it checks `main`, and shortens tracebacks",
    "concmodels.models.tasks.nursery": "the group of the trio model, on a nursery",
    "concmodels.models.tasks.task": "the tasks of threads and of greenlets, and their cancellation",
    "concmodels.models.tasks.unjoined_threads": "the threads that a group still has to join",
    "concmodels.models.waiting.sockets.event_loop": "the moments and sockets that greenlets wait for",
    "concmodels.models.waiting.sockets.loops": "waits for sockets on asyncio's loop",
    "concmodels.models.waiting.postponed": "asyncio's cancellations that come too late",
    "concmodels.models.waiting.sockets.waits": "what a wait for a socket is",
    "concmodels.models.waiting.queues": "the queue of those that wait, which a cancellation leaves in constant time",
    "concmodels.models.waiting.unbounded": "the channel without a bound, which is only faster",
    "concmodels.models.waiting.yields": "the count after which a task that never waits lets others run",
    "concmodels.models.waiting.taken_lock": "the lock that a waiting thread acquires",
    "concmodels.models.waiting.sockets.trio": "waits for sockets on trio's loop",
    "concmodels.models.waiting.sockets.threads": "waits for sockets of threads",
}
"""What the core imports beside the standard library, and what a reader has to know of it."""

FIRST = {f"concmodels.{file.removesuffix('.py').replace('/', '.')}" for file in CORE}
FIRST |= {"concmodels.errors", "concmodels.catalog"}
"""What a model imports first."""

LAYOUT = (
    "_?(Future|Trio)?Waiter",
    "Channel|_Unbounded|_Rendezvous",
    "select",
    "Task|TaskGroup",
    "Pool",
    "run",
    "sleep",
    r"_SocketWaiter|wait_readable|wait_writable|notify_closing",
    r"_PollingWaiter|PollingChannel|PollingPool|variant",
)
"""The order of what is in a model's file: these names, where it has them."""

FILES = [
    *dict.fromkeys(catalog.facts(it).file for it in catalog.names(simulated=True, distributed=True)),
    "simulated/sim_async",
]
TRAMPOLINE = "../../examples/trampoline_model"
PAGES = ["README.md", "docs/models/inside/afternoon.md"]


def test_the_core_can_be_read_in_an_afternoon():
    assert sum(map(_lines, CORE)) <= MOST_LINES


def test_the_core_imports_only_what_is_listed():
    found = {module for file in CORE for module in _imports(PACKAGE / file)} - FIRST | {"concmodels.errors"}
    listed = {it for it in found if it.partition(".")[0] not in sys.stdlib_module_names}
    assert listed == OUTSIDE.keys()


@pytest.mark.parametrize("file", [*FILES, TRAMPOLINE])
def test_a_model_imports_the_core_first(file):
    modules = [it for it in _imports(_model(file), top=True) if it.startswith("concmodels")]
    assert modules == sorted(modules, key=lambda it: it not in FIRST)


@pytest.mark.parametrize("file", [*FILES, TRAMPOLINE])
def test_a_model_is_laid_out_like_the_others(file):
    places = [place for name in _names(_model(file)) for place, it in enumerate(LAYOUT) if re.fullmatch(it, name)]
    assert len(places) > 5 and places == sorted(places)


@pytest.mark.parametrize("file", [*FILES, TRAMPOLINE])
def test_the_docstring_of_a_model_begins_with_its_facts(file):
    box = ast.get_docstring(ast.parse(_model(file).read_text())).split("\n\n")[1].splitlines()
    facts = ["unit", "scheduler", "message", "parallel", "cancellation", "sockets"]
    assert [re.match(r"([a-z]+) +(?=\S)", line)[0] for line in box if line[0] != " "] in [
        [f"{it:<14}" for it in facts[:count]] for count in (5, 6)
    ]


@pytest.mark.parametrize("page", PAGES)
def test_a_page_says_how_long_the_core_is(page):
    text = (ROOT / page).read_text()
    told = dict(re.findall(r"^\| \d \| `(?:concmodels/)?([\w/]+\.py)` \| (\d+) \|", text, re.MULTILINE))
    if page == "README.md":
        assert f"{round(sum(map(_lines, CORE)), -2):,} lines" in text
    else:
        assert list(told) == list(CORE)
        assert {file: int(lines) for file, lines in told.items()} == {it: round(_lines(it), -1) for it in CORE}


def _lines(file):
    return len((PACKAGE / file).read_text().splitlines())


def _model(file):
    return PACKAGE / "models" / f"{file}.py"


def _names(path):
    """What a file defines, in order."""
    for node in ast.parse(path.read_text()).body:
        if isinstance(node, ast.Assign):
            yield from (target.id for target in node.targets if isinstance(target, ast.Name))
        elif name := getattr(node, "name", None):
            yield name


def _imports(path, top=False):
    """The modules that a file imports, those for type checkers among them; with `top`, only what it imports first."""
    tree = ast.parse(path.read_text())
    for node in tree.body if top else ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name.partition(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            root = node.module.partition(".")[0]
            if root != "concmodels":
                yield root
            elif node.module == "concmodels.models" and not (PACKAGE / "models" / f"{node.names[0].name}.py").exists():
                continue  # what all models share
            else:
                yield from _modules(node)


def _modules(node):
    for alias in node.names:
        inner = PACKAGE.parent.joinpath(*node.module.split("."), f"{alias.name}.py")
        yield f"{node.module}.{alias.name}" if inner.exists() else node.module
