"""Diagnosis: each task holds a lock that the next one waits for"""


def dine(forks, number, eat):
    with forks[number], forks[(number + 1) % len(forks)]:
        eat()
