"""Each row of the table of what is followed (`preemption/table.py`), held to what Python does.

The rows that are too careful are not looked for: they cost a proof, and never make a false one.
"""

import ast
import builtins
import importlib.util
import sys
from collections import deque
from itertools import islice

import method_rows
import pytest
from method_rows import MADE, calls_of, changes, evaluated, made, names_of, told

from concmodels.explore.preemption import table

READ = table.READ_ITEM | table.READ_SHAPE | table.READ_WHOLE
KINDS = [pytest.param(kind, id=kind.__name__) for kind in MADE]


class Spied(list):
    """A list that notes that somebody looks into it."""

    looks = 0

    def _note(self, *_):
        Spied.looks += 1
        return iter(())

    __iter__ = __len__ = __getitem__ = __contains__ = __bool__ = __eq__ = __repr__ = __reversed__ = _note
    __hash__ = object.__hash__


@pytest.mark.parametrize("kind", KINDS)
def test_a_method_that_reads_changes_nothing(kind):
    for name in READ & set(names_of(kind)):
        for given in calls_of(kind, name):
            assert not changes(kind, name, given), f"{kind.__name__}.{name}({given})"


@pytest.mark.parametrize("kind", KINDS)
def test_a_method_that_adds_or_takes_one_item_leaves_the_others(kind):
    for name in (table.WRITE_SHAPE | table.WRITE_ITEM) & set(names_of(kind)):
        for given in calls_of(kind, name):
            it = made(kind)
            before = told(it)[0]
            evaluated(f"x.{name}({given})", x=it)
            left = [item for item in before if item in told(it)[0]]
            assert len(before) - len(left) <= (name == "discard"), f"{kind.__name__}.{name}({given})"


@pytest.mark.parametrize("kind", KINDS)
def test_a_method_that_keeps_what_it_is_given_does_not_look_into_it(kind):
    for name in table.KEEP & set(names_of(kind)):
        for given in ("spied", "0, spied", "'a', spied"):
            spied, it = Spied([1]), made(kind)
            Spied.looks = 0
            try:
                evaluated(f"x.{name}({given})", x=it, spied=spied)
            except TypeError, ValueError, LookupError:
                continue
            assert not Spied.looks, f"{kind.__name__}.{name}({given})"


@pytest.mark.parametrize("kind", KINDS)
def test_only_methods_that_take_code_call_it_when_they_are_half_done(kind):
    take = set()
    for name in set(names_of(kind)) - table.TAKE_CODE:
        it, seen = made(kind), []

        def items(it=it, seen=seen):
            for item in (3, 4, 1, 5):
                seen.append(told(it))
                yield item

        before = told(it)
        try:
            getattr(it, name)(items())
        except TypeError, ValueError, LookupError, AttributeError:
            continue
        if any(each not in (before, told(it)) for each in seen):
            take.add(name)
    assert not take


@pytest.mark.parametrize("kind", KINDS)
def test_what_gives_something_new_gives_nothing_of_the_container(kind):
    for name in table.GIVE_NEW & set(names_of(kind)):
        for given in calls_of(kind, name):
            it = made(kind)
            result = evaluated(f"x.{name}({given})", x=it)
            mutable = [item for item in (it, *told(it)[0]) if isinstance(item, table.CONTAINERS)]
            assert not any(result is item for item in mutable), f"{kind.__name__}.{name}({given})"


FUNCTIONS = {name: getattr(builtins, name) for name in dir(builtins) if callable(getattr(builtins, name))}
GIVEN = ("x", "x, 0", "int, x", "x, 'append'", "None, x", "x, int", "0, x")


def called(name, **names):
    """Yield the results of calls of a function with what is called `x`; those that are lazy were gone through."""
    for given in GIVEN:
        try:
            result = eval(f"{name}({given})", dict(FUNCTIONS), names)
            if name in ("enumerate", "zip", "map", "filter", "reversed", "iter"):
                deque(islice(result, 5), 0)
        except TypeError, ValueError, AttributeError, StopIteration:
            continue
        yield given, result


