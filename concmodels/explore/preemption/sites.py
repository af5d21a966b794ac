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
import queue
import threading
from collections.abc import Iterable, Iterator
from inspect import CO_GENERATOR
from types import CodeType
from typing import Any

from concmodels.explore.preemption import opcodes
from concmodels.explore.preemption.accesses import OF_QUEUES
from concmodels.explore.preemption.by_name import NAMED_BY_ARGUMENTS
from concmodels.explore.preemption.calls import of_call, own_methods_of
from concmodels.explore.preemption.containers import OF_CONTAINERS
from concmodels.explore.preemption.expressions import value_of
from concmodels.explore.preemption.nodes import Instruction, Nodes, position_of
from concmodels.explore.preemption.operands import Position, operands_of
from concmodels.explore.preemption.patterns import matched_by, of_pattern
from concmodels.explore.preemption.site import Kind, Site
from concmodels.explore.preemption.table import BY_NAME, METHODS, TAKE_CODE
from concmodels.explore.preemption.things import OF_OBJECTS

_FUNCTION = 2  # CO_NEWLOCALS: set for functions, not for the bodies of modules and classes

_STORES: dict[str, Kind] = {
    "STORE_GLOBAL": "global", "DELETE_GLOBAL": "global", "STORE_ATTR": "attribute", "DELETE_ATTR": "attribute",
    "STORE_DEREF": "cell", "DELETE_DEREF": "cell",
}  # fmt: skip
_LOADS: dict[str, Kind] = {
    "LOAD_GLOBAL": "global", "LOAD_NAME": "global", "LOAD_FROM_DICT_OR_GLOBALS": "global", "LOAD_ATTR": "attribute",
    "LOAD_DEREF": "cell", "LOAD_FROM_DICT_OR_DEREF": "cell",
}  # fmt: skip
_VARIABLES: dict[str, Kind] = _STORES | _LOADS
_ITERATIONS = ("GET_ITER", "GET_YIELD_FROM_ITER", "FOR_ITER", "SEND")
_CALLS = ("CALL", "CALL_KW", "CALL_FUNCTION_EX")
_HIDDEN = frozenset(
    {
        "asdict", "astuple", "f_locals", "f_globals", "f_builtins", "__globals__", "__builtins__",
        "__kwdefaults__", "__subclasses__", "__dict__", "__getattribute__", "__setattr__", "__delattr__", "__get__",
        "__set__", "__delete__",
    }
)  # fmt: skip
"""Names by which a program reads or writes what no instruction names, besides the functions that are called."""
_METHODS = frozenset({"__getattribute__", "__setattr__", "__delattr__", "__get__", "__set__", "__delete__"})
"""Those of them that `super()` calls like any other method."""
_OF_OBJECTS = OF_OBJECTS | OF_QUEUES
_OF_LIBRARY = METHODS.union(
    *map(dir, (threading, threading.Thread, threading.Condition, threading.Lock, threading.Event, queue.Queue, str))
)
"""Names of attributes that are hardly ever the program's own."""
_NAMESPACES = ("globals", "locals", "vars")
_ANY_ITEM: Any = {("item", "")}


_kept: dict[frozenset[int], Sites] = {}
_MOST_KEPT = 8


def sites_of(codes: Iterable[CodeType], trees: dict[str, ast.Module]) -> Sites:
    """Return the sites of these functions: the same ones as before, if they were found for one of the last programs."""
    roots = tuple(codes)
    key = frozenset(map(id, roots))  # of what the sites keep alive
    if key not in _kept:
        if len(_kept) == _MOST_KEPT:
            del _kept[next(iter(_kept))]
        _kept[key] = Sites(roots, trees)
    return _kept[key]


