"""Which models the tests are run on, and when they may be skipped: decided here and nowhere else.

A test that asks for `model` runs once for every model and variant of the catalog, and never names one itself; one that
asks for `promise` too runs once for every promise that the model gives:

    def test_promise(model, promise):
        promise.hold(model)

What can't run here is skipped, and says why. On CI (`CI=true` in the environment) and with `--expect-all` such a skip
is a failure, unless it is one of EXPECTED: there, nothing may be missing unnoticed.

    pytest --model trio --model processes:spawn      these only
    pytest --times 50 -k cancelled                   each test fifty times: how a race shows

The promises are written once, with `await`. The sync models get the same text without it: `conformance/sync`.
"""

import ast
import os
import sys
import tempfile

import pytest

pytest.register_assert_rewrite("conformance.promises", "conformance.census")

from _pytest.assertion.rewrite import rewrite_asserts  # noqa: E402 - after the line above
from conformance import census, sync  # noqa: E402
from conformance.suite import Model, promises  # noqa: E402

from concmodels import catalog  # noqa: E402
from concmodels.errors import ModelUnavailable, UnknownModel  # noqa: E402

EXPECTED = {
    "free-threaded": () if sys._is_gil_enabled() else ("gevent", "subinterp", "subinterp:pipe", "subinterp:queue"),
    "not Linux": ()
    if sys.platform == "linux"
    else tuple(name for name in catalog.names(variants=True) if name.startswith(("processes", "subinterp"))),
}
"""The skips that have a good reason: what can't run on this interpreter or this system at all."""


def pytest_addoption(parser):
    """The options of the suite."""
    parser.addoption("--model", action="append", default=[], metavar="NAME", help="test this model only (repeatable)")
    parser.addoption("--times", type=int, default=1, metavar="N", help="run each test N times")
    parser.addoption("--expect-all", action="store_true", help="a model that can't run here is a failure, as on CI")


def pytest_configure(config):
    """An unknown name is a mistake of the caller's."""
    try:
        for name in config.getoption("model"):
            catalog.facts(name)
    except UnknownModel as error:
        raise pytest.UsageError(str(error)) from None


def pytest_generate_tests(metafunc):
    """Once per model, and as often as asked for."""
    if "model" in metafunc.fixturenames:
        names = metafunc.config.getoption("model") or catalog.names(variants=True)
        if "promise" in metafunc.fixturenames:
            pairs = [(name, promise) for name in names for promise in promises() if promise.by(catalog.facts(name))]
            ids = [f"{name}-{promise}" for name, promise in pairs]
            metafunc.parametrize("model, promise", pairs, ids=ids, indirect=["model"], scope="session")
        else:
            metafunc.parametrize("model", names, indirect=True, scope="session")
    if (times := metafunc.config.getoption("times")) > 1:
        metafunc.fixturenames.append("repetition")
        metafunc.parametrize("repetition", range(times))


@pytest.fixture(scope="session")
def model(request, quiet_corner):
    """The model to be tested, as `conformance.suite.Model`; it has run once before."""
    name = request.param
    try:
        model = Model.named(name)
    except ModelUnavailable as error:
        expected = any(name in names for names in EXPECTED.values())
        if not expected and (os.environ.get("CI") == "true" or request.config.getoption("expect_all")):
            pytest.fail(f"{error} (and nothing may be skipped here)", pytrace=False)
        pytest.skip(str(error))
    model.warm_up()
    return model


@pytest.fixture(scope="session")
def quiet_corner(tmp_path_factory):
    """Temporary files and semaphores of our own, so that what a run leaves behind can be told from what others do."""
    census.know_own_semaphores()
    old, tempfile.tempdir = tempfile.tempdir, str(tmp_path_factory.mktemp("t"))
    yield
    tempfile.tempdir = old


def _compile_with_values(text, path):
    """As pytest compiles a test: a failed `assert` shows the values."""
    tree = ast.parse(text)
    rewrite_asserts(tree, text.encode(), path)
    return compile(tree, path, "exec", dont_inherit=True)


sync.Loader.compile = staticmethod(_compile_with_values)
