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
import builtins
import dis
from array import array
from collections import Counter
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, field
from io import StringIO
from types import CodeType, GeneratorType
from typing import TYPE_CHECKING, Literal

from concmodels.explore.preemption import opcodes
from concmodels.explore.preemption.expressions import METHODS, Value, value_of
from concmodels.explore.preemption.operands import (
    MAKE_NEW,
    NOTHING,
    SIMULATED,
    UNFOLLOWED,
    Operands,
    Position,
    operands_of,
)

if TYPE_CHECKING:
    from concmodels.models.simulated.steps import Key

type Kind = Literal[
    "global", "cell", "attribute", "item", "within", "container", "iteration", "element", "operands", "truth",
    "pattern", "unfollowed", "call",
]  # fmt: skip

_FUNCTION = 2  # CO_NEWLOCALS: set for functions, not for the bodies of modules and classes

_STORES: dict[str, Kind] = {
    "STORE_GLOBAL": "global", "DELETE_GLOBAL": "global", "STORE_ATTR": "attribute", "DELETE_ATTR": "attribute",
    "STORE_DEREF": "cell", "DELETE_DEREF": "cell",
}  # fmt: skip
_LOADS: dict[str, Kind] = {"LOAD_GLOBAL": "global", "LOAD_ATTR": "attribute", "LOAD_DEREF": "cell"}
_VARIABLES: dict[str, Kind] = _STORES | _LOADS
_HIDDEN = frozenset(
    {
        "setattr", "delattr", "vars", "globals", "locals", "exec", "eval", "attrgetter", "asdict", "astuple",
        "__dict__", "__setattr__", "__delattr__", "__getattribute__",
    }
)  # fmt: skip
"""Names by which a program reads or writes what no instruction names."""


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
    unpacked: Operands = NOTHING
    """What a call unpacks: `f(*items)`."""
    line: int = 0
    deletes: bool = False
    operands: Operands = NOTHING
    """What else it reads, all of it."""
    passed: Operands = NOTHING
    """What a call is given."""
    deep: bool = False
    """Whether it reads also the containers that are in what it reads."""
    is_wanted: bool = False
    """Whether it is a method whose result is read by another instruction."""
    begins: bool = False
    """Whether it begins an iteration."""
    of_module: bool = False
    """Whether a global variable may be an attribute elsewhere: that of a module."""
    positional: int = 0
    """How many attributes the pattern of a class reads by position."""
    names: tuple[str, ...] = ()
    """Which ones it reads by name."""
    cell_of: CodeType | None = None
    """The function whose variable a cell is."""

    place: tuple[str, int] = field(init=False)
    """Its file and line."""
    is_call: bool = field(init=False)
    """Whether it calls something."""
    is_access: bool = field(init=False)
    """Whether it always accesses something: most calls, and most truth values, are of no container."""
    is_method: bool = field(init=False)
    """Whether it calls an attribute of something."""
    made_by: Value | None = field(init=False)
    """What finds the function that has returned the owner, if a call has."""
    of_super: bool = field(init=False)
    """Whether it calls a method of `super()`."""
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
        of = node.func if self.is_call and isinstance(node, ast.Call) else node
        self.is_method = self.is_call and isinstance(of, ast.Attribute)
        maker = of.value if isinstance(of, (ast.Attribute, ast.Subscript)) else None
        self.of_super = isinstance(maker, ast.Call) and isinstance(maker.func, ast.Name) and maker.func.id == "super"
        self.made_by = None
        if isinstance(maker, ast.Call) and not self.of_super:
            self.made_by = value_of(maker.func, self.code)
        key = (self.kind, self.variable) if is_variable else ("item", "")
        self.keys = ((key, self.writes or self.is_call),)  # type: ignore[assignment]
        if self.of_module and self.kind in ("global", "attribute"):
            both = ("global", self.variable), ("attribute", self.variable)
            self.keys = tuple((it, self.writes) for it in both)  # type: ignore[misc]
        self.verb = "call" if self.is_call else "write" if self.writes else "read"

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
        if self.made_by is not None or self.operands.made or self.passed.made or self.unpacked.made:
            return True
        kinds = ("within", "container", "operands", "truth")
        return self.kind in kinds and not isinstance(self.node, ast.Name)


