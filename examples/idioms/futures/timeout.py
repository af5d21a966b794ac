"""`result` stops waiting; the call goes on until it is told, and the `with` waits for it."""

from concurrent.futures import ThreadPoolExecutor
from threading import Event


def ask(stop):
    stop.wait(60)
    return "hello"


def main():
    stop = Event()
    with ThreadPoolExecutor() as pool:
        answer = pool.submit(ask, stop)
        try:
            print(answer.result(timeout=0.05))
        except TimeoutError:
            print("no answer in time")
        finally:
            stop.set()


if __name__ == "__main__":
    main()
