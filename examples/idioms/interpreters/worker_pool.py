"""An executor whose threads have an interpreter each: the calls may also compute in parallel."""

import time
from concurrent.futures import InterpreterPoolExecutor


def fetch(page):
    time.sleep(0.01)  # here a request would wait
    return f"page {page}"


def main():
    with InterpreterPoolExecutor(max_workers=3) as pool:
        print(list(pool.map(fetch, range(1, 7))))


if __name__ == "__main__":
    main()