@pytest.mark.parametrize("name", sorted((table.READERS | table.LOOK_AT_NOTHING | table.MAKE_NEW) & set(FUNCTIONS)))
def test_a_function_that_reads_changes_nothing(name, capsys, monkeypatch):
    if name in ("input", "open", "delattr", "setattr", "next"):
        return  # these change something else, or a variable, and have rows of their own
    inner = [2, 1]
    outer = [inner, inner]
    for given, result in called(name, x=outer):
        assert outer == [[2, 1], [2, 1]], f"{name}({given})"
        if name in table.MAKE_NEW:
            assert result is not outer, f"{name}({given})"
            assert result is not inner, f"{name}({given})"


@pytest.mark.parametrize("name", sorted(table.LOOK_AT_NOTHING & set(FUNCTIONS)))
def test_a_function_that_looks_at_nothing_looks_at_nothing(name):
    if name in ("input", "open"):
        return
    spied = Spied([1])
    Spied.looks = 0
    list(called(name, x=spied))
    assert not Spied.looks


@pytest.mark.parametrize("name", sorted(table.SHALLOW & set(FUNCTIONS)))
def test_a_shallow_function_looks_at_no_container_in_a_container(name):
    spied = Spied([1])
    Spied.looks = 0
    list(called(name, x=[spied, spied]))
    assert Spied.looks == 0 or name in ("dict", "filter")  # pairs are read, and truth is asked for


CACHES = {
    "ast": {"_splitlines_no_ff", "unparse"},
    "_strptime": {"_strptime"},
    "base64": {"_b32encode", "_b32decode", "a85encode", "b85encode", "b85decode"},
    "collections": {"most_common"},
    "ctypes": {"CFUNCTYPE", "POINTER", "_reset_cache", "__setitem__"},
    "inspect": {"getmodule"},
    "ipaddress": {"__format__"},
    "platform": {
        "_wmi_query", "uname", "_sys_version", "platform", "freedesktop_os_release", "invalidate_caches",
    },
    "random": {"seed"},
    "re": {"purge", "_compile"},
    "shutil": {"_fastcopy_sendfile"},
    "statistics": {"register", "deco"},
    "tempfile": {"_get_candidate_names", "_gettempdir", "TemporaryFile"},
    "typing": {"_tp_cache", "clear_overloads", "__getattr__", "decorator"},
    "uuid": {"getnode", "uuid1", "uuid6", "uuid7"},
    "zipfile": {"_ZipDecrypter"},
}  # fmt: skip
"""Functions that keep something in their module which nobody can tell: what they would compute again, or made once."""
MUTATE = {"append", "clear", "pop", "add", "update", "insert", "setdefault", "remove", "discard", "extend"}


def shared_in(module):
    """Yield the functions of a module of Python's library that change one of its variables."""
    spec = importlib.util.find_spec(module)
    if spec is None or not (spec.origin or "").endswith(".py"):
        return
    with open(spec.origin, encoding="utf-8") as file:
        tree = ast.parse(file.read())
    variables = {
        it.id for node in tree.body if isinstance(node, ast.Assign) for it in node.targets if isinstance(it, ast.Name)
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef):
            theirs = variables - _own(node)
            if any(_changes(it, theirs) for it in ast.walk(node)):
                yield node.name


def _own(function):
    """The names that are bound in a function."""
    nodes = list(ast.walk(function))
    stored = {it.id for it in nodes if isinstance(it, ast.Name) and isinstance(it.ctx, ast.Store)}
    return stored | {it.arg for it in nodes if isinstance(it, ast.arg)}


def _changes(node, variables):
    match node:
        case ast.Global():
            return True
        case ast.Subscript(value=ast.Name(id=name), ctx=ast.Store() | ast.Del()):
            return name in variables
        case ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr=method)):
            return name in variables and method in MUTATE
    return False


@pytest.mark.parametrize(
    "module", sorted(table.SHARE_NOTHING - table.OF_SETTINGS - set(table.SIMULATED) & sys.stdlib_module_names)
)
def test_functions_of_a_module_that_shares_nothing_keep_nothing(module):
    known = {name.rpartition(".")[2] for name in table.BUT} | CACHES.get(module, set())
    assert set(shared_in(module)) <= known


def test_every_row_of_a_method_is_of_one_that_there_is():
    names = {name for kind in MADE for name in names_of(kind)} | set(dir(list))
    rows = READ | table.WRITE_ITEM | table.WRITE_SHAPE | table.KEEP | table.TAKE_CODE | table.GIVE_NEW
    assert rows <= names
    assert method_rows.NAMES.keys() <= {kind.__name__ for kind in MADE}
