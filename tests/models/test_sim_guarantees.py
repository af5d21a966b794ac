"""Every guarantee, and random programs, on many schedules of the simulated model: what the models share keeps them.

On real threads these lines meet the order that matters once in a million runs; here an order is drawn for each seed.
"""

import gc
import itertools
from collections import Counter

import pytest
from every_schedule import KINDS
from random_programs.trial import Setting, sample

from concmodels import catalog
from concmodels.conformance.guarantees import CHAPTERS
from concmodels.conformance.suite import Model, guarantees
from concmodels.models.pools import executor
from concmodels.models.tasks.group import TaskGroup

SCHEDULES = 1
"""As a rule so many for each guarantee with each of its values, which the two kinds share."""
MANY_SCHEDULES = 50
PROGRAMS = 30
MANY_PROGRAMS = 5000


class Drawn:
    """The verbs of a model, whose runs draw their order by one seed after the other."""

    def __init__(self, kind, first=0):
        self.kind = kind
        self.seed = None
        self._verbs = catalog.load(kind)
        self._seeds = itertools.count(first)

    def __getattr__(self, name):
        return getattr(self._verbs, name)

    def run(self, main, *args, **options):
        self.seed = next(self._seeds)
        return self._verbs.run(main, *args, seed=self.seed, **options)

    def __reduce__(self):
        return catalog.load, (self.kind,)


@pytest.fixture(scope="module", params=KINDS)
def kind(request, quiet_corner):
    return request.param


@pytest.fixture(scope="module")
def drawn(kind):
    """The model as the suite sees it; few messages do, because the order is what differs."""
    model = Model.named(kind)
    model.warm_up()
    model.effort.rounds, model.effort.items = 3, 25
    return model


def hold(model, kind, chosen, schedules):
    """Hold the model to these guarantees. Returns how often each was held."""
    held = Counter()
    for guarantee in chosen:
        model.verbs = Drawn(kind)
        for _ in range(schedules):
            try:
                guarantee.hold(model)
            except BaseException as error:
                error.add_note(f"{guarantee} of {kind}, on the schedule of seed {model.verbs.seed}")
                raise
            held[guarantee.full_name] += 1
    return held


def of_chapter(model, chapter):
    """The guarantees of this chapter that the model gives."""
    return [it for it in guarantees() if it.chapter == chapter and it.why_not(model) is None]


def shared_out(found, kind):
    """These guarantees, but of each that has several values only every second for each of the two kinds."""
    chosen, places, counts = [], Counter(), Counter(it.full_name for it in found)
    for guarantee in found:
        if counts[guarantee.full_name] == 1 or places[guarantee.full_name] % 2 == list(KINDS).index(kind):
            chosen.append(guarantee)
        places[guarantee.full_name] += 1
    return chosen


@pytest.mark.timeout(250)
@pytest.mark.parametrize("chapter", CHAPTERS)
def test_a_chapter_on_many_schedules(drawn, kind, chapter, thorough):
    schedules = MANY_SCHEDULES if thorough and chapter not in ("sharing", "pooling_map") else SCHEDULES
    found = of_chapter(drawn, chapter)
    held = hold(drawn, kind, found if thorough else shared_out(found, kind), schedules)
    assert held.keys() == {it.full_name for it in found} and all(times >= schedules for times in held.values())


@pytest.fixture
def nothing_frozen():
    """Hypothesis asks the garbage collector what refers to its random generators; frozen objects are not looked at."""
    gc.unfreeze()
    yield
    gc.freeze()


@pytest.mark.timeout(250)
@pytest.mark.usefixtures("nothing_frozen")
def test_random_programs_on_many_schedules(kind, thorough):
    setting = Setting(kind, Drawn(kind), catalog.facts(kind))
    count = MANY_PROGRAMS if thorough else PROGRAMS
    assert sample(setting, count, number=1) == count


def refuse_without_a_cause(error):
    raise error from None


DEFECTS = {
    "a cause is wiped": ("pooling_ends", executor, "refuse", refuse_without_a_cause),
    "leaving a group is no checkpoint": ("cancellation", TaskGroup, "checkpoint", lambda group: None),
}
"""What was once wrong in the shared code, and was found by nothing but an order that threads rarely take."""


@pytest.mark.parametrize("defect", DEFECTS)
def test_a_defect_of_the_shared_code_is_found(monkeypatch, quiet_corner, defect):
    chapter, *patch = DEFECTS[defect]
    monkeypatch.setattr(*patch)
    model = Model.named("sim")
    model.effort.rounds = 3
    with pytest.raises(AssertionError) as caught:
        for schedules in (1, 50):  # many of each guarantee only if the first ones show nothing
            hold(model, "sim", of_chapter(model, chapter), schedules)
    assert "on the schedule of seed" in caught.value.__notes__[-1]
