"""All that a course's repository needs: `pytest --model my_model.py` makes one test per promise of this one."""


def test_promise(model, promise):
    promise.hold(model)
