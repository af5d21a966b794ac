"""Mutants of the library: each lacks one of its fences. They are found in its source, so a new fence is one, too."""

import ast
import inspect
import sys
from contextlib import contextmanager
from types import FunctionType
from unittest import mock

from concmodels.models.memory import arena, group, participant
from concmodels.models.memory.channels import channel, layout, positions
from concmodels.models.memory.lives import deadlocks, supervisor
from concmodels.models.memory.pool import worker, worker_handle

MODULES = (channel, layout, positions, group, participant, supervisor, deadlocks, worker, worker_handle)

_PLAIN = {"_ordered": "_control", "ordered": "words"}
"""What the same words are without an order; the names of attributes and of local variables."""


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
        places = list(_fences(node))
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
    """A lock whose release is no full fence in one of its uses."""

    def __init__(self, what, target, name, spoiled):
        self.what, self._patched = what, (target, name, spoiled)

    def __repr__(self):
        return self.what

    @contextmanager
    def applied(self):
        with mock.patch.object(*self._patched):
            yield


def _taking(**names):
    """`ChannelMemory._take_locks`, which takes the release of some lock without its fence."""
    whole = layout.ChannelMemory._take_locks

    def take_locks(self, home):
        whole(self, home)
        for name, lock in names.items():
            found = home.arena.claim if lock == "claim" else getattr(self, lock)
            setattr(self, name, found.release_only)

    return take_locks


OF_LOCKS = (
    OfLocks(
        "send: the release of the senders' lock", layout.ChannelMemory, "_take_locks", _taking(_free_send="_senders")
    ),
    OfLocks(
        "a receiver that waits: the release of the claim lock",
        layout.ChannelMemory,
        "_take_locks",
        _taking(_free_claim="claim"),
    ),
    OfLocks("with: the release of a lock", arena.Lock, "__exit__", lambda self, *_: self.release_only()),
)


def mutants():
    found = []
    for module in MODULES:
        tree = ast.parse(inspect.getsource(module))
        for owner, function in _functions(tree):
            for number, place in enumerate(_fences(function)):
                found.append(Mutant(module, owner, function.name, number, ast.unparse(place).partition("\n")[0]))
    return [*found, *OF_LOCKS]


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


def _fences(function):
    """The places of a function where ordered words are used, or where a fence is."""
    for node in ast.walk(function):
        if isinstance(node, ast.Subscript) and _name(node.value) in _PLAIN:
            yield node
        if isinstance(node, ast.With) and _name(node.items[0].context_expr) in ("_fence", "fence"):
            yield node


def _name(node):
    return node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else None


def _remove(function, place):
    if isinstance(place, ast.With):
        place.items = [ast.withitem(ast.parse("__import__('contextlib').nullcontext()", mode="eval").body)]
    elif isinstance(place.value, ast.Attribute):
        place.value.attr = _PLAIN[place.value.attr]
    else:
        place.value.id = "control" if function.name == "__iter__" else "words"
