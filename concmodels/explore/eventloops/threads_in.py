"""Whether a program of an event loop has code of its own run in threads, as its source tells.

If it has none, then nothing switches between two of its instructions, and none has to be watched.
"""

import ast
import builtins
from collections.abc import Collection, Iterable, Iterator

_THREADS = frozenset({"threading", "queue", "_thread", "_queue", "concurrent.futures", "concurrent.futures.thread"})
_FUNCTION_AT = {"to_thread": 0, "run_in_executor": 1}
"""What gives a job to a thread, and which of its arguments is the function."""


def has_threads(trees: Iterable[ast.Module], imported: Collection[str]) -> bool:
    """Return whether threads may run code of the program in these files, which import these modules."""
    trees = list(trees)
    if not _THREADS.isdisjoint(imported):
        return True
    defined = {name for tree in trees for name in _defined(tree)}
    modules = {alias.asname or alias.name for tree in trees for alias in _imports(tree)}
    return any(_has_jobs(tree, defined, modules) for tree in trees)


def _has_jobs(tree: ast.Module, defined: Collection[str], modules: Collection[str]) -> bool:
    """Return whether a function of the program, or one that isn't known, may be the job of a thread."""
    harmless = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and (name := _name(node.func)) in _FUNCTION_AT:
            function = node.args[_FUNCTION_AT[name] : _FUNCTION_AT[name] + 1]
            if function and _is_of_others(function[0], defined, modules):
                harmless.add(node.func)
    return any(_name(node) in _FUNCTION_AT and node not in harmless for node in ast.walk(tree))


def _name(node: ast.AST) -> str:
    if isinstance(node, ast.Name):
        return node.id
    return node.attr if isinstance(node, ast.Attribute) else ""


def _is_of_others(function: ast.expr, defined: Collection[str], modules: Collection[str]) -> bool:
    """Return whether this is a built-in function, or one of a module's."""
    if isinstance(function, ast.Attribute):
        return isinstance(function.value, ast.Name) and function.value.id in modules
    return isinstance(function, ast.Name) and function.id not in defined and hasattr(builtins, function.id)


def _defined(tree: ast.Module) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            yield node.name
        elif isinstance(node, ast.arg):
            yield node.arg
        elif isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
            yield node.id


def _imports(tree: ast.Module) -> Iterator[ast.alias]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from node.names
