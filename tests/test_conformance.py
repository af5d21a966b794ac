"""Every model keeps every promise: the suite itself is in `conformance/`, the list of models in `conftest.py`."""


def test_promise(model, promise):
    promise.hold(model)
