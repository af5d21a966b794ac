"""The chapters of `concmodels.conformance.guarantees` as sync code: the same text without `async` and `await`.

There are no files here. Importing `sync.delivery` compiles the text of `guarantees/delivery.py`, line for
line, so a traceback shows the right place. Tasks that cross a memory boundary are found by this name in the child too.
"""

import os
import sys
from importlib.machinery import ModuleSpec, SourceFileLoader

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import CodeType, ModuleType

_TEXTS = os.path.join(os.path.dirname(os.path.dirname(__file__)), "guarantees")


def file_of(chapter: str) -> str:
    """Return the path of a chapter's text."""
    return os.path.join(_TEXTS, f"{chapter}.py")


def without_await(text: str) -> str:
    """Make a text sync: no `async`, no `await`."""
    return text.replace("async ", "").replace("await ", "")


class Loader(SourceFileLoader):
    """Loads a chapter as sync code."""

    @staticmethod
    def compile(text: str, path: str) -> CodeType:
        """Turn text into code. The tests put pytest's own way here, which shows the values in a failed `assert`."""
        return compile(text, path, "exec", dont_inherit=True)

    def get_code(self, fullname: str) -> CodeType:
        """Never from a .pyc: that is the async one's."""
        return self.compile(without_await(self.get_data(self.path).decode()), self.path)


class Finder:
    """Finds the chapters under this package's name."""

    @staticmethod
    def find_spec(fullname: str, path: object = None, target: ModuleType | None = None) -> ModuleSpec | None:
        """Say how to load `concmodels.conformance.sync.<chapter>`."""
        package, _, chapter = fullname.rpartition(".")
        file = file_of(chapter)
        if package != __name__ or not os.path.exists(file):
            return None
        spec = ModuleSpec(fullname, Loader(fullname, file), origin=file)
        spec.has_location = True
        return spec


sys.meta_path.insert(0, Finder)
