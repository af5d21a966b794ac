"""Sites of the functions that threads are given: one for each place that gives one away."""

import dis
import sys
from types import CodeType
from typing import TYPE_CHECKING, Any

from concmodels.explore.preemption.operands import Operands
from concmodels.explore.preemption.site import Site
from concmodels.explore.threads.given import call

if TYPE_CHECKING:
    from concmodels.explore.preemption.expressions import Value

CALL: CodeType = call.__code__
_OFFSET = next(it.offset for it in dis.get_instructions(CALL) if it.opname == "CALL_FUNCTION_EX")


class SitesOfGiven(dict[int, Any]):
    """As the sites of a function by offset; which one it is, depends on what is called and on who gave it away."""

    def __init__(self) -> None:
        super().__init__()
        self._known: dict[Any, _Given] = {}

    def get(self, offset: int, default: Any = None) -> Any:
        """As `dict.get`, for the callback that is called in the frame of `call`."""
        frame = sys._getframe(2)
        if offset != _OFFSET or frame.f_code is not CALL:
            return default
        local = frame.f_locals
        function, place = local["function"], local["_place"]
        name = getattr(function, "__qualname__", None) or type(function).__qualname__
        key = place, name, len(local["args"]), tuple(local["options"])
        site = self._known.get(key)
        if site is None:
            site = self._known[key] = _Given(*key)
        return site


class _Given(Site):
    """The call of a function in `call`."""

    __slots__ = ("_place", "_text")

    def __init__(self, place: tuple[str, int] | None, text: str, count: int, options: tuple[str, ...]) -> None:
        file, line = place or (CALL.co_filename, CALL.co_firstlineno)
        self._place, self._text = (file, line), text
        passed = (*map(_argument, range(count)), *map(_option, options))
        super().__init__(
            CALL,
            _OFFSET,
            line,
            "call",
            node=None,
            index=lambda frame: frame.f_locals["function"],
            arguments=passed,
            passed=Operands(found=passed),
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


def _argument(number: int) -> Value:
    return lambda frame: frame.f_locals["args"][number]


def _option(name: str) -> Value:
    return lambda frame: frame.f_locals["options"][name]
