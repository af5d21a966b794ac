"""Which guarantees are held on which models: all of them with `--thorough`, and as a rule those that could differ.

A variant has most of its code in common with its model, so as a rule it is held only to the chapters that
`facts.differs_in` names. From Python:

    with TemporaryDirectory() as folder, quiet_corner(folder):
        threads = model("threads", thorough=False)
        for name, guarantee in pairs(thorough=False):
            if name == "threads":
                threads.hold(guarantee)
"""

import tempfile
from contextlib import contextmanager

from concmodels import catalog
from concmodels.conformance import plugin  # noqa: F401 - before the suite, whose asserts it has rewritten
from concmodels.conformance.suite import Model, guarantees

FEW_ROUNDS = 10
"""How often as a rule a guarantee tries what goes wrong only sometimes; thoroughly it is `suite.Effort.rounds`."""


def is_for(name, guarantee, *, thorough):
    """Whether the model or variant is held to a guarantee that it gives."""
    touched = catalog.facts(name).differs_in
    return thorough or not touched or guarantee.chapter in touched


def pairs(*, thorough):
    """Each model or variant of the catalog with each guarantee that it is held to."""
    for name in catalog.names(variants=True):
        for guarantee in guarantees():
            if guarantee.by(catalog.facts(name)) and is_for(name, guarantee, thorough=thorough):
                yield name, guarantee


def model(name, *, thorough):
    """The model, as `suite.Model`; it has run before."""
    found = Model.named(name)
    found.warm_up()
    if not thorough:
        make_light(found)
    return found


def make_light(model):
    """Have few rounds only."""
    model.effort.rounds = min(model.effort.rounds, FEW_ROUNDS)


@contextmanager
def quiet_corner(folder):
    """Temporary files and semaphores of our own, so that what a run leaves behind can be told from what others do."""
    from concmodels.conformance import census

    census.know_own_semaphores()
    old, tempfile.tempdir = tempfile.tempdir, str(folder)
    yield
    tempfile.tempdir = old
