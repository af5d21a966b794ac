"""Every public name says what it is, its examples run, and it is on a page of the reference."""

import ast
import doctest
import functools
import importlib
import inspect
import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
REFERENCE = ROOT / "docs" / "reference"
MODULES = ["", "contract", "errors", "catalog", "ring", "channel", "pool", "conformance", "explore", "stackless"]
MODULES = [f"concmodels.{name}".rstrip(".") for name in [*MODULES, "work"]]
NO_EXAMPLE = {"concmodels": "what it has is in concmodels.catalog too, with examples"}
DEFINITIONS = (ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
KINDS = "module|class|function|exception|data|method|property|currentmodule"
DIRECTIVE = re.compile(rf"\.\. (?:auto|py:)({KINDS}):: ([\w.]+)")


def public_names(module):
    """What a user may import from a module: what it lists, or else what it defines without an underscore."""
    found = importlib.import_module(module)
    if listed := getattr(found, "__all__", None):
        return [name for name in listed if not inspect.ismodule(getattr(found, name))]
    return [name for name, it in vars(found).items() if is_own(it, module) and not name.startswith("_")]


def is_own(it, module):
    kinds = inspect.isclass(it) or inspect.isfunction(it) or type(it).__name__ == "TypeAliasType"
    return kinds and it.__module__ == module


NAMES = [f"{module}.{name}" for module in MODULES for name in public_names(module)]


def named(path):
    module, _, name = path.rpartition(".")
    return getattr(importlib.import_module(module), name)


def members(path):
    """The public methods and properties that a class brings itself, `with`, `for` and `len` among them."""
    special = ("__len__", "__enter__", "__iter__", "__aiter__", "__aenter__")
    it = named(path)
    if inspect.isclass(it) and it.__module__.startswith("concmodels"):
        own = {name: it for name, it in vars(it).items() if isinstance(it, property) or inspect.isfunction(it)}
        shown = special if path.startswith("concmodels.contract") else ()
        yield from ((name, member) for name, member in own.items() if not name.startswith("_") or name in shown)


@pytest.mark.parametrize("path", NAMES)
def test_a_public_name_and_its_members_have_docstrings(path):
    it = named(path)
    if inspect.isclass(it) or callable(it):
        assert it.__doc__ and not it.__doc__.startswith(f"{it.__name__}("), f"{path} has no docstring"
    without = [name for name, member in members(path) if not overloaded(member) and not inspect.getdoc(member)]
    assert not without, f"{path} has no docstring for {', '.join(without)}"


def overloaded(member):
    return getattr(member, "__name__", "") == "_overload_dummy"


@pytest.mark.parametrize("module", MODULES)
def test_the_examples_in_docstrings_run(module):
    if module in NO_EXAMPLE:
        pytest.skip(NO_EXAMPLE[module])
    found = importlib.import_module(module)
    names = {name: getattr(found, name) for name in public_names(module)}
    tests = examples(found, module)
    for name, it in names.items():
        if callable(it) and it.__module__ != module:
            tests += examples(it, f"{module}.{name}")
    assert tests, f"{module} has no example"
    for test in tests:
        runner = doctest.DocTestRunner()
        runner.run(test)
        assert runner.summarize(verbose=False).failed == 0, test.name


def examples(it, name):
    found = doctest.DocTestFinder(exclude_empty=True).find(it, name, module=False, globs={})
    return [test for test in found if test.examples]


@functools.cache
def documented():
    """The names that the pages of the reference take from the source, and whether with their members."""
    found = {}
    for page in REFERENCE.rglob("*.md"):
        current = ""
        lines = page.read_text().splitlines()
        for number, line in enumerate(lines):
            if not (directive := DIRECTIVE.match(line)):
                continue
            kind, name = directive.groups()
            if kind == "currentmodule":
                current = name
                continue
            full = name if name.startswith(("concmodels", "benchmarks")) else f"{current}.{name}"
            options = []
            for option in lines[number + 1 :]:
                if not option.startswith("   "):
                    break
                options.append(option.strip())
            found[full] = ":members:" in options
    return found


@pytest.mark.parametrize("path", NAMES)
def test_a_public_name_is_in_the_reference(path):
    known = documented()
    module = path.rpartition(".")[0]
    assert path in known or known.get(module), f"no page of docs/reference has {path}"
    left_out = [name for name, _ in members(path) if f"{path}.{name}" not in known] if path in known else []
    assert known.get(path, True) or not left_out, f"the page with {path} leaves {', '.join(left_out)} out"


def test_a_page_of_the_reference_is_found_by_its_directives():
    assert documented()["concmodels.contract.Channel"] is True
    assert documented()["concmodels.contract"] is False
    assert "concmodels.contract.Model.select" in documented()


def test_the_pages_of_the_guarantees_are_what_the_suite_says():
    code = f"import json, runpy; print(json.dumps(runpy.run_path({str(REFERENCE / '_guarantees.py')!r})['pages']()))"
    line = [sys.executable, "-c", code]
    done = subprocess.run(line, capture_output=True, text=True, cwd=ROOT, timeout=50, check=True)
    written = [REFERENCE / "guarantees.md", *REFERENCE.glob("guarantees/*.md")]
    there = {path.relative_to(REFERENCE).as_posix(): path.read_text() for path in written}
    assert there == json.loads(done.stdout), "run python docs/reference/_guarantees.py"


def test_the_index_of_the_contract_has_every_operation():
    text = (REFERENCE / "contract.md").read_text()
    linked = set(re.findall(r"concmodels\.contract\.(\w+\.\w+)>?`", text))
    contract = importlib.import_module("concmodels.contract")
    classes = {name: it for name, it in vars(contract).items() if is_own(it, "concmodels.contract")}
    there = {f"{name}.{member}" for name in classes for member, _ in members(f"concmodels.contract.{name}")}
    assert linked <= there
    names = {it.partition(".")[2] for it in linked} | {"TaskGroup", "Pool"}  # linked to their classes
    assert {it.partition(".")[2] for it in there} - names - {"__enter__", "__aenter__", "__aiter__", "fileno"} == set()


def test_the_list_of_exceptions_has_every_exception():
    text = (REFERENCE / "errors.md").read_text()
    errors = importlib.import_module("concmodels.errors")
    raised = {name for name in public_names("concmodels.errors") if issubclass(getattr(errors, name), BaseException)}
    assert set(re.findall(r"concmodels\.errors\.(\w+)", text)) == raised


def test_a_docstring_has_a_subject():
    """A docstring that begins with "What ..." says what something is about, and not what it is or does.

    A file may begin with "How ...", as a chapter does; a class or a function may not.
    """
    words = "What|How|Which|Where|Who|That|Its?|They"
    begins = {ast.Module: "What", **dict.fromkeys(DEFINITIONS, words)}
    found = [
        f"{path.relative_to(ROOT)}: {text.partition('\n')[0]}"
        for folder in ("concmodels", "benchmarks", "docs")
        for path in (ROOT / folder).rglob("*.py")
        if re.search(rf'"""\s*({words})\b', source := path.read_text())  # to parse all files takes a second
        for node in ast.walk(ast.parse(source))
        if type(node) in begins and re.match(rf"({begins[type(node)]})\b", text := ast.get_docstring(node) or "")
    ]
    assert not found, "\n".join(found)
