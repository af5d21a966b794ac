"""Diagnosis: a task waits for an item, and nobody is left to send one or to close the channel"""

import math


def crawl(model, fetch, start, most):
    todo, done = model.Channel(math.inf, "todo"), model.Channel(math.inf, "done")

    def work():
        for page in todo:
            done.send(fetch(page))

    with model.TaskGroup() as group, todo:
        for _ in range(most):
            group.spawn(work)
        known, under_way = {start}, 1
        todo.send(start)
        while True:
            under_way -= 1
            for page in done.receive():
                if page not in known:
                    known.add(page)
                    under_way += 1
                    todo.send(page)
    return known
