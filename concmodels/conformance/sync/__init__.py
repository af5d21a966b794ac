"""The chapters of `concmodels.conformance.guarantees` as sync code: the same text without `async` and `await`.

There are no files here. Importing `sync.delivery` compiles the text of `guarantees/delivery.py` line for line, so a
traceback shows the right place. A child imports the functions of its tasks by the same name. To compile a chapter takes
longer than a child needs to start, so the code is kept beside Python's own .pyc files.
"""

import marshal
import os
import sys
from importlib.machinery import ModuleSpec, SourceFileLoader
from importlib.util import MAGIC_NUMBER, cache_from_source

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from types import CodeType, ModuleType

_TEXTS = os.path.join(os.path.dirname(os.path.dirname(__file__)), "guarantees")


def file_of(chapter: str) -> str:
    """Return the path of a chapter's text."""
    return os.path.join(_TEXTS, f"{chapter}.py")


def without_await(text: str) -> str:
    """Return the text without `async` and `await`."""
    return text.replace("async ", "").replace("await ", "")


class Form:
    """One of the two forms that a text is turned into: code, and where it is kept.

    `name` consists of letters and digits, and is part of the file's name. `version` is what the code depends on beside
    the text, Python and `name`.
    """

    def __init__(self, name: str, make: Callable[[str, str], CodeType], version: str = "") -> None:
        self.name, self.make, self.version = name, make, version

    def code(self, text: str, path: str) -> CodeType:
        """Return the code of a text, as it was kept if that is still the code of this text.

        `path` is that of the text's file, for tracebacks; what is kept lies beside it.
        """
        files = SourceFileLoader(self.name, path)
        kept = cache_from_source(path, optimization=self.name)
        key = (path, self.version, sys.flags.optimize, text)
        try:
            found = files.get_data(kept)
        except OSError:
            found = b""
        if found.startswith(MAGIC_NUMBER):  # of this Python: another one's code would crash it
            kept_key, code = marshal.loads(memoryview(found)[len(MAGIC_NUMBER) :])
            if kept_key == key:
                return code  # type: ignore[no-any-return]
        code = self.make(text, path)
        if not sys.dont_write_bytecode:
            files.set_data(kept, MAGIC_NUMBER + marshal.dumps((key, code)))  # not, if the folder is read-only
        return code


def _compiled(text: str, path: str) -> CodeType:
    return compile(text, path, "exec", dont_inherit=True)


PLAIN = Form("sync", _compiled)
"""Code as Python itself compiles it."""


def plain(path: str) -> CodeType:
    """Return the code of a file without `async` and `await`."""
    with open(path, encoding="utf-8") as file:
        return PLAIN.code(without_await(file.read()), path)


class Loader(SourceFileLoader):
    """Loads a chapter as sync code."""

    form = PLAIN
    """The pytest plugin and the grader put another one in its place, so that a failed `assert` shows the values."""

    def get_code(self, fullname: str) -> CodeType:
        """Return the code of the sync text, and never that of the .pyc under the file's name: it is the async one."""
        return self.form.code(without_await(self.get_data(self.path).decode()), self.path)


class Finder:
    """Finds the chapters as modules of this package."""

    @staticmethod
    def find_spec(fullname: str, path: object = None, target: ModuleType | None = None) -> ModuleSpec | None:
        """Return the spec by which `concmodels.conformance.sync.<chapter>` is loaded."""
        package, _, chapter = fullname.rpartition(".")
        file = file_of(chapter)
        if package != __name__ or not os.path.exists(file):
            return None
        spec = ModuleSpec(fullname, Loader(fullname, file), origin=file)
        spec.has_location = True
        return spec


sys.meta_path.insert(0, Finder)
