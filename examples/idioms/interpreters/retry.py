"""What a call raises in another interpreter arrives as ExecutionFailed, with a description of it."""

import time
from concurrent import interpreters


def connect(attempt):
    if attempt < 3:
        raise ConnectionError("refused")
    return "hello"


def main():
    pause, interpreter = 0.01, interpreters.create()
    for attempt in range(1, 6):
        try:
            answer = interpreter.call(connect, attempt)
        except interpreters.ExecutionFailed as failed:
            print(f"attempt {attempt}: {failed.excinfo.msg}")
            if attempt == 5:
                raise
            time.sleep(pause)
            pause *= 2
        else:
            print(f"attempt {attempt}: {answer}")
            break
    interpreter.close()


if __name__ == "__main__":
    main()
