"""The first answer comes through a memory object stream; then the group is cancelled."""

import anyio

MIRRORS = {"near": 0.01, "far": 60, "farther": 60}


async def ask(mirror, delay, answers):
    await anyio.sleep(delay)
    await answers.send(mirror)


async def main():
    send_answer, answers = anyio.create_memory_object_stream()
    with send_answer, answers:
        async with anyio.create_task_group() as group:
            for mirror, delay in MIRRORS.items():
                group.start_soon(
                    ask, mirror, delay, send_answer
                )
            first = await answers.receive()
            group.cancel_scope.cancel()
    print(first, "answered")


if __name__ == "__main__":
    anyio.run(main)
