"""Sites of the instructions that access containers, and of those that read operands which may be containers."""

import ast
from collections.abc import Callable

from concmodels.explore.preemption.calls import has_code, starred, unpacked
from concmodels.explore.preemption.expressions import value_of
from concmodels.explore.preemption.nodes import Instruction
from concmodels.explore.preemption.operands import NOTHING, operands_of
from concmodels.explore.preemption.site import Site


def _item(it: Instruction) -> Site | None:
    """Return the site of `owner[index]`; of a slice, if it has a step."""
    node = it.node
    if not isinstance(node, ast.Subscript):
        return None
    is_slice = isinstance(node.slice, ast.Slice)
    return Site(
        *it.at,
        "item",
        writes=it.opname != "BINARY_OP",
        deletes=it.opname == "DELETE_SUBSCR",
        node=node,
        owner=value_of(node.value, it.code),
        index=None if is_slice else value_of(node.slice, it.code),
        operands=operands_of(_assigned(it), it.code) if is_slice else NOTHING,
    )


def _slice(it: Instruction) -> Site | None:
    """Return the site of `owner[start:stop]`."""
    node = it.node
    if not isinstance(node, ast.Subscript):
        return None
    writes = it.opname == "STORE_SLICE"
    owner = value_of(node.value, it.code)
    read = ([] if owner else [node.value]) + (_assigned(it) if writes else [])
    operands = operands_of(read, it.code)
    return Site(*it.at, "container", writes=writes, node=node, owner=owner, operands=operands)


def _assigned(it: Instruction) -> list[ast.expr]:
    """Return what is assigned to an item or a slice."""
    given = it.nodes.given.get(it.where)
    return [] if given is None else [given]


def _binary(it: Instruction) -> Site | None:
    """Return the site of an operator; `[]` is one too."""
    if it.operator == "[]":
        return _item(it)
    if it.operator.endswith("=") and isinstance(it.node, ast.AugAssign):
        return _augmented(it, it.node)
    return _operands(it)


def _augmented(it: Instruction, node: ast.AugAssign) -> Site | None:
    """Return the site of `target += value`, which changes the one and reads the other, if they are containers."""
    owner = value_of(node.target, it.code)
    may_read = bool(_joined(node.value))
    if owner is None:
        return Site(*it.at, "unfollowed", node=node.target) if may_read else None
    operands = operands_of([node.value], it.code) if may_read else NOTHING
    code = has_code([node.value], it.nodes.names)
    return Site(*it.at, "container", writes=True, node=node.target, owner=owner, operands=operands, calls_back=code)


def _truth(it: Instruction) -> Site | None:
    """Return the site of an `if`, a `while` or a `not`."""
    match it.node:
        case ast.Name() | ast.Attribute() | ast.Subscript() as node:
            return Site(*it.at, "container", node=node, owner=value_of(node, it.code))
        case ast.Call() | ast.BoolOp() | ast.IfExp() | ast.NamedExpr() as node:
            operands = operands_of([node], it.code, it.nodes.names.new)
            return Site(*it.at, "truth", node=node, operands=operands) if operands else None
    return None


def _within(it: Instruction) -> Site | None:
    """Return the site of `item in container`."""
    node = it.node
    if not isinstance(node, ast.Compare):
        return None
    *before, container = node.comparators
    owner = None if before else value_of(container, it.code)
    if owner is not None:
        operands = operands_of([node.left], it.code)
        return Site(
            *it.at, "within", node=container, owner=owner, index=value_of(node.left, it.code), operands=operands
        )
    read = [container] if _holds_constants(container) else [node.left, *before, container]
    return Site(*it.at, "within", node=container, operands=operands_of(read, it.code), deep=True)


def _holds_constants(container: ast.expr) -> bool:
    """Whether this is written with constants only: what is compared with a text or a number isn't looked into."""
    parts = container.elts if isinstance(container, (ast.Tuple, ast.List, ast.Set)) else [container]
    return all(isinstance(it, ast.Constant) for it in parts)


