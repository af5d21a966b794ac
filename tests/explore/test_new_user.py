"""The page "Explore your own tests in ten minutes": each of its commands, in an empty folder, as it is written.

The page shows what is recorded in `examples/wild/new_user`. `CONCMODELS_RECORD=1` writes that anew.
"""

import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import concmodels

ROOT = Path(concmodels.__file__).parent.parent
PAGE = (ROOT / "docs" / "start" / "explore-your-tests.md").read_text()
KEPT = ROOT / "examples" / "wild" / "new_user"
SHOWN = re.compile(r"```console\n(.*?)```|```\{code-of\} examples/wild/new_user/(\S+)", re.DOTALL)
NUMBERS = re.compile(r"0x[0-9a-f]+|\d+\.\d+s|3\.\d+-[0-9a-f]{6}-\S+|\d+")
PYTHON = """#!/bin/sh
# An interpreter of Debian's has no ensurepip: uv makes the environment, with pip in it.
if [ "$2" = venv ]; then exec {uv} venv --quiet --seed --python {python} "$3"; fi
exec {python} "$@"
"""


@pytest.fixture
def empty(tmp_path):
    """An empty folder with the project beside it, and `python3.14` on the PATH."""
    uv = shutil.which("uv") or ROOT / ".python" / "uv" / "bin" / "uv"
    if not Path(uv).exists():
        pytest.skip("uv, which makes an environment, is neither on the PATH nor in the project's folder")
    (tmp_path / "concmodels").symlink_to(ROOT)
    (tmp_path / "bin").mkdir()
    shim = tmp_path / "bin" / "python3.14"
    shim.write_text(PYTHON.format(uv=shlex.quote(str(uv)), python=shlex.quote(sys.executable)))
    shim.chmod(0o755)
    (tmp_path / "empty").mkdir()
    return tmp_path / "empty"


def shown():
    """What the page has, in order: commands, and names of files."""
    for commands, file in SHOWN.findall(PAGE):
        yield [line.removeprefix("$ ") for line in commands.splitlines()] if commands else file


@pytest.mark.thorough
@pytest.mark.timeout(300)
def test_every_command_of_the_page_does_what_it_says(empty):
    ours = {name: value for name, value in os.environ.items() if not name.startswith(("PYTEST", "PYTHON"))}
    ours |= {"PATH": f"{empty.parent / 'bin'}{os.pathsep}{os.environ['PATH']}", "COLUMNS": "100"}
    activate = ""
    out = ""
    for item in shown():
        if isinstance(item, str):
            _check(item, out, empty)
            continue
        for command in item:
            if command.startswith(". "):
                activate = f"{command}; "
                continue
            done = subprocess.run(
                ["sh", "-c", activate + command], cwd=empty, env=ours, capture_output=True, text=True, timeout=200,
                check=False,
            )  # fmt: skip
            if " pip install" in command and done.returncode:
                pytest.skip(f"packages can't be fetched here: {done.stderr.strip().splitlines()[-1]}")
            out = done.stdout
            assert done.stderr == "" or " pip " in command, done.stderr


def _check(name, out, folder):
    """Write a file of the user's; hold what a command has printed against what is recorded."""
    if not name.endswith(".txt"):
        (folder / name).write_text((KEPT / name).read_text())
        return
    if os.environ.get("CONCMODELS_RECORD"):
        (KEPT / name).write_text(
            "".join(f"{line.rstrip()}\n" for line in out.replace(str(folder), "~/project").splitlines())
        )
    assert _without_numbers(out.replace(str(folder), "~/project")) == _without_numbers((KEPT / name).read_text())


def _without_numbers(text):
    return [re.sub(r"[ =_]+", " ", NUMBERS.sub("N", line)).strip() for line in text.splitlines()]


def test_the_page_has_what_is_recorded():
    files = {it for it in shown() if isinstance(it, str)}
    assert files == {path.name for path in KEPT.iterdir() if path.is_file()}
