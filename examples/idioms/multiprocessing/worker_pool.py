"""`map` of a pool of processes; jobs and results are pickled."""

import time
from multiprocessing import Pool


def fetch(page):
    time.sleep(0.01)  # here a request would wait
    return f"page {page}"


def main():
    with Pool(3) as pool:
        print(pool.map(fetch, range(1, 7)))


if __name__ == "__main__":
    main()