class Sites:
    """The sites of some functions, and of those inside of them; `trees` are the syntax trees of their files.

    Functions are looked up by the `id` of their code, because the hash of a code object reads all of its instructions.
    """

    def __init__(self, codes: Iterable[CodeType], trees: dict[str, ast.Module]) -> None:
        self.codes = [code for root in codes for code in _functions(root)]
        self._outer = {inner: code for code in self.codes for inner in code.co_consts if isinstance(inner, CodeType)}
        self._lines: dict[int, list[int]] = {}
        self._calls: dict[int, dict[Position, int]] = {}
        self._generators: set[CodeType] = set()
        """The generator expressions of which it is known that they go through what they are given."""
        self._nodes = {path: _Nodes(tree) for path, tree in trees.items()}
        self._no_nodes = _Nodes(ast.Module())
        self._own_methods = _own_methods(trees.values())
        self._assigned = {
            (_STORES[it.opname], it.argval)
            for code in self.codes
            for it in dis.get_instructions(code)
            if it.opname in _STORES
        }
        self._has_modules = len(trees) > 1
        self.attributes = frozenset(name for kind, name in self._assigned if kind == "attribute")
        """The names of all attributes that are assigned."""
        self.of = {id(code): {site.offset: site for site in self._sites(code)} for code in self.codes}
        """The sites of each function, by the `id` of its code, and by offset."""
        self.need_results = self._want_results()
        """Whether one of them needs to know what another call than the last one has returned."""
        self.need_returned = any(site.needs_returned for those in self.of.values() for site in those.values())
        """Whether one of them needs to know what calls return."""
        unknown = {it.opname for code in self.codes for it in dis.get_instructions(code)} - opcodes.KNOWN
        self.hidden = sorted({name for code in self.codes for name in code.co_names if name in _HIDDEN} | unknown)
        """The names in these functions by which something is accessed that can't be followed."""
        self.defined = frozenset(code.co_name for code in self.codes)
        """The names of the functions."""

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

    def _want_results(self) -> bool:
        """Mark the calls whose results are read; return whether two results are read at once."""
        sites = [site for those in self.of.values() for site in those.values()]
        read = [it for site in sites for it in (*site.operands.made, *site.passed.made, *site.unpacked.made)]
        where = {position for *_, position in read}
        for site in sites:
            if site.is_method and isinstance(site.node, ast.Call):
                site.is_wanted = _position(site.node) in where
        return any(not name for _, name, _ in read)

    def offset_of_call(self, code: CodeType, where: Position) -> int | None:
        """Return the offset of the call at this position."""
        calls = self._calls.get(id(code))
        if calls is None:
            found = dis.get_instructions(code)
            calls = self._calls[id(code)] = {
                (it.lineno, it.end_lineno, it.col_offset, it.end_col_offset): instruction.offset
                for instruction in found
                if instruction.opname.startswith("CALL") and (it := instruction.positions) is not None
            }
        return calls.get(where)

    def _is_assigned(self, kind: str, name: str) -> bool:
        """Whether a variable is ever assigned. A global one is an attribute in other files."""
        if (kind, name) in self._assigned:
            return True
        return self._has_modules and kind != "cell" and bool({("global", name), ("attribute", name)} & self._assigned)

    def _sites(self, code: CodeType) -> Iterator[Site]:
        nodes = self._nodes.get(code.co_filename, self._no_nodes)
        last = ""
        for it in dis.get_instructions(code):
            of_exit, last = last == "WITH_EXCEPT_START", it.opname  # the truth of what an `__exit__` has returned
            position = it.positions
            if of_exit or position is None or position.lineno is None:
                continue
            where = position.lineno, position.end_lineno, position.col_offset, position.end_col_offset
            site = self._site(code, it, nodes.by_position.get(where), nodes, where)
            if site is not None:
                yield site

    def _site(
        self, code: CodeType, it: dis.Instruction, node: ast.AST | None, nodes: _Nodes, where: Position
    ) -> Site | None:
        name, offset, line = it.opname, it.offset, it.line_number or 0
        if name in _OF_PATTERNS and where in nodes.matched:
            return _of_pattern(code, it, nodes.matched[where])
        if name == "IMPORT_FROM":
            is_shared = self._is_assigned("attribute", it.argval)
            return Site(code, offset, "unfollowed", "", False, node, None, line=line) if is_shared else None
        if name == "LOAD_SUPER_ATTR":
            is_known = ("attribute", it.argval) not in self._assigned
            return None if is_known else Site(code, offset, "unfollowed", "", False, node, None, line=line)
        kind = _VARIABLES.get(name)
        if kind is not None:
            if not self._is_assigned(kind, it.argval):
                return None
            owner = value_of(node.value, code) if isinstance(node, ast.Attribute) else None
            definer = self._definer(code, it.argval) if kind == "cell" else None
            writes = name in _STORES
            return Site(
                code,
                offset,
                kind,
                it.argval,
                writes,
                node,
                owner,
                line=line,
                cell_of=definer,
                of_module=self._has_modules,
            )
        if name in ("STORE_SUBSCR", "DELETE_SUBSCR") or (name == "BINARY_OP" and it.argrepr == "[]"):
            if not isinstance(node, ast.Subscript):
                return None
            is_slice = isinstance(node.slice, ast.Slice)
            index = None if is_slice else value_of(node.slice, code)
            writes, deletes = name != "BINARY_OP", name == "DELETE_SUBSCR"
            owner = value_of(node.value, code)
            given = operands_of([nodes.given[where]], code) if is_slice and where in nodes.given else NOTHING
            return Site(
                code, offset, "item", "", writes, node, owner, index, line=line, deletes=deletes, operands=given
            )
        if name in ("STORE_SLICE", "BINARY_SLICE") and isinstance(node, ast.Subscript):
            writes = name == "STORE_SLICE"
            read = [] if value_of(node.value, code) else [node.value]
            read += [nodes.given[where]] if writes and where in nodes.given else []
            owner, operands = value_of(node.value, code), operands_of(read, code)
            return Site(code, offset, "container", "", writes, node, owner, line=line, operands=operands)
        if name == "BINARY_OP" and it.argrepr.endswith("=") and isinstance(node, ast.AugAssign):
            return _augmented(code, offset, node, line)
        if name == "TO_BOOL" and isinstance(node, _SIMPLE):
            return Site(code, offset, "container", "", False, node, value_of(node, code), line=line)
        if name == "TO_BOOL" and (truth := _truth(node, code, nodes.new)):
            return Site(code, offset, "truth", "", False, node, None, line=line, operands=truth)
        if name == "CONTAINS_OP" and isinstance(node, ast.Compare):
            return _within(code, offset, node, line)
        if name in ("GET_ITER", "GET_YIELD_FROM_ITER", "FOR_ITER", "SEND"):
            return self._iteration(code, it, node, nodes.new)
        if name in ("UNPACK_SEQUENCE", "UNPACK_EX") and where in nodes.elements:
            iterated, is_nested = nodes.elements[where]
            if not is_nested and _gives_new(iterated):
                return None
            operands = operands_of([iterated], code)
            return Site(code, offset, "element", "", False, iterated, None, line=line, operands=operands)
        if operands := operands_of(_operands(name, node), code, nodes.new):
            deep = (
                where in nodes.nested
                or not name.startswith(("UNPACK", "LIST", "SET", "DICT"))
                and not (isinstance(node, ast.BinOp) and not isinstance(node.op, ast.Mod))
            )
            return Site(code, offset, "operands", "", False, node, None, line=line, operands=operands, deep=deep)
        if name in ("CALL", "CALL_KW", "CALL_FUNCTION_EX") and isinstance(node, ast.Call):
            if isinstance(node.func, ast.Name) and node.func.id in ("getattr", "hasattr"):
                return self._named(code, offset, node, line)
            return _call(code, offset, node, line, nodes, self._own_methods)
        return None

    def _iteration(
        self, code: CodeType, it: dis.Instruction, node: ast.AST | None, new: Collection[str]
    ) -> Site | None:
        """Return the site of an instruction that begins a loop over a container, or takes the next item."""
        iterated = node.value if isinstance(node, ast.YieldFrom) else node
        if iterated is None or isinstance(iterated, ast.Await):
            return None
        if isinstance(iterated, ast.Call) and isinstance(iterated.func, ast.Name) and iterated.func.id == "range":
            return None
        begins, line = it.opname.startswith("GET"), it.line_number or 0
        of_generator = ".0" in code.co_varnames and code not in self._generators
        self._generators.add(code)
        operands = operands_of([ast.Name(".0") if of_generator else iterated], code, new)
        if not operands:
            return None
        return Site(
            code, it.offset, "iteration", "", False, iterated, None, line=line, begins=begins, operands=operands
        )

    def _named(self, code: CodeType, offset: int, node: ast.Call, line: int) -> Site | None:
        """Return the site of `getattr` or `hasattr`, which read an attribute whose name is a value."""
        match node.args:
            case [owner, ast.Constant(value=str(name)), *_]:
                if name not in self.attributes:
                    return None
                read = ast.Attribute(owner, name, ast.Load())
                return Site(code, offset, "attribute", name, False, read, value_of(owner, code), line=line)
        return Site(code, offset, "unfollowed", "", False, node, None, line=line) if self.attributes else None


