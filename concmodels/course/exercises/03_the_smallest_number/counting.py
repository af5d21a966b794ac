"""Two threads add 1 to a counter, three times each. Each function says that a number never comes out."""

import threading

counter = 0


def add_three_times():
    global counter
    for _ in range(3):
        counter += 1


def count():
    threads = [threading.Thread(target=add_three_times) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return counter


def never_1():
    assert count() != 1


def never_2():
    assert count() != 2


def never_3():
    assert count() != 3


def never_4():
    assert count() != 4
