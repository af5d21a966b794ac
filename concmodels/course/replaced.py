"""Tells when a hand-in replaces things with which it is checked, such as `threading.Thread`."""

import builtins
import threading
from collections.abc import Iterator

from concmodels import catalog
from concmodels.explore.threads.program import library


class Originals:
    """The things with which a hand-in is checked, as they were before any code of it ran."""

    def __init__(self) -> None:
        self._before = dict(_parts())

    def replaced(self) -> str:
        """Return the name of something that is not what it was; nothing if all is."""
        after = dict(_parts())
        return next((name for (at, name), part in self._before.items() if after.get((at, name)) is not part), "")


def _parts() -> Iterator[tuple[tuple[int, str], object]]:
    """Yield public names with what they stand for: of modules, real and simulated, and of the classes in them."""
    simulated = library().modules
    parts: list[object] = [builtins, threading, simulated["threading"], simulated["time"]]
    parts += [catalog.load("sim"), catalog.load("sim:async")]
    for at, module in enumerate(parts):
        yield from (((at, name), part) for name, part in _names(module))


def _names(module: object) -> Iterator[tuple[str, object]]:
    of = getattr(module, "__name__", "sim")
    for name, part in vars(module).items():
        if name.startswith("_") and name not in ("__import__", "__build_class__"):
            continue
        yield f"{of}.{name}", part
        if isinstance(part, type) and part.__module__ == of:
            yield from ((f"{of}.{name}.{inner}", it) for inner, it in vars(part).items() if callable(it))
