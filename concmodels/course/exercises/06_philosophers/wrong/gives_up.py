"""Diagnosis: not everybody eats once"""


def dine(forks, number, eat):
    with forks[number]:
        right = forks[(number + 1) % len(forks)]
        if right.acquire(blocking=False):
            eat()
            right.release()
