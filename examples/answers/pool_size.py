"""How many workers for tasks that wait? More and more of them, and what Little's law says."""

import time
from concurrent.futures import ThreadPoolExecutor

WAIT = 0.02


def wait(_: int) -> None:
    time.sleep(WAIT)


def per_second(pool: ThreadPoolExecutor, tasks: int) -> float:
    list(pool.map(wait, range(tasks)))  # its workers are started
    begin = time.perf_counter()
    list(pool.map(wait, range(tasks)))
    return tasks / (time.perf_counter() - begin)


def main() -> None:
    for workers in (1, 4, 16, 64):
        with ThreadPoolExecutor(workers) as pool:
            rate = per_second(pool, 8 * workers)
        print(f"{workers:5} workers: {rate:6.0f} a second; by Little's law {workers / WAIT:6.0f}")


if __name__ == "__main__":
    main()
