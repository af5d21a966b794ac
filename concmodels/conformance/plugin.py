"""The pytest plugin: one test for each guarantee, for a model of the catalog or of a file.

pytest loads it wherever concmodels is installed. In a course, a test file contains

    def test_guarantee(model, guarantee):
        guarantee.hold(model)

and `pytest --model my_model.py` or `pytest --model threads` grades the model; `--model` may be given several times. A
test that has only `model` as a parameter runs once per model. Guarantees that the model does not give are left out, or
skipped with the reason.

Nothing changes for other tests: the two fixtures can be used only with one of the options. `--concmodels-model` always
exists. `--model`, its short form, is added last, and only if no other plugin and no conftest.py has an option of that
name. A model of a file is tested in a process of its own, so it may hang or crash.

If the simulated world can see what a file waits for, the file is tested there, as by the command. A failed test then
shows what happens on a schedule that breaks the guarantee, and how to run that schedule again. With
`--concmodels-real`, all models are tested in real time.
"""

import argparse
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

import pytest

from concmodels import catalog
from concmodels.errors import ModelUnavailable

if TYPE_CHECKING:
    from concmodels.conformance.suite import Guarantee, Model

pytest.register_assert_rewrite("concmodels.conformance.guarantees", "concmodels.conformance.census")

_LONG, _SHORT, _CHOSEN = "--concmodels-model", "--model", "concmodels_models"
_REAL = "--concmodels-real"
_HELP = "test this model for the guarantees of concmodels: a name of its catalog, or a file (repeatable)"
_HINT = "this test needs to know which model: pytest --model my_model.py, or --model threads"

PATIENCE_S = 20.0
"""Seconds that a guarantee may take; a conftest.py may set it."""


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the options that are always there."""
    _add(parser, _LONG)
    parser.addoption(_REAL, action="store_true", help="test models of files in real time, not simulated")


def add_short_option(parser: pytest.Parser) -> None:
    """Add `--model`, unless another plugin has it. A conftest.py that relies on it calls this function itself."""
    try:
        _add(parser, _SHORT)
    except ValueError, argparse.ArgumentError:
        pass  # it is taken: the long form does the same


def _add(parser: pytest.Parser, option: str) -> None:
    parser.addoption(option, action="append", default=[], dest=_CHOSEN, metavar="NAME_OR_FILE", help=_HELP)


@pytest.hookimpl(wrapper=True)
def pytest_load_initial_conftests(parser: pytest.Parser) -> Iterator[None]:
    """Add the short option after all other plugins have added theirs."""
    try:
        return (yield)
    finally:
        add_short_option(parser)


def chosen(config: pytest.Config) -> list[str]:
    """Return the models that the command line names."""
    return list(config.getoption(_CHOSEN))


class FileModel:
    """A model of a file: guarantees are tested in another process. Other attributes are those of the model itself."""

    def __init__(self, path: str, in_real_time: bool = False) -> None:
        from concmodels.conformance.grading import runner, simulated

        self.grader = runner.Grader(path, PATIENCE_S, simulated.schedules_for(path, 0 if in_real_time else None))
        self.name, self._path = self.grader.label, path

    def hold(self, guarantee: Guarantee) -> None:
        """Test the model for the guarantee in the other process; fail with what that reports.

        Raises `NotGuaranteed` if the model does not give this guarantee.
        """
        from concmodels.conformance.suite import NotGuaranteed

        outcome = self.grader.hold(guarantee)
        if outcome.verdict == "not guaranteed":
            raise NotGuaranteed(outcome.reason)
        if outcome.verdict == "broken":
            why = outcome.explanation or outcome.traceback
            pytest.fail(f"guaranteed: {outcome.sentence}\nbut: {outcome.reason}\n{why}", pytrace=False)

    def __getattr__(self, attribute: str) -> Any:
        from concmodels.conformance.grading import candidate

        return getattr(candidate.model(self._path), attribute)


_FILE_MODELS = pytest.StashKey[dict[str, FileModel]]()


def pytest_configure(config: pytest.Config) -> None:
    """Refuse models that do not exist, by a `UsageError` before any test runs; load the models of files."""
    if not chosen(config):
        return
    from concmodels.conformance.grading import candidate

    config.stash[_FILE_MODELS] = file_models = {}
    try:
        for name in chosen(config):
            candidate.check(name)
            if candidate.own_work(name):
                file_models[name] = FileModel(name, config.getoption(_REAL))
    except ValueError as error:
        pytest_unconfigure(config)
        raise pytest.UsageError(str(error)) from None


def pytest_unconfigure(config: pytest.Config) -> None:
    """End the processes in which models of files are tested."""
    for model in config.stash.get(_FILE_MODELS, {}).values():
        model.grader.__exit__(None, None, None)


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Make one test of each guarantee of the models that the command line names."""
    if names := chosen(metafunc.config):
        parametrize(metafunc, names)


