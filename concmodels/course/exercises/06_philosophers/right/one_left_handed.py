"""The last philosopher begins on the right; everybody else on the left."""


def dine(forks, number, eat):
    left, right = forks[number], forks[(number + 1) % len(forks)]
    if number == len(forks) - 1:
        left, right = right, left
    left.acquire()
    right.acquire()
    try:
        eat()
    finally:
        left.release()
        right.release()
