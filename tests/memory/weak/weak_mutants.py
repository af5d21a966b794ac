"""Mutants of the library: each lacks one of its fences. They are found in its source, so a new fence is one, too.

A fence is an ordered word, a `with` of a fence, or the release of a lock between a store and a load.
"""

import ast
import inspect
import sys
from contextlib import contextmanager
from types import FunctionType
from unittest import mock

from concmodels.models.memory import arena, group, participant
from concmodels.models.memory.channels import channel, layout, positions
from concmodels.models.memory.lives import child, deadlocks, supervisor
from concmodels.models.memory.pool import worker, worker_handle

MODULES = (channel, layout, positions, group, participant, child, supervisor, deadlocks, worker, worker_handle)

_PLAIN = {"_ordered": "_control", "ordered": "words"}
"""What the same words are without an order; the names of attributes and of local variables."""

_LOCK_OF = {
    "self._free_send": "self._senders",
    "channel._free_send": "channel._senders",
    "self._free_claim": "self.home.arena.claim",
    "free_claim": "participant.arena.claim",
}
"""The lock that such a call gives back."""

_FENCED_BY_WITH = {("Channel", "_append"), ("", "local_slot")}
"""Functions in which the release at the end of the only `with` is a fence."""


class Mutant:
    """One fence less: the n-th of a function."""

    def __init__(self, module, owner, function, number, what):
        self.module, self.owner, self.function, self.number, self.what = module, owner, function, number, what

    def __repr__(self):
        where = f"{self.owner}.{self.function}" if self.owner else self.function
        return f"{where}: {self.what} ({self.number})"

    @contextmanager
    def applied(self):
        tree = ast.parse(inspect.getsource(self.module))
        node = _find(tree, self.owner, self.function)
        places = list(_fences(self.owner, node))
        _remove(node, places[self.number])
        code = compile(ast.fix_missing_locations(ast.Module([node], [])), self.module.__file__, "exec")
        names = dict(vars(self.module))
        exec(code, names)
        made = _of_module(names[self.function], self.module)
        if self.owner:
            with mock.patch.object(getattr(self.module, self.owner), self.function, made):
                yield
            return
        old = getattr(self.module, self.function)
        users = [it for it in list(sys.modules.values()) if it and vars(it).get(self.function) is old]
        patches = [mock.patch.object(it, self.function, made) for it in users]
        for patch in patches:
            patch.start()
        try:
            yield
        finally:
            for patch in patches:
                patch.stop()


def _of_module(made, module):
    """The same function or property, whose globals are the module's own: those are replaced, too."""
    if isinstance(made, property):
        return property(_of_module(made.fget, module))
    function = FunctionType(made.__code__, vars(module), made.__name__, made.__defaults__)
    function.__kwdefaults__ = made.__kwdefaults__
    return function


class OfLocks:
    """A library whose locks are given back without a fence wherever that is the end of a `with`."""

    def __repr__(self):
        return "with: the release of a lock"

    @contextmanager
    def applied(self):
        with mock.patch.object(arena.Lock, "__exit__", lambda self, *_: self.release_only()):
            yield


class Unfenced:
    """A lock for a `with` at whose end is no fence."""

    def __init__(self, lock):
        self.lock = lock

    def __enter__(self):
        self.lock.__enter__()

    def __exit__(self, *_):
        self.lock.release_only()


def mutants():
    found = []
    for module in MODULES:
        tree = ast.parse(inspect.getsource(module))
        for owner, function in _functions(tree):
            for number, place in enumerate(_fences(owner, function)):
                found.append(Mutant(module, owner, function.name, number, ast.unparse(place).partition("\n")[0]))
    return [*found, OfLocks()]


def _functions(tree):
    for node in tree.body:
        if isinstance(node, ast.FunctionDef):
            yield "", node
        if isinstance(node, ast.ClassDef):
            for it in node.body:
                if isinstance(it, ast.FunctionDef):
                    yield node.name, it


def _find(tree, owner, name):
    return next(it for by, it in _functions(tree) if by == owner and it.name == name)


def _fences(owner, function):
    """The places of a function where ordered words are used, where a fence is, or a release that has to be one."""
    for node in ast.walk(function):
        if isinstance(node, ast.Subscript) and _name(node.value) in _PLAIN:
            yield node
        if isinstance(node, ast.With) and (
            _name(node.items[0].context_expr) in ("_fence", "fence") or (owner, function.name) in _FENCED_BY_WITH
        ):
            yield node
    yield from _releases(function)


def _releases(function):
    """The calls that give a lock back behind the store of TAIL, or before a receiver looks whether it moved."""
    for node in ast.walk(function):
        for body in (getattr(node, "body", None), getattr(node, "orelse", None)):
            if not body or not isinstance(body, list):  # an expression: that of a lambda
                continue
            for before, it, behind in zip([None, *body[:-1]], body, [*body[1:], None], strict=True):
                if _gives_back(it) and (_stores(before, "TAIL") or _asks(behind, "HEAD")):
                    yield it.value


def _gives_back(statement):
    call = statement.value if isinstance(statement, ast.Expr) else None
    return isinstance(call, ast.Call) and ast.unparse(call.func) in _LOCK_OF


def _asks(statement, word):
    return isinstance(statement, ast.If) and _uses(statement.test, word)


def _stores(statement, word):
    return isinstance(statement, ast.Assign) and _uses(statement.targets[0], word)


def _uses(expression, word):
    """Whether an ordered word of that name occurs in it."""
    return any(
        isinstance(it, ast.Subscript) and _name(it.value) in _PLAIN and _name(it.slice) in (word, f"{word.lower()}_at")
        for it in ast.walk(expression)
    )


def _name(node):
    return node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else None


def _remove(function, place):
    if isinstance(place, ast.With):
        expression = place.items[0].context_expr
        spoiled = (
            "__import__('contextlib').nullcontext()"
            if _name(expression) in ("_fence", "fence")
            else f"__import__('weak_mutants').Unfenced({ast.unparse(expression)})"
        )
        place.items = [ast.withitem(ast.parse(spoiled, mode="eval").body)]
    elif isinstance(place, ast.Call):
        lock = _LOCK_OF[ast.unparse(place.func)]
        place.func = ast.parse(f"{lock}.release_only", mode="eval").body
    elif isinstance(place.value, ast.Attribute):
        place.value.attr = _PLAIN[place.value.attr]
    else:
        place.value.id = "control" if function.name == "__iter__" else "words"
