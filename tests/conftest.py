"""Which models the tests are run on, and when they may be skipped: decided here and nowhere else.

A test that asks for `model` runs once for every model and variant of the catalog, and never names one itself; one that
asks for `guarantee` too runs once for every chapter of the guarantees that the model gives:

    def test_guarantee(model, guarantee, hold):
        hold(model, guarantee)

A guarantee that a model breaks is then a failed subtest of its own, with the guarantee's name. With `-k`, `--model` or
`--thorough`, each guarantee has a test of its own, whose name has that of the guarantee. So it is with the values of a
test for which nothing is made anew: see `values_together`.

What can't run here is skipped, and says why. On CI (`CI=true` in the environment) and with `--expect-all` such a skip
is a failure, unless it is one of EXPECTED: there, nothing may be missing unnoticed.

    pytest --model trio --model processes:spawn      these only
    pytest --times 50 -k cancelled                   each test fifty times: how a race shows
    pytest --by-chapter -k trio                      a test for each chapter of guarantees, also with -k
    pytest --thorough                                every guarantee on every variant, every setting on every model
                                                     (see `matrix` and `kinds`), and many rounds
    pytest tests/explore/test_reduction.py --programs 1000     that test on so many random programs
    pytest -n 2                                      on two workers side by side

The options, the parametrisation and the tests of a file (`--model my_model.py`) are those of the library's own plugin,
which is also what a course uses: `concmodels.conformance.plugin`.
"""

import atexit
import functools
import gc
import os
import re
import signal
import sys
from _thread import get_ident

import matrix
import pytest
from values_together import call_with_each, put_together

from concmodels import catalog
from concmodels.conformance import plugin  # before the census, whose asserts it has rewritten
from concmodels.errors import UnknownModel

EXPECTED = {
    "free-threaded": () if sys._is_gil_enabled() else ("gevent",),
    "not Linux": () if sys.platform == "linux" else tuple(catalog.names(variants=True, family="boundary")),
}
"""The skips that have a good reason: what can't run on this interpreter or this system at all."""

READ_ONLY = ("test_catalog.py", "test_verbs.py")
"""The tests of what is said about models, and of their text: these run whether the models do or not."""


_ONE_THREAD = sorted({facts.file for facts in map(catalog.facts, catalog.names()) if not facts.preemptive})


def pytest_addoption(parser, pluginmanager):
    """The options of the suite. From a checkout, where concmodels is not installed, the plugin has to be told of."""
    if not pluginmanager.is_registered(plugin):
        pluginmanager.register(plugin, "concmodels")
    plugin.add_short_option(parser)
    parser.addoption("--times", type=int, default=1, metavar="N", help="run each test N times")
    parser.addoption("--thorough", action="store_true", help="everything on every variant, with many rounds")
    parser.addoption("--by-chapter", action="store_true", help="a test for each chapter of guarantees, also with -k")
    parser.addoption("--programs", type=int, metavar="N", help="random programs for the complete search")
    parser.addoption("--seed", type=int, metavar="N", help="the random programs of the stress tests with this number")
    parser.addoption("--expect-all", action="store_true", help="a model that can't run here is a failure, as on CI")


def pytest_configure(config):
    """Make of this process what the tests expect: one that Ctrl-C interrupts, and whose only thread is the tests'.

    A shell starts what it runs in the background with Ctrl-C ignored, and so would every program that a test starts
    and interrupts. On a worker of xdist, the thread by which it hears what to run is hidden: none of the tests' runs
    waits for that, and a deadlock is not found beside a thread that the run did not start.
    """
    if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    if hasattr(config, "workerinput"):
        atexit.register(os._exit, 0)  # as the last: to take all modules apart takes seconds, and xdist waits for it
        current_frames = sys._current_frames
        hidden = current_frames().keys() - {get_ident()}

        def frames():
            found = {ident: frame for ident, frame in current_frames().items() if ident not in hidden}
            return found | {get_ident(): sys._getframe(1)}

        sys._current_frames = frames


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_logreport(report):
    """Leave out of a report what nobody asks for: a worker of xdist sends it, and keywords are most of the message."""
    report.keywords = {}


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config, log):
    """Under `pytest -n 2`, hand out what belongs together as one piece."""
    from side_by_side import Scheduler

    return Scheduler(config, log)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_setupnodes(config):
    """Before the workers of `pytest -n 2` start."""
    from side_by_side import compile_once

    compile_once(config.args)


