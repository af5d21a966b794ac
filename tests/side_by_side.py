"""Which tests stay together when `pytest -n 2` runs them on two workers side by side."""

from xdist.scheduler import LoadScopeScheduling

TOGETHER = ("test_dask.py", "test_distribution.py", "test_docs_base.py", "test_shared_iterator.py")
"""Files of which each worker would prepare anew what all their tests look at: a cluster, a site."""

TRAPS = ("test_trap_examples.py", "test_trap_lessons.py")
"""Files that ask about the same programs, of which a worker runs each once."""


class Scheduler(LoadScopeScheduling):
    """Hands out the tests of one function after the other, and of long ones a model or a page at a time."""

    def __init__(self, config, log):
        config.option.loadscopereorder = False  # `conftest.py` has put them in order
        super().__init__(config, log)

    def _split_scope(self, nodeid):
        file, _, test = nodeid.partition("::")
        function, _, values = test.partition("[")
        if file.endswith(TOGETHER):
            return file
        if file.endswith(TRAPS):
            return f"traps {values}" if values else file
        if function == "test_guarantee":
            return f"{file} {values.partition('.')[0]}"  # the model and the chapter
        if function == "test_of_cpython":
            return f"{file} {values.partition('-')[0]}"
        if function == "test_what_a_page_shows_runs":
            return f"{file} {values.partition(':')[0]}"
        return f"{file} {function}"

    def mark_test_complete(self, node, item_index, duration=0):
        """Also forget what is done, which xdist counts again after every test."""
        super().mark_test_complete(node, item_index, duration)
        work = self.assigned_work[node]
        for scope in [scope for scope, tests in work.items() if all(tests.values())]:
            del work[scope]
