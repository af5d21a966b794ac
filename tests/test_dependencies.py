"""What the code imports, wherever it does, is declared in pyproject.toml, and what is declared there is imported."""

import ast
import re
import sys
import tomllib
from functools import cache
from importlib.metadata import packages_distributions
from pathlib import Path

import pytest

from benchmarks import suites
from benchmarks.web.groups import distributions
from concmodels import catalog

ROOT = Path(__file__).parent.parent
PYPROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())
OWN_FOLDERS = (ROOT, ROOT / "docs" / "_ext", ROOT / "tests")
"""From where modules of the project are imported."""

NEEDED = {name for suite in suites.SUITES for it in suites.load(suite, False) for name in it.needs}
"""What `python -m benchmarks run` installs for those that it measures."""
WILD = tomllib.loads((ROOT / "examples" / "wild" / "wild.toml").read_text())
"""The packages of which some versions are explored, and modules of Python itself, as copies named `pure_NAME`."""
MAY_IMPORT = {
    "concmodels": (),
    "concmodels/conformance/plugin.py": ("pytest",),  # which alone loads it, and the next two
    "concmodels/explore/plugin.py": ("pytest",),
    "concmodels/explore/results.py": ("pytest",),
    "concmodels/explore/eventloops/trio_threads.py": ("outcome",),  # which comes with trio, whose threads use it
    "examples": (),
    "examples/wild": {it.get("explored", f"pure-{it.get('standard')}").replace("_", "-") for it in WILD.values()},
    "examples/wild/new_user": ("pytest", "pyee"),  # a suite of somebody else
    "benchmarks": ("bench",),
    "benchmarks/peers": NEEDED,
    "benchmarks/actors/of_pykka.py": {name for need in NEEDED for name in distributions(need)},
    "benchmarks/explorers.py": NEEDED,
    "benchmarks/web/on_uvloop.py": distributions("web-uvloop"),
    "benchmarks/web/tls.py": distributions("web-tls"),
    "benchmarks/web/apps": {name for need in NEEDED for name in distributions(need)},
    "benchmarks/web/stack/apps": {name for need in NEEDED for name in distributions(need)},
    "docs": ("bench", "docs"),
    "docs/_playground": ("pyodide", "pyodide-js", "js"),  # which every Python in a browser has
    "tests": ("dev",),
    "tests/browser": ("browser",),
    "tools": ("browser",),
}
"""By place, the dependency groups (or single libraries) that it may import beside what users install."""


def canonical(name):
    """A distribution's name as all spellings of it have in common."""
    return re.sub(r"[-_.]+", "-", name).lower()


def name_of(requirement):
    """The distribution that a requirement asks for: `httpx>=0.28` asks for httpx."""
    return canonical(re.match(r"[\w.-]+", requirement)[0])


def installed_by_users():
    """The declared dependencies, with those of the extras."""
    project = PYPROJECT["project"]
    extras = [it for extra in project["optional-dependencies"].values() for it in extra]
    return {name_of(it) for it in (*project["dependencies"], *extras)} - {project["name"]}


def group(name):
    """The distributions of a dependency group; a name that is no group is a distribution itself."""
    groups = PYPROJECT["dependency-groups"]
    if name not in groups:
        return {name}
    included = [it["include-group"] for it in groups[name] if isinstance(it, dict)]
    return {name_of(it) for it in groups[name] if isinstance(it, str)}.union(*map(group, included))


def imports(path):
    """The modules of others that a file imports, by their first name: statements, and `import_module` with a text."""
    return [top for top in dict.fromkeys(name.partition(".")[0] for name in named(path)) if not is_ours(top, path)]


def named(path):
    """The modules that a file imports, by their full names."""
    text = path.read_text()
    tree = ast.parse(text)
    for node in ast.walk(tree) if "import_module" in text else statements(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and not node.level:
            yield node.module
        elif isinstance(node, ast.Call) and "import_module" in (node.func.__dict__.get(it) for it in ("id", "attr")):
            yield from (it.value for it in node.args[:1] if isinstance(it, ast.Constant))


def statements(node):
    """All statements inside, also those of functions: a tenth of what `ast.walk` finds."""
    for field in ("body", "orelse", "finalbody", "handlers", "cases"):
        for it in getattr(node, field, ()):
            yield it
            yield from statements(it)


def is_ours(module, path):
    """Whether a file of the project that imports this gets it from Python itself, or from the project."""
    own = (*OWN_FOLDERS, *(() if (path.parent / "__init__.py").exists() else (path.parent,)))
    from_python = {*sys.stdlib_module_names, "test"}  # CPython's own tests count as Python itself
    return module in from_python or any(
        (folder / f"{module}.py").exists() or (folder / module).is_dir() for folder in own
    )


@cache
def installed():
    """The distributions of each package that is installed."""
    return packages_distributions()


@cache
def imported(place):
    """What is imported there, by distribution, with the first file that does; places of their own inside it are not."""
    distributions, found = installed(), {}
    inner = [ROOT / other for other in MAY_IMPORT if other.startswith(f"{place}/")]
    for path in sorted((ROOT / place).rglob("*.py")) if (ROOT / place).is_dir() else [ROOT / place]:
        if "exercises" not in path.parts and not any(path.is_relative_to(other) for other in inner):
            for module in imports(path):
                for distribution in distributions.get(module, [module]):
                    found.setdefault(canonical(distribution), str(path.relative_to(ROOT)))
    return found


@pytest.mark.parametrize("place", MAY_IMPORT)
def test_every_import_is_declared(place):
    declared = installed_by_users().union(*map(group, MAY_IMPORT[place]))
    found = imported(place)
    assert {name: file for name, file in found.items() if name not in declared} == {}


def test_every_dependency_is_imported():
    """Also those of the extras; what only the benchmarks or the browser's tests need is in a group of its own."""
    assert installed_by_users() - imported("concmodels").keys() == set()
    assert group("bench") - imported("benchmarks").keys() == set()
    plugins = {"pytest-timeout", "pytest-xdist"}
    assert group("browser") - imported("tests/browser").keys() - imported("tools").keys() - plugins == set()


def test_a_model_that_needs_a_library_has_an_extra_with_its_name():
    """A plain installation has greenlet, and `all` has everything."""
    project = PYPROJECT["project"]
    extras, base = project["optional-dependencies"], {name_of(it) for it in project["dependencies"]}
    assert base == {name_of(it) for it in extras["explore"]} == {"greenlet"}
    for facts in (catalog.facts(name) for name in catalog.names(distributed=True, simulated=True)):
        if needs := {canonical(it) for it in facts.needs} - base:
            assert needs <= {name_of(it) for it in extras[facts.model]}, facts.model
    (everything,) = extras["all"]
    assert everything == f"concmodels[{','.join(sorted(extras.keys() - {'all', 'explore'}))}]"


def test_an_import_is_seen_wherever_it_stands(tmp_path):
    file = tmp_path / "program.py"
    (tmp_path / "neighbour.py").touch()
    file.write_text(
        "import os, neighbour\n"
        "from concmodels import load\n"
        "def main():\n"
        "    import numpy.linalg\n"
        "    from google.protobuf import message\n"
        "    importlib.import_module('playwright.sync_api')\n"
    )
    assert sorted(imports(file)) == ["google", "numpy", "playwright"]
    (tmp_path / "__init__.py").touch()
    assert "neighbour" in imports(file)
