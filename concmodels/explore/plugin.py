"""The pytest fixture `explore`, and the marker that sets its options.

pytest loads this plugin wherever concmodels is installed. A test file contains, for example:

    def test_transfer(explore):
        explore(program).must_hold()

    @pytest.mark.explore(switches="gil", schedules=500)
    def test_transfer_with_the_gil(explore):
        explore(program, 100).must_hold(in_all=True)

where `program` is a function at the top level of the test file or of a module that it imports. The fixture is the
function `concmodels.explore.explore`, with the options of the marker as defaults. A test that fails shows the report.
If a program can't be explored, the test fails with a sentence that says why. Packages of your own, in `src/` or
installed as editable, are explored; others are if the configuration file names them: `explore_packages = cachetools`.

Other tests don't change: a fixture `explore` in a test file or a conftest.py of your own hides this one.
"""

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from concmodels.explore.report import Report

_MARKER = (
    "explore(switches=, search=, schedules=, seconds=, steps=, seed=, check=, packages=): the defaults of the fixture "
    "explore"
)


def pytest_configure(config: pytest.Config) -> None:
    """Make the marker known."""
    config.addinivalue_line("markers", _MARKER)


def pytest_addoption(parser: pytest.Parser) -> None:
    """Make the option of the configuration file known."""
    parser.addini(
        "explore_packages", "installed packages that the fixture explore explores too", type="args", default=[]
    )


@pytest.fixture
def explore(request: pytest.FixtureRequest) -> Callable[..., Report]:
    """The function `concmodels.explore.explore`, with the options of the test's marker `explore` as defaults."""
    options: dict[str, Any] = {}
    if packages := request.config.getini("explore_packages"):
        options["packages"] = packages
    for mark in reversed(list(request.node.iter_markers("explore"))):
        if mark.args:
            pytest.fail("the marker explore takes options only, as in explore(schedules=500)", pytrace=False)
        options |= mark.kwargs
    return partial(_explore, options)


def _explore(options: dict[str, Any], main: Any, *args: Any, **more: Any) -> Report:
    from concmodels import explore  # not before it is needed: greenlet comes with it

    try:
        return explore.explore(main, *args, **{**options, **more})
    except explore.CannotExplore as error:
        pytest.fail(str(error), pytrace=False)
