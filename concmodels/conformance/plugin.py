"""The pytest plugin: the guarantees as tests, one each, for a model of the catalog or of a file.

It is loaded wherever concmodels is installed. In a course, a test file says

    def test_guarantee(model, guarantee):
        guarantee.hold(model)

and `pytest --model my_model.py` or `pytest --model threads` grades it; both may be given several times. A test that
asks for `model` alone runs once per model. What the model does not guarantee is left out, or skipped with the reason.

Nothing changes for other tests: the two fixtures mean something only after one of the options. `--concmodels-model` is
always there; `--model`, the short form, is added last and only if no other plugin and no conftest.py has an option of
that name. A model of a file is held to its guarantees in a process of its own, so it may hang or crash.
"""

import argparse
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import pytest

from concmodels import catalog
from concmodels.errors import ModelUnavailable

if TYPE_CHECKING:
    from concmodels.conformance.suite import Guarantee, Model

pytest.register_assert_rewrite("concmodels.conformance.guarantees", "concmodels.conformance.census")

_LONG, _SHORT, _CHOSEN = "--concmodels-model", "--model", "concmodels_models"
_HELP = "hold this model to the guarantees of concmodels: a name of its catalog, or a file (repeatable)"
_HINT = "this test needs to know which model: pytest --model my_model.py, or --model threads"

PATIENCE_S = 20.0
"""Seconds that a guarantee may take; a conftest.py may set it."""


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the option that is always there."""
    _add(parser, _LONG)


def add_short_option(parser: pytest.Parser) -> None:
    """Add `--model`, unless somebody else has it. A conftest.py that wants it for sure calls this itself."""
    try:
        _add(parser, _SHORT)
    except ValueError, argparse.ArgumentError:
        pass  # it is taken: the long form does the same


def _add(parser: pytest.Parser, option: str) -> None:
    parser.addoption(option, action="append", default=[], dest=_CHOSEN, metavar="NAME_OR_FILE", help=_HELP)


@pytest.hookimpl(wrapper=True)
def pytest_load_initial_conftests(parser: pytest.Parser) -> Iterator[None]:
    """Add the short option when everybody else had the chance to."""
    try:
        return (yield)
    finally:
        add_short_option(parser)


def chosen(config: pytest.Config) -> list[str]:
    """Return the models that the command line names."""
    return list(config.getoption(_CHOSEN))


class Apart:
    """A model of a file: its guarantees are held in another process. A test that wants its model has it in this one."""

    def __init__(self, path: str) -> None:
        from concmodels.conformance.grading import runner

        self.grader = runner.Grader(path, PATIENCE_S)
        self.name, self._path = self.grader.label, path

    def hold(self, guarantee: Guarantee) -> None:
        """Fail with what the other process found."""
        from concmodels.conformance.suite import NotGuaranteed

        outcome = self.grader.hold(guarantee)
        if outcome.verdict == "not guaranteed":
            raise NotGuaranteed(outcome.reason)
        if outcome.verdict == "broken":
            pytest.fail(f"guaranteed: {outcome.sentence}\nbut: {outcome.reason}\n{outcome.traceback}", pytrace=False)

    def __getattr__(self, attribute: str) -> Any:
        from concmodels.conformance.grading import candidate

        return getattr(candidate.model(self._path), attribute)


_APART = pytest.StashKey[dict[str, Apart]]()


def pytest_configure(config: pytest.Config) -> None:
    """Refuse a model that does not exist, before anything runs; load those of files."""
    if not chosen(config):
        return
    from concmodels.conformance.grading import candidate

    config.stash[_APART] = apart = {}
    try:
        for name in chosen(config):
            candidate.check(name)
            if candidate.own_work(name):
                apart[name] = Apart(name)
    except ValueError as error:
        pytest_unconfigure(config)
        raise pytest.UsageError(str(error)) from None


def pytest_unconfigure(config: pytest.Config) -> None:
    """End the processes of the models."""
    for model in config.stash.get(_APART, {}).values():
        model.grader.__exit__(None, None, None)


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Make one test of each guarantee of the models that the command line names."""
    if names := chosen(metafunc.config):
        parametrize(metafunc, names)


def parametrize(metafunc: pytest.Metafunc, names: Sequence[str]) -> None:
    """Run a test that asks for `model` once per name, and if it asks for `guarantee` too, once per guarantee of
    each."""
    if "model" not in metafunc.fixturenames:
        return
    _compile_with_values()
    if "guarantee" not in metafunc.fixturenames:
        metafunc.parametrize("model", names, indirect=True, scope="session")
        return
    from concmodels.conformance import suite
    from concmodels.conformance.grading import candidate

    # New guarantees for each model: of equal ones pytest would take all models in turn, and warm each of them up again.
    pairs = [(name, it) for name in names for it in suite.guarantees() if _gives(metafunc.config, name, it)]
    ids = [f"{candidate.label(name)}-{guarantee}" for name, guarantee in pairs]
    metafunc.parametrize("model, guarantee", pairs, ids=ids, indirect=["model"], scope="session")


def _gives(config: pytest.Config, name: str, guarantee: Guarantee) -> bool:
    """Whether the model guarantees it, as far as is known before it is asked."""
    apart = config.stash.get(_APART, {}).get(name)
    return guarantee.by(catalog.facts(name)) if apart is None else str(guarantee) not in apart.grader.why_not


@pytest.fixture(scope="session")
def model(request: pytest.FixtureRequest) -> Model | Apart:
    """The model to be graded, as `concmodels.conformance.suite.Model`; it has run once before."""
    return opened(request)


@pytest.fixture(scope="session")
def guarantee() -> None:
    """The guarantee to be held; its values come with those of `model`."""
    pytest.fail(_HINT, pytrace=False)


def opened(request: pytest.FixtureRequest) -> Model | Apart:
    """Load the model that a parametrized `model` fixture was asked for; skip if it can't run here."""
    from concmodels.conformance.suite import Model

    if not hasattr(request, "param"):
        pytest.fail(_HINT, pytrace=False)
    if apart := request.config.stash.get(_APART, {}).get(request.param):
        return apart
    try:
        found = Model.named(request.param)
    except ModelUnavailable as error:
        pytest.skip(str(error))
    found.warm_up()
    return found


@pytest.hookimpl(wrapper=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> Iterator[None]:
    """Skip what a partial model does not guarantee."""
    if not chosen(pyfuncitem.config):
        return (yield)
    from concmodels.conformance.suite import NotGuaranteed

    try:
        return (yield)
    except NotGuaranteed as error:
        pytest.skip(str(error))


def _compile_with_values() -> None:
    """Have the sync text compiled as pytest compiles a test: a failed `assert` shows the values."""
    import ast
    from types import CodeType

    from _pytest.assertion.rewrite import rewrite_asserts

    from concmodels.conformance import sync

    def compile_rewritten(text: str, path: str) -> CodeType:
        tree = ast.parse(text)
        rewrite_asserts(tree, text.encode(), path)
        return compile(tree, path, "exec", dont_inherit=True)

    sync.Loader.compile = staticmethod(compile_rewritten)  # type: ignore[method-assign]
