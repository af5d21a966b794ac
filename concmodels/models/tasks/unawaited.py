"""Warns of a forgotten `await`: which call has done nothing, on which line, and what to write.

Python itself notices: it warns when a coroutine that was never awaited is destroyed. So no message has to pay for it.
This rewords the warning if the coroutine is one of the library's and the source leaves no doubt which call made it. It
also finds those that an exception holds: Python would warn of them only when the program has ended, and name no line.
"""

import ast
import sys
import warnings
from functools import lru_cache, partial
from inspect import CO_OPTIMIZED, CO_VARARGS, CO_VARKEYWORDS
from threading import Lock
from types import CodeType, CoroutineType, FunctionType

from concmodels.models import FOLDER
from concmodels.models.tasks.signals.frames import of_program, short

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from types import FrameType
    from typing import Any

_OURS = (FOLDER, FOLDER[: -len("models/")] + "net")
_LONGEST = 60
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
_ONLY_LOOK = {"print", "type", "str", "repr", "format", "len", "bool", "int", "float", "isinstance", "range", "sum"}
_HARMLESS = (ast.BinOp, ast.UnaryOp, ast.Compare, ast.AugAssign, ast.FormattedValue, ast.Expr, ast.If, ast.While)
_KEEPS = (ast.Assign, ast.AnnAssign, ast.Return)
_choice = Lock()


def tell_unawaited() -> None:
    """Reword Python's warning from now on. If Python no longer has the hook for that, its own words stay."""
    with _choice:
        tells: Any = getattr(warnings, "_warn_unawaited_coroutine", None)
        if tells is not None and getattr(tells, "func", None) is not _tell:
            warnings._warn_unawaited_coroutine = partial(_tell, tells, {})  # type: ignore[attr-defined]


def _tell(python_tells: Callable[[Any], None], told: dict[str, dict[Any, Any]], coroutine: Any) -> None:
    """Warn of a coroutine that is destroyed. Python calls this where that happens: mostly on the line of the call.

    `told` is what was told already, by file, for the filters of warnings: by default each is shown once.
    """
    found = None
    try:
        here = _place(sys._getframe(1)) if _is_ours(coroutine) else None
        if here is not None:
            code, until, module = here
            found = _forgotten(code, until, coroutine.__name__)
    except Exception:  # noqa: BLE001 # the program has ended (there is no frame), or its source is strange
        pass
    if found is not None:
        line, sentence = found
        registry = told.setdefault(code.co_filename, {})
        warnings.warn_explicit(sentence, RuntimeWarning, code.co_filename, line, module, registry, source=coroutine)
    elif getattr(python_tells, "__name__", "") == "_warn_unawaited_coroutine" and coroutine.cr_origin is None:
        text = f"coroutine '{coroutine.__qualname__}' was never awaited"  # Python's would now name a line in this file
        warnings.warn(text, RuntimeWarning, stacklevel=2, source=coroutine)
    else:
        python_tells(coroutine)


def _place(frame: FrameType) -> tuple[CodeType, int | None, str | None] | None:
    """Return the code in whose frame the coroutine is destroyed, the line, and the module; no line if it has ended.

    Then the frame is that of the library that called the function.
    """
    if of_program(frame):
        return frame.f_code, frame.f_lineno, frame.f_globals.get("__name__")
    values = frame.f_locals
    called = (values.get("main"), values.get("function"), getattr(values.get("self"), "_function", None))
    for it in called:
        if isinstance(it, FunctionType):
            return it.__code__, None, it.__globals__.get("__name__")
    return None


def note_unawaited(error: BaseException) -> None:
    """Add a note to an exception for each call in its frames that was not awaited; in a group, to those in it."""
    for inner in error.exceptions if isinstance(error, BaseExceptionGroup) else ():
        note_unawaited(inner)
    trace = error.__traceback__
    while trace is not None:
        if of_program(trace.tb_frame):
            _note_frame(error, trace.tb_frame)
        trace = trace.tb_next


def _note_frame(error: BaseException, frame: FrameType) -> None:
    code, values = frame.f_code, frame.f_locals
    for name in _own_names(code):
        value: Any = values.get(name)
        if not _is_ours(value) or value.cr_frame is None or value.cr_running or value.cr_suspended:
            continue
        found = _held(code, name, value.__name__)
        if found is None:
            continue
        note = f"{short(code.co_filename)}:{found[0]}: {found[1]}"
        if note not in getattr(error, "__notes__", ()):
            error.add_note(note)
        held = [object()]
        value_like = held[0]
        if sys.getrefcount(value) <= sys.getrefcount(value_like):  # the frame and this function hold it, nothing else
            value.close()  # Python has nothing to warn of any more


def _own_names(code: CodeType) -> list[str]:
    """Return the names of the locals of a function that are neither its parameters nor another function's."""
    if not code.co_flags & CO_OPTIMIZED:
        return []
    count = code.co_argcount + code.co_kwonlyargcount
    count += bool(code.co_flags & CO_VARARGS) + bool(code.co_flags & CO_VARKEYWORDS)
    parameters = code.co_varnames[:count]
    return list(dict.fromkeys(it for it in code.co_varnames + code.co_cellvars if it not in parameters))


