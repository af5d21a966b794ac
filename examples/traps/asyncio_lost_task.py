"""The loop keeps tasks by weak references only: one to which nothing else refers can vanish while it waits."""

import asyncio
import gc


async def wait_for_news() -> None:
    await asyncio.get_running_loop().create_future()


async def main() -> None:
    reports: list[str] = []
    asyncio.get_running_loop().set_exception_handler(lambda loop, context: reports.append(context["message"]))
    asyncio.create_task(wait_for_news())  # the mistake: its handle is thrown away
    await asyncio.sleep(0)
    print("tasks beside main:", len(asyncio.all_tasks()) - 1)
    gc.collect()
    print("after a garbage collection:", len(asyncio.all_tasks()) - 1)
    print("the loop says:", *reports)


if __name__ == "__main__":
    asyncio.run(main())