_SIMPLE = (ast.Name, ast.Attribute, ast.Subscript)
_OF_PATTERNS = frozenset(
    {
        "BINARY_OP", "COMPARE_OP", "DICT_UPDATE", "GET_LEN", "MATCH_CLASS", "MATCH_KEYS", "UNPACK_EX",
        "UNPACK_SEQUENCE",
    }
)  # fmt: skip


@dataclass(frozen=True)
class _Matched:
    """A pattern of a `match`."""

    pattern: ast.pattern
    subject: ast.expr | None
    """What it is matched with, or what that is part of; None if that is not known."""


def _of_pattern(code: CodeType, it: dis.Instruction, matched: _Matched) -> Site | None:
    pattern, line = matched.pattern, it.line_number or 0
    if it.opname == "MATCH_CLASS" and isinstance(pattern, ast.MatchClass):
        return Site(
            code, it.offset, "pattern", "", False, matched.subject, value_of(pattern.cls, code), line=line,
            positional=len(pattern.patterns), names=tuple(pattern.kwd_attrs),
        )  # fmt: skip
    if isinstance(pattern, ast.MatchClass):
        return None
    if isinstance(pattern, ast.MatchValue) and isinstance(pattern.value, ast.Constant):
        return None  # a container is never equal to a number or a text
    operands = UNFOLLOWED if matched.subject is None else operands_of([matched.subject], code)
    node = matched.subject
    return Site(code, it.offset, "operands", "", False, node, None, line=line, operands=operands, deep=True)