class Sites:
    """The sites of some functions, and of those inside of them; `trees` are the syntax trees of their files.

    Functions are looked up by the `id` of their code, because the hash of a code object reads all of its instructions.
    """

    def __init__(self, roots: tuple[CodeType, ...], trees: dict[str, ast.Module]) -> None:
        self._roots = roots
        self.codes = [code for root in roots for code in _functions(root)]
        self.defined = frozenset(code.co_name for code in self.codes)
        """The names of the functions."""
        # Both are asked many questions, and it takes long to go through the text and to disassemble.
        walked = {path: [*ast.walk(tree)] for path, tree in trees.items()}
        nodes = [node for those in walked.values() for node in those]
        found = [(code, [*dis.get_instructions(code)]) for code in self.codes]
        instructions = [it for _, those in found for it in those]
        self._assigned = {(_STORES[it.opname], it.argval) for it in instructions if it.opname in _STORES}
        self._outer = {id(it): code for code in self.codes for it in code.co_consts if isinstance(it, CodeType)}
        self._assigned_cells = {
            (id(self._definer(code, it.argval)), it.argval)
            for code, those in found
            for it in those
            if _STORES.get(it.opname) == "cell"
        }
        if any(map(_sets_attributes, nodes)):
            self._assigned |= {("attribute", name) for name in _given_names(nodes)}
        if any(map(_computes_a_name, nodes)):
            loaded = {it.argval for it in instructions if it.opname == "LOAD_ATTR"}
            self._assigned |= {("attribute", name) for name in loaded - self.defined - _OF_LIBRARY}
        self.named = frozenset(_names(nodes))
        """All names in the texts, and all texts that may be names."""
        self.has_namespaces = any(it.argval in ("__dict__", "globals", "vars") for it in instructions)
        """Whether the program may use a dict of variables."""
        if self.has_namespaces:
            named = set(_written_names(nodes))
            self._assigned |= {(kind, name) for kind in ("attribute", "global") for name in named}
        if any(it.argval == "add_note" for it in instructions):
            self._assigned.add(("attribute", "__notes__"))
        self._cached = set(_cached(nodes))
        self._assigned |= {("attribute", name) for name in self._cached}
        self._assigned |= {("attribute", name) for name in _redirected(nodes)}
        self._has_modules = len(trees) > 1 or any(map(_uses_modules, nodes))
        self.attributes = frozenset(name for kind, name in self._assigned if kind == "attribute")
        """The names of all attributes that are assigned."""
        self.variables = frozenset(name for kind, name in self._assigned if kind != "cell")
        """Those, and the names of global variables."""
        unknown = {it.opname for it in instructions} - opcodes.KNOWN
        self.hidden = sorted(unknown | set(map(ast.unparse, _kept_namespaces(trees.values()))))
        """Instructions that are not known, and second names that a module gives to variables."""
        self._lines: dict[int, list[int]] = {}
        self._calls: dict[int, dict[Position, int]] = {}
        self._own_methods = own_methods_of(nodes)
        self._called = {id(node.func) for node in nodes if isinstance(node, ast.Call)}
        """The expressions whose values are only called."""
        self.of = self._found({path: Nodes(tree, walked[path]) for path, tree in trees.items()}, found)
        """The sites of each function, by the `id` of its code, and by offset."""
        keys = {key for those in self.of.values() for site in those.values() for key, _ in site.keys}
        self.keys = sorted(keys | _ANY_ITEM)
        """All keys that a step can touch which consists of such instructions."""
        self.need_results = self._want_results()
        """Whether one of them needs to know what another call than the last one has returned."""
        self.need_returned = any(site.needs_returned for those in self.of.values() for site in those.values())
        """Whether one of them needs to know what calls return."""
        self.call_back = any(_calls_back(site) for those in self.of.values() for site in those.values()) or any(
            code.co_flags & CO_GENERATOR and code.co_name != "<genexpr>" for code in self.codes
        )
        """Whether code of the program may be called in the middle of another instruction."""

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
                site.is_wanted = position_of(site.node) in where
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

    def _found(
        self, nodes: dict[str, Nodes], functions: list[tuple[CodeType, list[dis.Instruction]]]
    ) -> dict[int, dict[int, Site]]:
        """Return the sites of each function; without the syntax tree of its file, those that need none."""
        no_nodes = Nodes(ast.Module(), [])
        self._generators: set[CodeType] = set()
        """The generator expressions of which it is known that they go through what they are given."""
        self._site_of = OF_CONTAINERS | {
            "IMPORT_FROM": self._import, "LOAD_SUPER_ATTR": self._of_super,
            **dict.fromkeys(_VARIABLES, self._variable),
            **dict.fromkeys(_ITERATIONS, self._iteration),
            **dict.fromkeys(_CALLS, self._call),
        }  # fmt: skip
        return {
            id(code): {it.offset: it for it in self._sites(nodes.get(code.co_filename, no_nodes), code, instructions)}
            for code, instructions in functions
        }

    def _sites(self, nodes: Nodes, code: CodeType, instructions: list[dis.Instruction]) -> Iterator[Site]:
        for it in nodes.instructions(code, instructions):
            if site := self._site(it):
                yield site

    def _site(self, it: Instruction) -> Site | None:
        matched = matched_by(it)
        if matched is not None:
            return of_pattern(it, matched)
        find = self._site_of.get(it.opname)
        return None if find is None or it.nodes.is_private(it) else find(it)

    def _variable(self, it: Instruction) -> Site | None:
        """Return the site of a global name, a cell or an attribute that is ever assigned."""
        kind, name, node = _VARIABLES[it.opname], it.argument, it.node
        if it.opname == "LOAD_ATTR" and name == "__dict__" and isinstance(node, ast.Attribute):
            return Site(*it.at, "namespace", variable=name, node=node, owner=value_of(node.value, it.code), begins=True)
        if name in NAMED_BY_ARGUMENTS and id(node) in self._called:
            return None  # the call is a site
        if (name in _HIDDEN and kind != "cell") or (it.opname == "STORE_ATTR" and opcodes.is_looked_up(name)):
            return Site(*it.at, "hidden", variable=name, node=None)
        if not self._is_assigned(kind, name, it.code) and not (kind == "attribute" and name in _OF_OBJECTS):
            return None
        return Site(
            *it.at,
            kind,
            variable=name,
            writes=it.opname in _STORES,
            node=node,
            owner=value_of(node.value, it.code) if isinstance(node, ast.Attribute) else None,
            cell_of=self._definer(it.code, name) if kind == "cell" else None,
            of_module=self._has_modules,
            is_special=name in _OF_OBJECTS or name in self._cached,
        )

    def _is_assigned(self, kind: str, name: str, code: CodeType) -> bool:
        """Whether a variable is ever assigned. A global one is an attribute in other files."""
        if kind == "cell":
            return (id(self._definer(code, name)), name) in self._assigned_cells
        if (kind, name) in self._assigned:
            return True
        return self._has_modules and bool({("global", name), ("attribute", name)} & self._assigned)

    def _definer(self, code: CodeType, name: str) -> CodeType | None:
        """Return the function that has made the cell of this name; None if that is none of these."""
        outer: CodeType | None = code
        while outer is not None and name not in outer.co_cellvars:
            outer = self._outer.get(id(outer))
        return outer

    def _import(self, it: Instruction) -> Site | None:
        """Return the site of `from module import name`, if that variable of the module is ever assigned."""
        return _unfollowed(it) if self._is_assigned("attribute", it.argument, it.code) else None

    def _of_super(self, it: Instruction) -> Site | None:
        """Return the site of `super().name`, unless that is a method."""
        if it.argument in _HIDDEN - _METHODS:
            return Site(*it.at, "hidden", variable=it.argument, node=None)
        return _unfollowed(it) if it.argument in self.attributes else None

    def _iteration(self, it: Instruction) -> Site | None:
        """Return the site of an instruction that begins a loop over a container, or takes the next item."""
        iterated = it.node.value if isinstance(it.node, ast.YieldFrom) else it.node
        match iterated:
            case None | ast.Await() | ast.Call(func=ast.Name(id="range")):
                return None
        is_given = ".0" in it.code.co_varnames and it.code not in self._generators
        self._generators.add(it.code)
        operands = operands_of([ast.Name(".0") if is_given else iterated], it.code, it.nodes.names.new)
        if not operands:
            return None
        begins = it.opname.startswith("GET")
        return Site(*it.at, "iteration", node=iterated, operands=operands, begins=begins)

    def _call(self, it: Instruction) -> Site | None:
        """Return the site of a call."""
        match it.node:
            case ast.Call(func=ast.Name(id="getattr" | "hasattr"), args=args):
                return self._named(it, args)
            case ast.Call() as node:
                return of_call(it, node, self._own_methods)
        return None

    def _named(self, it: Instruction, given: list[ast.expr]) -> Site | None:
        """Return the site of `getattr` or `hasattr`, which read an attribute whose name is a value."""
        match given:
            case [_, ast.Constant(value=str(name)), *_] if name in _HIDDEN or name in BY_NAME:
                return Site(*it.at, "hidden", variable=name, node=None)
            case [owner, ast.Constant(value=str(name)), *_]:
                if name not in self.attributes:
                    return None
                read = ast.Attribute(owner, name, ast.Load())
                return Site(*it.at, "attribute", variable=name, node=read, owner=value_of(owner, it.code))
        return _unfollowed(it) if self.attributes else None


