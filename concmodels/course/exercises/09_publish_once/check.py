from threading import Thread

from publish_once import Once


class Thing:
    finished = False


def two_get():
    made, got = [], []

    def make():
        thing = Thing()
        made.append(thing)
        thing.finished = True
        return thing

    once = Once(make)

    def get():
        thing = once.get()
        got.append((thing, getattr(thing, "finished", False)))

    threads = [Thread(target=get) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(got) == 2, "a thread gets nothing but an exception"
    assert all(thing is not None for thing, _ in got), "a thread gets nothing"
    assert len(made) == 1, f"it is made {len(made)} times"
    assert all(finished for _, finished in got), "a thread gets it before it is finished"
    assert got[0][0] is got[1][0], "the two get different things"


def a_failure_first():
    calls = []

    def make():
        calls.append(len(calls))
        if len(calls) == 1:
            raise OSError("the first time it fails")
        return Thing()

    once = Once(make)
    try:
        once.get()
    except OSError:
        pass
    else:
        raise AssertionError("the failure is hidden from the caller")
    got = []
    thread = Thread(target=lambda: got.append(once.get()))
    thread.start()
    thread.join()
    assert got and isinstance(got[0], Thing), "after a failure nobody tries again"
