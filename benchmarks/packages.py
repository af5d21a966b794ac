"""Libraries that are measured against and that this project does not need itself.

Each, or each group of pinned ones (`benchmarks.web.groups`), is installed into a folder of its own,
`.python/peers-3.14/janus`, and only the candidates that need it see that
folder: one that can't be installed is a line in the report and harms nothing else.
"""

import os
import shutil
from functools import cache
from pathlib import Path

from benchmarks.cell import NotHere
from benchmarks.interpreters import ROOT, Interpreter, NotToBeHad, last_line, quietly
from benchmarks.web.groups import GROUPS, STACK, requirements
from benchmarks.web.stack.components import components

INSTALL = """
root=$(pwd -P) log=.python/peers.log
. tools/uv.sh
. tools/debian.sh
get_uv
python=$1 folder=$2
shift 2
exec uv pip install --quiet $no_index --python "$python" --target "$folder" "$@"
"""
"""With the project's own way to uv, which knows what pip is configured for."""
INSTALL_S = 180.0
STAMP = "requirements.txt"
"""What has been installed into a folder, by the requirements that were asked for."""


class Packages:
    """The libraries that were found or installed for one Python. Each library is looked for only once."""

    def __init__(self, python: Interpreter, may_install: bool) -> None:
        self._python = python
        self._may_install = may_install
        self._found: dict[str, Path | NotToBeHad] = {}

    def path(self, needs: tuple[str, ...]) -> str | None:
        """Return a PYTHONPATH with which these libraries can be imported. Raises `NotToBeHad` with a sentence."""
        folders = [self._folder(need) for need in needs if need != STACK]
        if STACK in needs and self._may_install:
            unpack_stack()
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
        wanted = requirements(need)
        if is_there(folder, wanted):
            return folder
        if not self._may_install:
            raise NotToBeHad(f"{need} is not installed (a run that is not quick installs it)")
        new = folder.with_name(need + ".new")
        shutil.rmtree(new, ignore_errors=True)
        new.parent.mkdir(parents=True, exist_ok=True)
        # A library that would have to be compiled first takes minutes, and a compiler that may not be there.
        wheels = ["--no-build"] if need in GROUPS else []
        line = ["sh", "-euc", INSTALL, "sh", self._python.path, str(new), *wheels, *wanted]
        done = quietly(line, INSTALL_S)
        if done.returncode:
            shutil.rmtree(new, ignore_errors=True)
            raise NotToBeHad(f"{need} could not be installed: {last_line(done.stderr)}")
        (new / STAMP).write_text(stamp(wanted))
        shutil.rmtree(folder, ignore_errors=True)
        new.rename(folder)
        return folder


def is_there(folder: Path, wanted: tuple[str, ...]) -> bool:
    """Return whether these requirements are installed in this folder; a library without versions always is."""
    if not any("==" in requirement for requirement in wanted):
        return folder.is_dir()
    return (folder / STAMP).is_file() and (folder / STAMP).read_text() == stamp(wanted)


def stamp(wanted: tuple[str, ...]) -> str:
    """Return the text by which a folder shows what is in it."""
    return "".join(f"{requirement}\n" for requirement in wanted)


@cache
def unpack_stack() -> None:
    """Unpack the programs of the stack if one is missing. Where that fails, the candidates say which one."""
    try:
        components()
    except NotHere:
        quietly(["sh", "tools/web.sh"], INSTALL_S)
