"""Diagnosis: one fetch at a time, though two are allowed"""


def crawl(model, fetch, start, most):
    known, left = {start}, [start]
    while left:
        new = [page for page in fetch(left.pop()) if page not in known]
        left += dict.fromkeys(new)
        known.update(new)
    return known