def _augmented(code: CodeType, offset: int, node: ast.AugAssign, line: int) -> Site | None:
    """Return the site of `target += value`, which changes the one and reads the other, if they are containers."""
    if not _joined(node.value):
        return None if value_of(node.target, code) is None else _changed(code, offset, node, line, NOTHING)
    if value_of(node.target, code) is None:
        return Site(code, offset, "unfollowed", "", False, node.target, None, line=line)
    return _changed(code, offset, node, line, operands_of([node.value], code))


def _changed(code: CodeType, offset: int, node: ast.AugAssign, line: int, operands: Operands) -> Site:
    owner = value_of(node.target, code)
    return Site(code, offset, "container", "", True, node.target, owner, line=line, operands=operands)


def _truth(node: ast.AST | None, code: CodeType, new: Collection[str]) -> Operands:
    """Return what is looked at for the truth of a call, or of one of several values."""
    has_truth = isinstance(node, (ast.Call, ast.BoolOp, ast.IfExp, ast.NamedExpr))
    return operands_of([node], code, new) if node is not None and has_truth else NOTHING


def _within(code: CodeType, offset: int, node: ast.Compare, line: int) -> Site:
    within = node.comparators[-1]
    owner = value_of(within, code) if len(node.comparators) == 1 else None
    if owner is not None:
        item = value_of(node.left, code)
        return Site(code, offset, "within", "", False, within, owner, item, line=line)
    operands = operands_of(node.comparators, code)
    return Site(code, offset, "within", "", False, within, None, line=line, operands=operands, deep=True)


