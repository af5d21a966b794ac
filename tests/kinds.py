"""Where a test multiplies models by settings: what is tried by default, and what only with `--thorough`.

Each setting on each model would take most of the time of `make test`, and find hardly more than a part of it: a mistake
in a setting shows on every model of a kind, whose tasks wait and end alike, and a mistake in a model with any setting.
So by default there are pairs:

- each setting on one model of each kind,
- each model with one of the settings at least, which are taken in turn,
- a variant, which has most of its code in common with its model, with one of them or none.

With `--thorough` (`make test-all`) there is everything.
"""

import pytest

from concmodels import catalog

KINDS = ("threads", "processes", "subinterp", "greenlet", "asyncio", "trio")
"""One model of each kind: threads, two memory boundaries, switches within one thread, and two libraries' loops."""
HALVES = ("threads", "processes", "asyncio"), ("subinterp", "greenlet", "trio")
"""KINDS once more, in halves that are alike in what they have. For one thing that is asked in several situations, which
share the kinds: as `of`, the first half meets every second situation, and the other half the rest.
"""


def _if_thorough(*values, is_usual):
    return pytest.param(*values, marks=[] if is_usual else [pytest.mark.thorough])


EACH = [_if_thorough(it, is_usual=it in catalog.names()) for it in catalog.names(variants=True)]
"""As parameters: each model, and the variants only with `--thorough`."""
EACH_KIND = [_if_thorough(it, is_usual=it in KINDS) for it in catalog.names()]
"""As parameters: a model of each kind, and the others only with `--thorough`."""


def is_usual(name, number, count, fully=KINDS):
    """Whether this model is by default tried with the setting that has this number, of so many."""
    return name in fully or catalog.names(variants=True).index(name) % count == number


def paired(names, settings, fully=KINDS):
    """As parameters: each model with each setting; by default all settings on the models `fully`, else one in turn."""
    settings = list(settings)
    return [
        _if_thorough(name, setting, is_usual=is_usual(name, number, len(settings), fully))
        for name in names
        for number, setting in enumerate(settings)
    ]


def is_variant(params):
    """Whether this is the test of a variant: for `@pytest.mark.thorough(when=is_variant)` on a test of `model`."""
    return params["model"] not in catalog.names()


def is_one_more(params):
    """Whether this is the test of a model that is not in KINDS: for `@pytest.mark.thorough(when=is_one_more)`."""
    return params["model"] not in KINDS


def kind(name):
    """The one of KINDS that a model is of."""
    facts = catalog.facts(name)
    if facts.is_async:
        return "trio" if "trio" in facts.needs else "asyncio"
    if not facts.preemptive:
        return "greenlet"
    return facts.model if facts.model in KINDS else "threads"


def shared_out(names, settings, first=0, of=KINDS):
    """As parameters: each model with each setting; by default the models of a kind share the settings.

    It is for what is expensive: each setting is still tried on a model of each kind, or of each of these. Several tests
    that begin with another `first` take other models.
    """
    members = _members(names, of)
    return [
        _if_thorough(name, setting, is_usual=name in _one_of(members.get(kind(name)), first + number))
        for name in names
        for number, setting in enumerate(settings)
    ]


def one_of_each_kind(names, first=0, of=KINDS):
    """As parameters: a model of each kind, and the others only with `--thorough`. About the rest: see `shared_out`."""
    return [pytest.param(it.values[0], marks=it.marks) for it in shared_out(names, [None], first, of)]


def in_turn(names, settings, first=0, of=KINDS):
    """As parameters: each model with each setting; by default a model of each kind with one of the settings, in turn.

    It is for what starts a program for each pair, and where settings and kinds have little to do with each other. With
    as many kinds as settings at least, each setting is tried. About `first` and `of`: see `shared_out`.
    """
    settings, members = list(settings), _members(names, of)
    usual = {those[first % len(those)]: (first + place) % len(settings) for place, those in enumerate(members.values())}
    return [
        _if_thorough(name, setting, is_usual=usual.get(name) == number)
        for name in names
        for number, setting in enumerate(settings)
    ]


def _members(names, kinds):
    """The models among these of each of these kinds."""
    found = {}
    for name in names:
        if kind(name) in kinds:
            found.setdefault(kind(name), []).append(name)
    return found


def _one_of(members, number):
    """One of them, in turn; none if there are none."""
    return [members[number % len(members)]] if members else []


def untouched(chapter):
    """Whether this is the test of a variant that does not differ in a chapter of guarantees.

    For `@pytest.mark.thorough(when=untouched("delivery"))` on a test of `model` that is about what this chapter is.
    """

    def when(params):
        differs_in = catalog.facts(params["model"]).differs_in
        return bool(differs_in) and chapter not in differs_in

    return when
