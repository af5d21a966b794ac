"""Philosophers, who need two forks each."""


def dine(forks, number, eat):
    left, right = forks[number], forks[(number + 1) % len(forks)]
    with left, right:
        eat()
