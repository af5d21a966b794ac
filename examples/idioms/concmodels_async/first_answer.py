"""The first answer comes through a channel; then the group is cancelled."""

from concmodels import AsyncChannel, load

model = load("asyncio")
MIRRORS = {"near": 0.01, "far": 60, "farther": 60}


async def ask(
    mirror: str, delay: float, answers: AsyncChannel[str]
) -> None:
    await model.sleep(delay)
    await answers.send(mirror)


async def main() -> None:
    answers = model.Channel()
    async with model.TaskGroup() as group:
        for mirror, delay in MIRRORS.items():
            group.spawn(ask, mirror, delay, answers)
        first = await answers.receive()
        group.cancel()
    print(first, "answered")


if __name__ == "__main__":
    model.run(main)
