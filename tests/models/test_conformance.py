"""Every model keeps every guarantee: the suite itself is `concmodels.conformance`, the list of models the catalog's."""


def test_guarantee(model, guarantee, hold):
    hold(model, guarantee)
