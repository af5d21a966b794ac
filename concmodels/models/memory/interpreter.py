"""Whether this is the main interpreter, from which processes and other interpreters can be started."""

from concmodels.errors import ModelUnavailable


def why_not_from_here() -> str | None:
    """Return why this interpreter can't start processes and interpreters, or None if it is the main one."""
    try:
        import _interpreters
    except ImportError:  # this Python was built without them
        return None
    if _interpreters.get_current()[0] == _interpreters.get_main()[0]:
        return None
    return "this is a subinterpreter, and only the main interpreter starts others, and processes: call `run` there"


def must_be_main(kind: str) -> None:
    """Raise `ModelUnavailable` unless the runs of this model can be made from this interpreter."""
    if why := why_not_from_here():
        raise ModelUnavailable(f"{kind} can't run here: {why}")
