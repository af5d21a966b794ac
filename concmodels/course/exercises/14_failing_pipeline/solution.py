"""A pipeline of three tasks, in one group: a failure ends the others, and reaches the caller."""


def run(model, items, work):
    todo, done, results = model.Channel(1, "todo"), model.Channel(1, "done"), []

    def send():
        with todo:
            for item in items:
                todo.send(item)

    def work_all():
        with done:
            for item in todo:
                done.send(work(item))

    def collect():
        for result in done:
            results.append(result)

    with model.TaskGroup() as group:
        group.spawn(send)
        group.spawn(work_all)
        group.spawn(collect)
    return results
