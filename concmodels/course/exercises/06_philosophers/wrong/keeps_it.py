"""Diagnosis: a task waits for a lock whose holder never gives it back"""


def dine(forks, number, eat):
    first, second = sorted((number, (number + 1) % len(forks)))
    forks[first].acquire()
    with forks[second]:
        eat()
