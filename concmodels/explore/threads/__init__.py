"""Programs of plain `threading`, `queue` and `time.sleep`, unmodified, as scenarios that can be explored.

Its parts, the lower ones first:

    locks.py      what `_thread` has for locks, as steps of a simulated world
    tasks.py      what `_thread` has for threads
    library.py    the standard library's own threading.py, queue.py and concurrent.futures, executed on those
    program.py    a file that every run executes anew, and that gets these modules when it imports them
"""
