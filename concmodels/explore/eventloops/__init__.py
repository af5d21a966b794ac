"""Programs of asyncio and trio, unmodified: event loops of a simulated world, in place of those that wait for a system.

What a loop guarantees is kept, and what the world decides is free. asyncio calls callbacks in the order of `call_soon`,
and timers in the order of their deadlines. trio draws the order of each batch of tasks. Free is *when a timer expires
in relation to what is ready*: that may take up to `SLACK_S` seconds, so a timer that lies no further ahead may come
first. Free is also everything that another thread does: when the job of an executor goes on, and when a
`call_soon_threadsafe` arrives. And a Ctrl-C may come at any time, in an exploration that wants it.

Its parts, the lower ones first:

    history.py        what the callbacks of a run have done, in a number: the same one means the same state
    futures.py        futures that tell when they are touched
    followed.py       whether the callbacks of a run would do the same in any order
    findings.py       what asyncio and Python only log: exceptions that nobody retrieves, coroutines that nobody awaits
    haste.py          sleeps that end too soon
    interrupts.py     Ctrl-C and other signals, for an exploration in which they may come
    executor.py       jobs of threads
    numbered.py       the order of what libraries keep in sets
    refused.py        what no schedule decides: sockets, processes, signals
    loop.py           the event loop of asyncio
    trio_.py          the clock and the order of trio; trio_threads.py: its threads
    anyio_.py         the threads of anyio on asyncio
    replaced.py       gives explored programs these in place of the real ones
    threads_apart.py  the running loop of each simulated thread
    unwatched.py      the monitor of a program that runs in none
    awaited.py        runs a coroutine function as an explored program
"""
