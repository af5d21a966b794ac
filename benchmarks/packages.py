"""Libraries that are measured against and that this project does not need itself.

Each is installed into a folder of its own, `.python/peers-3.14/janus`, and only the candidates that need it see that
folder: one that can't be installed is a line in the report and harms nothing else.
"""

import os
import shutil
from pathlib import Path

from benchmarks.interpreters import ROOT, Interpreter, NotToBeHad, last_line, quietly

INSTALL = """
root=$(pwd -P) log=.python/peers.log
. tools/uv.sh
. tools/debian.sh
get_uv
exec uv pip install --quiet $no_index --python "$1" --target "$2" "$3"
"""
"""With the project's own way to uv, which knows what pip is configured for."""
INSTALL_S = 180.0


class Packages:
    """The libraries that were found or installed for one Python. Each library is looked for only once."""

    def __init__(self, python: Interpreter, may_install: bool) -> None:
        self._python = python
        self._may_install = may_install
        self._found: dict[str, Path | NotToBeHad] = {}

    def path(self, needs: tuple[str, ...]) -> str | None:
        """Return a PYTHONPATH with which these libraries can be imported. Raises `NotToBeHad` with a sentence."""
        folders = [self._folder(need) for need in needs]
        return os.pathsep.join(map(str, folders)) if folders else None

    def _folder(self, need: str) -> Path:
        if need not in self._found:
            try:
                self._found[need] = self._ready(need)
            except NotToBeHad as reason:
                self._found[need] = reason
        found = self._found[need]
        if isinstance(found, NotToBeHad):
            raise found
        return found

    def _ready(self, need: str) -> Path:
        folder = ROOT / ".python" / f"peers-{self._python.tag}" / need
        if folder.is_dir():
            return folder
        if not self._may_install:
            raise NotToBeHad(f"{need} is not installed (a run that is not quick installs it)")
        new = folder.with_name(need + ".new")
        shutil.rmtree(new, ignore_errors=True)
        new.parent.mkdir(parents=True, exist_ok=True)
        done = quietly(["sh", "-euc", INSTALL, "sh", self._python.path, str(new), need], INSTALL_S)
        if done.returncode:
            shutil.rmtree(new, ignore_errors=True)
            raise NotToBeHad(f"{need} could not be installed: {last_line(done.stderr)}")
        new.rename(folder)
        return folder
