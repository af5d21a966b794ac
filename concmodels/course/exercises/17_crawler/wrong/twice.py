"""Diagnosis: a page is fetched twice"""

import math


def crawl(model, fetch, start, most):
    todo, done = model.Channel(math.inf, "todo"), model.Channel(math.inf, "done")

    def work():
        for page in todo:
            done.send((page, fetch(page)))

    with model.TaskGroup() as group, todo:
        for _ in range(most):
            group.spawn(work)
        known, under_way = set(), 1
        todo.send(start)
        while under_way:
            under_way -= 1
            fetched, links = done.receive()
            known.add(fetched)
            for page in links:
                if page not in known:
                    under_way += 1
                    todo.send(page)
    return known
