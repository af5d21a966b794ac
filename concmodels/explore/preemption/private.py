"""Local containers that no other task can have: made in a function, and never handed on by it.

What a function does with such a list is no site: the list of threads that `main` starts and joins. So it is also none
of the things that an instruction may access of which nothing is known.
"""

import ast
from collections.abc import Iterable, Iterator

type Function = ast.FunctionDef | ast.AsyncFunctionDef

_MAKE = (ast.List, ast.ListComp, ast.Dict, ast.DictComp, ast.Set, ast.SetComp)
_KEEP = frozenset({"add", "append", "appendleft", "clear", "insert", "pop"})
"""Methods that keep what they are given, and give nothing but what is in the container."""
_NAMESPACES = frozenset({"eval", "exec", "locals", "vars"})


def private_names(nodes: Iterable[ast.AST]) -> dict[tuple[str, int], frozenset[str]]:
    """Return the names of such containers in each function, by its name and its first line."""
    found = {}
    for node in nodes:
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            first = min([node.lineno, *(it.lineno for it in node.decorator_list)])
            found[node.name, first] = frozenset(_of_function(node))
    return found


def _of_function(function: Function) -> set[str]:
    made: set[str] = set()
    other: set[str] = set()
    for node, parents in _with_parents(function):
        if not isinstance(node, ast.Name):
            if isinstance(node, (ast.Global, ast.Nonlocal)):
                other.update(node.names)
            elif isinstance(node, ast.ExceptHandler) and node.name:
                other.add(node.name)
            continue
        if isinstance(node.ctx, ast.Store) and _is_made_by(parents[-1], node):
            made.add(node.id)
        elif not isinstance(node.ctx, ast.Load) or not _keeps(node, parents):
            other.add(node.id)
        if node.id in _NAMESPACES:
            return set()
    given = function.args
    arguments = {it.arg for it in (*given.posonlyargs, *given.args, *given.kwonlyargs, given.vararg, given.kwarg) if it}
    return made - other - arguments


def _with_parents(function: Function) -> Iterator[tuple[ast.AST, list[ast.AST]]]:
    """Yield what is in a function, each with what it is in; in inner functions too."""
    left: list[tuple[ast.AST, list[ast.AST]]] = [(it, [function]) for it in function.body]
    while left:
        node, parents = left.pop()
        yield node, parents
        left += [(it, [*parents, node]) for it in ast.iter_child_nodes(node)]


def _is_made_by(parent: ast.AST, name: ast.Name) -> bool:
    """Whether a name stands for nothing but what is made here."""
    match parent:
        case ast.Assign(targets=[target], value=value):
            return target is name and isinstance(value, _MAKE)
        case ast.AnnAssign(target=target, value=ast.expr() as value):
            return target is name and isinstance(value, _MAKE)
    return False


def _keeps(name: ast.Name, parents: list[ast.AST]) -> bool:
    """Whether a use of a container hands nothing on but what is in it. In an inner function it can be any time."""
    inner = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.GeneratorExp, ast.ClassDef)
    if any(isinstance(it, inner) for it in parents[1:]):
        return False
    match parents[-1]:
        case ast.For(iter=it) | ast.comprehension(iter=it) | ast.Subscript(value=it):
            return it is name
        case ast.Attribute(value=it, attr=method):
            call = parents[-2]
            return it is name and method in _KEEP and isinstance(call, ast.Call) and call.func is parents[-1]
        case ast.If(test=it) | ast.While(test=it):
            return it is name
    return False


def container_of(opname: str, node: ast.AST | None) -> str:
    """Return the name of the container that an instruction accesses, and nothing else; empty if it is no name."""
    match opname, node:
        case "GET_ITER" | "FOR_ITER" | "TO_BOOL", ast.Name(id=name):
            return name
        case "BINARY_OP" | "BINARY_SLICE" | "DELETE_SUBSCR", ast.Subscript(value=ast.Name(id=name)):
            return name
        case "STORE_SUBSCR", ast.Subscript(value=ast.Name(id=name), slice=index) if not isinstance(index, ast.Slice):
            return name
        case "CALL", ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr=method)) if method in _KEEP:
            return "" if any(isinstance(it, ast.Starred) for it in node.args) else name
    return ""
