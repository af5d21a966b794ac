"""All that a course's repository needs: `pytest --model my_model.py` makes one test per guarantee of this one."""

from concmodels.conformance.suite import Guarantee, Model


def test_guarantee(model: Model, guarantee: Guarantee) -> None:
    guarantee.hold(model)