def parametrize(
    metafunc: pytest.Metafunc, names: Sequence[str], wanted: Callable[[str, Guarantee], bool] = lambda *_: True
) -> None:
    """Run a test with the parameter `model` once per name, and with `guarantee` once per guarantee of each model.

    `wanted` says which of the guarantees of a model are tested; by default all of them are.
    """
    if "model" not in metafunc.fixturenames or _names_models_itself(metafunc):
        return
    compile_with_values()
    if "guarantee" not in metafunc.fixturenames:
        metafunc.parametrize("model", names, indirect=True, scope="session")
        return
    from concmodels.conformance import suite
    from concmodels.conformance.grading import candidate

    # Each model gets its own guarantee objects. If they were equal, pytest would group the tests by guarantee, change
    # the model at every test, and warm it up each time.
    config = metafunc.config
    pairs = [(name, it) for name in names for it in suite.guarantees() if _gives(config, name, it) and wanted(name, it)]
    ids = [f"{candidate.label(name)}-{guarantee}" for name, guarantee in pairs]
    metafunc.parametrize("model, guarantee", pairs, ids=ids, indirect=["model"], scope="session")


def _names_models_itself(metafunc: pytest.Metafunc) -> bool:
    """Return whether the test has a `pytest.mark.parametrize("model", ...)` of its own."""
    marks = metafunc.definition.iter_markers("parametrize")
    named = [mark.args[0] if mark.args else mark.kwargs["argnames"] for mark in marks]
    return any("model" in (names.replace(" ", "").split(",") if isinstance(names, str) else names) for names in named)


def _gives(config: pytest.Config, name: str, guarantee: Guarantee) -> bool:
    """Return whether the model gives the guarantee, as far as that is known before it is tested."""
    of_file = config.stash.get(_FILE_MODELS, {}).get(name)
    return guarantee.by(catalog.facts(name)) if of_file is None else str(guarantee) not in of_file.grader.why_not


@pytest.fixture(scope="session")
def model(request: pytest.FixtureRequest) -> Model | FileModel:
    """The model to be graded, as a `concmodels.conformance.suite.Model`; it has been warmed up."""
    return opened(request)


@pytest.fixture(scope="session")
def guarantee() -> None:
    """The guarantee to be tested. Its values come with those of `model`: without them this fails."""
    pytest.fail(_HINT, pytrace=False)


def opened(request: pytest.FixtureRequest) -> Model | FileModel:
    """Load the model for a parametrized `model` fixture; skip the test if the model can't run here."""
    from concmodels.conformance.suite import Model

    if not hasattr(request, "param"):
        pytest.fail(_HINT, pytrace=False)
    if of_file := request.config.stash.get(_FILE_MODELS, {}).get(request.param):
        return of_file
    try:
        found = Model.named(request.param)
    except ModelUnavailable as error:
        pytest.skip(str(error))
    found.warm_up()
    return found


@pytest.hookimpl(wrapper=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> Iterator[None]:
    """Skip a test if a partial model does not give its guarantee."""
    if not chosen(pyfuncitem.config):
        return (yield)
    from concmodels.conformance.suite import NotGuaranteed

    try:
        return (yield)
    except NotGuaranteed as error:
        pytest.skip(str(error))


def compile_with_values() -> None:
    """Let the sync text be compiled as pytest compiles a test, so that a failed `assert` shows the values."""
    import ast
    from types import CodeType

    from _pytest.assertion.rewrite import rewrite_asserts

    from concmodels.conformance import sync

    def compile_rewritten(text: str, path: str) -> CodeType:
        text = sync.without_await(text)
        tree = ast.parse(text)
        rewrite_asserts(tree, text.encode(), path)
        return compile(tree, path, "exec", dont_inherit=True)

    version = "".join(filter(str.isalnum, pytest.__version__))
    sync.Loader.form = sync.Form(f"syncpytest{version}", compile_rewritten)