def _unpacking(it: Instruction) -> Site | None:
    """Return the site of `one, other = ...`, or of a `for` with several names."""
    if it.where not in it.nodes.elements:
        return _operands(it)
    iterated, is_nested = it.nodes.elements[it.where]
    if not is_nested and _gives_new(iterated):
        return None
    return Site(*it.at, "element", node=iterated, operands=operands_of([iterated], it.code))


def _gives_new(iterated: ast.expr) -> bool:
    """Whether the items of this are tuples that are made anew."""
    match iterated:
        case ast.Call(func=ast.Attribute(attr=name)):
            return name in ("items", "combinations", "permutations", "product", "pairwise", "groupby")
        case ast.Call(func=ast.Name(id="sorted" | "list" | "tuple" | "reversed"), args=[first, *_]):
            return _gives_new(first)
        case ast.Call(func=ast.Name(id="enumerate" | "zip"), args=[_, *_]):
            return True
    return False


def _operands(it: Instruction) -> Site | None:
    """Return the site of an instruction that reads all of its operands."""
    operands = operands_of(_read(it.opname, it.node), it.code, it.nodes.names.new)
    return Site(*it.at, "operands", node=it.node, operands=operands, deep=_is_deep(it)) if operands else None


def _is_deep(it: Instruction) -> bool:
    """Whether the containers in its operands are read too: to compare or to show them, not to join or to unpack."""
    if it.where in it.nodes.nested:
        return True
    joins = isinstance(it.node, ast.BinOp) and not isinstance(it.node.op, ast.Mod)
    return not joins and not it.opname.startswith(("UNPACK", "LIST", "SET_UPDATE", "DICT"))


def _read(opname: str, node: ast.AST | None) -> list[ast.expr]:
    """Return the expressions that an instruction reads with all their items: to compare, hash, join or unpack them."""
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
            return starred(parts)
        case "LIST_EXTEND" | "DICT_MERGE", ast.Call():
            return unpacked(node)
        case "BUILD_SET" | "SET_ADD", ast.Set(elts=parts):
            return [part for part in parts if not isinstance(part, ast.Starred)]
        case "SET_ADD", ast.expr():
            return [node]
        case "BUILD_MAP", ast.Dict(keys=keys):
            return [key for key in keys if key is not None]
        case "MAP_ADD", ast.DictComp(key=key):
            return [key]
        case "DICT_UPDATE", ast.Dict(keys=keys, values=values):
            return [value for key, value in zip(keys, values, strict=True) if key is None]
    return []


def _joined(*operands: ast.expr) -> list[ast.expr]:
    """Return these operands, none if one is a number, a text or None: a container has nothing in common with it."""
    plain = any(isinstance(it, ast.Constant) and not isinstance(it.value, bytes) for it in operands)
    return [] if plain else list(operands)


OF_CONTAINERS: dict[str, Callable[[Instruction], Site | None]] = {
    "STORE_SUBSCR": _item, "DELETE_SUBSCR": _item, "BINARY_SLICE": _slice, "STORE_SLICE": _slice,
    "BINARY_OP": _binary, "COMPARE_OP": _operands, "CONTAINS_OP": _within, "TO_BOOL": _truth,
    "UNPACK_SEQUENCE": _unpacking, "UNPACK_EX": _unpacking,
    "LIST_EXTEND": _operands, "SET_UPDATE": _operands, "DICT_MERGE": _operands, "DICT_UPDATE": _operands,
    "BUILD_SET": _operands, "SET_ADD": _operands, "BUILD_MAP": _operands, "MAP_ADD": _operands,
    "FORMAT_SIMPLE": _operands, "FORMAT_WITH_SPEC": _operands, "CONVERT_VALUE": _operands,
}  # fmt: skip
"""What returns the site of an instruction, by its name."""