def pytest_generate_tests(metafunc):
    """On every model when none is named, and as often as asked for."""
    if {"model", "guarantee"} <= set(metafunc.fixturenames) and _is_by_chapters(metafunc.config):
        plugin.compile_with_values()
        pairs = list(matrix.chapters())
        ids = [f"{name}-{chapter}" for name, chapter in pairs]
        metafunc.parametrize("model, guarantee", pairs, ids=ids, indirect=["model"], scope="session")
    elif not plugin.chosen(metafunc.config):
        thorough = _thorough(metafunc.config)
        plugin.parametrize(
            metafunc, catalog.names(variants=True), lambda name, it: matrix.is_for(name, it, thorough=thorough)
        )
    if (times := metafunc.config.getoption("times")) > 1:
        metafunc.fixturenames.append("repetition")
        metafunc.parametrize("repetition", range(times))


@pytest.hookimpl(wrapper=True, specname="pytest_generate_tests")
def pytest_generate_fewer_tests(metafunc):
    """Make no items of what is left out: a quarter of all, which each worker would make and then throw away.

    One is made of a test of which all are left out, so that it is still among those that are not run. All are made
    where the command line names one, which pytest would else not find.
    """
    yield
    if any("::" in argument for argument in metafunc.config.args):
        return
    of_all = [*metafunc.definition.iter_markers()]
    calls = [it for it in metafunc._calls if not _is_left_out(metafunc.config, [*of_all, *it.marks], it.params)]
    metafunc._calls[:] = calls or metafunc._calls[:1]
    if not _is_each_one_test(metafunc.config) and metafunc.config.getoption("times") == 1:
        put_together(metafunc, is_apart=_why_not)


@functools.cache
def _unwanted(expression):
    """The marks that an expression excludes, if it does nothing else; `pytest -m` has one, as a rule."""
    return re.findall(r"\w+", expression) if re.fullmatch(r"not \w+( and not \w+)*", expression) else ()


def _is_left_out(config, marks, params):
    """Whether an item with these marks and parameters is left out: by `-m`, as a rule, or without `--thorough`."""
    unwanted = _unwanted(config.option.markexpr)
    return any(it.name in unwanted for it in marks) or _is_only_thorough(marks, params) and not _thorough(config)


def _is_only_thorough(marks, params):
    """Whether this is tested only with `--thorough`: `@pytest.mark.thorough`; with `when=`, if that says so."""
    marks = [it for it in marks if it.name == "thorough"]
    return any("when" not in mark.kwargs or mark.kwargs["when"](params) for mark in marks)


def _is_each_one_test(config):
    """Whether each guarantee is a test of its own, and each value: where some of them may be meant."""
    return bool(_thorough(config) or config.option.keyword or any("::" in argument for argument in config.args))


def _is_by_chapters(config):
    """Whether a chapter of guarantees is one test."""
    return config.option.by_chapter or not _is_each_one_test(config)


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config, items):
    """Leave out what was made nevertheless: of a test of which all is left out, or where the command line names one.

    Those that may take minutes come first, so that in the end no worker is left alone with one. Dask comes last: the
    threads that it starts once and keeps would be strangers to the tests of deadlocks.
    """
    items.sort(key=lambda item: (item.path.name == "test_dask.py", not _may_take_minutes(item)))
    _skip_what_cannot_run_here(items)
    sides = [], []
    for item in items:
        params = item.callspec.params if hasattr(item, "callspec") else {}
        sides[_is_left_out(config, [*item.iter_markers()], params)].append(item)
    items[:], left_out = sides
    config.hook.pytest_deselected(items=left_out)


