from failing_pipeline import run


def half(number):
    if number % 2:
        raise ValueError(f"{number} is odd")
    return number // 2


def all_well(model):
    found = run(model, [2, 4], half)
    assert found is not None, "run returns nothing"
    assert found == [1, 2], f"1 and 2 should come out, not {found}"


def a_stage_fails(model):
    raised, found = [], None
    try:
        found = run(model, [2, 3, 4, 6], half)
    except* ValueError as group:
        raised.append(str(group.exceptions[0]))
    assert raised, f"the failure is hidden: run returns {found}"
    assert "3 is odd" in raised[0], "another exception than that of the work is raised"
