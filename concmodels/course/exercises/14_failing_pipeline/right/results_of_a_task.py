"""The collector's result is that of its task; the sender needs no task of its own."""


def run(model, items, work):
    todo, done = model.Channel(0), model.Channel(0)

    def work_all():
        with done:
            for item in todo:
                done.send(work(item))

    with model.TaskGroup() as group:
        group.spawn(work_all)
        collected = group.spawn(list, done)
        with todo:
            for item in items:
                todo.send(item)
    return collected.result()
