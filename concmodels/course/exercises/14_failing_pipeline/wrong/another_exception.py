"""Diagnosis: RuntimeError: it has failed"""


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
                    raise RuntimeError("it has failed") from None

    def collect():
        for result in done:
            results.append(result)

    with model.TaskGroup() as group:
        group.spawn(send)
        group.spawn(work_all)
        group.spawn(collect)
    return results
