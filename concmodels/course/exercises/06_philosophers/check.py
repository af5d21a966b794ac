from threading import Barrier, Lock, Thread, current_thread

from philosophers import dine


class Fork:
    def __init__(self):
        self.lock = Lock()
        self.holder = None

    def acquire(self, blocking=True, timeout=-1):
        taken = self.lock.acquire(blocking, timeout)
        if taken:
            self.holder = current_thread()
        return taken

    def release(self):
        self.holder = None
        self.lock.release()

    def locked(self):
        return self.lock.locked()

    __enter__ = acquire

    def __exit__(self, *_):
        self.release()


def dinner(count, numbers, meet=lambda: None):
    forks = [Fork() for _ in range(count)]
    eaten, wrong = [], []

    def philosopher(number):
        def eat():
            both = forks[number], forks[(number + 1) % count]
            wrong.extend(fork for fork in both if fork.holder is not current_thread())
            meet()
            eaten.append(number)

        dine(forks, number, eat)

    threads = [Thread(target=philosopher, args=(number,)) for number in numbers]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong, "somebody eats without both forks"
    assert sorted(eaten) == numbers, "not everybody eats once"
    assert not any(fork.locked() for fork in forks), "a fork is not put back"


def three_eat():
    dinner(3, [0, 1, 2])


def two_eat_together():
    dinner(4, [0, 2], Barrier(2).wait)
