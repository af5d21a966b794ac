"""The names of a file that stand for the same function, class or module wherever they are used.

These are the names that are bound once in the whole file, and those of Python's own that are bound nowhere in it.
"""

import ast
from collections import Counter
from collections.abc import Iterable, Iterator, Set

from concmodels.explore.preemption.table import MAKE_NEW

_ACCESS_NOTHING = frozenset({"abs", "float", "id", "int", "isinstance", "issubclass", "range", "round", "type"})
"""Functions and classes of Python that access no container, whatever they are given."""
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
_SIMULATED_MODULES = frozenset({"threading", "queue", "time"})


class Names:
    """The names of a file of which it is known what they stand for."""

    def __init__(self, tree: ast.Module, nodes: Iterable[ast.AST]) -> None:
        bound = Counter(_bound(nodes))
        classes = {it.name for it in tree.body if isinstance(it, ast.ClassDef) and _is_plain_class(it)}
        functions = {it.name for it in tree.body if isinstance(it, _FUNCTIONS) and not it.decorator_list}
        self.known = _once(bound, classes | functions) | {it for it in _ACCESS_NOTHING if not bound[it]}
        """Names of functions and classes of the file, and of functions that access nothing."""
        self.modules = _once(bound, _SIMULATED_MODULES.intersection(_imported(nodes)))
        """Names of simulated modules."""
        self.new = _once(bound, classes) | {it for it in MAKE_NEW if not bound[it]}
        """Names of functions and classes that make something new."""


def _once(bound: Counter[str], names: Set[str]) -> set[str]:
    """Return those of the names that are bound once."""
    return {name for name in names if bound[name] == 1}


def _bound(nodes: Iterable[ast.AST]) -> Iterator[str]:
    """Yield every name that is bound anywhere in a file, as often as it is."""
    for node in nodes:
        match node:
            case ast.Name(id=name, ctx=ast.Store() | ast.Del()):
                yield name
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
                yield name
            case ast.arg(arg=name):
                yield name
            case ast.alias(name=name, asname=other):
                yield other or name
            case ast.Attribute(attr=name, ctx=ast.Store()) | ast.Global(names=[name, *_]):
                yield name


def _imported(nodes: Iterable[ast.AST]) -> Iterator[str]:
    """Yield the modules that a file imports by their own names."""
    for node in nodes:
        if isinstance(node, ast.Import):
            yield from (it.name for it in node.names if it.asname is None)


def _is_plain_class(node: ast.ClassDef) -> bool:
    """Whether calling this class makes an object of it, and nothing else."""
    return (
        not node.bases
        and not node.keywords
        and not node.decorator_list
        and not any(isinstance(it, ast.FunctionDef) and it.name == "__new__" for it in node.body)
    )
