"""Follows what the callbacks of an event loop access, for a search that leaves out what makes no difference.

Nothing switches between two instructions of a callback. So it matters only what the whole of it touches: the objects
that instructions of the program access, as in a search for races, and those whose methods Python's own library calls,
as `self`. The library's locks and queues are written in Python, and what they do after an await is seen like this. Code
that is neither the program's nor the library's may access anything.
"""

import ast
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from inspect import CO_ASYNC_GENERATOR
from typing import TYPE_CHECKING, Any

from concmodels.explore.preemption.monitoring import CodeMonitor
from concmodels.explore.threads.installed import is_generated_by_others, is_of_python, is_own
from concmodels.models.simulated.world import current

if TYPE_CHECKING:
    from types import CodeType, FrameType
    from typing import Protocol

    from concmodels.explore.monitor import RaceDetector

    class Footprint(RaceDetector, Protocol):
        """A `RaceDetector` that is told of all accesses."""

        def touch(self, thing: Any, name: str, changes: bool) -> None:
            """Take note of an access to an object that nobody else looks at."""

        def touch_all(self) -> None:
            """Take note of an access to what may be anything."""


_monitoring = sys.monitoring
_events = _monitoring.events
_TOOL = 4


_OF_FREEING = frozenset(
    {"__del__", "weakref", "ref", "WeakSet", "WeakKeyDictionary", "WeakValueDictionary", "gc", "getrefcount"}
)
_IMPORTED = _OF_FREEING | {"_weakref", "_weakrefset", "finalize", "proxy", "WeakMethod", "collect", "ReferenceType"}
"""A module may give them any name, and `collect` alone may be a method of the program."""


class Following(CodeMonitor):
    """Watches the functions in these code objects, and the methods of the library. `is_known` says which of its methods
    need no looking at, by the object and the name."""

    futures_tell = True
    """As `Program.futures_tell`."""

    def __init__(
        self, codes: Iterable[CodeType], trees: dict[str, ast.Module], is_known: Callable[[Any, str], bool]
    ) -> None:
        super().__init__(codes, trees)
        self._trees = list(trees.values())
        self._is_known = is_known

    @property
    def is_possible(self) -> bool:
        """Whether all of the program can be followed: not if it matters when an object is freed, because what was
        accessed is kept alive."""
        codes = self._sites.codes
        if self._sites.hidden or any(it.co_flags & CO_ASYNC_GENERATOR for it in codes):
            return False
        if not self._files.issuperset(it.co_filename for it in codes):
            return False
        return not any(_prevents(node) for tree in self._trees for node in _executed(tree))

    def forget(self) -> None:
        """Begin a callback: what calls have returned is another one's."""
        self._returned.clear()

    @contextmanager
    def following(self, footprint: Footprint) -> Iterator[None]:
        """During this `with`, tell of all accesses. Raises `CannotExplore` while another tool is monitoring."""
        self._points, self._notes, self._enters = frozenset(), False, False
        self._detector: Any = footprint
        self._footprint = footprint
        try:
            with self._monitoring():
                for event in (_events.PY_RESUME, _events.PY_THROW):
                    _monitoring.register_callback(_TOOL, event, self._go_on)
                _monitoring.set_events(_TOOL, _events.PY_START | _events.PY_RESUME | _events.PY_THROW)
                _monitoring.restart_events()
                try:
                    yield
                finally:
                    for event in (_events.PY_RESUME, _events.PY_THROW):
                        _monitoring.register_callback(_TOOL, event, None)
        finally:
            self._detector = None

    def _start(self, code: CodeType, offset: int) -> Any:
        if id(code) in self._sites_of:
            return super()._start(code, offset)
        return self._begin_or_go_on(code, sys._getframe(1))

    def _go_on(self, code: CodeType, _offset: int, error: BaseException | None = None) -> Any:
        return self._begin_or_go_on(code, sys._getframe(1), error)

    def _begin_or_go_on(self, code: CodeType, frame: FrameType, error: BaseException | None = None) -> Any:
        """Take note of a function that begins or goes on, and that is no function of the program."""
        again = None if error is not None else _monitoring.DISABLE
        world = current()
        if id(code) in self._sites_of:
            return again
        if not is_of_python(code.co_filename) or is_generated_by_others(code, frame.f_globals):
            if world is not None and not world.dying:
                self._footprint.touch_all()
            return None
        if is_own(code.co_filename) or code.co_varnames[:1] != ("self",) or code.co_argcount == 0:
            return again
        if world is None or world.dying or (frame.f_back is not None and is_own(frame.f_back.f_code.co_filename)):
            return None
        owner = frame.f_locals["self"]
        if not self._is_known(owner, code.co_name):
            self._footprint.touch(owner, "", True)
        return None


def _executed(node: ast.AST) -> Iterator[ast.AST]:
    """Yield the nodes in this one, without annotations: what is in these is only named."""
    for field, value in ast.iter_fields(node):
        if field not in ("annotation", "returns"):
            for it in value if isinstance(value, list) else [value]:
                if isinstance(it, ast.AST):
                    yield it
                    yield from _executed(it)


def _prevents(node: ast.AST) -> bool:
    """Return whether a program with this in it can't be followed."""
    match node:
        case ast.FunctionDef(name=name):
            return name == "__del__"
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return name in _OF_FREEING
        case ast.Constant(value=str(text)):
            return text in _IMPORTED
        case ast.ImportFrom(module=module, names=names):
            parts = {*(module or "").split("."), *(it.name for it in names)}
            return not parts.isdisjoint(_IMPORTED)
        case ast.Import(names=names):
            return any(not _IMPORTED.isdisjoint(it.name.split(".")) for it in names)
    return False
