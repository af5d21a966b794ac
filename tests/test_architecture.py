"""How the library is built: what imports what, and that the sync and the async text of a program are one program."""

import ast
import functools
import re
import subprocess
import sys
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

import concmodels
from concmodels import catalog

PACKAGE = Path(concmodels.__file__).parent
HEAVY = {
    "greenlet", "gevent", "eventlet", "trio", "anyio", "asyncio", "multiprocessing", "concurrent.interpreters",
    "typing", "dataclasses", "enum", "inspect", "argparse", "rich", "importlib.metadata",
}  # fmt: skip


LIGHT = ["", ".ring", ".programs.usage", ".channel", ".pool", ".catalog"]

ARROWS = {
    "errors": "",
    "facts": "",
    "contract": "",
    "typed": "contract errors",
    "platform/portable": "",
    "platform": "platform/portable",
    "catalog": "contract errors facts platform",
    "models/folder": "",
    "models/sharing": "",
    "models/waiting": "errors facts",
    "models/waiting/sockets": "errors models/waiting platform",
    "models/tasks/signals": "errors facts models/folder models/waiting platform",
    "models/tasks": "errors models/folder models/tasks/signals models/waiting",
    "models/deadlocks": "errors models/folder models/tasks models/tasks/signals models/waiting models/waiting/sockets",
    "models/pools": "errors models/tasks/signals models/waiting",
    "models/simulated": "catalog errors models/deadlocks models/pools models/sharing models/tasks models/tasks/signals "
    "models/waiting models/waiting/sockets",
    "models/memory": "errors models/tasks/signals models/waiting models/waiting/sockets platform",
    "models/memory/channels": "errors models/memory models/waiting platform",
    "models/memory/buffers": "models/memory models/sharing",
    "models/memory/lives": "catalog errors models/deadlocks models/memory models/memory/channels models/tasks "
    "models/tasks/signals models/waiting platform",
    "models/memory/pool": "errors models/memory models/memory/channels models/pools models/waiting platform",
    "models/cluster": "errors models/deadlocks models/memory models/memory/lives models/pools models/sharing "
    "models/tasks/signals models/waiting",
    "package": "catalog contract errors typed",
    "models": "catalog errors models/cluster models/deadlocks models/memory models/memory/buffers "
    "models/memory/channels models/memory/lives models/memory/pool models/pools models/sharing models/tasks "
    "models/tasks/signals models/waiting models/waiting/sockets",
    "two_forms": "",
    "trace": "catalog errors facts models/folder models/memory/channels two_forms",
    "programs/signals": "models/tasks/signals",
    "programs/output": "catalog facts programs/signals",
    "programs": "catalog errors models/tasks/signals package platform programs/output programs/signals trace",
    "trace/command": "programs programs/output trace",
    "work": "catalog errors",
    "actors": "two_forms",
    "csp": "two_forms",
    "awaited": "actors errors models/folder two_forms",
    "sync": "awaited models/folder two_forms",
    "net": "contract errors package two_forms typed",
    "ring": "contract programs",
    "channel": "contract programs",
    "pool": "contract programs work",
    "which": "package platform programs programs/output",
    "serve": "catalog contract errors models/tasks/signals net package platform programs programs/output "
    "programs/signals work",
    "explore/errors": "",
    "explore/monitor": "models/simulated",
    "explore/threads": "explore/errors facts models/simulated models/tasks/signals",
    "explore/eventloops": "explore/errors explore/monitor explore/threads models/simulated models/tasks/signals",
    "explore/preemption": "explore/errors explore/monitor explore/threads models/simulated models/tasks/signals",
    "conformance/sync": "two_forms",
    "conformance/suite": "catalog models/memory/lives models/tasks/signals platform",
    "conformance/guarantees": "catalog errors platform",
    "stackless": "errors",
    "explore/strategies": "explore/errors models/simulated",
    "explore/running": "errors explore/errors explore/monitor explore/strategies models/folder models/simulated "
    "models/tasks/signals",
    "explore/shortest": "models/simulated",
    "explore/failures": "explore/errors explore/monitor explore/running explore/shortest explore/strategies "
    "models/simulated models/tasks/signals trace",
    "explore": "catalog contract errors explore/errors explore/eventloops explore/failures explore/monitor "
    "explore/preemption explore/running explore/strategies explore/threads facts models/simulated "
    "models/tasks/signals programs programs/output",
    "conformance/grading": "catalog conformance/guarantees conformance/suite conformance/sync errors explore "
    "explore/errors explore/failures explore/monitor explore/preemption explore/running explore/threads facts "
    "models/folder models/simulated platform programs programs/output",
    "check": "catalog conformance/grading conformance/suite errors package platform pool programs programs/output ring",
    "conformance": "catalog conformance/grading conformance/suite conformance/sync errors",
    "course": "catalog conformance errors explore explore/failures explore/running explore/threads package "
    "platform programs programs/output",
    "command": "check package programs programs/output",
}
"""Which folder may import from which, types included: an arrow leads from a folder only to those above it here."""

