"""Sites of the patterns of `match` statements."""

import ast

from concmodels.explore.preemption.expressions import value_of
from concmodels.explore.preemption.nodes import Instruction, Matched
from concmodels.explore.preemption.operands import UNFOLLOWED, operands_of
from concmodels.explore.preemption.site import Site

_OPNAMES = frozenset(
    {
        "BINARY_OP", "COMPARE_OP", "DICT_UPDATE", "GET_LEN", "MATCH_CLASS", "MATCH_KEYS", "UNPACK_EX",
        "UNPACK_SEQUENCE",
    }
)  # fmt: skip


def matched_by(it: Instruction) -> Matched | None:
    """Return the pattern that this instruction belongs to."""
    return it.nodes.matched.get(it.where) if it.opname in _OPNAMES else None


def of_pattern(it: Instruction, matched: Matched) -> Site | None:
    """Return the site of an instruction that looks whether something matches."""
    match matched.pattern:
        case ast.MatchClass() as pattern:
            return _of_class(it, pattern, matched.subject) if it.opname == "MATCH_CLASS" else None
        case ast.MatchValue(value=ast.Constant()):
            return None  # a container is never equal to a number or a text
    operands = UNFOLLOWED if matched.subject is None else operands_of([matched.subject], it.code)
    return Site(*it.at, "matched", node=matched.subject, operands=operands, deep=True)


def _of_class(it: Instruction, pattern: ast.MatchClass, subject: ast.expr | None) -> Site:
    return Site(
        *it.at,
        "pattern",
        node=subject,
        owner=value_of(pattern.cls, it.code),
        positional=len(pattern.patterns),
        names=tuple(pattern.kwd_attrs),
    )
