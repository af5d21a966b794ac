"""Test suites of others, in a folder of their own, run by pytest beside what an installation of concmodels leaves."""

import os
import subprocess
import sys
import tomllib
from pathlib import Path

import others_plugins
import preloaded

import concmodels

IMPORTS = (
    *preloaded.PYTEST,
    *("concmodels.explore.exploring", "concmodels.explore.failures.diagnosis"),
    *("concmodels.explore.threads.installed", "concmodels.models.simulated.sim"),
)
"""What pytest is run with in forks; a suite may ask for a fresh process instead."""
ROOT = Path(concmodels.__file__).parent.parent


class Suite:
    """The folder of a suite. Call it with the text of its one test file, and the arguments of pytest.

    What is imported is imported anew if it is `fresh`.
    """

    def __init__(self, folder: Path, *, fresh: bool = False) -> None:
        self._fresh = fresh
        installed = folder / "installed" / "concmodels-0.dist-info"
        installed.mkdir(parents=True)
        points = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["entry-points"]["pytest11"]
        (installed / "METADATA").write_text("Metadata-Version: 2.1\nName: concmodels\nVersion: 0\n")
        lines = "".join(f"{name} = {where}\n" for name, where in points.items())
        (installed / "entry_points.txt").write_text(f"[pytest11]\n{lines}")
        self.folder = folder / "repository"
        self.folder.mkdir()
        (self.folder / "pytest.ini").write_text("[pytest]\nfilterwarnings = error\naddopts = --strict-markers\n")
        self._path = os.pathsep.join([str(folder / "installed"), str(ROOT)])

    def __call__(self, text: str, *arguments: str) -> str:
        """Return pytest's output."""
        (self.folder / "test_course.py").write_text(text)
        how = {"cwd": self.folder, "env": os.environ | {"PYTHONPATH": self._path, "COLUMNS": "200"}}
        without = others_plugins.BUT_XDIST if "-n" in arguments else others_plugins.WITHOUT
        if not self._fresh:
            return preloaded.run("pytest", *without, *arguments, imports=IMPORTS, **how)[1]
        command = [sys.executable, "-m", "pytest", *without, *arguments]
        done = subprocess.run(command, capture_output=True, text=True, timeout=200, check=False, **how)
        return done.stdout + done.stderr
