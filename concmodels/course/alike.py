"""Which hand-ins are alike up to names: their functions have the same syntax trees, without names, texts and comments.

Long functions weigh more.
"""

import ast
from collections import Counter
from collections.abc import Iterator
from itertools import combinations
from pathlib import Path

from concmodels.course.reading import Unreadable, read, syntax_tree
from concmodels.programs.output.streams import BadInput

_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


def alike(paths: list[Path], least: float) -> Iterator[str]:
    """Yield a line for each pair of files with so much in common: how much of the longer one is in the other.

    Raises `BadInput` if there is no such file.
    """
    for path in paths:
        if not path.exists():
            raise BadInput(f"there is no {path}")
    files = {file: functions(file) for path in paths for file in (path.rglob("*.py") if path.is_dir() else [path])}
    pairs = []
    for one, other in combinations(sorted(files), 2):
        longer = max(_size(files[one]), _size(files[other]))
        percent = 100 * _size(files[one] & files[other]) / longer if longer else 0
        if percent >= least:
            pairs.append((percent, one, other))
    for percent, one, other in sorted(pairs, reverse=True):
        yield f"{percent:3.0f} %  {one}  {other}"


def functions(file: Path) -> Counter[str]:
    """Return the functions of a file, without names, and how often it has each."""
    try:
        tree = syntax_tree(read(file))
        definitions = (node for node in ast.walk(tree or ast.Module()) if isinstance(node, _FUNCTIONS))
        return Counter(map(nameless, definitions))
    except Unreadable, RecursionError, MemoryError:
        return Counter()


def nameless(function: ast.AST) -> str:
    """Return the syntax tree of a function as text, without names, texts and annotations."""
    for node in ast.walk(function):
        for field, value in ast.iter_fields(node):
            if field in ("annotation", "returns", "type_comment"):
                setattr(node, field, None)
            elif isinstance(value, str):
                setattr(node, field, "")
            elif field == "body" and isinstance(value, list):
                setattr(node, field, [it for it in value if not _is_text(it)])
    return ast.dump(function)


def _is_text(statement: ast.AST) -> bool:
    """Return whether a statement is a docstring, or another text that does nothing."""
    return isinstance(statement, ast.Expr) and isinstance(getattr(statement.value, "value", None), str)


def _size(functions: Counter[str]) -> int:
    return sum(len(text) * number for text, number in functions.items())
