"""One task waits until another opens a gate, which is closed again at once.

`set` wakes the tasks that wait at that moment. A task that comes a little later finds the gate closed, and waits for
ever.
"""

import asyncio


async def pass_through(gate: asyncio.Event) -> None:
    await asyncio.sleep(0.01)  # the way to the gate
    await gate.wait()


async def throw_open(gate: asyncio.Event) -> None:
    await asyncio.sleep(0.01)
    gate.set()
    gate.clear()  # for the next one


async def main() -> None:
    gate = asyncio.Event()
    await asyncio.gather(throw_open(gate), pass_through(gate))


if __name__ == "__main__":
    asyncio.run(main())
