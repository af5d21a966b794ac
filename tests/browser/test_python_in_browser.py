"""Python in the browser: the rules of greenlet, and the explorer's verdicts, are those of Python outside of it."""

import json
import re
import subprocess
import zipfile
from pathlib import Path

import greenlet_rules
import pytest
from browser import ROOT
from looking import new_context

pytestmark = pytest.mark.timeout(300)  # on a busy machine Python begins in half a minute
PYTHON = ROOT / ".python/venv-3.14/bin/python"
PROGRAM = re.compile(r'<template class="playground-program" data-file="([^"]+)"(?: data-returns="([^"]*)")?')
RACES = {f"examples/races/{it.name}" for it in (ROOT / "examples/races").glob("*_*.py")}
OTHERS = {
    "examples/tutorial/one_channel.py": "channels",
    "examples/tutorial/waiting_for_two.py": "select",
    "examples/tutorial/forgotten_close.py": "the report of a deadlock",
    "examples/tutorial/races.py": "the tutorial's own race, and exercise 5A",
    "examples/teachers/philosophers.py": "the philosophers, and exercise 4A",
}
USUAL = (
    "lost_update_broken", "lost_update_fixed", "missed_notify_broken", "forgotten_cancel_fixed", "barrier_reuse_broken",
    "waiting_for_two", "forgotten_close", "races", "philosophers", "philosophers_mended",
)  # fmt: skip
"""The programs that are tried without `--thorough`."""
ENDLESS = {"two_bakers": 2, "pipeline": 2, "full_shelf": 2}
"""The seconds to search where not all schedules can be tried; how many were tried is then not the same."""
NATIVE = """
import ast, contextlib, io, json, sys
from concmodels.explore import explore
for file, returns, seconds in json.loads(sys.argv[1]):
    def check(value):
        if returns and value != ast.literal_eval(returns):
            raise AssertionError(f"main returned {value!r} instead of {returns}")
    with contextlib.redirect_stdout(io.StringIO()):
        report = explore(file, check=check, seconds=seconds)
    print(json.dumps([report.verdict, report.in_all, report.failure and report.failure.replay_id]))
"""
START = """async (folder) => {
    const { loadPyodide } = await import(`${folder}/pyodide/pyodide.mjs`);
    window.python = await loadPyodide();
    const archive = await (await fetch(`${folder}/concmodels.zip`)).arrayBuffer();
    python.FS.writeFile("/concmodels.zip", new Uint8Array(archive));
    python.runPython("import sys; sys.path[:0] = ['/concmodels.zip', '/tests']; import os; os.mkdir('/tests')");
}"""
WRITE = "([path, text]) => python.FS.writeFile(path, text)"
CALL = "async ([code, ...rest]) => await python.runPython(code).callPromising(...rest)"
KEEP_RULE = """
def keep(name):
    import traceback
    import greenlet_rules
    try:
        getattr(greenlet_rules, name)()
    except BaseException:
        return traceback.format_exc()
    return ""
keep
"""
WRITE_ALL = """(files) => files.forEach(([path, text]) => {
    python.FS.mkdirTree(path.slice(0, path.lastIndexOf("/")));
    python.FS.writeFile(path, text);
})"""
KEEP_ALL = """
def keep_all(name):
    import json
    from concmodels.conformance.suite import Model, guarantees
    model, kept, broken = Model.named(name), 0, {}
    for guarantee in guarantees():
        if guarantee.why_not(model) is None:
            try:
                model.call(guarantee)
                kept += 1
            except Exception as error:
                broken[guarantee.name] = str(error)
    return json.dumps([kept, broken])
keep_all
"""
ASK_PAGE = """
def ask(name, *arguments):
    from concmodels.explore import page
    return getattr(page, name)(*arguments)
ask
"""


@pytest.fixture(scope="module")
def python(browser, site, pytestconfig):
    """A page with Python in it, and the package as the site has it."""
    if not (pytestconfig.option.site / "_static/playground").exists():
        pytest.skip("the site was built without what runs programs in a browser: `make playground docs`")
    page = new_context(browser, 800).new_page()
    page.goto(f"{site}glossary.html")
    page.evaluate(START, f"{site}_static/playground")
    page.evaluate(WRITE, ["/tests/greenlet_rules.py", (ROOT / "tests/browser/greenlet_rules.py").read_text()])
    yield page
    page.context.close()


@pytest.fixture(scope="module")
def native(pytestconfig):
    """What Python outside of the browser says of each program: the verdict, of how many schedules, the replay id."""
    programs = wanted(pytestconfig)
    command = [PYTHON, "-c", NATIVE, json.dumps([[*it, seconds_for(it)] for it in programs])]
    lines = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout.splitlines()
    return dict(zip(programs, map(json.loads, lines), strict=True))


