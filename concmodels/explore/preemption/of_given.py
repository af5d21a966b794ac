"""Sites of the functions that a thread was given and that are written in C: one for each place that gives one away."""

import dis
import sys
from types import CodeType, FrameType
from typing import Any

from concmodels.explore.preemption.expressions import Unknown
from concmodels.explore.preemption.operands import Operands
from concmodels.explore.preemption.site import Site
from concmodels.explore.threads.given import call

CALL: CodeType = call.__code__
_OFFSET = next(it.offset for it in dis.get_instructions(CALL) if it.opname == "CALL_FUNCTION_EX")


class SitesOfGiven(dict[int, Any]):
    """As the sites of a function by offset; which one it is, depends on what is called and on who gave it away."""

    def __init__(self) -> None:
        super().__init__()
        self._known: dict[tuple[Any, str], _Given] = {}

    def get(self, offset: int, default: Any = None) -> Any:
        """As `dict.get`, for the callback that is called in the frame of `call`."""
        frame = sys._getframe(2)
        if offset != _OFFSET or frame.f_code is not CALL:
            return default
        place, name = frame.f_locals["_place"], frame.f_locals["function"].__qualname__
        site = self._known.get((place, name))
        if site is None:
            site = self._known[place, name] = _Given(name, place)
        return site


class _Given(Site):
    """The call of a function in `call`."""

    __slots__ = ("_place", "_text")

    def __init__(self, text: str, place: tuple[str, int] | None) -> None:
        file, line = place or (CALL.co_filename, CALL.co_firstlineno)
        self._place, self._text = (file, line), text
        super().__init__(
            CALL,
            _OFFSET,
            line,
            "call",
            node=None,
            index=_function,
            arguments=(_first,),
            passed=Operands(found=(_args,)),
            deep=True,
        )

    @property
    def file(self) -> str:
        """As `Site.file`."""
        return self._place[0]

    @property
    def name(self) -> str:
        """As `Site.name`."""
        return self._text


def _function(frame: FrameType) -> Any:
    return frame.f_locals["function"]


def _args(frame: FrameType) -> Any:
    return frame.f_locals["args"]


def _first(frame: FrameType) -> Any:
    args = frame.f_locals["args"]
    if not args:
        raise Unknown
    return args[0]
