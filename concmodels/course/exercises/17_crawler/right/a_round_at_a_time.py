"""A pool maps over all new pages; the next round begins when one is over, so it may use fewer than `most` at times."""


def crawl(model, fetch, start, most):
    known, new = {start}, [start]
    with model.Pool(most) as pool:
        while new:
            links = [page for found in pool.map(fetch, new) for page in found]
            new = list(dict.fromkeys(page for page in links if page not in known))
            known.update(new)
    return known
