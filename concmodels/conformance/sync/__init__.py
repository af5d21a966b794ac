"""The chapters of `concmodels.conformance.guarantees` as sync code: the same text without `async` and `await`.

There are no files here. Importing `sync.delivery` compiles the text of `guarantees/delivery.py` line for line, so a
traceback shows the right place. A child imports the functions of its tasks by the same name.
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
    """Return the text without `async` and `await`."""
    return text.replace("async ", "").replace("await ", "")


class Loader(SourceFileLoader):
    """Loads a chapter as sync code."""

    @staticmethod
    def compile(text: str, path: str) -> CodeType:
        """Compile the text. The pytest plugin replaces this, so that a failed `assert` shows the values."""
        return compile(text, path, "exec", dont_inherit=True)

    def get_code(self, fullname: str) -> CodeType:
        """Compile the text, and never load a .pyc: that is the one of the async code."""
        return self.compile(without_await(self.get_data(self.path).decode()), self.path)


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
