"""Tells of a forgotten `await`: which call has done nothing, on which line, and what to write.

Python itself notices: it warns when a coroutine goes that was never awaited. So no message has to pay for it. This
gives the warning other words if the coroutine is one of the library's, and finds those that an exception holds: Python
would warn of them when the program has ended, and would name no line.
"""

import sys
import warnings
from functools import partial
from types import CodeType, CoroutineType, FunctionType

from concmodels.models import FOLDER
from concmodels.models.tasks.signals.frames import of_program, short

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

_OURS = (FOLDER, FOLDER[: -len("models/")] + "net")
_LONGEST = 60


def tell_unawaited() -> None:
    """Choose the words of Python's warning, from now on. If Python has no such hook any more, its own words stay."""
    tells: Any = getattr(warnings, "_warn_unawaited_coroutine", None)
    if tells is not None and getattr(tells, "func", None) is not _tell:
        warnings._warn_unawaited_coroutine = partial(_tell, tells, {})  # type: ignore[attr-defined]


def _tell(python_tells: Callable[[Any], None], told: dict[str, dict[Any, Any]], coroutine: Any) -> None:
    """Warn of a coroutine that goes. Python calls this where that happens: mostly on the line of the call itself.

    `told` is what was told already, by file, for the filters of warnings: by default each is shown once.
    """
    here = _place() if _is_ours(coroutine) else None
    if here is None:
        python_tells(coroutine)
        return
    line, sentence = _forgotten(*here, coroutine.__name__)
    file = here[0].co_filename
    warnings.warn_explicit(sentence, RuntimeWarning, file, line, registry=told.setdefault(file, {}))


def _place() -> tuple[CodeType, int] | None:
    """Return the code from whose frame the coroutine goes, and the line; the last one if the function has just ended.

    Then the frame is that of the library which called the function.
    """
    try:
        frame = sys._getframe(2)
    except ValueError:
        return None  # the program has ended
    if of_program(frame):
        return frame.f_code, frame.f_lineno
    values = frame.f_locals
    called = (values.get("main"), values.get("function"), getattr(values.get("self"), "_function", None))
    codes = [it.__code__ for it in called if isinstance(it, FunctionType)]
    return (codes[0], max(line or 0 for _, _, line in codes[0].co_lines())) if codes else None


def note_unawaited(error: BaseException) -> None:
    """Add a note to an exception for each call in its frames that was not awaited; in a group, to those in it."""
    for inner in error.exceptions if isinstance(error, BaseExceptionGroup) else ():
        note_unawaited(inner)
    trace = error.__traceback__
    while trace is not None:
        for value in list(trace.tb_frame.f_locals.values()) if of_program(trace.tb_frame) else ():
            if _is_ours(value) and value.cr_frame is not None and not (value.cr_running or value.cr_suspended):
                line, sentence = _forgotten(trace.tb_frame.f_code, trace.tb_lineno, value.__name__)
                error.add_note(f"{short(trace.tb_frame.f_code.co_filename)}:{line}: {sentence}")
                value.close()  # Python has nothing to warn of any more
        trace = trace.tb_next


def _is_ours(value: Any) -> bool:
    return type(value) is CoroutineType and value.cr_code.co_filename.startswith(_OURS)


def _forgotten(code: CodeType, until: int, name: str) -> tuple[int, str]:
    """Return the line of the last call of this name that is not awaited, and the sentence about it."""
    import ast
    from linecache import getlines

    line, call = until, f"...{name}(...)"
    try:
        nodes = list(ast.walk(ast.parse("".join(getlines(code.co_filename)))))
    except SyntaxError, ValueError:  # the file has been changed since
        nodes = []
    awaited = {id(node.value) for node in nodes if isinstance(node, ast.Await)}
    calls = [it for it in nodes if isinstance(it, ast.Call) and getattr(it.func, "attr", None) == name]
    calls = [it for it in calls if id(it) not in awaited and code.co_firstlineno <= it.lineno <= until]
    if calls:
        last = max(calls, key=lambda it: it.lineno)
        line, text = last.lineno, ast.unparse(last)
        call = text if len(text) <= _LONGEST else call
    return line, f"{name} was not awaited, so it has done nothing: write `await {call}`"
