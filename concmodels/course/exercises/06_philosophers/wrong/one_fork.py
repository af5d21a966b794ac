"""Diagnosis: somebody eats without both forks"""


def dine(forks, number, eat):
    with forks[number]:
        eat()