def _is_ours(value: Any) -> bool:
    return type(value) is CoroutineType and value.cr_code.co_filename.startswith(_OURS)


def _forgotten(code: CodeType, until: int | None, name: str) -> tuple[int, str] | None:
    """Return the line of the only call of this name that can have been forgotten, and the sentence; None if in doubt.

    A coroutine that a statement only makes is destroyed on that line; one that it keeps, later, or in a loop earlier;
    one that it returns, when the function has ended.
    """
    function = _function(code)
    plain = [it for it in _own(function) if _is_plain(it, name)] if function is not None else []
    if until is not None:
        here = [it for it in plain if isinstance(it, ast.Expr) and it.lineno <= until <= (it.end_lineno or 0)]
        if len(here) == 1:
            return _sentence(here[0], name)
    kept = [it for it in plain if isinstance(it, (ast.Assign, ast.AnnAssign) if until is not None else _KEEPS)]
    if len(kept) != 1 or any(not _is_local(function, it) for it in _targets(kept[0])):
        return None
    return _sentence(kept[0], name)


def _held(code: CodeType, local: str, name: str) -> tuple[int, str] | None:
    """Return the same for the call of this name whose coroutine a local variable holds."""
    function = _function(code)
    if function is None or not _is_local(function, ast.Name(local)):
        return None
    stores = [it for it in ast.walk(function) if isinstance(it, ast.Name) and it.id == local]
    count = sum(isinstance(it.ctx, ast.Store) for it in stores)
    sets = [it for it in _own(function) if any(getattr(to, "id", None) == local for to in _targets(it))]
    count -= sum(isinstance(getattr(it, "value", None), ast.Constant) for it in sets)
    count -= sum(isinstance(it, ast.AugAssign) and getattr(it.target, "id", None) == local for it in _own(function))
    calls = [it for it in sets if _is_plain(it, name)]
    return _sentence(calls[0], name) if len(calls) == count == 1 else None


def _sentence(statement: Any, name: str) -> tuple[int, str]:
    text = ast.unparse(statement.value)
    call = text if len(text) <= _LONGEST else f"...{name}(...)"
    return statement.value.lineno, f"{name} was not awaited, so it has done nothing: write `await {call}`"


def _function(code: CodeType) -> Any:
    """Return the node of this function in its source; None if it isn't there, or more than once."""
    from linecache import getlines

    tree = _parsed(code.co_filename, "".join(getlines(code.co_filename)))
    if tree is None or code.co_name == "<module>":
        return tree
    defs = [it for it in ast.walk(tree) if isinstance(it, ast.FunctionDef | ast.AsyncFunctionDef)]
    nodes = [it for it in defs if it.name == code.co_name]
    nodes = [it for it in nodes if min(on.lineno for on in (it, *it.decorator_list)) == code.co_firstlineno]
    return nodes[0] if len(nodes) == 1 else None


@lru_cache(maxsize=4)  # each parse makes Python forget which warnings it has shown
def _parsed(file: str, source: str) -> ast.Module | None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return ast.parse(source, file)
        except Exception:  # noqa: BLE001 # it has been changed since, or is too deep
            return None


def _own(node: ast.AST) -> Iterator[ast.AST]:
    """Yield what is in a function, but not what is in a function or a class in it."""
    for child in ast.iter_child_nodes(node):
        if not isinstance(child, (*_FUNCTIONS, ast.ClassDef)):
            yield child
            yield from _own(child)


def _is_plain(node: Any, name: str) -> bool:
    """Return whether a statement calls a function of this name, and at most keeps or returns what that returns."""
    if not isinstance(node, (ast.Expr, ast.Assign, ast.AnnAssign, ast.Return)) or not isinstance(node.value, ast.Call):
        return False
    return name in {getattr(node.value.func, "attr", None), getattr(node.value.func, "id", None)}


def _targets(node: Any) -> list[Any]:
    if isinstance(node, ast.Assign):
        return node.targets
    return [node.target] if isinstance(node, ast.AnnAssign) else []


def _is_local(function: ast.AST, target: ast.AST) -> bool:
    """Return whether what is assigned here stays here: it is neither awaited nor given to what might await it."""
    if isinstance(target, ast.Tuple | ast.List):
        return True  # a coroutine can't be unpacked
    if not isinstance(target, ast.Name):
        return False
    for parent in ast.walk(function):
        if isinstance(parent, ast.Global | ast.Nonlocal) and target.id in parent.names:
            return False
        for child in ast.iter_child_nodes(parent):
            loads = isinstance(child, ast.Name) and child.id == target.id and isinstance(child.ctx, ast.Load)
            if loads and not _only_looks(parent, child):
                return False
    return True


def _only_looks(parent: ast.AST, child: ast.AST) -> bool:
    if isinstance(parent, ast.Call):
        return child is parent.func or getattr(parent.func, "id", None) in _ONLY_LOOK
    if isinstance(parent, ast.Attribute):
        return parent.attr not in {"send", "throw", "close", "__await__"}
    if isinstance(parent, ast.Subscript):
        return child is parent.value
    return isinstance(parent, _HARMLESS) or (isinstance(parent, ast.For | ast.comprehension) and child is parent.iter)
