"""`map` of an executor: the results come in the order of the jobs."""

import time
from concurrent.futures import ThreadPoolExecutor


def fetch(page):
    time.sleep(0.01)  # here a request would wait
    return f"page {page}"


def main():
    with ThreadPoolExecutor(max_workers=3) as pool:
        print(list(pool.map(fetch, range(1, 7))))


if __name__ == "__main__":
    main()
