"""Threads that take jobs from a queue until it is shut down."""

import time
from queue import Queue, ShutDown
from threading import Thread


def fetch(page):
    time.sleep(0.01)  # here a request would wait
    return f"page {page}"


def worker(jobs, results):
    while True:
        try:
            page = jobs.get()
        except ShutDown:
            return
        results[page] = fetch(page)


def main():
    jobs, results = Queue(), {}
    workers = [
        Thread(target=worker, args=(jobs, results))
        for _ in range(3)
    ]
    for thread in workers:
        thread.start()
    for page in range(1, 7):
        jobs.put(page)
    jobs.shutdown()  # what is in it is still done
    for thread in workers:
        thread.join()
    print([results[page] for page in range(1, 7)])


if __name__ == "__main__":
    main()
