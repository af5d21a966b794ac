"""Finds the promises, and holds a model to one of them.

model = Model.named("threads")
for promise in promises():
    if promise.by(model.facts):
        promise.hold(model)
"""

import itertools
from importlib import import_module
from inspect import getdoc, iscoroutinefunction, signature

from concmodels import catalog

from . import promises as _texts
from .census import NothingLeft


class Effort:
    """How much is enough: many messages where they are cheap, few tasks where those are dear."""

    def __init__(self, facts):
        self.hop = facts.hop
        """The seconds of one slow hand-over: a timeout that strikes about as often as not."""
        self.items = 300 if facts.hop < 1e-4 else 25
        dear = facts.memory > 1 << 20 or facts.hop > 1e-4
        self.rounds = 4 if dear else 50


class Model:
    """A model as the suite sees it."""

    def __init__(self, name, room, facts):
        self.name, self.room, self.facts = name, room, facts
        self.effort = Effort(facts)
        self.texts = f"{__package__}.{'promises' if facts.colour == 'async' else 'sync'}"

    @staticmethod
    def named(name):
        """A model of the catalog. Raises `ModelUnavailable`."""
        return Model(name, catalog.load(name), catalog.facts(name))

    def warm_up(self):
        """Run once: what a library starts at first use and keeps is not what a run leaves behind."""
        runs = import_module(f"{self.texts}.runs")
        self.room.run(runs.end_well, self.room)
        self.room.run(runs.end_well, self.room)


class Promise:
    """One promise, with the values that it is to be held for."""

    def __init__(self, chapter, function, values):
        self.chapter, self.name, self.values = chapter, function.__name__, values
        self.sentence = " ".join(getdoc(function).split())
        self.in_a_run = iscoroutinefunction(function)
        self.by = function.by

    def __str__(self):
        values = ",".join(f"{name}={_label(value)}" for name, value in self.values.items())
        return f"{self.chapter}.{self.name}" + (f"({values})" if values else "")

    def hold(self, model):
        """Raise what shows that the model does not keep it."""
        function = getattr(import_module(f"{model.texts}.{self.chapter}"), self.name)
        known = {"room": model.room, "effort": model.effort, "facts": model.facts, **self.values}
        args = [known[name] for name in signature(function).parameters]
        try:
            with NothingLeft():
                if self.in_a_run:
                    model.room.run(function, *args)
                else:
                    function(*args)
        except BaseException as error:
            error.add_note(f"{model.name} does not keep this promise: {self.sentence}")
            raise


def _label(value):
    if isinstance(value, tuple):
        return "+".join(_label(inner) for inner in value) or "()"
    text = getattr(value, "__name__", None) or repr(value)
    return text if len(text) < 30 else f"{type(value).__name__}[{len(value)}]"


def promises():
    """All promises, in the order of the texts."""
    for chapter in _texts.CHAPTERS:
        module = import_module(f"{_texts.__name__}.{chapter}")
        for function in vars(module).values():
            if hasattr(function, "choices") and function.__module__ == module.__name__:
                for values in itertools.product(*function.choices.values()):
                    yield Promise(chapter, function, dict(zip(function.choices, values, strict=True)))