def _uses_modules(node: ast.AST) -> bool:
    """Whether a file looks into `sys.modules`, where it finds itself too: its variables are attributes there."""
    return isinstance(node, ast.Attribute) and node.attr == "modules"


def _redirected(nodes: Iterable[ast.AST]) -> Iterator[str]:
    """Yield the streams of `sys` that a file redirects by a context manager."""
    for node in nodes:
        name = node.id if isinstance(node, ast.Name) else node.attr if isinstance(node, ast.Attribute) else ""
        if name.startswith("redirect_"):
            yield name.removeprefix("redirect_")


def _cached(nodes: Iterable[ast.AST]) -> Iterator[str]:
    """Yield the names of cached properties, which are written when they are read for the first time.

    And those of properties whose function may be none of the program: it reads others.
    """
    for node in nodes:
        match node:
            case ast.Assign(targets=[ast.Name(id=name)], value=ast.Call(ast.Name("property"), [ast.Call()])):
                yield name
            case ast.FunctionDef(name=name, decorator_list=decorators):
                if any("cached_property" in ast.unparse(it) for it in decorators):
                    yield name


def _names(nodes: Iterable[ast.AST]) -> Iterator[str]:
    """Yield all names in a file, and all texts that may be names."""
    for node in nodes:
        match node:
            case ast.Name(id=name) | ast.Attribute(attr=name) | ast.keyword(arg=str(name)) | ast.arg(arg=name):
                yield name
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
                yield name
            case ast.alias(name=name, asname=other):
                yield other or name
            case ast.MatchClass(kwd_attrs=names):
                yield from names
            case ast.Constant(value=str(name)):
                yield name


