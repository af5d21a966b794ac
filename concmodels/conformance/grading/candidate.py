"""The models that can be graded: those of the catalog, by name, and models that somebody wrote, by file.

A file defines `Channel`, and whatever else of the vocabulary its author has implemented. The rest is lent to it by a
model of the same kind: by asyncio if `Channel.send` is an `async def`, otherwise by threads. What its Channel and its
Pool lack (`close`, `timeout` ...) raises a NotImplementedError that says so; a guarantee that needs it counts as not
given. The author may raise NotImplementedError too, for example in `Channel(0)` if there is no rendezvous. A file may
also say more about its model in `FACTS`, for example `FACTS = {"preemptive": False}`: see `concmodels.catalog.Facts`.
"""

import importlib.util
import os
import sys
import traceback
from collections.abc import Callable
from inspect import iscoroutinefunction
from types import ModuleType, SimpleNamespace
from typing import Any

from concmodels import catalog
from concmodels.catalog import Facts
from concmodels.conformance.grading import completion
from concmodels.conformance.suite import VOCABULARY, Model
from concmodels.errors import ChannelClosed, UnknownModel, WouldBlock


class Refused(ValueError):
    """There is nothing that can be graded. The message is one sentence that says why, and what to do."""


class Candidate(Model):
    """A model that somebody wrote. What it lacks is lent to it by another model."""

    partial = True
    tell: Callable[[BaseException], None] = staticmethod(lambda error: None)
    """Is called with each exception at once, because a program that hangs afterwards can't report it any more."""

    def __init__(self, name: str, module: Any, base: str | None = None) -> None:
        _check(name, module)
        self.base = catalog.load(base or _base(module))
        own = {it for it in VOCABULARY if getattr(module, it, None) is not getattr(self.base, it, None)}
        own &= set(dir(module))
        super().__init__(name, SimpleNamespace(), _facts(name, module), frozenset(own))
        given = {it: getattr(module, it) for it in VOCABULARY if hasattr(module, it)}
        whole = completion.completed(self.base, given, self.facts.is_async, lambda error: self.tell(error))
        vars(self.verbs).update(vars(whole))

    def warm_up(self) -> None:
        """Warm up only the model that lends, because this one may be broken."""
        self._run_small(self.base)


def check(text: str) -> None:
    """Raise `UnknownModel` or `Refused` if there is no such model, without loading it."""
    if own_work(text):
        if not os.path.isfile(text):
            raise Refused(f"{text} is not a file" if os.path.exists(text) else f"there is no file {text}")
        return
    try:
        catalog.facts(text)
    except UnknownModel as error:
        raise UnknownModel(f"{error}; a model of your own is named by its file, as in my_model.py") from None


def model(text: str) -> Model:
    """Load the model with this name or path. Raises `UnknownModel`, `ModelUnavailable` and `Refused`."""
    check(text)
    return Candidate(label(text), _loaded(text)) if own_work(text) else Model.named(text)


def label(text: str) -> str:
    """Return the name of the model in a report."""
    return os.path.basename(text) if own_work(text) else text


def own_work(text: str) -> bool:
    """Return whether this is a path, rather than a name of the catalog such as `dask:tcp://127.0.0.1:8786`."""
    try:
        catalog.facts(text)
    except UnknownModel:
        return text.endswith(".py") or os.sep in text or os.path.exists(text)
    return False


_modules: dict[str, ModuleType] = {}


def _loaded(path: str) -> ModuleType:
    """Return the module of this file, which is imported once."""
    path = os.path.abspath(path)
    if path not in _modules:
        _modules[path] = _import(path)
    return _modules[path]


def _import(path: str) -> ModuleType:
    """Import a file under its own name, or a similar one if that is taken. It can import its neighbours."""
    name = os.path.basename(path).removesuffix(".py")
    while name in sys.modules or name in sys.stdlib_module_names:
        name += "_"
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise Refused(f"{path} is not a Python file: its name must end in .py")
    module = sys.modules[name] = importlib.util.module_from_spec(spec)
    sys.path.insert(0, os.path.dirname(path))
    try:
        spec.loader.exec_module(module)
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        raise Refused(f"{os.path.basename(path)} can't be imported: {where(error, path)}") from error
    return module


def where(error: BaseException, path: str) -> str:
    """Return the error in one line, with its line number in the file."""
    text = " ".join(traceback.format_exception_only(error)[-1].split())
    lines = [frame.lineno for frame in traceback.extract_tb(error.__traceback__) if frame.filename == path]
    line = error.lineno if isinstance(error, SyntaxError) else lines[-1] if lines else None
    return f"{text} (line {line})" if line else text


def _base(module: Any) -> str:
    return "asyncio" if iscoroutinefunction(module.Channel.send) else "threads"


def _facts(name: str, module: Any) -> Facts:
    """Return the facts of the model that lends, with the name of this one, and with what its `FACTS` say."""
    told = getattr(module, "FACTS", {})
    known = catalog.facts(_base(module))
    if not isinstance(told, dict) or not told.keys() <= set(Facts.__slots__):
        raise Refused(f"FACTS of {name} must be a dict whose keys are among {', '.join(sorted(Facts.__slots__))}")
    return known.but(**{"model": name, "variant": None, "raised_again": None} | told)


def _check(name: str, module: Any) -> None:
    """Raise `Refused` if this module is not a model."""
    channel: Any = getattr(module, "Channel", None)
    if not isinstance(channel, type):
        what = "has no Channel" if channel is None else "has a Channel that is not a class"
        raise Refused(f"{name} {what}: define a class Channel with the methods send and receive")
    for verb in ("send", "receive"):
        if not callable(getattr(channel, verb, None)):
            raise Refused(f"the Channel of {name} has no {verb}: define at least the methods send and receive")
    if len({iscoroutinefunction(getattr(channel, verb)) for verb in ("send", "receive")}) == 2:
        raise Refused(
            f"the Channel of {name} mixes sync and async: make send and receive both `async def`, or both `def`"
        )
    for known in (ChannelClosed, WouldBlock):
        found = getattr(module, known.__name__, known)
        if not (isinstance(found, type) and issubclass(found, known)):
            raise Refused(
                f"{name} has a {known.__name__} of its own, which no program would catch: "
                f"write `from concmodels.errors import {known.__name__}` instead"
            )
