"""The first thread to answer fills a queue; an event tells the others to give up."""

from queue import Queue
from threading import Event, Thread

MIRRORS = {"near": 0.01, "far": 60, "farther": 60}


def ask(mirror, delay, answers, decided):
    if not decided.wait(delay):  # a sleep that can be ended
        answers.put(mirror)


def main():
    answers, decided = Queue(), Event()
    threads = [
        Thread(
            target=ask, args=(mirror, delay, answers, decided)
        )
        for mirror, delay in MIRRORS.items()
    ]
    for thread in threads:
        thread.start()
    print(answers.get(), "answered")
    decided.set()
    for thread in threads:
        thread.join()


if __name__ == "__main__":
    main()
