"""Has the models hand out traced verbs while a trace is recorded, and their own before and after.

While a trace is recorded, the class of a model's module is another one, which hands out the traced verbs in the place
of the module's own; the library itself goes on to get these. Before and after, the module is what it was, so a trace
that is not recorded costs nothing. A variant is not a module: there the class of all variants gets properties.
"""

import os
import sys
from types import ModuleType

from concmodels import catalog
from concmodels.catalog import Variant
from concmodels.facts import DISTRIBUTED, FACTS, SIMULATED
from concmodels.trace.model import POOL_OF_VARIANT, VERBS, Own, traced
from concmodels.trace.recorder import recorder_at

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from concmodels.catalog import Facts
    from concmodels.trace.recorder import Recorder

_MODELS = "concmodels.models"
_LIBRARY = (_MODELS, "concmodels.catalog")
"""Modules that get the models' own verbs: a variant copies them."""
_NET = "concmodels.net"

_ALL = FACTS + SIMULATED + DISTRIBUTED

_active: list[Recorder] = []
"""Of traces in each other; the last one records."""
_before: Any = None
"""What `catalog.load` asked before."""


class TracedModule(ModuleType):
    """The class of a model's module while a trace is recorded.

    Properties would not do: CPython's specialized code looks straight into the dict of a module, unless its class has
    a `__getattribute__` of its own.
    """

    def __getattribute__(self, name: str) -> Any:
        return _given(self, name) if name in VERBS else super().__getattribute__(name)

    def __reduce__(self) -> Any:
        return module_again, (self.__name__,)


def module_again(name: str) -> Any:
    """Return the model that is a module, where it arrives."""
    from importlib import import_module

    module = import_module(name)
    if _active:
        _hand_out(module)
    return module


def _given(model: Any, verb: str) -> Any:
    """Return a verb of a model: the traced one, unless the library itself asks."""
    asks = str(sys._getframe(2).f_globals.get("__name__"))
    if asks.startswith(_LIBRARY) or not _active:
        return getattr(Own(model), verb)
    recorder = _active[-1]
    name = model.name if isinstance(model, Variant) else model.__name__
    if name not in recorder.models:
        recorder.models[name] = traced(model, recorder, _entry_of(model))
    return getattr(recorder.models[name], "Turn" if verb == "Channel" and asks.startswith(_NET) else verb)


def _entry_of(model: Any) -> Facts:
    if isinstance(model, Variant):
        return catalog.facts(model.name)
    file = model.__name__.removeprefix(f"{_MODELS}.").replace(".", "/")
    return next(entry for entry in _ALL if entry.file == file)


def _property(verb: str) -> Any:
    return property(lambda model: _given(model, verb))


def _hand_out(module: ModuleType) -> None:
    if type(module) is ModuleType:
        module.__class__ = TracedModule


def _find(entry: Facts) -> Any:
    """Load a model, for `catalog.load`: the same as without a trace, with the class that hands out traced verbs."""
    model = _before(entry) if _before else None
    if model is not None:
        return model
    model = catalog._loaded(catalog.name_of(entry), entry)
    if isinstance(model, ModuleType):
        _hand_out(model)
    return model


def activate(recorder: Recorder) -> None:
    """Have the models hand out verbs that this recorder traces, until `restore`."""
    global _before
    if not _active:
        _before = catalog.give_instead(_find)
        for verb in VERBS:
            setattr(Variant, verb, _property(verb))
    _active.append(recorder)
    recorder.again = recorder_again
    for entry in _ALL:
        module = sys.modules.get(f"{_MODELS}.{entry.file.replace('/', '.')}")
        if module is not None:
            _hand_out(module)


def recorder_again(folder: str, rows: int) -> Recorder:
    """Return the recorder of a folder, where it arrives: from then on the models are traced there too."""
    recorder = recorder_at(folder, rows)
    if not recorder.is_home and recorder not in _active and os.path.isdir(folder):
        activate(recorder)  # without the folder the trace was written, and this is what is left of its run
    return recorder


def restore(recorder: Recorder) -> None:
    """Undo `activate`."""
    _active.remove(recorder)
    if _active:
        return
    catalog.give_instead(_before)
    for module in list(sys.modules.values()):
        if type(module) is TracedModule:
            module.__class__ = ModuleType  # type: ignore[assignment]
    for verb in VERBS:
        delattr(Variant, verb)
    setattr(Variant, "Pool", POOL_OF_VARIANT)  # noqa: B010 - mypy knows it as read-only
