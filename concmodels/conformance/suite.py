"""Finds the guarantees, and tests a model for one of them.

model = Model.named("threads")
for guarantee in guarantees():
    if guarantee.why_not(model) is None:
        guarantee.hold(model)
"""

import itertools
from collections.abc import Callable, Iterator
from importlib import import_module
from inspect import getdoc, iscoroutinefunction, signature
from types import FunctionType, ModuleType
from typing import Any

from concmodels import catalog
from concmodels.catalog import Facts
from concmodels.platform import measuring

from .census import NothingLeft

_TEXTS = f"{__package__}.guarantees"

SOCKETS = ("notify_closing", "wait_readable", "wait_writable")
"""The names that only models have that run in the real world."""

VOCABULARY = ("Cancelled", "Channel", "Pool", "TaskGroup", "now", "run", "select", "share", "sleep", *SOCKETS)
"""The names that a model has."""


class NotGuaranteed(Exception):
    """The model does not guarantee this; the message says why."""


class Effort:
    """The size of a test: many messages where they are cheap, few rounds where tasks or messages are expensive."""

    def __init__(self, facts: Facts) -> None:
        self.hop = facts.hop
        """The seconds of one slow hop: a timeout of that length is over about as often before the hop as after it."""
        self.items = 300 if facts.hop < 1e-4 else 25
        expensive = facts.memory > 1 << 20 or facts.hop > 1e-4
        self.rounds = 4 if expensive else 50
        self.sockets = 20 if expensive else min(1000, (measuring.descriptor_limit() or 1 << 20) // 3)


class Model:
    """A model as the suite sees it. `own` has the names of the vocabulary that it implements itself."""

    partial = False
    """Whether the model may refuse a guarantee by raising NotImplementedError."""

    def __init__(self, name: str, verbs: Any, facts: Facts, own: frozenset[str] = frozenset(VOCABULARY)) -> None:
        self.name, self.verbs, self.facts, self.own = name, verbs, facts, own
        self.effort = Effort(facts)
        self.texts = f"{__package__}.{'guarantees' if facts.is_async else 'sync'}"

    @staticmethod
    def named(name: str) -> Model:
        """Return a model of the catalog. Raises `UnknownModel` and `ModelUnavailable`."""
        facts = catalog.facts(name)
        lacks = frozenset(SOCKETS) if catalog.is_simulated(facts) else frozenset()
        model = Model(name, catalog.load(name), facts, frozenset(VOCABULARY) - lacks)
        model.partial = catalog.is_distributed(facts)  # on several machines not every guarantee can be kept
        return model

    def warm_up(self) -> None:
        """Run a small program twice. What a library starts at its first use, and keeps, is then not left by a test."""
        self._run_small(self.verbs)
        self._run_small(self.verbs)

    def hold(self, guarantee: Guarantee) -> None:
        """Test the model for this guarantee: see `Guarantee.hold`."""
        if why := guarantee.why_not(self):
            raise NotGuaranteed(why)
        import_module(f"{self.texts}.{guarantee.chapter}")
        for library in guarantee.uses:
            import_module(library)  # imported now, so that what it keeps is not taken for left behind
        try:
            with NothingLeft():
                self.call(guarantee)
        except BaseException as error:
            if self.partial and (missing := not_implemented(error)):
                raise NotGuaranteed(str(missing) or "it says NotImplementedError") from error
            error.add_note(f"{self.name} does not keep this guarantee: {guarantee.sentence}")
            raise

    def call(self, guarantee: Guarantee) -> None:
        """Call the function of the guarantee. Raises what shows that the model breaks it."""
        function = getattr(import_module(f"{self.texts}.{guarantee.chapter}"), guarantee.name)
        known = {"model": self.verbs, "effort": self.effort, "facts": self.facts, **guarantee.values}
        args = [known[name] for name in signature(function).parameters]
        if guarantee.in_a_run:
            self.verbs.run(function, *args)
        else:
            function(*args)

    def _run_small(self, verbs: Any) -> None:
        verbs.run(import_module(f"{self.texts}.runs").end_well, verbs)


class Guarantee:
    """One guarantee, with one choice of values for its parameters."""

    def __init__(self, chapter: str, function: Any, values: dict[str, object]) -> None:
        self.chapter, self.name, self.values = chapter, function.__name__, values
        self.sentence = " ".join((getdoc(function) or "").split())
        self.in_a_run = iscoroutinefunction(function)
        self.by: Callable[[Facts], bool] = function.by
        self.needs: tuple[str, ...] = function.needs
        self.uses: tuple[str, ...] = function.uses

    @property
    def full_name(self) -> str:
        """Chapter and name, which are the same for all values."""
        return f"{self.chapter}.{self.name}"

    @property
    def label(self) -> str:
        """The values as text: `capacity=0`."""
        return ",".join(f"{name}={_label(value)}" for name, value in self.values.items())

    def __str__(self) -> str:
        return self.full_name + (f"({self.label})" if self.values else "")

    def why_not(self, model: Model) -> str | None:
        """Return the reason why the model does not give this guarantee, in words, or None if it does."""
        if not self.by(model.facts):
            models = (getdoc(self.by) or "others").rstrip(".")
            return f"only guaranteed by {models[0].lower()}{models[1:]}"
        if missing := [name for name in self.needs if name not in model.own]:
            return f"{model.name} has no {' and no '.join(missing)} of its own"
        return None

    def hold(self, model: Model) -> None:
        """Test the model. Raises what shows that it breaks the guarantee, or `NotGuaranteed` if it does not give it."""
        model.hold(self)


def not_implemented(error: BaseException | None) -> BaseException | None:
    """Return the NotImplementedError that is in this exception, its groups, causes or contexts, if there is one."""
    if error is None or isinstance(error, NotImplementedError):
        return error
    inner = error.exceptions if isinstance(error, BaseExceptionGroup) else ()
    for one in (*inner, error.__cause__, error.__context__):
        if found := not_implemented(one):
            return found
    return None


def _label(value: object) -> str:
    if isinstance(value, tuple):
        return "+".join(_label(inner) for inner in value) or "()"
    if isinstance(value, (bytes, str)) and len(value) >= 30:  # of megabytes, `repr` alone takes 10 ms and more
        return f"{type(value).__name__}[{len(value)}]"
    return getattr(value, "__name__", None) or repr(value)


def guarantees() -> Iterator[Guarantee]:
    """Yield all guarantees, in the order of the chapters."""
    for chapter in import_module(_TEXTS).CHAPTERS:
        module = import_module(f"{_TEXTS}.{chapter}")
        for function in _marked(module):
            for values in itertools.product(*function.choices.values()):
                yield Guarantee(chapter, function, dict(zip(function.choices, values, strict=True)))


def _marked(module: ModuleType) -> list[Any]:
    """Return the functions of a chapter that are guarantees."""
    functions = [it for it in vars(module).values() if isinstance(it, FunctionType)]
    return [it for it in functions if hasattr(it, "choices") and it.__module__ == module.__name__]
