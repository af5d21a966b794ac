"""Diagnosis: the failure is hidden: run returns [1, 2, 3]"""


def run(model, items, work):
    todo, done, results = model.Channel(1, "todo"), model.Channel(1, "done"), []

    def send():
        with todo:
            for item in items:
                todo.send(item)

    def work_all():
        with done:
            for item in todo:
                try:
                    done.send(work(item))
                except ValueError:
                    continue

    def collect():
        for result in done:
            results.append(result)

    with model.TaskGroup() as group:
        group.spawn(send)
        group.spawn(work_all)
        group.spawn(collect)
    return results
