from threading import Thread

from barrier import Barrier


def rounds(threads, count):
    barrier, came = Barrier(threads), []

    def walk():
        for number in range(count):
            came.append(number)
            barrier.wait()
            early = came.count(number) < threads
            assert not early, f"in round {number + 1} a thread goes on before all are there"

    failures = []

    def guarded():
        try:
            walk()
        except AssertionError as error:
            failures.append(error)

    walking = [Thread(target=guarded) for _ in range(threads)]
    for thread in walking:
        thread.start()
    for thread in walking:
        thread.join()
    if failures:
        raise failures[0]


def one_round():
    rounds(2, 1)


def two_rounds():
    rounds(2, 2)
