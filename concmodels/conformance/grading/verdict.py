"""The verdict on a guarantee and, if it is broken, why, in one or two lines that a student understands."""

import os
import traceback
from collections.abc import Iterator

from concmodels.conformance import sync
from concmodels.conformance.grading.report import BROKEN, KEPT, NOT_GUARANTEED
from concmodels.conformance.suite import Guarantee, Model, NotGuaranteed

_TOLD_AT_MOST = 2
_GUARANTEES = os.path.dirname(sync.file_of(""))
_LIBRARY = os.path.dirname(os.path.dirname(_GUARANTEES))


def verdict(guarantee: Guarantee, model: Model, failures: type[BaseException]) -> dict[str, str]:
    """Test the model here. Returns the verdict, reason and traceback of an `Outcome`; other errors are raised."""
    try:
        guarantee.hold(model)
    except NotGuaranteed as error:
        return {"verdict": NOT_GUARANTEED, "reason": str(error)}
    except failures as error:
        trace = "".join(traceback.format_exception(error))
        return {"verdict": BROKEN, "reason": reason(error), "traceback": trace}
    return {"verdict": KEPT}


def reason(error: BaseException) -> str:
    """Return what went wrong: the message of an assert, or another exception with its place in the model's file."""
    lines = list(dict.fromkeys(_line(one) for one in _leaves(error)))
    more = f" (and {len(lines) - _TOLD_AT_MOST} more)" if len(lines) > _TOLD_AT_MOST else ""
    return "\n".join(lines[:_TOLD_AT_MOST]) + more


def _leaves(error: BaseException) -> Iterator[BaseException]:
    """Yield the exceptions that are no groups, however deeply they are nested in groups."""
    if isinstance(error, BaseExceptionGroup):
        for inner in error.exceptions:
            yield from _leaves(inner)
    else:
        yield error


def _line(error: BaseException) -> str:
    if isinstance(error, AssertionError) and str(error):
        return str(error)
    name, text = type(error).__name__, " ".join(str(error).split())
    notes = [note for note in getattr(error, "__notes__", ()) if note.startswith("due was")]
    return "; ".join([f"{name}: {text}" if text else name, *notes]) + _place(error)


def _place(error: BaseException) -> str:
    """Return the place of an exception: in the model's own file if possible, otherwise in the guarantee."""
    frames = traceback.extract_tb(error.__traceback__)
    outside = [it for it in frames if not it.filename.startswith(_LIBRARY) and os.path.exists(it.filename)]
    theirs = [it for it in outside if os.sep + "lib" + os.sep not in it.filename]
    ours = [it for it in frames if it.filename.startswith(_GUARANTEES) and it.name != "__exit__"]
    for found in (theirs, ours):
        if found:
            last = found[-1]
            return f" ({os.path.basename(last.filename)}, line {last.lineno}: {last.line})"
    return ""
