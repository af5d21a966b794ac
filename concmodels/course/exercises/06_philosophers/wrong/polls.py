"""Diagnosis: a task asks again and again"""


def dine(forks, number, eat):
    right = forks[(number + 1) % len(forks)]
    while True:
        with forks[number]:
            if right.acquire(blocking=False):
                eat()
                right.release()
                return
