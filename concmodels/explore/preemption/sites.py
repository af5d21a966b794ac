"""Sites: the instructions of plain code that access what tasks may share, and how to find out what that is.

An access is one instruction: `counter += 1` is a read (LOAD_GLOBAL) and a write (STORE_GLOBAL). Which object it
accesses is not in the instruction, and no callback of `sys.monitoring` sees the stack. But the instruction knows its
position in the text, hence the expression that it belongs to, and that can be evaluated once more in the frame:

    self.balance -= amount      LOAD_ATTR and STORE_ATTR of `self.balance`: the owner is the value of `self`

Evaluated are names, attributes and subscripts of these alone (`expressions.py`), for they have no effects. For a call
there is the value that the callee has returned just before.

What can't be accessed by two tasks at once is no site: a local variable, an attribute or a global name that no function
of the program ever assigns.
"""

import ast
import dis
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from types import CodeType
from typing import TYPE_CHECKING, Literal

from concmodels.explore.preemption.expressions import METHODS, Value, value_of

if TYPE_CHECKING:
    from concmodels.models.simulated.steps import Key

type Kind = Literal["global", "cell", "attribute", "item", "within", "container", "iteration", "operands", "call"]
type Position = tuple[int | None, int | None, int | None, int | None]

_FUNCTION = 2  # CO_NEWLOCALS: set for functions, not for the bodies of modules and classes

_STORES = {"STORE_GLOBAL": "global", "DELETE_GLOBAL": "global", "STORE_ATTR": "attribute", "DELETE_ATTR": "attribute",
           "STORE_DEREF": "cell", "DELETE_DEREF": "cell"}  # fmt: skip
_LOADS = {"LOAD_GLOBAL": "global", "LOAD_ATTR": "attribute", "LOAD_DEREF": "cell"}
_HIDDEN = frozenset({"setattr", "delattr", "vars", "globals", "exec", "eval", "__dict__", "__setattr__"})
"""Names by which a program writes what no instruction names."""


@dataclass(eq=False, slots=True)
class Site:
    """One instruction. What is asked each time that it is executed is found out once."""

    code: CodeType
    offset: int
    kind: Kind
    variable: str
    """The name of the global, cell, attribute or method."""
    writes: bool
    node: ast.AST | None
    """The expression that it belongs to."""
    owner: Value | None
    """Finds the object whose attribute or item it is; None if its expression may have effects."""
    index: Value | None = None
    arguments: tuple[Value | None, ...] = ()
    unpacked: tuple[Value, ...] = ()
    """What a call unpacks: `f(*items)`."""
    line: int = 0
    deletes: bool = False
    cell_of: CodeType | None = None
    """The function whose variable a cell is."""

    place: tuple[str, int] = field(init=False)
    """Its file and line."""
    is_call: bool = field(init=False)
    """Whether it calls something."""
    is_access: bool = field(init=False)
    """Whether it always accesses something: most calls, and most truth values, are of no container."""
    may_access: bool = field(init=False)
    """Whether it can access something: a call of no method of a container, which is given nothing, can't."""
    by_call: bool = field(init=False)
    """Whether the owner is what a call has returned."""
    keys: tuple[tuple[Key, bool], ...] = field(init=False)
    """What a step that consists of it touches: by name, which is more than it really does."""
    verb: str = field(init=False)
    """What it does, in a word."""

    def __post_init__(self) -> None:
        node = self.node
        is_variable = self.kind in ("global", "cell", "attribute")
        self.place = self.file, self.line
        self.is_call = self.kind == "call"
        self.is_access = is_variable or self.kind == "item"
        self.by_call = _is_of_call(node.func if self.is_call and isinstance(node, ast.Call) else node)
        self.may_access = not self.is_call or self.by_call or self.variable in METHODS or self._is_given_something()
        key = (self.kind, self.variable) if is_variable else ("item", "")
        self.keys = ((key, self.writes or self.is_call),)  # type: ignore[assignment]
        self.verb = "call" if self.is_call else "write" if self.writes else "read"

    def _is_given_something(self) -> bool:
        """Whether a call has arguments that can be found and are no constants."""
        nodes = _given(self.node) if isinstance(self.node, ast.Call) else ()
        found = zip(self.arguments, nodes, strict=False)
        return bool(self.unpacked) or any(
            find is not None and not isinstance(node, ast.Constant) for find, node in found
        )

    @property
    def file(self) -> str:
        """The file that it is in."""
        return self.code.co_filename

    @property
    def name(self) -> str:
        """What it accesses, as in the source."""
        node = self.node
        if self.is_call and isinstance(node, ast.Call):
            node = node.func
        return ast.unparse(node) if node is not None else self.variable

    @property
    def needs_returned(self) -> bool:
        """Whether what it accesses may be known only by what a call has returned, as that of a property."""
        kinds = ("within", "container", "operands")
        return self.by_call or (self.kind in kinds and not isinstance(self.node, ast.Name))


