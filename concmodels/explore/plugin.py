"""The pytest fixture `explore`, the marker of that name, and the option `--explore`.

pytest loads this plugin wherever concmodels is installed. A test asks for the fixture, which is the function
`concmodels.explore.explore`, and says what must hold:

    def test_transfer(explore):
        explore(program).must_hold()

    @pytest.mark.explore(switches="gil", schedules=500)
    def test_transfer_with_the_gil(explore):
        explore(program, 100).must_hold(in_all=True)

`program` is a function at the top level of the test file or of a module that it imports. The marker has options of
`explore`, as the defaults of this test. A test that fails shows the report. If a program can't be explored, the test
fails with a sentence that says why.

A test that starts threads itself can be explored as it is. It has the marker, and not the fixture:

    @pytest.mark.explore(in_all=True)
    def test_two_threads():
        ...

Run by `pytest`, it is an ordinary test. Run by `pytest --explore`, it is called once per schedule, and fails if it
fails on any of them; with `in_all=True`, also if not all were tried. It must be a function at the top level of its file
without fixtures, because these would be made only once for all schedules; it may be parametrized. An `async def` test
runs on a simulated event loop: of the library for which it is marked, for pytest-asyncio, pytest-trio or the plugin of
anyio, or else of the one that its file imports. A test that skips itself is skipped.

Packages of your own, in `src/` or installed as editable, are explored; others are if the configuration file names them:
`explore_packages = cachetools`.

* `--explore-seconds S` is how long an exploration may take, unless the marker or the call says it; 10 by default.
* `--explore-total S` is how long all explorations of the run may take. Each test gets its share of what is left, so a
  test that needs less leaves the rest to those after it. With pytest-xdist this holds for each worker.
* With pytest-timeout an exploration takes at most half of the time that is left until its signal; its method "thread"
  gives no such sign, so let its limit be the longer one.
* A failing replay id is kept in pytest's cache, and the next run tries it first. `--cache-clear` forgets it.
* At its end the run says what was proved, what only sampled, and which test has started no task, so that nothing was
  explored. In the progress, `.` is a test that has held in all, and `~` one that is not proved. A JUnit report has the
  verdict, its reasons, the number of schedules, the seconds and the replay id as properties of the test.

Other tests don't change: a fixture `explore` in a test file or a conftest.py of your own hides this one. If another
plugin has an option `--explore`, use `--concmodels-explore`.
"""

import argparse
import signal
import time
from collections.abc import Callable, Generator, Iterator
from functools import partial
from inspect import iscoroutinefunction
from typing import TYPE_CHECKING, Any, NoReturn

import pytest

from concmodels.explore.budget import Budget
from concmodels.explore.results import Kept, Results, kept_before

if TYPE_CHECKING:
    from concmodels.explore.report import Report
    from concmodels.explore.summary import Explored

_MARKER = (
    "explore(switches=, search=, schedules=, seconds=, steps=, seed=, check=, packages=): the defaults of the fixture "
    "explore; of a test without it, also in_all=: pytest --explore calls that test once per schedule"
)
_LONG, _SHORT, _CHOSEN = "--concmodels-explore", "--explore", "concmodels_explore"
_WORKER = "concmodels_explore_failures"

_KEPT = pytest.StashKey[Kept]()
_BUDGET = pytest.StashKey[Budget]()
_FOUND = pytest.StashKey[list["Explored"]]()