ALONE = {
    **{f"{name}.py": name for name in ("errors", "facts", "contract", "typed", "catalog", "models/sharing")},
    **{f"{name}.py": name for name in ("two_forms", "actors", "csp")},
    "__init__.py": "package", "__main__.py": "command", "models/__init__.py": "models/folder",
    "explore/errors.py": "explore/errors", "explore/monitor.py": "explore/monitor",
    "programs/signals.py": "programs/signals",
    **{f"trace/{name}.py": "trace/command" for name in ("__main__", "command", "tables")},
    "conformance/suite.py": "conformance/suite", "conformance/census.py": "conformance/suite",
}  # fmt: skip
"""The files that count as folders of their own."""


BY_NAME = {
    "concmodels/trace/texts.py": {
        "concmodels.trace.verbs": "the text that it makes two forms of, whose objects travel by its function `again`"
    },
}
"""The imports by name that close a circle, and why they may."""


@pytest.mark.parametrize("module", [f"concmodels{name}" for name in LIGHT])
def test_what_children_import_is_light(module):
    program = f"import sys; import {module}; print(*sys.modules)"
    command = [sys.executable, "-S", "-c", program]
    out = subprocess.run(command, capture_output=True, text=True, check=True, env={"PYTHONPATH": str(PACKAGE.parent)})
    assert not HEAVY & set(out.stdout.split())


def _of_package():
    """The files of the package, without those that students write."""
    return [path for path in PACKAGE.rglob("*.py") if "exercises" not in path.parts]


def test_no_circle_of_imports():
    paths = [*_of_package(), *PACKAGE.parent.joinpath("benchmarks").rglob("*.py")]
    graph = {path: set(_files(path, "benchmarks")) - {path} for path in paths}
    try:
        list(TopologicalSorter(graph).static_order())
    except CycleError as circle:
        pytest.fail(" -> ".join(_shown(path) for path in reversed(circle.args[1])), pytrace=False)


def test_a_folder_imports_only_from_those_below_it():
    wrong = {}
    for path in _of_package():
        here = _folder(path)
        for other in _files(path):
            there = _folder(other)
            if there != here and there not in ARROWS[here].split():
                wrong.setdefault(f"{here} -> {there}", []).append(f"{_shown(path)} imports {_shown(other)}")
    assert not wrong


def test_the_arrows_run_one_way():
    seen = set()
    for folder, below in ARROWS.items():
        assert set(below.split()) <= seen, folder
        seen.add(folder)


def test_every_arrow_that_is_allowed_is_there():
    found = {(_folder(path), _folder(other)) for path in _of_package() for other in _files(path)}
    allowed = {(folder, other) for folder, below in ARROWS.items() for other in below.split()}
    assert not allowed - found, "nothing needs these any more"


@pytest.mark.parametrize("program", ["ring", "pool"])
def test_a_program_imports_nothing_before_it_must(program):
    tree = ast.parse((PACKAGE / program / "tasks.py").read_text())
    assert not [node for node in tree.body if isinstance(node, (ast.Import, ast.ImportFrom))]


@pytest.mark.parametrize("program", ["ring", "channel", "pool", "serve"])
def test_the_sync_and_the_async_text_are_one_program(program):
    functions = _functions(PACKAGE / program / "tasks.py")
    both = {name: it for name, it in functions.items() if name.startswith("async_")}
    assert both
    for name, function in both.items():
        plain = functions[name.removeprefix("async_")]
        assert ast.dump(_bleached(function)) == ast.dump(_bleached(plain)), name


def test_sync_and_async_streams_are_one_text():
    plain, awaited = (ast.parse((PACKAGE / "net" / file).read_text()) for file in ("sync.py", "awaited.py"))
    assert ast.unparse(_bleached(awaited)).splitlines()[1:] == ast.unparse(_bleached(plain)).splitlines()[1:]


@pytest.mark.parametrize("name", [*catalog.names(simulated=True), "sim:async"])
def test_a_model_imports_no_other_model(name):
    facts = catalog.facts(name)
    path = PACKAGE / "models" / f"{facts.file}.py"
    if not path.exists():
        pytest.skip(f"{path.name} is not there yet")
    allowed = set(sys.stdlib_module_names) | set(facts.needs) | {"concmodels.catalog", "concmodels.errors"}
    allowed |= set(facts.libraries)
    if name == "tasklets":
        allowed.add("concmodels.models.greenlet_")  # it builds on that one's scheduler
    if name == "sim:async":
        allowed.add("concmodels.models.simulated.sim")  # it is in the same world
    folders = tuple(f"concmodels.{folder.replace('/', '.')}" for folder in ARROWS if folder.startswith("models/"))
    for module in _imported(path):
        if not module.startswith(folders):
            assert module in allowed or module.partition(".")[0] in allowed - {"concmodels"}, module


