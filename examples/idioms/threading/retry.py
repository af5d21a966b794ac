"""A plain loop with a plain sleep: only this thread waits."""

import time


def connect(attempt):
    if attempt < 3:
        raise ConnectionError("refused")
    return "hello"


def main():
    pause = 0.01
    for attempt in range(1, 6):
        try:
            answer = connect(attempt)
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