@pytest.hookimpl(wrapper=True)
def pytest_collection():
    """Spare the garbage collector the making of tests, of which nothing is garbage."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.enable()


def pytest_collection_finish():
    """Let Python look for modules in our folders last: pytest has put a dozen of these first.

    Every process and interpreter that a test starts would look there for each module of Python's that it imports: a
    tenth of the time that an interpreter takes.
    """
    ours = os.path.dirname(__file__)
    sys.path.sort(key=lambda folder: folder.startswith(ours))


def _skip_what_cannot_run_here(items):
    """Skip each test that has one of EXPECTED among its parameters."""
    for item in items:
        if item.path.name in READ_ONLY or not hasattr(item, "callspec"):
            continue
        if why := _why_not(item.callspec.params):
            item.add_marker(pytest.mark.skip(reason=why))


def _why_not(params):
    """Why a test with these parameters can't run here, if one is of EXPECTED: by its name, as a module or a variant."""
    for value in params.values():
        name = value if isinstance(value, str) else getattr(value, "name", getattr(value, "__name__", ""))
        name = name.removeprefix("concmodels.models.").removesuffix("_") if isinstance(name, str) else ""
        if reason := _reasons().get(name):
            return f"{name} can't run here: {reason}"
    return None


@functools.cache
def _reasons():
    return {name: catalog.why_not(name) for names in EXPECTED.values() for name in names}


_TIMEOUT = pytest.StashKey()


@pytest.hookimpl(tryfirst=True)
def pytest_pyfunc_call(pyfuncitem):
    """Call a test that is for several values with each of them."""
    if pyfuncitem.get_closest_marker("values") is None:
        return None
    begin, subtests = map(pyfuncitem._request.getfixturevalue, ("count_operations_anew", "subtests"))
    call_with_each(pyfuncitem, begin, _begin_time_limit_anew, subtests)
    return True


@pytest.hookimpl(tryfirst=True)
def pytest_report_teststatus(report):
    """Count a value that is skipped, or that fails as expected, like a test; pytest tells of failed subtests only."""
    if not isinstance(report, pytest.SubtestReport) or not report.skipped:
        return None
    outcome, letter, word = ("xfailed", "x", "XFAIL") if hasattr(report, "wasxfail") else ("skipped", "s", "SKIPPED")
    return outcome, letter, f"SUB{word}[{report.context.msg}]"


@pytest.hookimpl(optionalhook=True)
def pytest_timeout_set_timer(item, settings):
    """Keep what the time limit of a test was set by, so that `hold` can set it again."""
    item.stash[_TIMEOUT] = settings


def _may_take_minutes(item):
    timeout = item.get_closest_marker("timeout")
    return timeout is not None and timeout.args[0] > float(item.config.getini("timeout"))


def pytest_runtest_teardown(item):
    """On a worker of xdist, say how large it has grown."""
    if hasattr(item.config, "workerinput"):
        from side_by_side import note_memory

        note_memory(item)


@pytest.hookimpl(wrapper=True)
def pytest_runtestloop():
    """Spare the garbage collector, which many tests call, the thousands of tests that are kept to the end anyway."""
    gc.collect()
    gc.freeze()
    try:
        return (yield)
    finally:
        gc.unfreeze()


def _thorough(config):
    """Whether everything is to be tried; so it is on models that the command line names."""
    return config.getoption("thorough") or bool(plugin.chosen(config))


@pytest.fixture(scope="module", autouse=True)
def _spared_collector():
    """Spare the garbage collector what the tests of earlier files have imported and kept."""
    gc.collect()
    gc.freeze()


