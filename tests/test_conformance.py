"""Every model keeps every promise: the suite itself is `concmodels.conformance`, the list of models the catalog's."""


def test_promise(model, promise):
    promise.hold(model)
