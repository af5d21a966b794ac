"""A plain installation brings greenlet and nothing else, so the explorer imports nothing else."""

import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from suites import Suite

import concmodels

ROOT = Path(concmodels.__file__).parent.parent
pytestmark = pytest.mark.timeout(250)  # other tests start pytest beside these
PROGRAM = """
import threading

def main():
    total = []
    lock = threading.Lock()

    def add():
        with lock:
            total.append(len(total))

    threads = [threading.Thread(target=add) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert total == [0, 1]
"""
IMPORTED = """
import sys
before = set(sys.modules)
{}
names = {{name.partition(".")[0] for name in set(sys.modules) - before}} - set(sys.stdlib_module_names)
print(*sorted(name for name in names - {{"concmodels"}} if not name.startswith("_sysconfigdata")))
"""
BY_FUNCTION = """
from concmodels.explore import explore, replay
report = explore(sys.argv[1])
report.must_hold(in_all=True)
str(report)
"""
BY_COMMAND = """
from concmodels.explore.command import explore_command
assert explore_command([sys.argv[1], "--quiet", "--json", "-"]) == 0
"""
MISSING = "import sys\n\nsys.modules.update(dict.fromkeys({}))\n"
"""Python says of these that there are no such modules."""
TESTS = """
def test_it(explore):
    explore(main).must_hold(in_all=True)
"""


def libraries():
    """The libraries that users may have installed, but for greenlet."""
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]
    return sorted(
        {it.partition(">")[0] for name, extra in extras.items() if name != "all" for it in extra} - {"greenlet"}
    )


def test_the_extra_has_one_requirement_and_so_has_a_plain_installation():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert [it.partition(">")[0] for it in project["dependencies"]] == ["greenlet"]
    assert [it.partition(">")[0] for it in project["optional-dependencies"]["explore"]] == ["greenlet"]


@pytest.mark.parametrize("how", [BY_FUNCTION, BY_COMMAND])
def test_exploring_imports_greenlet_alone(tmp_path, how):
    file = tmp_path / "program.py"
    file.write_text(PROGRAM)
    command = [sys.executable, "-c", IMPORTED.format(how), str(file)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "greenlet"


def test_so_does_the_plugin_of_pytest(tmp_path):
    """Where none of the other libraries is installed, a test with the fixture passes."""
    suite = Suite(tmp_path, fresh=True)
    (suite.folder / "conftest.py").write_text(MISSING.format(libraries()))
    out = suite(PROGRAM + TESTS, "--explore")
    assert "1 passed" in out and "explored: 1 held in all" in out, out


def test_without_greenlet_a_test_says_what_to_install(tmp_path):
    suite = Suite(tmp_path, fresh=True)
    (suite.folder / "conftest.py").write_text(MISSING.format([*libraries(), "greenlet"]))
    out = suite(PROGRAM + TESTS)
    assert "1 failed" in out and "the simulated model can't run here: not installed; pip install greenlet" in out, out
