"""`map` of a pool: the results come in the order of the jobs."""

import gevent
from gevent.pool import Pool


def fetch(page):
    gevent.sleep(0.01)  # here a request would wait
    return f"page {page}"


def main():
    print(Pool(3).map(fetch, range(1, 7)))


if __name__ == "__main__":
    main()