@pytest.fixture(autouse=True)
def count_operations_anew():
    """Count the operations of each test from its beginning; the test may call this to begin once more.

    At every 256th one a task lets the others run, and a model that runs its tasks in one thread has one count for all
    its channels. Else the order in which the tasks of a test run would depend on the tests that were here before it.
    """

    def begin():
        for name in _ONE_THREAD:
            if (module := sys.modules.get(f"concmodels.models.{name}")) is not None:
                module.Channel._yields.__setstate__(0)

    begin()
    return begin


@pytest.fixture
def hold(request, subtests, count_operations_anew):
    """Return what holds a model to a guarantee, or to each of a chapter as if that had a test of its own.

    Each then has the whole time limit to itself; one that is broken is a failed subtest, and the next is held too.
    """

    def hold(model, guarantee):
        if not isinstance(guarantee, matrix.Chapter):
            guarantee.hold(model)
            return
        for each in guarantee.guarantees:
            count_operations_anew()
            _begin_time_limit_anew(request.node)
            try:
                each.hold(model)
            except BaseException:
                with subtests.test(str(each)):
                    raise

    return hold


def _begin_time_limit_anew(item):
    if _TIMEOUT in item.stash:
        item.ihook.pytest_timeout_cancel_timer(item=item)
        item.ihook.pytest_timeout_set_timer(item=item, settings=item.stash[_TIMEOUT])


@pytest.fixture(scope="session")
def thorough(pytestconfig):
    """Whether everything is to be tried, and often; else what shows most."""
    return _thorough(pytestconfig)


@pytest.fixture(scope="session")
def opened_models():
    """The models that have been opened, by their names. Under xdist a worker comes back to each of them many times."""
    return {}


@pytest.fixture(scope="session")
def model(request, quiet_corner, thorough, opened_models):
    """The model to be tested, as `concmodels.conformance.suite.Model`; it has run once before."""
    if request.param not in opened_models:
        opened_models[request.param] = _opened(request, thorough)
    return opened_models[request.param]


def _opened(request, thorough):
    may_be_missing = any(request.param in names for names in EXPECTED.values())
    if not may_be_missing and _nothing_may_be_skipped(request.config):
        try:
            why = catalog.why_not(request.param)
        except UnknownModel:
            why = None  # a file
        if why:
            pytest.fail(f"{request.param} can't run here: {why} (and nothing may be skipped here)", pytrace=False)
    found = plugin.opened(request)
    if not thorough:
        matrix.make_light(found)
    return found


def _nothing_may_be_skipped(config):
    return os.environ.get("CI") == "true" or config.getoption("expect_all")


@pytest.fixture(scope="session")
def quiet_corner(tmp_path_factory):
    """See `matrix.quiet_corner`."""
    with matrix.quiet_corner(tmp_path_factory.mktemp("t")):
        yield


@pytest.fixture(scope="session")
def boundary_servers(quiet_corner):
    """What multiprocessing starts once and keeps as long as the program lives: its forkserver, its resource tracker."""
    from boundaries import one_task

    from concmodels.models import processes

    processes.run(one_task)


@pytest.fixture(scope="session")
def cpython_tests(request):
    """CPython's own tests of executors are here; a test that needs them is skipped where they are not.

    The interpreter that the set-up unpacks from Debian has them. One from elsewhere may lack them even on CI.
    """
    import cpython_executors

    if cpython_executors.are_here():
        return
    if f"{os.sep}.python{os.sep}debian-" in sys.base_prefix and _nothing_may_be_skipped(request.config):
        pytest.fail("CPython's own tests of executors are missing (and nothing may be skipped here)", pytrace=False)
    pytest.skip("this Python came without its own tests of executors, test.test_concurrent_futures")


@pytest.fixture
def nothing_left_behind(boundary_servers):
    """No descriptor, thread, interpreter, semaphore or child process outlives the test."""
    from concmodels.conformance.census import NothingLeft

    with NothingLeft():
        yield
