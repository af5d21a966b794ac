"""A site: one instruction that accesses what tasks may share, and what is known of it before it is executed."""

import ast
from dataclasses import KW_ONLY, dataclass, field
from types import CodeType
from typing import TYPE_CHECKING, Literal

from concmodels.explore.preemption.expressions import Value, value_of
from concmodels.explore.preemption.operands import NOTHING, Operands, has_call, name_of_function

if TYPE_CHECKING:
    from concmodels.models.simulated.steps import Key

type Kind = Literal[
    "global", "cell", "attribute", "item", "within", "container", "iteration", "element", "operands", "truth",
    "matched", "pattern", "unfollowed", "hidden", "namespace", "call",
]  # fmt: skip


@dataclass(eq=False, slots=True)
class Site:
    """One instruction. What is asked each time that it is executed is found out once."""

    code: CodeType
    offset: int
    line: int
    kind: Kind
    _: KW_ONLY
    variable: str = ""
    """The name of the global, cell, attribute or method."""
    writes: bool = False
    deletes: bool = False
    node: ast.AST | None
    """The expression that it belongs to."""
    owner: Value | None = None
    """Finds the object whose attribute or item it is; None if its expression may have effects."""
    index: Value | None = None
    """Finds the index or key of an item; for a call, finds what is called."""
    operands: Operands = NOTHING
    """What else it reads, all of it."""
    deep: bool = False
    """Whether it reads also the containers that are in what it reads."""
    is_wanted: bool = False
    """Whether it is a method whose result is read by another instruction."""
    begins: bool = False
    """Whether others need what it finds: it begins an iteration, or gets a dict of variables."""
    arguments: tuple[Value | None, ...] = ()
    """What a call is given, one by one, but for what it unpacks."""
    unpacked: Operands = NOTHING
    """What a call unpacks: `f(*items)`."""
    passed: Operands = NOTHING
    """What a call is given, all of it."""
    calls_back: bool = False
    """Whether it is given code in the text itself: a lambda or a generator expression."""
    positional: int = 0
    """How many attributes the pattern of a class reads by position."""
    names: tuple[str, ...] = ()
    """Which ones it reads by name."""
    cell_of: CodeType | None = None
    """The function whose variable a cell is."""
    is_special: bool = False
    """Whether it may be an attribute that changes unassigned: of an object written in C, or a cached one."""
    of_module: bool = False
    """Whether a global variable may be an attribute elsewhere: that of a module."""

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
    calls_result_of: str = field(init=False)
    """The name of the function whose result it calls, if that is what has returned last."""
    of_super: bool = field(init=False)
    """Whether it calls a method of `super()`."""
    keys: tuple[tuple[Key, bool], ...] = field(init=False)
    """What a step that consists of it touches: by name, which is more than it really does."""
    verb: str = field(init=False)
    """What it does, in a word."""

    def __post_init__(self) -> None:
        accessed = self._accessed()
        owner = accessed.value if isinstance(accessed, (ast.Attribute, ast.Subscript)) else None
        made_by = owner.func if isinstance(owner, ast.Call) else None
        self.place = self.file, self.line
        self.is_call = self.kind == "call"
        self.is_access = self.kind in ("global", "cell", "attribute", "item")
        self.is_method = self.is_call and isinstance(accessed, ast.Attribute)
        self.of_super = isinstance(made_by, ast.Name) and made_by.id == "super"
        is_simple = made_by is None or self.owner is not None
        self.made_by = None if is_simple or made_by is None else value_of(made_by, self.code)
        self.calls_result_of = self._called_result(accessed)
        self.keys = self._keys()  # type: ignore[assignment]  # of names, where others are of numbers
        self.verb = "call" if self.is_call else "write" if self.writes else "read"

    def _called_result(self, called: ast.AST | None) -> str:
        if not (self.is_call and isinstance(called, ast.Call) and isinstance(self.node, ast.Call)):
            return ""
        given = [*self.node.args, *(it.value for it in self.node.keywords)]
        return "" if any(map(has_call, given)) else name_of_function(called.func)

    def _accessed(self) -> ast.AST | None:
        """Return the expression of what it accesses: of a call, that of what is called."""
        return self.node.func if self.kind == "call" and isinstance(self.node, ast.Call) else self.node

    def _keys(self) -> tuple[tuple[tuple[str, str], bool], ...]:
        match self.kind:
            case "global" | "attribute" if self.of_module:
                return (("global", self.variable), self.writes), (("attribute", self.variable), self.writes)
            case "global" | "attribute" | "cell":
                return (((self.kind, self.variable), self.writes),)
        return ((("item", ""), self.writes or self.is_call),)

    @property
    def file(self) -> str:
        """The file that it is in."""
        return self.code.co_filename

    @property
    def name(self) -> str:
        """The text of what it accesses, as in the source."""
        accessed = self._accessed()
        return self.variable if accessed is None else ast.unparse(accessed)

    @property
    def needs_returned(self) -> bool:
        """Whether what it accesses may be known only by what a call has returned, as that of a property."""
        if (
            self.made_by is not None
            or self.calls_result_of
            or self.operands.made
            or self.passed.made
            or self.unpacked.made
        ):
            return True
        kinds = ("within", "container", "operands", "matched", "truth")
        return self.kind in kinds and not isinstance(self.node, ast.Name)