def _gives_new(iterated: ast.expr) -> bool:
    """Whether the items of this are tuples that are made anew."""
    if not isinstance(iterated, ast.Call):
        return False
    if isinstance(iterated.func, ast.Attribute):
        return iterated.func.attr in ("items", "combinations", "permutations", "product", "pairwise", "groupby")
    if not isinstance(iterated.func, ast.Name) or not iterated.args:
        return False
    name = iterated.func.id
    if name in ("sorted", "list", "tuple", "reversed"):
        return _gives_new(iterated.args[0])
    return name in ("enumerate", "zip")


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
        case "UNPACK_SEQUENCE" | "UNPACK_EX", ast.Tuple(ctx=ast.Store()) | ast.List(ctx=ast.Store()):
            return [ast.Yield()]  # what a `with` gives, of which nothing is known
        case "UNPACK_SEQUENCE" | "UNPACK_EX", ast.expr():
            return [node]
        case "FORMAT_SIMPLE" | "FORMAT_WITH_SPEC" | "CONVERT_VALUE", ast.expr():
            return [node.value if isinstance(node, ast.FormattedValue) else node]
        case "LIST_EXTEND" | "SET_UPDATE", ast.List(elts=parts) | ast.Tuple(elts=parts) | ast.Set(elts=parts):
            return _starred(parts)
        case "LIST_EXTEND" | "DICT_MERGE", ast.Call():
            return _unpacked(node)
        case "DICT_UPDATE", ast.Dict(keys=keys, values=values):
            return [value for key, value in zip(keys, values, strict=True) if key is None]
    return []


def _joined(*operands: ast.expr) -> list[ast.expr]:
    """Return these operands, none if one is a number, a text or None: a container has nothing in common with it."""
    plain = any(isinstance(it, ast.Constant) and not isinstance(it.value, bytes) for it in operands)
    return [] if plain else list(operands)


def _starred(nodes: list[ast.expr]) -> list[ast.expr]:
    return [it.value for it in nodes if isinstance(it, ast.Starred)]


def _is_local(name: str, code: CodeType) -> bool:
    return name in code.co_varnames or name in code.co_cellvars or name in code.co_freevars


_OF_NOTHING = frozenset({"abs", "float", "hash", "id", "int", "isinstance", "issubclass", "range", "round", "type"})
_OF_LOCKS = frozenset(
    {
        "acquire", "get_ident", "is_alive", "is_set", "join", "locked", "monotonic", "notify", "notify_all", "release",
        "start", "wait", "Condition", "Event", "Lock", "RLock",
    }
)  # fmt: skip
"""What is called without a container, and is no method of anything else that is written in C."""


_TAKE_FUNCTIONS = frozenset({"add_done_callback", "map", "spawn", "start_soon", "submit"})
"""Methods that call what they are given, where nobody looks."""
_OF_BUILTINS = METHODS.union(*map(dir, (str, bytes, int, float, memoryview, GeneratorType, array, StringIO)))


