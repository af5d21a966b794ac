"""Diagnosis: a task waits to send an item that nobody will receive"""


def crawl(model, fetch, start, most):
    todo, done = model.Channel(0, "todo"), model.Channel(0, "done")

    def work():
        for page in todo:
            done.send(fetch(page))

    with model.TaskGroup() as group, todo:
        for _ in range(most):
            group.spawn(work)
        known, under_way = {start}, 1
        todo.send(start)
        while under_way:
            under_way -= 1
            for page in done.receive():
                if page not in known:
                    known.add(page)
                    under_way += 1
                    todo.send(page)
    return known
