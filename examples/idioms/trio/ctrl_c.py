"""Ctrl-C raises KeyboardInterrupt in some task; its nursery cancels the others and hands it on in a group."""

import trio


async def worker():
    try:
        print("working", flush=True)
        await trio.sleep(3600)
    finally:
        print("tidied up")


async def main():
    async with trio.open_nursery() as nursery:
        nursery.start_soon(worker)


if __name__ == "__main__":
    try:
        trio.run(main)
    except* KeyboardInterrupt:
        print("interrupted")
