"""CPython's own tests of executors, held against our pools; see `test_cpython_executors.py`.

CPython writes these tests as mixins: each uses `self.executor`, which another mixin makes. Here it is a pool of a
model, and `TestCase.run` as a whole is the main function of a run. Nothing of their text is changed. What changes is
the tools that they look up in their own modules, where those can't work with our pools:

    time, threading     in the models whose tasks share one thread, where `time.sleep` would stop all of them
    assert_python_ok    starts the program inside a run, because outside there are no pools
"""

import functools
import importlib
import types
import unittest
from unittest import mock

from concmodels.errors import ChannelClosed

MIXINS = {
    "executor": "ExecutorTest",
    "test_shutdown": "ExecutorShutdownTest",
    "test_wait": "WaitTests",
    "test_as_completed": "AsCompletedTests",
}
"""The mixins by their modules."""

PROGRAM = """
import concurrent.futures, sys
import concmodels

def Pool(max_workers):
    return model.Pool(max_workers)

model = concmodels.load(sys.argv[1])
concurrent.futures.Pool = Pool
model.run(exec, sys.argv[2], {"__name__": "__main__"})
"""


def are_here():
    """Whether this interpreter came with the tests; most distributors leave them out or have a package of their own."""
    try:
        _module("util")
    except ModuleNotFoundError:
        return False
    return True


def names():
    """Return the module and the name of each test; nothing, if they are not here."""
    if not are_here():
        return []
    find = unittest.TestLoader().getTestCaseNames
    return [(module, name) for module, mixin in MIXINS.items() for name in find(getattr(_module(module), mixin))]


def failures(model, name, module, test, *, cooperative, workers=5):
    """Run one test on the pools of a model. Return the exceptions of its failures, also those of its subtests.

    CPython has five workers, or two where they take long to start.
    """
    support = importlib.import_module("test.support")
    result = _Result()
    with mock.patch.dict(vars(_module(module)), _tools(model, name, module, cooperative)):
        support.environment_altered = False
        model.run(_case(model, module, test, workers).run, result)
    if support.environment_altered:  # a warning on standard error says what
        result.failures_found.append(AssertionError("threads or processes were left behind"))
    return result.failures_found


def _module(name):
    return importlib.import_module(f"test.test_concurrent_futures.{name}")


def _case(model, module, test, workers):
    def executor_type(max_workers=None):
        return model.Pool(max_workers)

    class Case(getattr(_module(module), MIXINS[module]), _module("util").ExecutorMixin, _module("util").BaseTestCase):
        worker_count = workers

        def setUp(self):
            super().setUp()
            if test == "test_cancel_futures":
                _wait_for_first_task(model, self.executor)

        def create_event(self):
            return _Event(model)

    executor_type.__name__ = "Pool"  # as which PROGRAM puts it into `concurrent.futures`
    Case.executor_type = staticmethod(executor_type)
    return Case(test)


def _tools(model, name, module, cooperative):
    """What the tests in this module are to find instead of their own tools."""
    tools = {"assert_python_ok": functools.partial(_assert_python_ok, name)}
    if cooperative:
        tools["time"] = types.SimpleNamespace(sleep=model.sleep)
        tools["threading"] = types.SimpleNamespace(
            Event=functools.partial(_Event, model), Thread=functools.partial(_Thread, model)
        )
    return {tool: it for tool, it in tools.items() if hasattr(_module(module), tool)}


def _assert_python_ok(name, _option, program):
    helper = importlib.import_module("test.support.script_helper")
    return helper.assert_python_ok("-c", PROGRAM, name, program)


def _wait_for_first_task(model, pool):
    """Have the first `submit` wait until its task has begun.

    One test shuts an executor down with `cancel_futures` and expects that some of 50 tasks have begun by then. A thread
    of a ThreadPoolExecutor is started by `submit`, and begins at once as a rule; a process or an interpreter takes so
    long to start that our pool could take back all 50.
    """
    submit = pool.submit

    def submit_and_wait(function, /, *args):
        del pool.submit
        future = submit(function, *args)
        while not (future.running() or future.done()):
            model.sleep(0.001)
        return future

    pool.submit = submit_and_wait


class _Event:
    """What the tests use of a `threading.Event`, on a channel: it travels, and waiting for it blocks one task."""

    def __init__(self, model):
        self.channel = model.Channel()

    def set(self):
        self.channel.close()

    def wait(self, timeout=None):
        try:
            self.channel.receive(timeout)
        except TimeoutError:
            return False
        except ChannelClosed:
            return True


class _Thread:
    """What the tests use of a `threading.Thread`, as the only task of a pool."""

    def __init__(self, model, target):
        self.pool, self.target = model.Pool(1), target

    def start(self):
        self.future = self.pool.submit(self.target)

    def join(self, timeout=None):
        self.future.result(timeout)
        self.pool.shutdown()

    def is_alive(self):
        return not self.future.done()


class _Result(unittest.TestResult):
    """Keeps the exceptions themselves, where unittest keeps only their text."""

    def __init__(self):
        super().__init__()
        self.failures_found = []

    def addError(self, test, err):
        super().addError(test, err)
        self.failures_found.append(err[1])

    def addFailure(self, test, err):
        super().addFailure(test, err)
        self.failures_found.append(err[1])

    def addSubTest(self, test, subtest, err):
        super().addSubTest(test, subtest, err)
        if err is not None:
            self.failures_found.append(err[1])

    def addSkip(self, test, reason):
        super().addSkip(test, reason)
        self.failures_found.append(unittest.SkipTest(reason))