# The options.


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the options of the command line, and that of the configuration file."""
    _add_choice(parser, _LONG)
    group = parser.getgroup("explore", "exploring schedules (concmodels)")
    group.addoption("--explore-seconds", type=_seconds, metavar="S", help="for each exploration (default: 10)")
    group.addoption("--explore-total", type=_seconds, metavar="S", help="for all explorations of the run together")
    parser.addini(
        "explore_packages", "installed packages that the fixture explore explores too", type="args", default=[]
    )


def _add_choice(parser: pytest.Parser, name: str) -> None:
    parser.getgroup("explore", "exploring schedules (concmodels)").addoption(
        name,
        action="store_true",
        dest=_CHOSEN,
        help="call tests with the marker explore once per schedule, if they don't have the fixture",
    )


def _seconds(text: str) -> float:
    try:
        seconds = float(text)
    except ValueError:
        seconds = -1.0
    if not 0 < seconds < float("inf"):
        raise argparse.ArgumentTypeError(f"{text!r} is no number of seconds above 0")
    return seconds


@pytest.hookimpl(wrapper=True)
def pytest_load_initial_conftests(parser: pytest.Parser) -> Iterator[None]:
    """Add the short option after all other plugins have added theirs."""
    try:
        return (yield)
    finally:
        try:
            _add_choice(parser, _SHORT)
        except ValueError, argparse.ArgumentError:
            pass  # it is taken: the long form does the same


def pytest_configure(config: pytest.Config) -> None:
    """Make the marker known, look which failures were kept, and collect the results."""
    config.addinivalue_line("markers", _MARKER)
    if (worker := getattr(config, "workerinput", None)) is not None:
        config.stash[_KEPT] = worker.get(_WORKER, {})
    else:
        config.stash[_KEPT] = kept_before(config)
        config.pluginmanager.register(Results(config, config.getoption(_CHOSEN) and not config.option.collectonly))


@pytest.hookimpl(optionalhook=True)
def pytest_configure_node(node: Any) -> None:
    """Tell a worker of pytest-xdist, which may be on another machine, which failures were kept."""
    node.workerinput[_WORKER] = node.config.stash[_KEPT]


# What a test does.


@pytest.fixture
def explore(request: pytest.FixtureRequest) -> Callable[..., Report]:
    """The function `concmodels.explore.explore`, with the options of the test's marker `explore` as defaults."""
    options = _options(request.node)
    if iscoroutinefunction(request.function):
        _refuse(
            request.node,
            "an async def test can't take the fixture explore, which runs event loops itself: make it a def, and give "
            "explore the coroutine function",
        )
    if "in_all" in options:
        _refuse(request.node, "in_all in the marker is for tests without the fixture: write must_hold(in_all=True)")
    return partial(_explore, request.node, options, "")


def _run(item: pytest.Function, test: Callable[..., Any]) -> None:
    """Explore a test that has the marker, and not the fixture."""
    options = _options(item)
    in_all = options.pop("in_all", False)
    values = _values(item, test)
    report = _explore(item, options, _library(item, test), test, *values)
    if report.failure is not None and any("raises" in it.kwargs for it in item.iter_markers("xfail")):
        raise report.failure.error
    try:
        report.must_hold(in_all=in_all)
    except AssertionError as error:
        raise pytest.fail.Exception(str(error).removeprefix(f"{report.scenario.label}: "), pytrace=False) from None


def _library(item: pytest.Function, test: Callable[..., Any]) -> str:
    """Return on whose event loop another plugin would run a coroutine function; nothing if none would."""
    if not iscoroutinefunction(test):
        return ""
    backend: Any = item.funcargs.get("anyio_backend", "")
    known = [it for it in ("trio", "asyncio") if item.get_closest_marker(it) is not None]
    return (backend if isinstance(backend, str) else backend[0]) or next(iter(known), "")


def _is_program(item: pytest.Item) -> bool:
    return item.config.getoption(_CHOSEN) and "explore" not in _fixtures(item) and _is_marked(item)


def _is_explored(item: pytest.Item) -> bool:
    return "explore" in _fixtures(item) or _is_program(item)


def _fixtures(item: pytest.Item) -> list[str]:
    return getattr(item, "fixturenames", [])


def _is_marked(item: pytest.Item) -> bool:
    return item.get_closest_marker("explore") is not None


def _options(item: pytest.Item) -> dict[str, Any]:
    """Return the options of `explore` for a test: of the configuration, the command line and its markers."""
    options: dict[str, Any] = {}
    if packages := item.config.getini("explore_packages"):
        options["packages"] = packages
    if (seconds := item.config.getoption("explore_seconds")) is not None:
        options["seconds"] = seconds
    for mark in reversed(list(item.iter_markers("explore"))):
        if mark.args:
            _refuse(item, "the marker explore takes options only, as in explore(schedules=500)")
        options |= mark.kwargs
    return options


def _values(item: pytest.Function, test: Callable[..., Any]) -> list[Any]:
    """Return the arguments of a test that is explored itself: those of `parametrize`."""
    if item.cls is not None:
        _refuse(item, "a test in a class can't be explored itself: make it a function at the top level")
    if hasattr(test, "hypothesis"):
        _refuse(
            item,
            "a test with @given can't be explored, because Hypothesis would draw other inputs on each schedule: give "
            "it inputs by parametrize",
        )
    given = item.callspec.params if hasattr(item, "callspec") else {}
    names = item._fixtureinfo.argnames
    for name in names:
        if name not in given or item.funcargs[name] is not given[name]:
            _refuse(
                item,
                f"the fixture {name} is made once, and an explored test is called once per schedule: make in the test "
                "what it needs, or give a function to the fixture explore",
            )
    return [item.funcargs[name] for name in names]


