"""For tests with little patience for a model that hangs: to load it may take longer than that on a busy machine."""

from concmodels.conformance.grading import runner

LOADS_S = 60.0


def wait_for_models(set_attribute=setattr):
    """Let graders in this process wait for a model until it is loaded; after that they have their own patience."""
    wait_until_ready = runner.Child._wait_until_ready

    def wait(child):
        patience, child._patience = child._patience, LOADS_S
        try:
            return wait_until_ready(child)
        finally:
            child._patience = patience

    set_attribute(runner.Child, "_wait_until_ready", wait)
