"""The notebooks of the tutorial, and what the library does in a cell: each is run once by Jupyter itself."""

import importlib.util
import json
import os
import re
import sys
import zipfile

import pytest
from test_docs_links import ROOT
from test_tutorial import PRINTED

sys.path.append(str(ROOT / "docs" / "_ext"))
SPEC = importlib.util.spec_from_file_location("notebooks", ROOT / "tools" / "notebooks.py")
notebooks = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(notebooks)

PAGES = notebooks.pages()
CODE = re.compile(r"^ *```\w*\n.*?^ *```$", re.DOTALL | re.MULTILINE)
ANSWERED = [page for page in PAGES if "{dropdown} What you will see" in (notebooks.PAGES / page).read_text()]
USUAL = ("one-channel.md",)
"""What Jupyter runs without `--thorough`: all pages have the same kinds of cells, and their programs have tests."""
IMPORTED = re.compile(r"^ *(?:from|import) (\w+)", re.MULTILINE)
IN_A_CELL = {
    "an async model in a loop": (
        "from concmodels.ring import ring\nresult = ring('asyncio', nodes=3, messages=50)\nresult",
        "<td>asyncio</td>",
    ),
    "a run in a cell": (
        "from concmodels import load\nasyncio = load('asyncio')\n"
        "async def main(model):\n    await model.sleep(0)\n    return 'slept'\n"
        "try:\n    asyncio.run(main, asyncio)\nexcept RuntimeError as error:\n    print(error)",
        "a notebook's cell says `await main(model)`",
    ),
    "what that says": ("await main(asyncio)", "slept"),
    "trio as it stands": ("trio = load('trio')\ntrio.run(main, trio)", "slept"),
    "a stuck run": (
        "from concmodels.models.deadlocks import threads as detecting\ndetecting.STUCK_S = 0.5\n"
        "import _thread, signal, threading\n"
        "threads = load('threads')\n"
        "channel = threads.Channel(0, 'nobody sends')\n"
        "interrupt = threading.Timer(3, signal.pthread_kill, (threading.main_thread().ident, signal.SIGINT))\n"
        "interrupt.start()\n"
        "try:\n    threads.run(channel.receive)\nexcept KeyboardInterrupt:\n    print('interrupted')",
        "main: receive on channel 'nobody sends' at",
    ),
    "a function of a cell": (
        "def square(number):\n    return number * number\n"
        "processes = load('processes')\n"
        "def sending(model):\n    with model.TaskGroup() as group:\n        return group.spawn(square, 7).result()\n"
        "try:\n    processes.run(sending, processes)\nexcept* TypeError as group:\n    print(group.exceptions[0])",
        "begin its cell with `%%writefile tasks.py` and import it",
    ),
    "a file of its own": ("%%writefile tasks.py\ndef square(number):\n    return number * number", "Writing tasks.py"),
    "and what is in it": ("from tasks import square\nprocesses.run(sending, processes)", "49"),
}
"""What stands in a cell, and a part of what it shows."""


@pytest.mark.parametrize("page", PAGES)
def test_a_notebook_holds_the_programs_of_its_page_and_no_markup_of_the_site(page):
    notebook = json.loads(notebooks.Notebook(notebooks.PAGES / page).to_json())
    cells = notebook["cells"]
    assert len({cell["id"] for cell in cells}) == len(cells)
    assert "Run it in Jupyter" in cells[0]["source"] and "in your browser" in cells[0]["source"]
    sources = {kind: [it["source"] for it in cells if it["cell_type"] == kind] for kind in ("code", "markdown")}
    assert any(source.startswith("%%writefile") for source in sources["code"]) or "python(" in sources["code"][1]
    for text in sources["markdown"]:
        prose = CODE.sub("", text)
        assert not any(mark in prose for mark in ("{term}", "{measured}", "{ratio}", ":::", "```{", ".md)")), text
    for source in sources["code"]:
        compile(source.partition("\n")[2] if source.startswith("%%") else source, page, "exec")


@pytest.mark.parametrize("page", PAGES)
def test_a_cell_runs_only_what_a_cell_before_it_has_written(page):
    there = {path.name for path in (ROOT / "examples").rglob("*.py")}
    written, runs = {}, 0
    for cell in notebooks.Notebook(notebooks.PAGES / page).cells:
        if cell["source"].startswith("%%writefile "):
            name, _, text = cell["source"].removeprefix("%%writefile ").partition("\n")
            written[name] = text
        elif cell["source"].startswith("python("):
            runs += 1
            files = [it for it in re.findall('"([^"]*)"', cell["source"]) if it.endswith(".py")]
            imported = {f"{name}.py" for file in files for name in IMPORTED.findall(written[file])}
            assert imported & there <= written.keys(), cell["source"]
    assert runs


