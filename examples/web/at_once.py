"""1,000 and 2,500 requests that get their answers at the same moment: how long until all of them have gone on?

They are threads, threads that are patient with the GIL, and asyncio tasks. Each line is a process of its own. The times
count from the moment at which the answers came.
"""

import asyncio
import subprocess
import sys
import threading
import time

from concmodels.platform.measuring import peak

WAIT_S = 2


def threads(number: int) -> list[float]:
    took: list[float] = []
    answers = time.monotonic() + WAIT_S

    def request() -> None:
        time.sleep(max(0, answers - time.monotonic()))
        took.append(time.monotonic() - answers)

    running = [threading.Thread(target=request) for _ in range(number)]
    for thread in running:
        thread.start()
    for thread in running:
        thread.join()
    return took


def patient(number: int) -> list[float]:
    sys.setswitchinterval(0.5)  # after so many seconds a thread asks for the GIL again; the default is 0.005
    return threads(number)


def tasks(number: int) -> list[float]:
    took: list[float] = []
    answers = time.monotonic() + WAIT_S

    async def request() -> None:
        await asyncio.sleep(max(0, answers - time.monotonic()))
        took.append(time.monotonic() - answers)

    async def main() -> None:
        async with asyncio.TaskGroup() as group:
            for _ in range(number):
                group.create_task(request())

    asyncio.run(main())
    return took


WAYS = {"threads": threads, "patient": patient, "asyncio": tasks}


def measure(name: str, number: int) -> str:
    before = peak() or 0
    try:
        took = sorted(WAYS[name](number))
    except RuntimeError as error:  # the system has a limit for threads
        return f"{name:7} {number:7,} requests: {error}"
    memory = ((peak() or 0) - before) / 2**20
    p99 = took[int(0.99 * number) - 1]
    return f"{name:7} {number:7,} requests: all after {took[-1]:.2f} s, P99 {p99:.2f} s, {memory:3.0f} MiB"


if __name__ == "__main__":
    if sys.argv[1:]:
        print(measure(sys.argv[1], int(sys.argv[2])))
    else:
        for requests in (1_000, 2_500):
            for way in WAYS:
                subprocess.run([sys.executable, __file__, way, str(requests)], check=True)
