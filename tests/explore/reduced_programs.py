"""Programs of which few schedules differ, and two of which the plainest schedule does not show what could race."""

import queue
import threading
import time


def three(work):
    """Run three threads."""
    threads = [threading.Thread(target=work) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def three_with_locks_of_their_own():
    def work():
        lock = threading.Lock()
        for _ in range(3):
            with lock:
                pass

    three(work)


def three_that_share_a_lock():
    lock = threading.Lock()

    def work():
        for _ in range(2):
            with lock:
                pass

    three(work)


def two_that_look_before_they_put():
    items, seen = queue.SimpleQueue(), {}

    def put(name):
        seen[name] = items.empty()
        items.put(name)

    def look(name):
        seen[name] = items.qsize()

    threads = [
        threading.Thread(target=it, args=(it.__name__ + name,)) for it, name in ((put, "1"), (put, "2"), (look, ""))
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return repr(sorted(seen.items()))


def one_that_waits_for_a_lock_that_is_kept():
    """In most schedules it waits until the end. In the others it looks, before or after something was put."""
    items, lock, seen = queue.SimpleQueue(), threading.Lock(), []

    def keep():
        lock.acquire()
        seen.append(lock.acquire(blocking=False))

    def look():
        lock.acquire()
        seen.append(items.empty())

    threads = [threading.Thread(target=it, args=args) for it, args in ((items.put, (1,)), (keep, ()), (look, ()))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def one_that_never_gets_the_lock():
    lock, seen = threading.Lock(), []

    def late():
        with lock:
            seen.append("late")

    threading.Thread(target=late, daemon=True).start()
    lock.acquire()
    return len(seen)


def one_that_waits_as_long():
    items = queue.Queue()

    def put():
        time.sleep(1)
        items.put("item")

    threading.Thread(target=put).start()
    try:
        return items.get(timeout=1)
    except queue.Empty:
        return None
