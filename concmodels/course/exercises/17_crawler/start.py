"""All pages that can be reached from one."""


def crawl(model, fetch, start, most):
    found = {start}
    for page in fetch(start):
        found.add(page)
    return found
