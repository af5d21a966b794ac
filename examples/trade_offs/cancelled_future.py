"""An item is handed over by a future, and the receiver is cancelled in the same turn of the loop. Who has the item?"""

import asyncio


async def main() -> None:
    handed_over: asyncio.Future[str] = asyncio.get_running_loop().create_future()
    receiver = asyncio.create_task(receive(handed_over))
    await asyncio.sleep(0)
    handed_over.set_result("the only one")
    receiver.cancel()
    (outcome,) = await asyncio.gather(receiver, return_exceptions=True)
    print("the sender has handed it over:", handed_over.result())
    print("the receiver has got:", type(outcome).__name__)


async def receive(handed_over: asyncio.Future[str]) -> str:
    return await handed_over


if __name__ == "__main__":
    asyncio.run(main())