def _own_methods(trees: Iterable[ast.Module]) -> frozenset[str]:
    """Return the names of methods that can only be the program's own, because it uses no other modules."""
    nodes = [node for tree in trees for node in ast.walk(tree)]
    imported = {
        name
        for node in nodes
        for name in ([it.name for it in node.names] if isinstance(node, ast.Import) else [])
        + ([node.module or ""] if isinstance(node, ast.ImportFrom) else [])
    }
    if any(
        name.partition(".")[0] not in (*SIMULATED, "time", "typing", "dataclasses", "__future__") for name in imported
    ):
        return frozenset()
    methods = {
        it.name
        for node in nodes
        if isinstance(node, ast.ClassDef)
        for it in node.body
        if isinstance(it, ast.FunctionDef)
    }
    return frozenset(methods - _OF_BUILTINS - _TAKE_FUNCTIONS)


def _is_no_access(code: CodeType, node: ast.Call, nodes: _Nodes, own: Collection[str]) -> bool:
    """Whether a call can't access anything, whatever it is given; most are of functions that are watched themselves."""
    func, given = node.func, [*node.args, *(it.value for it in node.keywords)]
    if any(isinstance(it, ast.Starred) for it in node.args) or not all(it.arg for it in node.keywords):
        return False
    if isinstance(func, ast.Name):
        return func.id in nodes.known and not _is_local(func.id, code)
    if not isinstance(func, ast.Attribute):
        return False
    if func.attr in own or (func.attr in _OF_LOCKS and not given):
        return True
    of = func.value
    of_module = isinstance(of, ast.Name) and of.id in nodes.modules and not _is_local(of.id, code)
    called = [*node.args, *(it.value for it in node.keywords if it.arg not in _NEVER_CALLED)]
    return of_module and all(_is_kept(it, nodes) for it in called)


_NEVER_CALLED = ("args", "kwargs", "name", "daemon", "timeout", "maxsize", "value")


def _is_kept(node: ast.expr, nodes: _Nodes) -> bool:
    """Whether this is no method of a container, which a thread could call."""
    if isinstance(node, ast.Name):
        return node.id in nodes.known
    return isinstance(node, (ast.Constant, ast.JoinedStr, ast.Lambda, ast.Tuple, ast.List, ast.Dict, ast.BinOp))


def _call(code: CodeType, offset: int, node: ast.Call, line: int, nodes: _Nodes, own: Collection[str]) -> Site | None:
    if _is_no_access(code, node, nodes, own):
        return None
    owner = value_of(node.func.value, code) if isinstance(node.func, ast.Attribute) else None
    name = node.func.attr if isinstance(node.func, ast.Attribute) else ""
    arguments = tuple(value_of(it, code) for it in _given(node))
    unpacked = operands_of(_unpacked(node), code, nodes.new)
    passed = operands_of([*node.args, *(it.value for it in node.keywords)], code, nodes.new)
    called = value_of(node.func, code)
    return Site(
        code, offset, "call", name, False, node, owner, called, arguments, unpacked, line, passed=passed, deep=True
    )