def with_a_button(config):
    """The programs that the site has a button for, each with what its `main` has to return, as text."""
    pages = [it.read_text() for it in config.option.site.rglob("*.html")]
    return sorted({found for page in pages for found in PROGRAM.findall(page)})


def wanted(config):
    """Those that are tried."""
    return [
        (file, returns) for file, returns in with_a_button(config) if config.option.thorough or Path(file).stem in USUAL
    ]


def seconds_for(program):
    return ENDLESS.get(Path(program[0]).stem, 60)


def pytest_generate_tests(metafunc):
    if "program" in metafunc.fixturenames:
        metafunc.parametrize("program", wanted(metafunc.config), ids=lambda it: Path(it[0]).stem)


def test_the_programs_that_are_to_be_tried_have_a_button(python, pytestconfig):
    assert RACES | OTHERS.keys() <= {file for file, _ in with_a_button(pytestconfig)}


def test_it_is_the_python_that_the_archive_was_made_for(python, pytestconfig):
    with zipfile.ZipFile(pytestconfig.option.site / "_static/playground/concmodels.zip") as archive:
        magic = archive.read("greenlet.pyc")[:4].hex()
    assert python.evaluate("() => python.runPython('import importlib.util as u; u.MAGIC_NUMBER.hex()')") == magic
    assert python.evaluate("() => python.runPython('import greenlet; greenlet.PYODIDE')") == python.evaluate(
        "python.version"
    )


@pytest.mark.parametrize("model", ["sim", "sim:async"])
def test_the_guarantees_are_kept(browser, site, pytestconfig, python, model):
    if not pytestconfig.option.thorough:
        pytest.skip("it takes minutes: --thorough")
    page = new_context(browser, 800).new_page()
    page.goto(f"{site}glossary.html")
    page.evaluate(START, f"{site}_static/playground")
    page.evaluate("() => python.runPython('import sys; sys.path.remove(\"/concmodels.zip\")')")
    sources = {str(it.relative_to(ROOT)): it.read_text() for it in (ROOT / "concmodels").rglob("*.py")}
    sources["greenlet.py"] = (ROOT / "docs/_playground/greenlet.py").read_text()
    page.evaluate(WRITE_ALL, [[f"/tests/{name}", text] for name, text in sources.items()])
    kept, broken = json.loads(page.evaluate(CALL, [KEEP_ALL, model]))
    assert kept > 500 and set(broken) <= {"run_works_in_another_thread"}, broken  # there are no threads
    page.context.close()


@pytest.mark.parametrize("rule", greenlet_rules.RULES, ids=lambda it: it.__name__)
class TestGreenlets:
    def test_on_greenlet(self, rule):
        rule()

    def test_in_the_browser(self, python, rule):
        assert not python.evaluate(CALL, [KEEP_RULE, rule.__name__])


def test_the_verdict_and_the_replay_id_are_the_same(python, native, program):
    file, returns = program
    text = (ROOT / file).read_text()
    assert ask(python, "run", text, returns)["verdict"] in ("ended", "failed")
    found = ask(python, "explore", text, returns, seconds_for(program))
    failure = found["failure"]
    assert [found["verdict"], found["in_all"], failure and failure["replay"]] == native[program]
    if failure:
        again = ask(python, "replay", text, returns, failure["replay"])
        assert again["failure"]["error"] == failure["error"]


def test_exercises_are_checked_as_by_the_explorer(python):
    teachers = ROOT / "examples/teachers"
    files = [teachers / "withdraw_locked.py", teachers / "withdraw_owner.py"]
    files += [it for it in (ROOT / "tests/docs/withdrawals").glob("*.py") if it.stem != "loops"]
    for file in files:
        done = subprocess.run([PYTHON, "-c", EXPLORED, file], cwd=ROOT, check=True, capture_output=True, text=True)
        found = ask(python, "explore", file.read_text(), "20", 60)
        told = (
            found["failure"]["error"] if found.get("failure") else "; ".join(found.get("remarks", [found["sentence"]]))
        )
        *_, report = done.stdout.splitlines()  # after what it printed itself
        assert [found["verdict"], told.replace("program.py", str(file.relative_to(ROOT)))] == json.loads(report)


EXPLORED = """
import json, os, sys
from concmodels.explore import CannotExplore, explore

def is_right(value):
    assert value == 20, f"main returned {value!r} instead of 20"

try:
    report = explore(os.path.relpath(sys.argv[1]), check=is_right, seconds=60)
    told = report.failure.to_json()["error"] if report.failure else "; ".join(report.remarks)
    print(json.dumps([report.verdict, told]))
except CannotExplore as error:
    print(json.dumps(["refused", str(error)]))
"""


def ask(python, question, *rest):
    """The answer of the page's Python."""
    return json.loads(python.evaluate(CALL, [ASK_PAGE, question, *rest]))
