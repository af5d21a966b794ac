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
from collections import Counter
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, field
from types import CodeType
from typing import TYPE_CHECKING, Literal

from concmodels.explore.preemption.expressions import Value, value_of
from concmodels.explore.preemption.operands import NOTHING, UNFOLLOWED, Operands, operands_of

if TYPE_CHECKING:
    from concmodels.models.simulated.steps import Key

type Kind = Literal[
    "global", "cell", "attribute", "item", "within", "container", "iteration", "element", "operands", "truth",
    "pattern", "unfollowed", "call",
]  # fmt: skip
type Position = tuple[int | None, int | None, int | None, int | None]

_FUNCTION = 2  # CO_NEWLOCALS: set for functions, not for the bodies of modules and classes

_STORES = {"STORE_GLOBAL": "global", "DELETE_GLOBAL": "global", "STORE_ATTR": "attribute", "DELETE_ATTR": "attribute",
           "STORE_DEREF": "cell", "DELETE_DEREF": "cell"}  # fmt: skip
_LOADS = {"LOAD_GLOBAL": "global", "LOAD_ATTR": "attribute", "LOAD_DEREF": "cell"}
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
    unpacked: tuple[Value, ...] = ()
    """What a call unpacks: `f(*items)`."""
    line: int = 0
    deletes: bool = False
    operands: Operands = NOTHING
    """What else it reads, all of it."""
    passed: Operands = NOTHING
    """What a call is given."""
    deep: bool = False
    """Whether it reads also the containers that are in what it reads."""
    begins: bool = False
    """Whether it begins an iteration."""
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
        if self.made_by is not None or self.operands.made or self.passed.made:
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
        self._nodes = {path: _Nodes(tree) for path, tree in trees.items()}
        self._no_nodes = _Nodes(ast.Module())
        self._assigned = {
            (_STORES[it.opname], it.argval)
            for code in self.codes
            for it in dis.get_instructions(code)
            if it.opname in _STORES
        }
        self.attributes = frozenset(name for kind, name in self._assigned if kind == "attribute")
        """The names of all attributes that are assigned."""
        self.of = {id(code): {site.offset: site for site in self._sites(code)} for code in self.codes}
        """The sites of each function, by the `id` of its code, and by offset."""
        self.need_returned = any(site.needs_returned for those in self.of.values() for site in those.values())
        """Whether one of them needs to know what calls return."""
        self.hidden = sorted({name for code in self.codes for name in code.co_names if name in _HIDDEN})
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
        if name == "LOAD_SUPER_ATTR":
            is_known = ("attribute", it.argval) not in self._assigned
            return None if is_known else Site(code, offset, "unfollowed", "", False, node, None, line=line)
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
        if name == "TO_BOOL" and (truth := _truth(node, code)):
            return Site(code, offset, "truth", "", False, node, None, line=line, operands=truth)
        if name == "CONTAINS_OP" and isinstance(node, ast.Compare):
            return _within(code, offset, node, line)
        if name in ("GET_ITER", "GET_YIELD_FROM_ITER", "FOR_ITER", "SEND"):
            iterated = node.value if isinstance(node, ast.YieldFrom) else node
            if iterated is None or isinstance(iterated, ast.Await):
                return None
            if isinstance(iterated, ast.Call) and isinstance(iterated.func, ast.Name) and iterated.func.id == "range":
                return None
            begins, operands = name.startswith("GET"), operands_of([iterated], code)
            if not begins and not operands and ".0" not in code.co_varnames:
                return None
            return Site(
                code, offset, "iteration", "", False, iterated, None, line=line, begins=begins, operands=operands
            )
        if name in ("UNPACK_SEQUENCE", "UNPACK_EX") and where in nodes.elements:
            iterated, is_nested = nodes.elements[where]
            if not is_nested and _gives_new(iterated):
                return None
            operands = operands_of([iterated], code)
            return Site(code, offset, "element", "", False, iterated, None, line=line, operands=operands)
        if operands := operands_of(_operands(name, node), code):
            deep = not name.startswith(("UNPACK", "LIST", "SET", "DICT")) and not (
                isinstance(node, ast.BinOp) and not isinstance(node.op, ast.Mod)
            )
            return Site(code, offset, "operands", "", False, node, None, line=line, operands=operands, deep=deep)
        if name in ("CALL", "CALL_KW", "CALL_FUNCTION_EX") and isinstance(node, ast.Call):
            if isinstance(node.func, ast.Name) and node.func.id in ("getattr", "hasattr"):
                return self._named(code, offset, node, line)
            return _call(code, offset, node, line, nodes.known)
        return None

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


