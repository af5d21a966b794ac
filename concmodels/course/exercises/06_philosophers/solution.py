"""Philosophers, who take the fork with the lower number first."""


def dine(forks, number, eat):
    first, second = sorted((number, (number + 1) % len(forks)))
    with forks[first], forks[second]:
        eat()
