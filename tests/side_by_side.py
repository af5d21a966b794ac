"""How tests are handed out when `pytest -n 2` runs them on two workers side by side, and how large a worker may grow.

Without the GIL, CPython 3.14 does not give back the memory of a subinterpreter that was closed: about 9 MiB for each of
ours, of which the whole suite closes thousands. So a worker that has grown large is replaced by a new one. With the GIL
none grows so large.
"""

import resource
import subprocess
import sys
from pathlib import Path

from pieces import piece
from xdist.scheduler import LoadScopeScheduling


def compile_once(arguments):
    """In a fresh checkout, let one process compile the tests: else each worker would, all at the same time.

    It takes a process ten seconds to rewrite the assertions of all tests, and a tenth of that to read what is kept.
    """
    kept = Path(__file__).parent.rglob(f"__pycache__/test_*.{sys.implementation.cache_tag}-pytest-*.pyc")
    if sys.dont_write_bytecode or any(kept):
        return
    command = [sys.executable, "-m", "pytest", "--collect-only", "--quiet", *arguments]
    subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)


LARGE = 2 * 2**30
"""Bytes of memory from which on a worker is given no more to do."""


def note_memory(item):
    """On a worker: tell the scheduler, with the test's report, how much memory the worker has."""
    try:
        pages = int(Path("/proc/self/statm").read_text().split()[1])
    except OSError:  # not Linux: no subinterpreters of ours either
        return
    item.user_properties.append(("memory", pages * resource.getpagesize()))


class Scheduler(LoadScopeScheduling):
    """Hands out the tests of one function after the other, and of long ones a model or a page at a time."""

    def __init__(self, config, log):
        config.option.loadscopereorder = False  # `conftest.py` has put them in order
        super().__init__(config, log)
        self._large = set()
        config.pluginmanager.register(self, "side by side")  # for the reports

    def pytest_runtest_logreport(self, report):
        """Note that a worker is large."""
        if dict(report.user_properties).get("memory", 0) >= LARGE:
            self._large.add(report.node)

    def pytest_testnodedown(self, node, error):
        """End the process of a large worker, which xdist would keep to the end of all tests, and start a new one."""
        if node in self._large and not error:
            node.gateway.exit()
            if self.workqueue:
                self.config.pluginmanager.getplugin("dsession")._clone_node(node)

    def _reschedule(self, node):
        """Give a worker its next tests, if there are any. A large one ends when it has done what it was given."""
        if node not in self.registered_collections:
            return  # it is new, and still collects: xdist itself would fail here
        if node in self._large and not node.shutting_down:
            node.shutdown()
        super()._reschedule(node)
        if self._pending_of(self.assigned_work[node]) < 2 and not node.shutting_down:
            self._reschedule(node)  # it begins a test only when it knows the next one, or that there is none

    def _split_scope(self, nodeid):
        return piece(nodeid)

    def mark_test_complete(self, node, item_index, duration=0):
        """Also forget what is done, which xdist counts again after every test."""
        super().mark_test_complete(node, item_index, duration)
        work = self.assigned_work[node]
        for scope in [scope for scope, tests in work.items() if all(tests.values())]:
            del work[scope]