def _refuse(item: pytest.Item, why: str, label: str = "") -> NoReturn:
    """Fail a test that can't be explored, with a sentence that says why."""
    from concmodels.explore import summary

    _note(item, summary.refused(label or getattr(item, "originalname", item.name), why))
    raise pytest.fail.Exception(why, pytrace=False) from None


def _explore(item: pytest.Item, options: dict[str, Any], library: str, main: Any, *args: Any, **more: Any) -> Report:
    from concmodels import catalog

    if why := catalog.why_not("sim"):
        _refuse(item, f"the simulated model can't run here: {why}")
    from concmodels.explore import CannotExplore, kept, summary  # not before it is needed: greenlet comes with it
    from concmodels.explore.running.options import Options

    options = {**options, **more}
    if unknown := ", ".join(sorted(options.keys() - {"packages", *Options.__dataclass_fields__})):
        _refuse(item, f"explore has no option {unknown}; pytest --markers shows which it has")
    budget = item.config.stash.get(_BUDGET, None)
    limits = [it for it in (budget and budget.seconds, _half_of_timeout()) if it]
    if limits:
        options["seconds"] = min(options.get("seconds", Options.seconds), *limits)
    begin = time.monotonic()
    try:
        report, is_kept = kept.explore_again(main, args, _kept(item), options, library)
    except CannotExplore as error:
        _refuse(item, str(error), main if isinstance(main, str) else getattr(main, "__name__", ""))
    finally:
        if budget is not None:
            budget.spend(time.monotonic() - begin)
    if report.failure is not None and isinstance(report.failure.error, (pytest.skip.Exception, pytest.xfail.Exception)):
        raise report.failure.error
    _note(item, summary.explored(report, is_kept=is_kept))
    return report


def _half_of_timeout() -> float:
    """Return half of the seconds until the alarm of pytest-timeout, which would come in a schedule; 0 without one."""
    return signal.getitimer(signal.ITIMER_REAL)[0] / 2 if hasattr(signal, "getitimer") else 0.0


def _kept(item: pytest.Item) -> str:
    """Return the replay id with which the next exploration of the test has failed last time, or nothing."""
    ids, number = item.config.stash[_KEPT].get(item.nodeid, []), len(item.stash.get(_FOUND, []))
    return ids[number] if number < len(ids) else ""


def _note(item: pytest.Item, result: Explored) -> None:
    from concmodels.explore import summary

    item.stash.setdefault(_FOUND, []).append(result)
    item.user_properties.extend(summary.properties(result))


# The budget.


@pytest.hookimpl(trylast=True)
def pytest_collection_finish(session: pytest.Session) -> None:
    """Count what there is to explore, and give a worker its part of it."""
    if (total := session.config.getoption("explore_total")) is not None:
        workers = getattr(session.config, "workerinput", {}).get("workercount", 1)
        tests = sum(map(_is_explored, session.items))
        session.config.stash[_BUDGET] = Budget(total, -(-tests // workers))


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    """Forget what was found before, if a plugin runs the test again."""
    if _FOUND in item.stash:
        del item.stash[_FOUND]
        item.user_properties[:] = [it for it in item.user_properties if not it[0].startswith("explore")]


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, object, object]:
    """Give a test its share of the budget, and have it explored where it would run, by whatever plugin."""
    if isinstance(item, pytest.Function) and _is_program(item):
        item.runtest = partial(_run, item, item.obj)  # type: ignore[method-assign] # a plugin's own, too
    if (budget := item.config.stash.get(_BUDGET, None)) is not None and _is_explored(item):
        budget.begin_test()
    return (yield)


# What is said about it.


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, Any, Any]:
    """Give the report of a test what was explored, in values that pytest-xdist can send."""
    report = yield
    if report.when != "teardown" and _FOUND in item.stash:
        report.concmodels_explored = item.stash[_FOUND]
    return report


@pytest.hookimpl(wrapper=True)
def pytest_report_teststatus(report: Any) -> Generator[None, Any, Any]:
    """Show in the progress whether a test that has passed is proved."""
    status = yield
    found = getattr(report, "concmodels_explored", None)
    if not found or status is None or status[0] != "passed":  # as a subtest that has passed, or an unexpected pass
        return status
    from concmodels.explore.summary import HELD_IN_ALL, HELD_SO_FAR, NOT_EXPLORED, worst

    shown = {HELD_IN_ALL: (".", "green"), HELD_SO_FAR: ("~", "yellow"), NOT_EXPLORED: ("~", "yellow")}
    if (verdict := worst(found)) not in shown:
        return status
    letter, look = shown[verdict]
    return "passed", letter, (verdict.upper(), {look: True})
