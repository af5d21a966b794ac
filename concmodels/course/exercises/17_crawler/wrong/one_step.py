"""Diagnosis: it ends before every page is fetched"""


def crawl(model, fetch, start, most):
    return {start, *fetch(start)}
