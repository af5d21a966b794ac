"""Which tests stay together when `pytest -n 2` runs them side by side."""

from xdist.scheduler import LoadScopeScheduling


class Scheduler(LoadScopeScheduling):
    """Hands out one chapter of guarantees on one model at a time, and of other tests one file."""

    def _split_scope(self, nodeid):
        file, _, test = nodeid.partition("::")
        if file.endswith("/test_conformance.py"):
            return nodeid.partition(".py")[0] + test.partition(".")[0]
        return file
