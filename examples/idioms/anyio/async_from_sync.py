"""A portal runs a loop in a thread for a plain program; from a thread that anyio has started, `from_thread.run`."""

import anyio
import anyio.to_thread
from anyio.from_thread import run, start_blocking_portal


async def fetch():
    await anyio.sleep(0.01)
    return 42


def in_a_thread():
    return run(fetch)


async def main():
    print(
        "from a thread:",
        await anyio.to_thread.run_sync(in_a_thread),
    )


if __name__ == "__main__":
    with start_blocking_portal() as portal:
        print("from a plain program:", portal.call(fetch))
    anyio.run(main)
