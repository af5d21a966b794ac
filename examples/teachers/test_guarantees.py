"""All that a course's repository needs: `pytest --model my_model.py` makes one test per guarantee of this one."""


def test_guarantee(model, guarantee):
    guarantee.hold(model)
