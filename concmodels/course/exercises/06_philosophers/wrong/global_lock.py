"""Diagnosis: only one can eat at a time"""

import threading

table = threading.Lock()


def dine(forks, number, eat):
    with table, forks[number], forks[(number + 1) % len(forks)]:
        eat()