NAMES = catalog.names(simulated=True, distributed=True)
UNMISTAKABLE = {*NAMES} - {"threads", "processes", "greenlet", "tasklets", "sim"}
"""Those that are no words of every day: to find them in a sentence is to find the model."""

OF_ITS_MODELS = {"memory": ["processes", "subinterp"], "cluster": ["dask"], "simulated": ["sim"]}
"""The folders that belong to some models: what is in them may name these."""

NAMED_BELOW = {
    "models/memory/lives/leftovers.py": "it removes what killed runs have left, the folders of clusters too",
    "models/waiting/sockets/loops.py": "it advises another loop, where one watches no descriptors",
}
"""Files below the catalog that name a model all the same, and why."""

NAMED_ABOVE = {
    "catalog.py": "why importing gevent is refused, and what subinterp needs",
    "channel/program.py": "the default model",
    "conformance/grading/candidate.py": "what a file lacks is lent by one sync and one async model",
    "conformance/grading/command.py": "examples in the help",
    "conformance/grading/simulated.py": "the simulated world, and the library that it needs",
    "conformance/guarantees/sharing_ends.py": "numpy does not load in an interpreter",
    "course/command.py": "the simulated world",
    "course/replaced.py": "the simulated world, which hand-ins could change",
    "explore/__main__.py": "the simulated world",
    "explore/plugin.py": "the simulated world",
    "explore/command.py": "which programs can be explored, in the help",
    "explore/eventloops/anyio_.py": "the modules of the library in which something is replaced",
    "explore/eventloops/awaited.py": "whose event loop runs a coroutine function",
    "explore/eventloops/history.py": "the folder of asyncio's own code",
    "explore/eventloops/replaced.py": "the event loops that are replaced",
    "explore/preemption/call_accesses.py": "whose futures another thread may touch",
    "explore/eventloops/trio_.py": "the modules of the library in which something is replaced",
    "explore/eventloops/threads_apart.py": "the libraries that keep something for each thread",
    "explore/eventloops/trio_threads.py": "the modules of the library in which something is replaced",
    "explore/preemption/monitoring.py": "the libraries whose event loops are simulated",
    "explore/preemption/table.py": "the modules of Python's library of which a row tells something",
    "explore/preemption/things.py": "the library below the simulated world",
    "explore/scenarios.py": "the simulated world",
    "explore/threads/program.py": "the event loops that can be simulated",
    "explore/surroundings.py": "the simulated world",
    "pool/program.py": "the default model",
    "programs/beside_loop.py": "the two libraries that have event loops",
    "programs/command.py": "the default model",
    "programs/output/overview.py": "an example",
    "ring/program.py": "the default model",
    "serve/program.py": "the default model, and how to leave the thread of a loop",
    "serve/workers.py": "the model that serves in a process of its own",
    "stackless/__init__.py": "the default model",
    "which/advice.py": "its judgments are about ways of the standard library, asyncio among them",
    "which/code.py": "the programs to write",
    "which/command.py": "asyncio, in the help",
    "which/measured.py": "the names of the ways to call a function",
    "work/buffer.py": "numpy does not load in an interpreter",
    "work/clients.py": "the sockets of gevent and eventlet",
    "work/io.py": "an HTTP client that may block its thread",
}
"""The files above it, and why. Whatever lists models derives them from `facts`, so that a new one is in the list."""


def test_no_file_below_the_catalog_names_another_model():
    found = {}
    for path in [*PACKAGE.glob("models/**/*.py"), *PACKAGE.glob("platform/**/*.py"), PACKAGE / "errors.py"]:
        if foreign := set(_models_named(path)) - set(_its_own(path)):
            found[path.relative_to(PACKAGE).as_posix()] = foreign
    assert found.keys() == NAMED_BELOW.keys(), found


def test_few_files_above_the_catalog_name_a_model():
    above = {folder for folder in (it.name for it in PACKAGE.iterdir()) if folder not in ("models", "platform")}
    found = {
        path.relative_to(PACKAGE).as_posix()
        for folder in above
        for path in [*PACKAGE.glob(f"{folder}/**/*.py"), *PACKAGE.glob(folder)]
        if path.suffix == ".py"
        and "exercises" not in path.parts
        and path.name not in ("facts.py", "errors.py", "contract.py", "typed.py")
        and set(_models_named(path))
    }
    assert found == NAMED_ABOVE.keys()


