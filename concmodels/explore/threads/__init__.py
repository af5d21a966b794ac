"""Programs of plain `threading`, `queue` and `time.sleep`, unmodified, as scenarios that can be explored.

Its parts, the lower ones first:

    locks.py      what `_thread` has for locks, as steps of a simulated world
    tasks.py      what `_thread` has for threads
    library.py    the standard library's own threading.py, queue.py and concurrent.futures, executed on those
    futures.py, queues.py, thread_pool.py    what of them is one step each, in the place of many that no program sees
    program.py    a file that every run executes anew, and that gets these modules when it imports them
"""