def _unpacked(node: ast.Call) -> list[ast.expr]:
    return [*_starred(node.args), *(it.value for it in node.keywords if not it.arg)]


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
        self.given: dict[Position, ast.expr] = {}
        """What is assigned to an item."""
        self.elements: dict[Position, tuple[ast.expr, bool]] = {}
        """What a `for` goes through whose item is unpacked into these names, and whether it is a part of the item."""
        self.nested: set[Position] = set()
        """Names into which a part of something is unpacked."""
        self.matched: dict[Position, _Matched] = {}
        """The patterns of `match` statements."""
        bound = Counter(_bound(tree))
        classes = {it.name for it in getattr(tree, "body", ()) if _is_plain_class(it)}
        functions = {it.name for it in getattr(tree, "body", ()) if _is_plain_function(it)}
        self.known = _once(bound, classes | functions) | {it for it in _OF_NOTHING if not bound[it]}
        """The global names of functions and classes of the file, and of functions that access nothing."""
        self.modules = _once(bound, {it for it in bound if it in ("threading", "queue", "time")} & set(_imported(tree)))
        """The names of simulated modules."""
        self.new = _once(bound, classes) | {it for it in MAKE_NEW if not bound[it]}
        """The names of functions and classes that make something new."""
        self._class = ""
        self.visit(tree)

    def visit_ClassDef(self, node: ast.ClassDef) -> None:
        outer, self._class = self._class, node.name.lstrip("_")
        self.generic_visit(node)
        self._class = outer

    def visit_Assign(self, node: ast.Assign) -> None:
        for target in node.targets:
            self._assigned(target, node.value)
            self.given |= {_position(it): node.value for it in ast.walk(target) if isinstance(it, ast.Subscript)}
        self.generic_visit(node)

    def _assigned(self, target: ast.expr, value: ast.expr) -> None:
        """What is unpacked is known by the position of the names that it is unpacked into."""
        if not isinstance(target, (ast.Tuple, ast.List)):
            return
        position = _position(target)
        if isinstance(value, (ast.Tuple, ast.List)) and len(value.elts) == len(target.elts):
            self.by_position[position] = ast.Constant(None)  # what is made here is not read
            for it, part in zip(target.elts, value.elts, strict=True):
                self._assigned(it, part)
            return
        self.by_position[position] = value
        for inner in ast.walk(target):
            if inner is not target and isinstance(inner, (ast.Tuple, ast.List)):
                self.by_position[_position(inner)] = value
                self.nested.add(_position(inner))

    def visit_For(self, node: ast.For) -> None:
        self._unpacked(node.target, node.iter)
        self.generic_visit(node)

    def visit_comprehension(self, node: ast.comprehension) -> None:
        self._unpacked(node.target, node.iter)
        self.generic_visit(node)

    def _unpacked(self, target: ast.expr, iterated: ast.expr) -> None:
        for it in ast.walk(target):
            if isinstance(it, (ast.Tuple, ast.List)):
                self.elements[_position(it)] = iterated, it is not target

    def visit_Match(self, node: ast.Match) -> None:
        for case in node.cases:
            self._match(case.pattern, node.subject)
        self.generic_visit(node)

    def _match(self, pattern: ast.pattern, subject: ast.expr | None) -> None:
        self.matched[_position(pattern)] = _Matched(pattern, subject)
        inner = None if isinstance(pattern, ast.MatchClass) and not _is_builtin(pattern.cls) else subject
        for it in ast.iter_child_nodes(pattern):
            if isinstance(it, ast.pattern):
                self._match(it, inner)

    def generic_visit(self, node: ast.AST) -> None:
        if isinstance(node, (ast.expr, ast.AugAssign)):
            self.by_position.setdefault(_position(node), node)
            if isinstance(node, ast.Attribute) and self._class:
                node.attr = _mangled(node.attr, self._class)
            elif isinstance(node, ast.Name) and self._class:
                node.id = _mangled(node.id, self._class)
        super().generic_visit(node)


def _imported(tree: ast.AST) -> list[str]:
    """Return the modules that a file imports by their own names."""
    return [
        it.name for node in ast.walk(tree) if isinstance(node, ast.Import) for it in node.names if it.asname is None
    ]


def _once(bound: Counter[str], names: set[str]) -> set[str]:
    """Return those of the names that stand for the same wherever they are used."""
    return {name for name in names if bound[name] == 1}


def _is_plain_class(node: ast.AST) -> bool:
    return (
        isinstance(node, ast.ClassDef)
        and not node.bases
        and not node.keywords
        and not node.decorator_list
        and not any(isinstance(it, ast.FunctionDef) and it.name == "__new__" for it in node.body)
    )


def _is_plain_function(node: ast.AST) -> bool:
    return isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) and not node.decorator_list


def _bound(tree: ast.AST) -> Iterator[str]:
    """Yield every name that is bound anywhere in a file, as often as it is."""
    for node in ast.walk(tree):
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


def _is_builtin(node: ast.expr) -> bool:
    return isinstance(node, ast.Name) and hasattr(builtins, node.id)


def _position(node: ast.expr | ast.AugAssign | ast.pattern) -> Position:
    return node.lineno, node.end_lineno, node.col_offset, node.end_col_offset


def _mangled(name: str, in_class: str) -> str:
    private = name.startswith("__") and not name.endswith("__")
    return f"_{in_class}{name}" if private and in_class else name
