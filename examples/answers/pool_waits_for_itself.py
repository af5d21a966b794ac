"""Tasks of a pool that wait for tasks of the same pool: two workers, and both wait for a third one."""

from concurrent.futures import ThreadPoolExecutor
from threading import Barrier


def outer(pool: ThreadPoolExecutor, both: Barrier) -> int | str:
    both.wait()  # now each of the two workers has such a task
    inner = pool.submit(pow, 2, 10)
    try:
        return inner.result(timeout=0.2)
    except TimeoutError:
        both.wait()  # neither of the two has given up its worker before
        return "no worker was free"


def main() -> None:
    both = Barrier(2)
    with ThreadPoolExecutor(2) as pool:
        for future in [pool.submit(outer, pool, both) for _ in range(2)]:
            print(future.result())


if __name__ == "__main__":
    main()
