"""Which guarantees are held on which models: all of them with `--thorough`, and as a rule those that could differ.

Many guarantees are parametrized: by the capacity of a channel, by the operation that waits. Each model is held to each
of its guarantees; but not as a rule with all the values, because most of the code that a value changes is common to all
models of a kind. So as a rule there are pairs:

- each guarantee with each of its values on a model of each kind (ALL_VALUES, SHARED_OUT),
- each guarantee on each model, with one of its values, which are taken in turn,
- of a variant, which has most of its code in common with its model, only the chapters that `facts.differs_in` names,
  and if another variant differs in the same, a quarter of the guarantees of these, or an eighth (HALF_AS_OFTEN).

`tests/mutants` shows that what is left finds each of a hundred defects. From Python:

    with TemporaryDirectory() as folder, quiet_corner(folder):
        threads = model("threads", thorough=False)
        for name, guarantee in pairs(thorough=False):
            if name == "threads":
                threads.hold(guarantee)
"""

import functools
import tempfile
from contextlib import contextmanager

from concmodels import catalog
from concmodels.conformance import plugin  # noqa: F401 - before the suite, whose asserts it has rewritten
from concmodels.conformance.suite import Model, guarantees

ALL_VALUES = ("threads", "greenlet", "asyncio", "trio")
"""Models that as a rule too are held to their guarantees with all values: one for each kind within one process."""

SHARED_OUT = catalog.names(family="boundary")
"""The two models with memory boundaries, whose channels and pools are the same code: each has every second value."""

ON_ALL_VARIANTS = ("runs",)
"""Chapters that each variant is held to, whatever others differ in the same: that of how a run begins and ends."""

HALF_AS_OFTEN = ("processes:spawn",)
"""Variants whose tasks take so long to start that they are held to half as many guarantees as others like them."""

FEW_ROUNDS, FEWEST_ROUNDS = 10, 2
"""How often as a rule a guarantee tries what goes wrong only sometimes, and where each round starts processes or
interpreters; thoroughly it is `suite.Effort.rounds`."""

FEW_SOCKETS, FEWEST_SOCKETS = 200, 8
"""Of how many a guarantee waits at a time as a rule, and where each has a process or an interpreter of its own."""


def is_for(name, guarantee, *, thorough):
    """Whether the model or variant is held to a guarantee that it gives."""
    if thorough:
        return True
    touched = catalog.facts(name).differs_in
    if touched and not _is_touched(name, guarantee):
        return False
    return name in ALL_VALUES or _has_its_turn(name, guarantee)


def _is_touched(name, guarantee):
    """Whether this variant is the one to be held to a guarantee that its difference affects."""
    facts = catalog.facts(name)
    if guarantee.chapter not in facts.differs_in:
        return False
    alike = _alike(facts.model, facts.differs_in)
    number, *_ = _places()[str(guarantee)]
    turn = number % (2 * len(alike))  # of four guarantees one is of the one variant, and one of the other
    is_left_out = name in HALF_AS_OFTEN and number % (4 * len(alike)) != turn
    return guarantee.chapter in ON_ALL_VARIANTS or (name in alike[turn : turn + 1] and not is_left_out)


@functools.cache
def _alike(model, touched):
    """The variants of a model that differ from it in the same chapters."""
    return [
        name
        for name in catalog.names(variants=True)
        if (facts := catalog.facts(name)).variant and (facts.model, facts.differs_in) == (model, touched)
    ]


def _has_its_turn(name, guarantee):
    """Whether this model is the one for the guarantee's values."""
    number, place, count = _places()[str(guarantee)]
    if name in SHARED_OUT:
        both = [it for it in SHARED_OUT if guarantee.by(catalog.facts(it))]
        return count == 1 or both[(number + place) % len(both)] == name
    return (number + _number(name)) % count == place


@functools.cache
def _number(name):
    return catalog.names(variants=True).index(name)


@functools.cache
def _places():
    """Of each guarantee with its values: the number of the guarantee, the place of these values, how many there are."""
    found = {}
    for guarantee in guarantees():
        found.setdefault(guarantee.full_name, []).append(str(guarantee))
    return {
        text: (number, place, len(texts))
        for number, texts in enumerate(found.values())
        for place, text in enumerate(texts)
    }


def pairs(*, thorough):
    """Each model or variant of the catalog with each guarantee that it is held to."""
    for name in catalog.names(variants=True):
        for guarantee in guarantees():
            if guarantee.by(catalog.facts(name)) and is_for(name, guarantee, thorough=thorough):
                yield name, guarantee


class Chapter:
    """Guarantees of one chapter that a model is held to by one test; it is shown as the name of the chapter.

    With a test for each of them, pytest itself would take more of the processor than most of the guarantees.
    """

    def __init__(self, name):
        self._name = name
        self.guarantees = []

    def __str__(self):
        return self._name


def chapters():
    """Each model or variant of the catalog with each chapter of what it is held to as a rule."""
    all_of_them = list(guarantees())
    for name in catalog.names(variants=True):
        facts, found = catalog.facts(name), {}
        for guarantee in all_of_them:
            if guarantee.by(facts) and is_for(name, guarantee, thorough=False):
                found.setdefault(guarantee.chapter, Chapter(guarantee.chapter)).guarantees.append(guarantee)
        for chapter in found.values():
            yield name, chapter


def model(name, *, thorough):
    """The model, as `suite.Model`; it has run before."""
    found = Model.named(name)
    found.warm_up()
    if not thorough:
        make_light(found)
    return found


def make_light(model):
    """Have few rounds only, and few sockets."""
    model.effort.rounds = min(model.effort.rounds, few_rounds(model.facts))
    most = FEWEST_SOCKETS if model.facts.family == "boundary" else FEW_SOCKETS
    model.effort.sockets = min(model.effort.sockets, most)


def few_rounds(facts):
    """How many rounds a model has as a rule."""
    return FEWEST_ROUNDS if facts.family == "boundary" else FEW_ROUNDS


@contextmanager
def quiet_corner(folder):
    """Temporary files and semaphores of our own, so that what a run leaves behind can be told from what others do."""
    from concmodels.conformance import census

    census.know_own_semaphores()
    old, tempfile.tempdir = tempfile.tempdir, str(folder)
    yield
    tempfile.tempdir = old
