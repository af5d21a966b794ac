"""The error of a call is raised by `result`, and the call is submitted again."""

import time
from concurrent.futures import ThreadPoolExecutor


def connect(attempt):
    if attempt < 3:
        raise ConnectionError("refused")
    return "hello"


def main():
    pause = 0.01
    with ThreadPoolExecutor() as pool:
        for attempt in range(1, 6):
            try:
                answer = pool.submit(
                    connect, attempt
                ).result()
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
