"""A group of asyncio fails. In which order are its tasks cancelled: in the order in which they were started?"""

import asyncio


async def wait(number: int, ended: list[int]) -> None:
    try:
        await asyncio.sleep(60)
    finally:
        ended.append(number)


async def main() -> None:
    ended: list[int] = []
    try:
        async with asyncio.TaskGroup() as group:
            for number in range(300):
                group.create_task(wait(number, ended))
            await asyncio.sleep(0)
            raise OSError("the body fails")
    except* OSError:
        print("cancelled in the order of their start:", ended == sorted(ended))


if __name__ == "__main__":
    asyncio.run(main())
