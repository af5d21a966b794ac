from quickest import quickest


def answering(model, ended, seconds):
    def answer():
        model.sleep(seconds)
        ended.append(seconds)
        return seconds

    return answer


def one_answers(model):
    hour, begin = 3600, model.now()
    functions = [answering(model, [], hour), lambda: "here", answering(model, [], hour)]
    found = quickest(model, functions, 100 * hour)
    assert found is not None, "nothing is returned"
    assert found == "here", "another answer than the quickest is returned"
    assert model.now() - begin < hour, "the quickest answer was there long before it is returned"


def the_second_is_quickest(model):
    ended, begin = [], model.now()
    unit = 0.02
    functions = [answering(model, ended, unit * factor) for factor in (100, 1, 50)]
    found = quickest(model, functions, 200 * unit)
    took = model.now() - begin
    assert found is not None, "nothing is returned"
    assert found == unit, "another answer than the quickest is returned"
    assert took < 20 * unit, "the quickest answer was there long before it is returned"
    model.sleep(60 * unit)
    assert ended == [unit], "a task goes on, though its answer does not matter any more"


def nobody_answers(model):
    ended, begin = [], model.now()
    unit = 0.02
    raised = []
    try:
        quickest(model, [answering(model, ended, 100 * unit)], 5 * unit)
    except* TimeoutError as group:
        raised.append(group)
    assert raised, "no TimeoutError is raised, though nobody has answered in time"
    took = model.now() - begin
    assert took < 50 * unit, "the TimeoutError comes too late"
    model.sleep(150 * unit)
    assert not ended, "a task goes on after the TimeoutError"
