"""Diagnosis: TimeoutError"""


def quickest(model, functions, seconds):
    with model.TaskGroup() as group:
        tasks = [group.spawn(function) for function in functions]
        found = tasks[0].result(seconds / 10)
        group.cancel()
    return found