class Sites:
    """The sites of some functions, and of those inside of them; `trees` are the syntax trees of their files.

    Functions are looked up by the `id` of their code, because the hash of a code object reads all of its instructions.
    """

    def __init__(self, codes: Iterable[CodeType], trees: dict[str, ast.Module]) -> None:
        self.codes = [code for root in codes for code in _functions(root)]
        self._outer = {inner: code for code in self.codes for inner in code.co_consts if isinstance(inner, CodeType)}
        self._lines: dict[int, list[int]] = {}
        self._trees = {path: _Nodes(tree).by_position for path, tree in trees.items()}
        self._assigned = {
            (_STORES[it.opname], it.argval)
            for code in self.codes
            for it in dis.get_instructions(code)
            if it.opname in _STORES
        }
        self.of = {id(code): {site.offset: site for site in self._sites(code)} for code in self.codes}
        """The sites of each function, by the `id` of its code, and by offset."""
        self.need_returned = any(site.needs_returned for those in self.of.values() for site in those.values())
        """Whether one of them needs to know what calls return."""
        self.hidden = sorted({name for code in self.codes for name in code.co_names if name in _HIDDEN})
        """The names in these functions by which something is written that can't be followed."""

    def _definer(self, code: CodeType, name: str) -> CodeType:
        """Return the function that has made the cell of this name."""
        outer: CodeType | None = code
        while outer is not None and name not in outer.co_cellvars:
            outer = self._outer.get(outer)
        return outer or code

    def line(self, code: CodeType, offset: int) -> int:
        """Return the line of an instruction."""
        lines = self._lines.get(id(code))
        if lines is None:
            lines = self._lines[id(code)] = [line or code.co_firstlineno for line, *_ in code.co_positions()]
        return lines[offset // 2]

    def _sites(self, code: CodeType) -> Iterator[Site]:
        nodes = self._trees.get(code.co_filename, {})
        last = ""
        for it in dis.get_instructions(code):
            of_exit, last = last == "WITH_EXCEPT_START", it.opname  # the truth of what an `__exit__` has returned
            position = it.positions
            if of_exit or position is None or position.lineno is None:
                continue
            node = nodes.get((position.lineno, position.end_lineno, position.col_offset, position.end_col_offset))
            site = self._site(code, it, node)
            if site is not None:
                yield site

    def _site(self, code: CodeType, it: dis.Instruction, node: ast.AST | None) -> Site | None:
        name, offset, line = it.opname, it.offset, it.line_number or 0
        kind = _STORES.get(name) or _LOADS.get(name)
        if kind is not None:
            if (kind, it.argval) not in self._assigned:
                return None
            owner = value_of(node.value, code) if isinstance(node, ast.Attribute) else None
            definer = self._definer(code, it.argval) if kind == "cell" else None
            writes = name in _STORES
            return Site(code, offset, kind, it.argval, writes, node, owner, line=line, cell_of=definer)  # type: ignore[arg-type]
        if name in ("STORE_SUBSCR", "DELETE_SUBSCR") or (name == "BINARY_OP" and it.argrepr == "[]"):
            if not isinstance(node, ast.Subscript):
                return None
            index = None if isinstance(node.slice, ast.Slice) else value_of(node.slice, code)
            writes, deletes = name != "BINARY_OP", name == "DELETE_SUBSCR"
            owner = value_of(node.value, code)
            return Site(code, offset, "item", "", writes, node, owner, index, line=line, deletes=deletes)
        if name in ("STORE_SLICE", "BINARY_SLICE") and isinstance(node, ast.Subscript):
            writes = name == "STORE_SLICE"
            return Site(code, offset, "container", "", writes, node, value_of(node.value, code), line=line)
        if name == "BINARY_OP" and it.argrepr.endswith("=") and isinstance(node, ast.AugAssign):
            return Site(code, offset, "container", "", True, node.target, value_of(node.target, code), line=line)
        if name == "TO_BOOL" and isinstance(node, _SIMPLE):
            return Site(code, offset, "container", "", False, node, value_of(node, code), line=line)
        if name == "CONTAINS_OP" and isinstance(node, ast.Compare) and isinstance(node.comparators[-1], _SIMPLE):
            within, item = node.comparators[-1], value_of(node.left, code) if len(node.comparators) == 1 else None
            return Site(code, offset, "within", "", False, within, value_of(within, code), item, line=line)
        if name == "FOR_ITER" and (iterated := _iterated(node, code)):
            return Site(code, offset, "iteration", "", False, node, None, None, iterated, line=line)
        if operands := _values(_operands(name, node), code):
            return Site(code, offset, "operands", "", False, node, None, None, operands, line=line)
        if name in ("CALL", "CALL_KW", "CALL_FUNCTION_EX") and isinstance(node, ast.Call):
            return _call(code, offset, node, line)
        return None


def _is_of_call(node: ast.AST | None) -> bool:
    """Whether this is an attribute or an item of what a call returns."""
    return isinstance(node, (ast.Attribute, ast.Subscript)) and isinstance(node.value, ast.Call)


_SIMPLE = (ast.Name, ast.Attribute, ast.Subscript)
_VIEWS = ("keys", "values", "items")
_LAZY = ("enumerate", "zip", "reversed", "iter", "map", "filter")


def _iterated(node: ast.AST | None, code: CodeType) -> tuple[Value, ...]:
    """Return what a `for` over this expression iterates over, as far as it can be known."""
    if isinstance(node, ast.Call):
        if isinstance(node.func, ast.Attribute) and node.func.attr in _VIEWS:
            node = node.func.value
        elif isinstance(node.func, ast.Name) and node.func.id in _LAZY:
            return _values(node.args, code)
    return _values([node], code) if isinstance(node, _SIMPLE) else ()


def _values(nodes: Iterable[ast.AST], code: CodeType) -> tuple[Value, ...]:
    """Return what finds the values of these expressions, as far as it can be known."""
    return tuple(value for it in nodes if (value := value_of(it, code)) is not None)


def _operands(opname: str, node: ast.AST | None) -> list[ast.expr]:
    """Return the expressions of which an instruction reads all the items: what is compared, joined or unpacked."""
    match opname, node:
        case "COMPARE_OP", ast.Compare(left=left, comparators=others):
            return _joined(left, *others)
        case "BINARY_OP", ast.BinOp(left=left, right=right, op=op):
            return [left, right] if isinstance(op, (ast.Mult, ast.Mod)) else _joined(left, right)
        case "UNPACK_SEQUENCE" | "UNPACK_EX", ast.Name() | ast.Attribute() | ast.Subscript():
            return [node]
        case "LIST_EXTEND" | "SET_UPDATE", ast.List(elts=parts) | ast.Tuple(elts=parts) | ast.Set(elts=parts):
            return _starred(parts)
        case "DICT_UPDATE", ast.Dict(keys=keys, values=values):
            return [value for key, value in zip(keys, values, strict=True) if key is None]
    return []


def _joined(*operands: ast.expr) -> list[ast.expr]:
    """Return these operands, none if one is a number, a text or None: a container has nothing in common with it."""
    plain = any(isinstance(it, ast.Constant) and not isinstance(it.value, bytes) for it in operands)
    return [] if plain else list(operands)


def _starred(nodes: list[ast.expr]) -> list[ast.expr]:
    return [it.value for it in nodes if isinstance(it, ast.Starred)]


def _call(code: CodeType, offset: int, node: ast.Call, line: int) -> Site:
    owner = value_of(node.func.value, code) if isinstance(node.func, ast.Attribute) else None
    name = node.func.attr if isinstance(node.func, ast.Attribute) else ""
    arguments = tuple(value_of(it, code) for it in _given(node))
    unpacked = _values([*_starred(node.args), *(it.value for it in node.keywords if not it.arg)], code)
    return Site(code, offset, "call", name, False, node, owner, value_of(node.func, code), arguments, unpacked, line)


def _given(node: ast.Call) -> list[ast.expr]:
    return [*node.args, *(keyword.value for keyword in node.keywords if keyword.arg)]


def _functions(code: CodeType) -> Iterator[CodeType]:
    """Yield the functions in this code. The bodies of modules and classes are executed by one task, and are none."""
    if code.co_flags & _FUNCTION:
        yield code
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _functions(constant)


class _Nodes(ast.NodeVisitor):
    """The expressions of a file by position, with the names of private attributes as Python mangles them."""

    def __init__(self, tree: ast.AST) -> None:
        self.by_position: dict[Position, ast.AST] = {}
        self._class = ""
        self.visit(tree)

    def visit_ClassDef(self, node: ast.ClassDef) -> None:
        outer, self._class = self._class, node.name.lstrip("_")
        self.generic_visit(node)
        self._class = outer

    def visit_Assign(self, node: ast.Assign) -> None:
        """What is unpacked is known by the position of the names that it is unpacked into."""
        for target in node.targets:
            if isinstance(target, (ast.Tuple, ast.List)):
                self.by_position[_position(target)] = node.value
        self.generic_visit(node)

    def generic_visit(self, node: ast.AST) -> None:
        if isinstance(node, (ast.expr, ast.AugAssign)):
            self.by_position.setdefault(_position(node), node)
            if isinstance(node, ast.Attribute) and self._class:
                node.attr = _mangled(node.attr, self._class)
            elif isinstance(node, ast.Name) and self._class:
                node.id = _mangled(node.id, self._class)
        super().generic_visit(node)


def _position(node: ast.expr | ast.AugAssign) -> Position:
    return node.lineno, node.end_lineno, node.col_offset, node.end_col_offset


def _mangled(name: str, in_class: str) -> str:
    private = name.startswith("__") and not name.endswith("__")
    return f"_{in_class}{name}" if private and in_class else name
