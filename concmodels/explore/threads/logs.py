"""`logging` during a run: its handlers have simulated locks, and each run finds its loggers as the first one did.

The module itself stays that of the process, which may log too. So it is put back at the end of each run: a handler that
a program adds when its file is executed would else be called as often as that was.
"""

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from types import ModuleType
from typing import Any

_SETTINGS = ("handlers", "filters", "level", "propagate", "disabled")


@contextmanager
def logging_in_a_run(threading: ModuleType) -> Iterator[None]:
    """During this `with`, let `logging` use this `threading`; then put back all that was set."""
    module: Any = logging
    manager = logging.root.manager
    known: dict[str, Any] = dict(manager.loggerDict)
    loggers = [logging.root, *(it for it in known.values() if isinstance(it, logging.Logger))]
    settings = [(it, {name: _copied(getattr(it, name)) for name in _SETTINGS}) for it in loggers]
    handlers, disable, real = list(module._handlerList), manager.disable, module.threading
    module.threading = threading
    try:
        yield
    finally:
        module.threading = real
        manager.loggerDict.clear()
        manager.loggerDict.update(known)
        for logger, names in settings:
            vars(logger).update(names)
        module._handlerList[:], manager.disable = handlers, disable
        manager._clear_cache()  # type: ignore[attr-defined]  # which levels the loggers have


def _copied(value: Any) -> Any:
    return list(value) if isinstance(value, list) else value
