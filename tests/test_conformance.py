"""Every model keeps every promise: the suite itself is in `conformance/`, the list of models in `conftest.py`."""

import pytest
from conformance.suite import promises


@pytest.mark.parametrize("promise", list(promises()), ids=str)
def test_promise(model, promise):
    promise.hold(model)