def _written_names(nodes: Iterable[ast.AST]) -> Iterator[str]:
    """Yield the names that a dict of variables may have: texts, keywords, and attributes that any code assigns."""
    for node in nodes:
        match node:
            case ast.Constant(value=str(name)) if name.isidentifier():
                yield name
            case ast.keyword(arg=str(name)) | ast.Attribute(attr=name, ctx=ast.Store()):
                yield name


_SET_ATTRIBUTES = frozenset({"setattr", "delattr", "__setattr__", "__delattr__"})


def _sets_attributes(node: ast.AST) -> bool:
    name = node.id if isinstance(node, ast.Name) else node.attr if isinstance(node, ast.Attribute) else ""
    return name in _SET_ATTRIBUTES


def _computes_a_name(node: ast.AST) -> bool:
    """Whether this sets an attribute whose name is no constant: then it may be any that the program reads."""
    if not isinstance(node, ast.Call) or not _sets_attributes(node.func):
        return False
    is_function = isinstance(node.func, ast.Name) or ast.unparse(node.func).startswith(("object.", "type."))
    names = node.args[int(is_function) : int(is_function) + 1]
    return not (names and isinstance(names[0], ast.Constant))


def _given_names(nodes: Iterable[ast.AST]) -> Iterator[str]:
    """Yield the texts that calls are given which may be names of attributes: `setattr(account, "balance", 1)`."""
    for node in nodes:
        if isinstance(node, ast.Call):
            given = (it.value for it in node.args[:2] if isinstance(it, ast.Constant) and isinstance(it.value, str))
            yield from filter(str.isidentifier, given)


def _kept_namespaces(trees: Iterable[ast.Module]) -> Iterator[ast.expr]:
    """Yield the expressions of which a module keeps a dict with its variables, or with the attributes of an object."""
    for node in (statement for tree in trees for statement in tree.body):
        match node:
            case ast.Assign(value=ast.Call(func=ast.Name(id=name)) as value) if name in _NAMESPACES:
                yield value
            case ast.Assign(value=ast.Attribute(attr="__dict__") as value):
                yield value


def _calls_back(site: Site) -> bool:
    return site.calls_back or (site.is_call and site.variable in TAKE_CODE)


def _unfollowed(it: Instruction) -> Site:
    """Return the site of an instruction that may access a variable which can't be found out."""
    return Site(*it.at, "unfollowed", node=it.node)


def _functions(code: CodeType, *, in_function: bool = False) -> Iterator[CodeType]:
    """Yield the functions in this code, and the classes in those. The bodies of others are executed by one task."""
    in_function = in_function or bool(code.co_flags & _FUNCTION)
    if in_function:
        yield code
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _functions(constant, in_function=in_function)
