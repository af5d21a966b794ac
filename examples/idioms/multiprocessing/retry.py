"""The error of a call travels back from the worker, and the call is made again."""

import time
from multiprocessing import Pool


def connect(attempt):
    if attempt < 3:
        raise ConnectionError("refused")
    return "hello"


def main():
    pause = 0.01
    with Pool(1) as pool:
        for attempt in range(1, 6):
            try:
                answer = pool.apply(connect, (attempt,))
            except ConnectionError as error:
                print(f"attempt {attempt}: {error}")
                if attempt == 5:
                    raise
                time.sleep(pause)
                pause *= 2
            else:
                print(f"attempt {attempt}: {answer}")
                break


if __name__ == "__main__":
    main()
