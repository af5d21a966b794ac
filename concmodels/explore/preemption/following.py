"""Follows what the callbacks of an event loop access, for a search that leaves out what makes no difference.

Nothing switches between two instructions of a callback. So it matters only what the whole of it touches: the objects
that instructions of the program access, as in a search for races, and those whose methods Python's own library calls,
as `self`. The library's locks and queues are written in Python, and what they do after an await is seen like this. Code
that is neither the program's nor the library's may access anything.
"""

import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from inspect import CO_ASYNC_GENERATOR
from typing import TYPE_CHECKING, Any

from concmodels.explore.preemption.monitoring import CodeMonitor
from concmodels.explore.threads.installed import is_of_python, is_own
from concmodels.models.simulated.world import current

if TYPE_CHECKING:
    import ast
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


_OF_FREEING = frozenset({"__del__", "weakref", "ref", "WeakSet", "WeakKeyDictionary", "WeakValueDictionary", "gc"})


class Following(CodeMonitor):
    """Watches the functions in these code objects, and the methods of the library. `is_known` says which of its methods
    need no looking at, by the object and the name."""

    def __init__(
        self, codes: Iterable[CodeType], trees: dict[str, ast.Module], is_known: Callable[[Any, str], bool]
    ) -> None:
        super().__init__(codes, trees)
        self._is_known = is_known

    @property
    def is_possible(self) -> bool:
        """Whether all of the program can be followed: not if it matters when an object is freed, because what was
        accessed is kept alive."""
        codes = self._sites.codes
        return not self._sites.hidden and not any(
            it.co_flags & CO_ASYNC_GENERATOR or not _OF_FREEING.isdisjoint((it.co_name, *it.co_names)) for it in codes
        )

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
        if not is_of_python(code.co_filename):
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
