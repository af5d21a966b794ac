"""`result` stops waiting; the call goes on until a queue tells it, and the `with` waits for it."""

from concurrent import interpreters
from concurrent.futures import InterpreterPoolExecutor


def ask(stop):
    stop.get()  # it may take for ever
    return "hello"


def main():
    stop = interpreters.create_queue()
    with InterpreterPoolExecutor(max_workers=1) as pool:
        answer = pool.submit(ask, stop)
        try:
            print(answer.result(timeout=0.05))
        except TimeoutError:
            print("no answer in time")
        finally:
            stop.put(None)


if __name__ == "__main__":
    main()
