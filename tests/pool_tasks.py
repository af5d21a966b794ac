"""What the tests of the pools of the models with memory boundaries give them to do."""

import os
import time

from killing import die


def same(x):
    return x


def text_of(x):
    return f"{x} is {x * 3}"


def uneven(x):
    """A quick task; every hundredth takes its time."""
    if x % 97 == 0:
        time.sleep(0.003)
    return x


def noted(path, x):
    """Leave a line in a file, which survives the process that wrote it, then do something uneven."""
    file = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT)
    os.write(file, f"{x}\n".encode())
    os.close(file)
    return uneven(x)


def noted_in(call):
    return noted(*call)


def as_bytes(size):
    return b"x" * size


def length(data):
    return len(data)


def own_pid(_=None):
    return os.getpid()


def killed():
    die()


def exited(status):
    os._exit(status)


def receive(channel):
    return channel.receive()


def report_and_wait(report, model):
    report.send(os.getpid())
    model.sleep(3600)


def pool_of_its_own(model, numbers):
    with model.Pool(2) as pool:
        return list(pool.map(same, numbers))


def leave_a_pool_open(model):
    pool = model.Pool(1)
    return pool.submit(same, 5).result()


def leave_work_open(model, report):
    model.Pool(1).submit(report_late, report)


def report_late(report):
    time.sleep(0.05)
    report.send("done")


def unreadable_on_arrival():
    """A value that can be pickled and that nobody can unpickle."""
    return Unreadable()


class Unreadable:
    def __reduce__(self):
        return fail_to_read, ()


def fail_to_read():
    raise ValueError("it can't be read")


def done_away(pool, numbers):
    """What the standard library does with futures, done by a task with its own pool."""
    from concurrent.futures import as_completed, wait

    calls = [pool.submit(same, number) for number in numbers]
    done, not_done = wait(calls)
    return (
        len(done),
        len(not_done),
        sorted(call.result() for call in as_completed(calls)),
        list(pool.map(same, numbers)),
    )


def taken_back(pool, gate):
    """Give the pool two calls, of which one can be cancelled."""
    first, second = pool.submit(receive, gate), pool.submit(same, 2)
    cancelled = second.cancel()
    gate.send("go on")
    return cancelled, second.cancelled(), first.result(), first.cancel()


def fibonacci(pool, n):
    if n < 2:
        return n
    other = pool.submit(fibonacci, pool, n - 1)
    return fibonacci(pool, n - 2) + other.result()


def shut_down(pool):
    pool.shutdown()


def slow(seconds):
    time.sleep(seconds)
    return seconds


def tried_again(sleep, *divisors):
    """Divide by one after the other until it works; tenacity does the trying."""
    import tenacity

    rest = iter(divisors)
    again = tenacity.Retrying(stop=tenacity.stop_after_attempt(len(divisors)), sleep=sleep, reraise=True)
    return again(lambda: 9 // next(rest))
