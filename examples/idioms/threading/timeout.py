"""The caller stops waiting. A thread can't be stopped, only told."""

from queue import Empty, Queue
from threading import Event, Thread


def ask(answers, stop):
    if not stop.wait(60):
        answers.put("hello")


def main():
    answers, stop = Queue(), Event()
    thread = Thread(target=ask, args=(answers, stop))
    thread.start()
    try:
        print(answers.get(timeout=0.05))
    except Empty:
        print("no answer in time")
    finally:
        stop.set()
        thread.join()


if __name__ == "__main__":
    main()
