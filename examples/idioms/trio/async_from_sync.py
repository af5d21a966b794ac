"""`trio.run` where no loop runs; from a thread that trio has started, `from_thread.run`."""

import trio


async def fetch():
    await trio.sleep(0.01)
    return 42


def in_a_thread():
    return trio.from_thread.run(fetch)


async def main():
    print(
        "from a thread:",
        await trio.to_thread.run_sync(in_a_thread),
    )


if __name__ == "__main__":
    print("from a plain program:", trio.run(fetch))
    trio.run(main)
