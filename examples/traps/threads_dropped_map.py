"""What `map` of an executor has returned is not used up. Do the calls that no worker has begun still run?"""

import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor


def calls_done(use: Callable[[Iterator[object]], None]) -> str:
    ran, go_on = list[int](), threading.Event()

    def work(number: int) -> None:
        if number > 0:
            go_on.wait()  # until the results have been dropped
        ran.append(number)

    with ThreadPoolExecutor(1) as pool:
        use(pool.map(work, range(20)))
        go_on.set()
    return "all of them" if len(ran) == 20 else "those that had begun"


def leave_the_loop(results: Iterator[object]) -> None:
    for _ in results:
        break


def drop_it(results: Iterator[object]) -> None:
    pass


if __name__ == "__main__":
    print("the loop is left after one result:", calls_done(leave_the_loop))
    print("no result was asked for:", calls_done(drop_it))
