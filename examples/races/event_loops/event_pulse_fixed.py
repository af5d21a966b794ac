"""One task waits until another opens a gate, which stays open.

An event says that something has happened. It can't be taken back while a task may still be on its way.
"""

import asyncio


async def pass_through(gate: asyncio.Event) -> None:
    await asyncio.sleep(0.01)  # the way to the gate
    await gate.wait()


async def throw_open(gate: asyncio.Event) -> None:
    await asyncio.sleep(0.01)
    gate.set()


async def main() -> None:
    gate = asyncio.Event()
    await asyncio.gather(throw_open(gate), pass_through(gate))


if __name__ == "__main__":
    asyncio.run(main())
