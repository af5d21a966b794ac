"""CPython's own tests of executors (`test.test_concurrent_futures`), run against the pools of the sync models.

Where a pool does otherwise than CPython's executors, the test stands in DEVIATIONS. One of those that passes, or that
fails for another reason than the one given, is a failure here.
"""

import types
from concurrent.futures import ThreadPoolExecutor

import pytest
from cpython_executors import failures, names
from kinds import KINDS, kind
from pool_models import COOPERATIVE
from stuck import model_of

from concmodels import catalog

SYNC = [name for name in catalog.names() if not catalog.facts(name).is_async and name != "dask"]

DEVIATIONS = {
    "test_max_workers_negative": ("a ValueError with our own sentence", "workers is a whole number from 1"),
    "test_map_buffersize_type_validation": ("a TypeError with our own sentence", "buffersize is a whole number from 1"),
    "test_map_buffersize_value_validation": (
        "a ValueError with our own sentence",
        "buffersize is a whole number from 1",
    ),
    "test_submit_after_interpreter_shutdown": ("a RuntimeError with our own sentence", "Error: this pool is shut down"),
}
"""The reason for each deviation, which all our pools share, and what the assertion that fails says."""

WALLTIME = {"test_map_timeout"}
"""What takes six seconds in each model. CPython itself leaves it out, unless it is asked for with `-u walltime`."""


TESTS = [
    pytest.param(module, test, id=test, marks=[pytest.mark.stress] if test in WALLTIME else [])
    for module, test in names() or [("no module", "no tests")]
]
"""Each test once; one that is skipped, if this Python came without them."""


BOUNDARY = catalog.names(family="boundary")
SHARING = [BOUNDARY, *([it for it in SYNC if kind(it) == one] for one in KINDS if one not in BOUNDARY)]
"""The models whose pools have the same code: those with memory boundaries, and else those of a kind."""


def is_left_out(params):
    """Whether this test is tried on this model only with `--thorough`: those with the same code share the tests."""
    same = next(those for those in SHARING if params["name"] in those)
    place = [it.id for it in TESTS].index(params["test"])
    return same[place % len(same)] != params["name"]


@pytest.mark.thorough(when=is_left_out)
@pytest.mark.usefixtures("cpython_tests", "boundary_servers")
@pytest.mark.parametrize("module, test", TESTS)
@pytest.mark.parametrize("name", SYNC)
def test_of_cpython(name, module, test, thorough):
    workers = 2 if name in BOUNDARY and not thorough else 5
    found = failures(model_of(name), name, module, test, cooperative=name in COOPERATIVE, workers=workers)
    reason, says = DEVIATIONS.get(test, ("", ""))
    for error in found:
        if not (reason and isinstance(error, AssertionError) and says in str(error)):
            raise error
    if reason:
        assert found, "this passes now: take it off the list of deviations"
        pytest.xfail(reason)


@pytest.mark.usefixtures("cpython_tests")
def test_the_deviations_are_tests():
    assert DEVIATIONS.keys() | WALLTIME <= {test for _, test in names()}


class WrongPool(ThreadPoolExecutor):
    """Calls something else than it was given."""

    def submit(self, fn, /, *args, **kwargs):
        return super().submit(str)


@pytest.mark.usefixtures("cpython_tests")
def test_a_wrong_pool_fails():
    model = types.SimpleNamespace(Pool=WrongPool, run=lambda main, result: main(result))
    (error,) = failures(model, "wrong", "executor", "test_submit", cooperative=False)
    assert isinstance(error, AssertionError)