def _its_own(path):
    """The models whose file this is: that of one model, which may name its libraries too, or in a folder of some."""
    inside = path.relative_to(PACKAGE).parts
    if len(inside) == 2 and inside[0] == "models":
        for facts in (catalog.facts(name) for name in catalog.names(variants=True, distributed=True)):
            if inside[1] == f"{facts.file}.py":
                yield from (facts.model, *facts.libraries)
    elif inside[0] == "models":
        yield from OF_ITS_MODELS.get(inside[1], ())


def _models_named(path):
    """The models that the strings of a file name, but for docstrings and `__all__`."""
    tree = ast.parse(path.read_text())
    skipped = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            skipped.add(node.value)
        elif isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__":
            skipped.update(ast.walk(node.value))
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and node not in skipped:
            exact = node.value.partition(":")[0]
            words = re.findall(r"\w+", re.sub(r"concmodels[.\w]+", "", node.value))
            yield from {exact} & {*NAMES} | UNMISTAKABLE.intersection(words)


def _files(path, *others):
    """The files that a file imports of our package and of the others, for types too; of a package its `__init__.py`."""
    return filter(None, (_file(name, others) for name in _names_imported(path)))


@functools.cache
def _names_imported(path):
    """What a file imports, for types too, by its full names; also by `import_module`, where the name is written out."""
    found = []
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            found += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            found += [f"{node.module}.{alias.name}" for alias in node.names]
        elif isinstance(node, ast.Call) and ast.unparse(node.func).endswith("import_module"):
            found += [it.value for it in node.args if isinstance(it, ast.Constant)]
    return [it for it in found if it not in BY_NAME.get(_shown(path), {})]


@functools.cache
def _file(name, others=()):
    """The file of a module, or the one that has this name in it."""
    if name.partition(".")[0] not in ("concmodels", *others):
        return None
    module = PACKAGE.parent.joinpath(*name.split("."))
    for file in (module.with_suffix(".py"), module / "__init__.py"):
        if file.exists():
            return file
    return _file(name.rpartition(".")[0], others)


def _folder(path):
    relative = path.relative_to(PACKAGE)
    return ALONE.get(relative.as_posix()) or relative.parent.as_posix()


def _shown(path):
    return path.relative_to(PACKAGE.parent).as_posix()


def _functions(path):
    return {node.name: node for node in ast.parse(path.read_text()).body if hasattr(node, "args")}


SYNC_NAMES = {"__aiter__": "__iter__", "__anext__": "__next__", "StopAsyncIteration": "StopIteration"}


class _Bleach(ast.NodeTransformer):
    """Makes a text sync: no `async`, no `await`, no `async_` and `Async` in names."""

    def visit_AsyncFunctionDef(self, node):
        return self.visit(ast.FunctionDef(**vars(node)))

    def visit_ClassDef(self, node):
        node.name = node.name.removeprefix("Async")
        node.body = node.body[1:]  # the docstring may differ
        return self.generic_visit(node)

    def visit_FunctionDef(self, node):
        node.name = SYNC_NAMES.get(node.name, node.name.removeprefix("async_"))
        node.body = node.body[1:] if ast.get_docstring(node) else node.body  # it may differ
        return self.generic_visit(node)

    def visit_AsyncFor(self, node):
        return self.visit(ast.For(**vars(node)))

    def visit_AsyncWith(self, node):
        return self.visit(ast.With(**vars(node)))

    def visit_Await(self, node):
        return self.visit(node.value)

    def visit_Name(self, node):
        node.id = SYNC_NAMES.get(node.id, node.id.removeprefix("async_").removeprefix("Async"))
        return node

    def visit_Constant(self, node):
        node.value = node.value.removeprefix("Async") if isinstance(node.value, str) else node.value
        return node


def _bleached(function):
    return _Bleach().visit(function)


def _imported(path):
    """The modules that a file imports when it runs, wherever it does; not what only type checkers read."""
    tree = ast.parse(path.read_text())
    tree.body = [it for it in tree.body if not (isinstance(it, ast.If) and ast.unparse(it.test) == "TYPE_CHECKING")]
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            for alias in node.names:
                inner = f"{node.module}.{alias.name}"
                yield inner if node.module in ("concmodels", "concmodels.models") else node.module


def test_what_make_test_docs_runs_is_in_the_folder_that_it_names():
    tests = Path(__file__).parent
    marked = {path for path in tests.rglob("*.py") if re.search(r"pytest\.mark\.docs\b", path.read_text())}
    assert marked and {path.relative_to(tests).parts[0] for path in marked} == {"docs"}
