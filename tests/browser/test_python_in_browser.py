"""Python in the browser: the rules of greenlet, and the explorer's verdicts, are those of Python outside of it."""

import json
import subprocess
import zipfile

import greenlet_rules
import pytest
from browser import ROOT
from looking import new_context

pytestmark = pytest.mark.timeout(300)  # on a busy machine Python begins in half a minute
BROKEN = sorted((ROOT / "examples/races").glob("*_broken.py"))
FIXED = sorted((ROOT / "examples/races").glob("*_fixed.py"))
USUAL = ("lost_update", "missed_notify", "forgotten_cancel", "barrier_reuse")
"""The pairs that are tried without `--thorough`."""
NATIVE = """
import json, sys
from concmodels.explore import explore
for file in sys.argv[1:]:
    report = explore(file, seconds=60)
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
    """What Python outside of the browser says of the races: by file the verdict, of how many schedules, the id."""
    files = wanted(pytestconfig)
    command = [ROOT / ".python/venv-3.14/bin/python", "-c", NATIVE, *files]
    lines = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout.splitlines()
    return dict(zip(files, map(json.loads, lines), strict=True))


def wanted(config):
    return [it for it in (*BROKEN, *FIXED) if config.option.thorough or it.stem.rpartition("_")[0] in USUAL]


def pytest_generate_tests(metafunc):
    if "race" in metafunc.fixturenames:
        metafunc.parametrize("race", wanted(metafunc.config), ids=lambda it: it.stem)


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


def test_the_verdict_and_the_replay_id_are_the_same(python, native, race):
    found = json.loads(python.evaluate(CALL, [ASK_PAGE, "explore", race.read_text(), 60]))
    failure = found["failure"]
    assert [found["verdict"], found["in_all"], failure and failure["replay"]] == native[race]
    if failure:
        again = json.loads(python.evaluate(CALL, [ASK_PAGE, "replay", race.read_text(), failure["replay"]]))
        assert again["failure"]["error"] == failure["error"]
