"""`get` stops waiting, and leaving the `with` terminates the worker."""

import time
from multiprocessing import Pool, TimeoutError


def ask():
    time.sleep(60)
    return "hello"


def main():
    with Pool(1) as pool:
        try:
            print(pool.apply_async(ask).get(timeout=0.05))
        except TimeoutError:
            print("no answer in time")


if __name__ == "__main__":
    main()