@pytest.mark.parametrize("page", ANSWERED)
def test_the_answers_to_the_experiments_are_folded(page):
    cells = notebooks.Notebook(notebooks.PAGES / page).cells
    (answers,) = (it for it, cell in enumerate(cells) if "What you will see" in cell["source"])
    assert cells[answers]["source"].startswith("<details><summary>What you will see</summary>\n\n")
    assert cells[answers]["source"].endswith("\n\n</details>")
    programs = [cell for cell in cells[answers:] if cell["cell_type"] == "code"]
    assert all(cell["metadata"]["jupyter"]["source_hidden"] for cell in programs)


def test_there_is_a_notebook_for_nearly_every_page():
    assert {"one-channel.md", "ring.md", "await.md", "races.md"} <= set(PAGES)
    assert len(PAGES) >= 12


@pytest.mark.docs
def test_the_site_hands_them_out():
    site = ROOT / "build" / "docs"
    if not (site / "index.html").exists():
        pytest.skip("there is no site in build/docs; `make docs` builds it")
    names = {f"{page.removesuffix('.md')}.ipynb" for page in PAGES}
    there = {path.name: path for path in site.glob("_downloads/*/*")}
    assert names | {"tutorial.zip"} <= set(there)
    with zipfile.ZipFile(there["tutorial.zip"]) as packed:
        assert set(packed.namelist()) == {f"tutorial/{name}" for name in names}
    for page in PAGES:
        name = page.removesuffix(".md")
        assert f"/{name}.ipynb" in (site / "tutorial" / f"{name}.html").read_text(), page
        assert there[f"{name}.ipynb"].read_text() == notebooks.Notebook(notebooks.PAGES / page).to_json()


def run_by_jupyter(notebook, folder):
    """Run all cells in a kernel of this Python; return what each code cell shows, as one text."""
    if importlib.util.find_spec("nbclient") is None or importlib.util.find_spec("ipykernel") is None:
        pytest.skip("nbclient and ipykernel are not installed; pip install nbclient ipykernel")
    import nbformat
    from nbclient import NotebookClient

    whole = nbformat.reads(notebook, as_version=4)
    nbformat.validate(whole)
    NotebookClient(whole, timeout=120, resources={"metadata": {"path": str(folder)}}).execute()
    return [shown(cell) for cell in whole.cells if cell.cell_type == "code"]


def shown(cell):
    """All that a cell shows, as text and as HTML."""
    parts = []
    for output in cell.outputs:
        data = output.get("data", {})
        parts += [output.get("text", ""), data.get("text/html", ""), data.get("text/plain", "")]
    return "".join(parts)


@pytest.mark.docs
@pytest.mark.timeout(240)
@pytest.mark.parametrize(
    "page", [pytest.param(it, marks=[] if it in USUAL else [pytest.mark.thorough]) for it in PAGES]
)
def test_jupyter_runs_it(page, tmp_path, monkeypatch):
    monkeypatch.setenv("PYTHONPATH", str(ROOT), prepend=os.pathsep)
    monkeypatch.setenv("IPYTHONDIR", str(tmp_path / "ipython"))
    notebook = notebooks.Notebook(notebooks.PAGES / page)
    sources = [cell["source"] for cell in notebook.cells if cell["cell_type"] == "code"]
    for source, text in zip(sources, run_by_jupyter(notebook.to_json(), tmp_path), strict=True):
        if source.startswith("python("):
            assert text, source
            program = source.removeprefix('python("').removesuffix('.py")')
            if "…" not in PRINTED.get(program, "…"):
                assert text == PRINTED[program]


@pytest.mark.docs
@pytest.mark.timeout(240)
def test_what_the_library_does_in_a_cell(tmp_path, monkeypatch):
    monkeypatch.setenv("PYTHONPATH", str(ROOT), prepend=os.pathsep)
    monkeypatch.setenv("IPYTHONDIR", str(tmp_path / "ipython"))
    cells = [
        {"cell_type": "code", "id": f"cell-{number}", "metadata": {}, "outputs": [], "execution_count": None,
         "source": source}
        for number, (source, _) in enumerate(IN_A_CELL.values())
    ]  # fmt: skip
    notebook = json.dumps({"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 5})
    for (name, (_, expected)), text in zip(IN_A_CELL.items(), run_by_jupyter(notebook, tmp_path), strict=True):
        assert expected in text, name
