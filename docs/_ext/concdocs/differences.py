"""The differences of two sources: first by their definitions, then by the lines within those.

Compared line by line, a `return` of one function is the same as a `return` of another one far away. The models' files
are laid out alike, so definitions of the same name are what a reader wants beside each other.
"""

import ast
import difflib
import itertools
from collections.abc import Iterator

type Hunk = tuple[int, int, int, int, int]
"""Whether they are the same (1 or 0), then from which line to which, on the left and on the right."""


def hunks(left: str, right: str) -> list[Hunk]:
    """All lines of both, in pairs of what is the same and what is not."""
    found: list[Hunk] = []
    here, there = list(parts(left)), list(parts(right))
    lines = left.splitlines(), right.splitlines()
    matcher = difflib.SequenceMatcher(None, [it[0] for it in here], [it[0] for it in there], autojunk=False)
    for kind, a, b, c, d in matcher.get_opcodes():
        if kind == "equal":
            for (_, *mine), (_, *yours) in zip(here[a:b], there[c:d], strict=True):
                found += _lines(*lines, *mine, *yours)
        else:
            found.append((0, *_span(here, a, b), *_span(there, c, d)))
    return found


def _span(parts: list[tuple[str, int, int]], first: int, end: int) -> tuple[int, int]:
    """The lines of the parts from this one to before that one; none, at their place, where there are none."""
    if first == end:
        at = parts[first][1] if first < len(parts) else parts[-1][2]
        return at, at
    return parts[first][1], parts[end - 1][2]


def _lines(left: list[str], right: list[str], a: int, b: int, c: int, d: int) -> Iterator[Hunk]:
    """Empty lines alone make nothing the same."""
    matcher = difflib.SequenceMatcher(lambda line: not line.strip(), left[a:b], right[c:d], autojunk=False)
    for kind, i, j, k, m in matcher.get_opcodes():
        yield (int(kind == "equal"), a + i, a + j, c + k, c + m)


def parts(source: str) -> Iterator[tuple[str, int, int]]:
    """The definitions by name, with their first line (comments before it too) and their end, without a gap."""
    lines = source.splitlines()
    starts = [(name, _not_empty(lines, start)) for name, start in _starts(ast.parse(source).body, "")]
    begun = 0
    for (name, _), (_, stop) in itertools.pairwise([*starts, ("", len(lines))]):
        yield name, begun, stop
        begun = stop


def _not_empty(lines: list[str], start: int) -> int:
    """This line, or the next one with something in it."""
    while start < len(lines) and not lines[start].strip():
        start += 1
    return start


def _starts(body: list[ast.stmt], within: str) -> Iterator[tuple[str, int]]:
    """The line at which each begins: right behind the one before."""
    before, end = "", 0
    for node in body:
        name = within + _name(node)
        if name != before:
            yield name, end or node.lineno - 1
        if isinstance(node, ast.ClassDef):
            inner = [it for it in node.body if isinstance(it, ast.FunctionDef | ast.AsyncFunctionDef)]
            for method in inner:
                yield f"{name}.{method.name}", min([method.lineno, *(it.lineno for it in method.decorator_list)]) - 1
        before, end = name, node.end_lineno or 0


def _name(node: ast.stmt) -> str:
    """The name that a reader would give it; statements of one kind in a row are one part."""
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        return node.name
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
        return '"""'
    return "import" if isinstance(node, ast.Import | ast.ImportFrom) else "="
