from threading import Thread

from lost_update import Counter


def run(*functions):
    threads = [Thread(target=function, args=arguments) for function, *arguments in functions]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def two_threads_add():
    counter = Counter()
    assert type(counter.value) is int and counter.value == 0, "a new counter is 0, and its value a plain int"
    run((counter.add, 1), (counter.add, 2))
    assert type(counter.value) is int, "the value is not a plain int any more"
    assert counter.value != 0, "nothing is added"
    assert counter.value == 3, f"an update is lost, and the counter is {counter.value} instead of 3"
    counter.add(4)
    assert counter.value == 7, f"4 more make {counter.value} instead of 7"
    assert Counter().value == 0, "two counters count together"


def a_failure_between():
    counter = Counter()
    try:
        counter.add("one")
    except TypeError:
        pass
    else:
        raise AssertionError("add takes a text without a word: leave the TypeError to the caller")
    run((counter.add, 1))
    assert type(counter.value) is int, "the value is not a plain int any more"
    assert counter.value == 1, f"after a failed addition the counter is {counter.value} instead of 1"
