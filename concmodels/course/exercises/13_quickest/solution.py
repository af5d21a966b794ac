"""The first of several answers; the others are cancelled."""


def quickest(model, functions, seconds):
    answers = model.Channel(len(functions), "answers")

    def ask(function):
        answers.send(function())

    with model.TaskGroup() as group:
        for function in functions:
            group.spawn(ask, function)
        found = answers.receive(seconds)
        group.cancel()
    return found