def _truth(node: ast.AST | None, code: CodeType) -> Operands:
    """Return what is looked at for the truth of a call, or of one of several values."""
    return operands_of([node], code) if isinstance(node, (ast.Call, ast.BoolOp, ast.IfExp, ast.NamedExpr)) else NOTHING


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
        case "UNPACK_SEQUENCE" | "UNPACK_EX", ast.expr():
            return [node]
        case "FORMAT_SIMPLE" | "FORMAT_WITH_SPEC" | "CONVERT_VALUE", ast.expr():
            return [node.value if isinstance(node, ast.FormattedValue) else node]
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


_OF_NOTHING = frozenset({"abs", "float", "hash", "id", "int", "isinstance", "issubclass", "range", "round", "type"})
_OF_LOCKS = frozenset(
    {
        "acquire", "get_ident", "is_alive", "is_set", "join", "locked", "monotonic", "notify", "notify_all", "release",
        "start", "wait", "Condition", "Event", "Lock", "RLock",
    }
)  # fmt: skip
"""What is called without a container, and is no method of anything else that is written in C."""


def _call(code: CodeType, offset: int, node: ast.Call, line: int, known: Collection[str]) -> Site | None:
    func, is_given = node.func, bool(node.args or node.keywords)
    if isinstance(func, ast.Attribute) and func.attr in _OF_LOCKS and not is_given:
        return None
    if isinstance(func, ast.Name) and func.id in known and func.id not in (*code.co_varnames, *code.co_freevars):
        if not any(isinstance(it, ast.Starred) for it in node.args) and all(it.arg for it in node.keywords):
            return None
    owner = value_of(node.func.value, code) if isinstance(node.func, ast.Attribute) else None
    name = node.func.attr if isinstance(node.func, ast.Attribute) else ""
    arguments = tuple(value_of(it, code) for it in _given(node))
    unpacked = _values([*_starred(node.args), *(it.value for it in node.keywords if not it.arg)], code)
    called, passed = value_of(node.func, code), operands_of([*node.args, *(it.value for it in node.keywords)], code)
    return Site(
        code, offset, "call", name, False, node, owner, called, arguments, unpacked, line, passed=passed, deep=True
    )


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
        self.matched: dict[Position, _Matched] = {}
        """The patterns of `match` statements."""
        self.known = _known(tree)
        """The global names of functions and classes of the file, and of functions that access nothing."""
        self._class = ""
        self.visit(tree)

    def visit_ClassDef(self, node: ast.ClassDef) -> None:
        outer, self._class = self._class, node.name.lstrip("_")
        self.generic_visit(node)
        self._class = outer

    def visit_Assign(self, node: ast.Assign) -> None:
        """What is unpacked is known by the position of the names that it is unpacked into."""
        for target in node.targets:
            for it in ast.walk(target):
                if isinstance(it, (ast.Tuple, ast.List)):
                    self.by_position[_position(it)] = node.value
                elif isinstance(it, ast.Subscript):
                    self.given[_position(it)] = node.value
        self.generic_visit(node)

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


def _known(tree: ast.AST) -> frozenset[str]:
    """Return the names that stand for one function or class each wherever they are global."""
    bound = Counter(_bound(tree))
    made = {it.name for it in getattr(tree, "body", ()) if _is_plain_definition(it)}
    return frozenset(name for name in made if bound[name] == 1) | frozenset(it for it in _OF_NOTHING if not bound[it])


def _is_plain_definition(node: ast.AST) -> bool:
    if isinstance(node, ast.ClassDef):
        return not node.bases and not node.keywords and not node.decorator_list
    return isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) and not node.decorator_list


def _bound(tree: ast.AST) -> Iterator[str]:
    """Yield every name that is bound anywhere in a file, as often as it is."""
    for node in ast.walk(tree):
        match node:
            case ast.Name(id=name, ctx=ast.Store() | ast.Del()):
                yield name
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
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
