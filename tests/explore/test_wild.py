"""The bugs of `examples/wild`: the explorer finds each in the version that has it, and none in the mended one."""

import importlib.util
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import concmodels

ROOT = Path(concmodels.__file__).parent.parent
WILD = ROOT / "examples" / "wild"
FETCHED = ROOT / ".python" / "wild"
"""Where packages are kept that the tests have fetched."""


def _command():
    spec = importlib.util.spec_from_file_location("wild_command", WILD / "__main__.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


wild = _command()
FOUND = {it["bug"]: it["reports"] for it in json.loads((WILD / "found.json").read_text())["bugs"]}
QUICK = ("repoze_lru", "weakref_setdefault")
OF_PYTHON = [bug for bug, entry in wild.BUGS.items() if "standard" in entry]
OF_PACKAGES = [bug for bug in wild.BUGS if bug not in OF_PYTHON]


def explored(bug, requirement):
    try:
        return wild.explored(bug, requirement, FETCHED)
    except wild.NotHere as reason:
        if "can't be explored" in str(reason):
            raise
        pytest.skip(str(reason))


@pytest.mark.timeout(400)
@pytest.mark.parametrize(
    "bug", [pytest.param(it, marks=[] if it in QUICK else [pytest.mark.thorough]) for it in OF_PACKAGES]
)
def test_it_is_found_in_the_version_that_has_it(bug):
    report = explored(bug, wild.requirements(bug)[0])
    assert report["verdict"] == "broken", report["text"]


@pytest.mark.thorough
@pytest.mark.timeout(400)
@pytest.mark.parametrize("bug", OF_PACKAGES)
def test_it_is_not_found_in_the_mended_one(bug):
    for requirement, kept in zip(wild.requirements(bug)[1:], FOUND[bug][1:], strict=True):
        report = explored(bug, requirement)
        assert report["failure"] is None, report["text"]
        if kept["in_all"] is not None:
            assert report["in_all"] is not None, report["text"]


@pytest.mark.skipif(sys.version_info[:2] != (3, 14), reason="these are bugs of Python 3.14, and may be mended later")
@pytest.mark.timeout(150)
@pytest.mark.parametrize(
    "bug", [pytest.param(it, marks=[pytest.mark.thorough] if it not in QUICK else []) for it in OF_PYTHON]
)
def test_it_is_found_in_the_library_of_python(bug, tmp_path):
    (requirement,) = wild.requirements(bug)
    report = wild.explored(bug, requirement, tmp_path)
    assert report["verdict"] == "broken", report["text"]
    where = tmp_path / f"pure_{wild.BUGS[bug]['standard']}"
    again = wild.run(["-m", "concmodels.explore", f"{bug}.py", "--replay", report["failure"]["replay"]], where, 60)
    assert again.returncode == 1 and "broken" in again.stdout, again.stdout + again.stderr


def test_what_is_kept_is_of_these_bugs_and_versions():
    assert list(FOUND) == list(wild.BUGS)
    for bug in OF_PACKAGES:
        assert [it["requirement"] for it in FOUND[bug]] == wild.requirements(bug)
    for bug, (first, *_) in FOUND.items():
        assert first["verdict"] == "broken", bug


@pytest.mark.parametrize("bug", wild.BUGS)
def test_a_program_has_at_most_thirty_lines(bug):
    text = (WILD / f"{bug}.py").read_text()
    assert text.startswith('"""') and len(text.splitlines()) <= 30


def test_on_real_threads_a_failed_run_is_counted(tmp_path):
    (tmp_path / "fails.py").write_text(
        "import threading\nruns = 0\n\ndef main():\n    thread = threading.Thread(target=int, args=('no number',))\n"
        "    thread.start()\n    thread.join()\n"
    )
    (tmp_path / "raises.py").write_text("def main():\n    raise ValueError\n")
    (tmp_path / "holds.py").write_text("def main():\n    pass\n")
    for name, expected in {"fails": 3, "raises": 3, "holds": 0}.items():
        assert wild.run(["real.py", name, "3"], tmp_path, 50).stdout == f"{expected}\n"


def test_the_command_shows_one_bug_in_one_version():
    command = [sys.executable, str(WILD), "weakref_setdefault"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=50, check=True)
    assert done.stdout.startswith("weakref_setdefault with Python 3.") and "--replay 3." in done.stdout
    done = subprocess.run([sys.executable, str(WILD), "nothing"], capture_output=True, text=True, check=False)
    assert done.returncode == 2 and "invalid choice: 'nothing'" in done.stderr


def test_a_version_that_does_not_exist_is_one_sentence(tmp_path):
    command = [sys.executable, str(WILD), "pyee_once", "no-such-package-of-ours==1", "--folder", str(tmp_path)]
    fetched = f"{ROOT / '.python' / 'uv' / 'bin'}{os.pathsep}{os.environ['PATH']}"  # to find it, pip is asked a lot
    offline = os.environ | {"UV_OFFLINE": "1", "PIP_NO_INDEX": "1", "PATH": fetched}
    done = subprocess.run(command, env=offline, capture_output=True, text=True, timeout=50, check=False)
    assert done.returncode == 1 and done.stdout == ""
    assert done.stderr.startswith("wild: no-such-package-of-ours==1 can't be installed: ")
    assert len(done.stderr.splitlines()) == 1
