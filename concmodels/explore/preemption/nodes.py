"""Which expression an instruction belongs to: the syntax tree of a file by position.

CPython knows the position in the text of each instruction. Where that is not the position of what the instruction
reads, this says what is: an item is unpacked at the position of the names, but comes from what the `for` goes through.
"""

import ast
import builtins
import dis
from collections.abc import Iterator
from dataclasses import dataclass
from types import CodeType
from typing import Any

from concmodels.explore.preemption.names import Names
from concmodels.explore.preemption.operands import Position
from concmodels.explore.preemption.private import container_of, private_names


@dataclass(frozen=True, slots=True)
class Instruction:
    """An instruction, and where it is in the text."""

    code: CodeType
    offset: int
    line: int
    opname: str
    argument: Any
    """Of an instruction that accesses a variable, its name."""
    operator: str
    """That of BINARY_OP."""
    where: Position
    node: ast.AST | None
    """The expression at this position."""
    nodes: Nodes
    """Those of its file."""

    @property
    def at(self) -> tuple[CodeType, int, int]:
        """Return what a `Site` begins with."""
        return self.code, self.offset, self.line


@dataclass(frozen=True)
class Matched:
    """A pattern of a `match`."""

    pattern: ast.pattern
    subject: ast.expr | None
    """What it is matched with, or what that is part of; None if that is not known."""


class Nodes(ast.NodeVisitor):
    """The expressions of a file by position, with the names of private attributes as Python mangles them.

    `nodes` are all of its syntax tree.
    """

    def __init__(self, tree: ast.Module, nodes: list[ast.AST]) -> None:
        self.by_position: dict[Position, ast.AST] = {}
        self.given: dict[Position, ast.expr] = {}
        """What is assigned to an item."""
        self.elements: dict[Position, tuple[ast.expr, bool]] = {}
        """What a `for` goes through whose item is unpacked into these names, and whether it is a part of the item."""
        self.nested: set[Position] = set()
        """Names into which a part of something is unpacked."""
        self.matched: dict[Position, Matched] = {}
        """The patterns of `match` statements."""
        self.names = Names(tree, nodes)
        self._private = private_names(nodes)
        self._class = ""
        self.visit(tree)

    def instructions(self, code: CodeType, instructions: list[dis.Instruction]) -> Iterator[Instruction]:
        """Yield the instructions of a function of this file whose position is known."""
        last = ""
        for it in instructions:
            of_exit, last = last == "WITH_EXCEPT_START", it.opname  # the truth of what an `__exit__` has returned
            where = it.positions
            if of_exit or where is None or where.lineno is None:
                continue
            node, line = self.by_position.get(where), it.line_number or 0
            yield Instruction(code, it.offset, line, it.opname, it.argval, it.argrepr, where, node, self)

    def is_private(self, it: Instruction) -> bool:
        """Return whether an instruction accesses only a container that no other task can have."""
        code = it.code
        return container_of(it.opname, it.node) in self._private.get((code.co_name, code.co_firstlineno), ())

    def visit_ClassDef(self, node: ast.ClassDef) -> None:
        outer, self._class = self._class, node.name.lstrip("_")
        self.generic_visit(node)
        self._class = outer

    def visit_Assign(self, node: ast.Assign) -> None:
        for target in node.targets:
            self._assigned(target, node.value)
            self.given |= {position_of(it): node.value for it in ast.walk(target) if isinstance(it, ast.Subscript)}
        self.generic_visit(node)

    def _assigned(self, target: ast.expr, value: ast.expr) -> None:
        """Note what is assigned. What is unpacked is known by the position of the names that it is unpacked into."""
        if not isinstance(target, (ast.Tuple, ast.List)):
            return
        position = position_of(target)
        if isinstance(value, (ast.Tuple, ast.List)) and len(value.elts) == len(target.elts):
            self.by_position[position] = ast.Constant(None)  # what is made here is not read
            for it, part in zip(target.elts, value.elts, strict=True):
                self._assigned(it, part)
            return
        self.by_position[position] = value
        for inner in ast.walk(target):
            if inner is not target and isinstance(inner, (ast.Tuple, ast.List)):
                self.by_position[position_of(inner)] = value
                self.nested.add(position_of(inner))

    def visit_For(self, node: ast.For) -> None:
        self._unpacked(node.target, node.iter)
        self.generic_visit(node)

    def visit_DictComp(self, node: ast.DictComp) -> None:
        key, value = node.key, node.value
        self.by_position[key.lineno, value.end_lineno, key.col_offset, value.end_col_offset] = node  # of MAP_ADD
        self.generic_visit(node)

    def visit_comprehension(self, node: ast.comprehension) -> None:
        self._unpacked(node.target, node.iter)
        self.generic_visit(node)

    def _unpacked(self, target: ast.expr, iterated: ast.expr) -> None:
        for it in ast.walk(target):
            if isinstance(it, (ast.Tuple, ast.List)):
                self.elements[position_of(it)] = iterated, it is not target

    def visit_Match(self, node: ast.Match) -> None:
        for case in node.cases:
            self._match(case.pattern, node.subject)
        self.generic_visit(node)

    def _match(self, pattern: ast.pattern, subject: ast.expr | None) -> None:
        """Note what a pattern and those in it are matched with: in the pattern of a class, with its attributes."""
        self.matched[position_of(pattern)] = Matched(pattern, subject)
        inner = None if isinstance(pattern, ast.MatchClass) and not _is_builtin(pattern.cls) else subject
        for it in ast.iter_child_nodes(pattern):
            if isinstance(it, ast.pattern):
                self._match(it, inner)

    def generic_visit(self, node: ast.AST) -> None:
        if isinstance(node, (ast.expr, ast.AugAssign)):
            self.by_position.setdefault(position_of(node), node)
            if isinstance(node, ast.Attribute) and self._class:
                node.attr = _mangled(node.attr, self._class)
            elif isinstance(node, ast.Name) and self._class:
                node.id = _mangled(node.id, self._class)
        super().generic_visit(node)


def _is_builtin(node: ast.expr) -> bool:
    return isinstance(node, ast.Name) and hasattr(builtins, node.id)


def position_of(node: ast.expr | ast.AugAssign | ast.pattern) -> Position:
    return node.lineno, node.end_lineno, node.col_offset, node.end_col_offset


def _mangled(name: str, in_class: str) -> str:
    private = name.startswith("__") and not name.endswith("__")
    return f"_{in_class}{name}" if private and in_class else name
