"""On its asyncio hub eventlet runs inside an event loop, and there `asyncio.run` refuses to start another one."""

import asyncio
import warnings

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    import eventlet
    from eventlet import hubs


async def answer() -> int:
    return 42


def work() -> int | str:
    coroutine = answer()
    try:
        return asyncio.run(coroutine)
    except RuntimeError as error:
        coroutine.close()
        return f"RuntimeError: {error}"


if __name__ == "__main__":
    for hub in ("epolls", "asyncio"):
        hubs.use_hub(hub)
        print(f"{hub}: {eventlet.spawn(work).wait()}")
