"""1,000 and 10,000 requests at once, each of which waits a second for somebody else.

They are threads, threads that are patient with the GIL, and asyncio tasks. Each line is a process of its own. A request
counts from the moment at which all of them came.
"""

import asyncio
import subprocess
import sys
import threading
import time

from concmodels.platform.measuring import peak

WAIT_S = 1


def threads(number):
    took, begin = [], time.monotonic()

    def request():
        time.sleep(WAIT_S)
        took.append(time.monotonic() - begin)

    running = [threading.Thread(target=request) for _ in range(number)]
    for thread in running:
        thread.start()
    for thread in running:
        thread.join()
    return took


def patient(number):
    sys.setswitchinterval(
        0.5
    )  # seconds for which a thread waits for the GIL before it asks for it; the default is 0.005
    return threads(number)


def tasks(number):
    took, begin = [], time.monotonic()

    async def request():
        await asyncio.sleep(WAIT_S)
        took.append(time.monotonic() - begin)

    async def main():
        async with asyncio.TaskGroup() as group:
            for _ in range(number):
                group.create_task(request())

    asyncio.run(main())
    return took


WAYS = {"threads": threads, "patient": patient, "asyncio": tasks}


def measure(name, number):
    before = peak() or 0
    try:
        took = sorted(WAYS[name](number))
    except RuntimeError as error:  # the system has a limit for threads
        return f"{name:7} {number:7,} requests: {error}"
    memory = ((peak() or 0) - before) / 2**20
    p99 = took[int(0.99 * number) - 1]
    return f"{name:7} {number:7,} requests: all in {took[-1]:.2f} s, P99 {p99:.2f} s, {memory:3.0f} MiB"


if __name__ == "__main__":
    if sys.argv[1:]:
        print(measure(sys.argv[1], int(sys.argv[2])))
    else:
        for requests in (1_000, 10_000):
            for way in WAYS:
                subprocess.run([sys.executable, __file__, way, str(requests)], check=True)
