"""The names of the ways to call a function, as tables and advice show them."""

LOOP = "a plain loop"
THREADS = "threads"
PROCESSES = "processes"
INTERPRETERS = "subinterpreters"
MANY = "50 threads"
TASKS = "50 tasks of asyncio"
FREE_LOOP = "a loop without the GIL"
FREE_THREADS = "threads without the GIL"

AT_ONCE = 50
"""So many threads, or tasks of asyncio, tell whether a function that waits can wait often at the same time."""
