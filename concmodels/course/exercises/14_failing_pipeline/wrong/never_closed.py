"""Diagnosis: a task waits for an item, and nobody is left to send one or to close the channel"""


def run(model, items, work):
    todo, done, results = model.Channel(1, "todo"), model.Channel(1, "done"), []

    def send():
        with todo:
            for item in items:
                todo.send(item)

    def work_all():
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
