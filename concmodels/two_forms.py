"""One text for sync and async models: the async text, and the same text without `async` and `await`.

There are no files of the sync texts. Importing one compiles the async text line for line, so a traceback shows the
right place. A child imports the functions of its tasks by the same name. To compile a text takes longer than a child
needs to start, so the code is kept beside Python's own .pyc files. And what a child has no need of is not imported for
it: `re`, and what `importlib.util` and `importlib.machinery` import, take a third as long as the start itself.
"""

import marshal
import os
import sys
from importlib import import_module
from importlib._bootstrap import ModuleSpec
from importlib._bootstrap_external import MAGIC_NUMBER, SourceFileLoader, cache_from_source

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from types import CodeType, ModuleType

_LEFT_OUT = r"\b(?:async|await) "
_SYNC = {
    "__aenter__": "__enter__", "__aexit__": "__exit__", "__aiter__": "__iter__", "__anext__": "__next__",
    "StopAsyncIteration": "StopIteration",
}  # fmt: skip


def without_await(text: str) -> str:
    """Return the text without `async` and `await`, and with the sync names of special methods."""
    import re

    return re.sub("|".join(_SYNC), lambda found: _SYNC[found[0]], re.sub(_LEFT_OUT, "", text))


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
        key = (path, self.version, sys.flags.optimize, _LEFT_OUT, _SYNC, text)
        try:
            found = files.get_data(kept)
        except OSError:
            found = b""
        if found.startswith(MAGIC_NUMBER):  # of this Python: another one's code would crash it
            try:
                kept_key, code = marshal.loads(memoryview(found)[len(MAGIC_NUMBER) :])
            except EOFError, ValueError, TypeError:  # a full disk has cut it
                kept_key = None
            if kept_key == key:
                return code  # type: ignore[no-any-return]
        code = self.make(text, path)
        if not sys.dont_write_bytecode:
            files.set_data(kept, MAGIC_NUMBER + marshal.dumps((key, code)))  # not, if the folder is read-only
        return code


def _compiled(text: str, path: str) -> CodeType:
    return compile(without_await(text), path, "exec", dont_inherit=True)


PLAIN = Form("sync", _compiled)
"""Sync code of an async text, as Python itself compiles it."""


def plain(path: str) -> CodeType:
    """Return the code of a file without `async` and `await`."""
    with open(path, encoding="utf-8") as file:
        return PLAIN.code(file.read(), path)


class Loader(SourceFileLoader):
    """Loads a text as sync code."""

    form = PLAIN
    """What makes sync code of the async text."""

    def get_code(self, fullname: str) -> CodeType:
        """Return the code of the sync text, and never that of the .pyc under the file's name: it is the async one."""
        return self.form.code(self.get_data(self.path).decode(), self.path)


class Finder:
    """Finds the sync forms of texts: the module `package.name` is made from the file `folder/name.py`."""

    def __init__(self, package: str, folder: str, loader: type[Loader] = Loader) -> None:
        self.package, self.folder, self.loader = package, folder, loader

    def find_spec(self, fullname: str, path: object = None, target: ModuleType | None = None) -> ModuleSpec | None:
        """Return the spec by which the sync form is loaded, or None if there is no such text."""
        package, _, name = fullname.rpartition(".")
        file = os.path.join(self.folder, f"{name}.py")
        if package != self.package or not os.path.exists(file):
            return None
        spec = ModuleSpec(fullname, self.loader(fullname, file), origin=file)
        spec.has_location = True
        return spec


def is_async(model: object) -> bool:
    """Return whether the operations of this model are awaited."""
    from inspect import iscoroutinefunction

    return iscoroutinefunction(model.sleep)  # type: ignore[attr-defined]


def must_fit(model: object, function: object) -> None:
    """Raise `TypeError` if this is a coroutine function and the model is a sync one, which would not await it."""
    from inspect import iscoroutinefunction

    if iscoroutinefunction(function) and not is_async(model):
        name = getattr(function, "__qualname__", repr(function))
        raise TypeError(f"{name} is a coroutine function, and this model is a sync one: write it without `async`")


def form_for(model: object, name: str) -> ModuleType:
    """Return a module of `concmodels.awaited` for an async model, and its sync form for a sync one."""
    return import_module(f"concmodels.{'awaited' if is_async(model) else 'sync'}.{name}")
