"""How many workers? Tasks that wait, and tasks that compute, with more and more of them."""

import os
import time
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor

WAIT = 0.02


def wait(_):
    time.sleep(WAIT)


def compute(number):
    return sum(i * i for i in range(number))


def per_second(pool, function, items):
    list(pool.map(function, items[:8]))  # its workers are started
    begin = time.perf_counter()
    list(pool.map(function, items))
    return len(items) / (time.perf_counter() - begin)


def main():
    print(f"tasks that wait {WAIT * 1000:.0f} ms, threads:")
    for workers in (1, 4, 16, 64):
        with ThreadPoolExecutor(workers) as pool:
            rate = per_second(pool, wait, range(8 * workers))
        print(f"{workers:5} workers: {rate:6.0f} a second; by Little's law {workers / WAIT:6.0f}")
    print(f"tasks that compute, processes, on {os.process_cpu_count()} processors:")
    for workers in (1, 2, 4):
        with ProcessPoolExecutor(workers) as pool:
            rate = per_second(pool, compute, [60_000] * 200)
        print(f"{workers:5} workers: {rate:6.0f} a second")


if __name__ == "__main__":
    main()
