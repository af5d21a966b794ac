"""Interpreters import ctypes one after the other.

In CPython 3.14 and 3.15 `_ctypes` has one table for the whole process, which says how each type of C is read and
written. Every interpreter that imports it fills the table anew, entry by entry and without a lock (in
`_ctypes_init_fielddesc`; gh-129824 collects races of this kind, but not this one). By this table the module `ctypes`
then defines some thirty types. If another interpreter is filling the table at that moment, an entry may be half empty:
the process dies by SIGSEGV, or the import fails with an `AttributeError` about `_type_`. Trio imports ctypes, and so
does httpx by way of trio; so does this library for shared buffers.

Two things remain possible, and can't be prevented here: that a program defines a type of C, or passes one to a
function, in the very moment in which another interpreter imports ctypes for the first time; and that the program
imports it in interpreters that it has made itself.
"""

import sys
from _thread import allocate_lock

from concmodels.platform import waking

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from importlib.machinery import ModuleSpec
    from types import ModuleType
    from typing import Any


class Turns:
    """The turn to import: a waker, because every interpreter can wait for one. It exists while there is any run."""

    def __init__(self) -> None:
        self._lock = allocate_lock()
        self._runs = 0
        self._turn = -1

    def begin(self) -> int:
        """Note that a run begins; return the waker for its interpreters."""
        with self._lock:
            if not self._runs:
                _import_here()
                self._turn = waking.make()
                waking.wake(self._turn)
            self._runs += 1
            return self._turn

    def end(self) -> None:
        """Note that a run is over, and its interpreters are closed."""
        with self._lock:
            self._runs -= 1
            if not self._runs:
                waking.close(self._turn)


turns = Turns()


def _import_here() -> None:
    """Import ctypes in the main interpreter while there is no other, so that it never has to wait for its turn."""
    try:
        import ctypes  # noqa: F401
    except ImportError:
        pass  # this Python was built without it


class Finder:
    """A finder that is asked before all others. They find `ctypes`, and this one has the import wait for its turn."""

    def __init__(self, turn: int) -> None:
        self._turn = turn

    def find_spec(self, name: str, path: Sequence[str] | None, target: ModuleType | None = None) -> ModuleSpec | None:
        """Find `ctypes`; None for every other module: then the others are asked, as usual."""
        if name != "ctypes":
            return None
        found = (finder.find_spec(name, path, target) for finder in sys.meta_path if finder is not self)
        spec = next(filter(None, found), None)
        if spec is not None and spec.loader is not None:
            spec.loader = _Loader(spec.loader, self._turn)  # type: ignore[assignment] # it has what an import needs
        return spec


class _Loader:
    """Loads a module as its own loader does, but in its turn."""

    def __init__(self, loader: Any, turn: int) -> None:
        self._loader = loader
        self._turn = turn

    def create_module(self, spec: ModuleSpec) -> ModuleType | None:
        """As its own loader does."""
        module: ModuleType | None = self._loader.create_module(spec)
        return module

    def exec_module(self, module: ModuleType) -> None:
        """Wait for the turn, run the module's code, and let the next one have a turn."""
        assert module.__spec__ is not None
        module.__spec__.loader = module.__loader__ = self._loader  # from here on it looks like any other module
        waking.wait(self._turn)
        try:
            self._loader.exec_module(module)
        finally:
            waking.wake(self._turn)


def take_turns(turn: int) -> None:
    """Have this interpreter import ctypes only in its turn."""
    sys.meta_path.insert(0, Finder(turn))
