"""The signatures of public names, as the source has them: autodoc asks the running module, which knows less.

The package imports for type checkers alone what costs a child time; Protocols have only overloads of some methods.
"""

import annotationlib
import ast
import importlib
import inspect
import sys
import typing

from sphinx.application import Sphinx
from sphinx.util.inspect import stringify_signature

_revealed: set[str] = set()


def reveal(module: str) -> None:
    """Do what a module does for type checkers alone, first in those that it imports for them: signatures need it."""
    if module in _revealed:
        return
    _revealed.add(module)  # first: they import one another
    found = importlib.import_module(module)
    for node in ast.parse(inspect.getsource(found)).body:
        if isinstance(node, ast.If) and ast.unparse(node.test) in ("TYPE_CHECKING", "typing.TYPE_CHECKING"):
            for it in node.body:
                if isinstance(it, ast.ImportFrom) and is_ours(it.module):
                    reveal(str(it.module))
            exec(compile(ast.Module(node.body, []), module, "exec"), vars(found))


def is_ours(module: str | None) -> bool:
    return (module or "").partition(".")[0] in ("concmodels", "benchmarks")


def before_signature(app: Sphinx, obj: object, bound: bool) -> None:
    """For autodoc. Also a class that another module has made may lend a signature to the one that is shown."""
    for module in list(sys.modules):
        if is_ours(module) and module != "concmodels.__main__":
            reveal(module)


def is_dummy(obj: object) -> bool:
    """Whether this is what typing puts where there are only `@overload`s."""
    return getattr(obj, "__name__", "") == "_overload_dummy"


def overloads(name: str) -> list[object]:
    """All forms of a function that has several and no body, as a Protocol's method may."""
    parts = name.split(".")
    for at in range(1, len(parts)):
        if found := typing._overload_registry.get(".".join(parts[:at]), {}).get(".".join(parts[at:])):
            return list(found.values())
    raise KeyError(name)


def signature(app: Sphinx, what: str, name: str, obj: object, *_: object) -> tuple[str, str] | None:
    """For autodoc: nobody calls a Protocol, and of several forms the last one says most."""
    if getattr(obj, "_is_protocol", False):
        return "", ""
    if is_dummy(obj):
        forms = overloads(name)
        shown = inspect.signature(forms[-1], annotation_format=annotationlib.Format.STRING)
        shown = shown.replace(parameters=[it for it in shown.parameters.values() if it.name != "self"])
        arguments, _, returned = stringify_signature(shown).rpartition(" -> ")
        return arguments, returned
    return None


def setup(app: Sphinx) -> None:
    app.connect("autodoc-process-signature", signature)
    app.connect("autodoc-before-process-signature", before_signature)
