"""The first answer comes through a memory channel; then the nursery is cancelled."""

import trio

MIRRORS = {"near": 0.01, "far": 60, "farther": 60}


async def ask(mirror, delay, answers):
    await trio.sleep(delay)
    await answers.send(mirror)


async def main():
    send_answer, answers = trio.open_memory_channel(0)
    async with trio.open_nursery() as nursery:
        for mirror, delay in MIRRORS.items():
            nursery.start_soon(
                ask, mirror, delay, send_answer
            )
        first = await answers.receive()
        nursery.cancel_scope.cancel()
    print(first, "answered")


if __name__ == "__main__":
    trio.run(main)
