"""Two tasks wait for each other. What does the program say?"""

from concmodels import AsyncChannel, AsyncModel, load
from concmodels.errors import Deadlock


async def main(model: AsyncModel) -> None:
    tea, milk = model.Channel(0, "tea"), model.Channel(0, "milk")
    async with model.TaskGroup() as group:
        group.spawn(after_you, tea, milk, name="Ann")
        group.spawn(after_you, milk, tea, name="Bob")


async def after_you(mine: AsyncChannel[str], yours: AsyncChannel[str]) -> None:
    await yours.receive()
    await mine.send("here you are")


if __name__ == "__main__":
    model = load("asyncio")
    try:
        model.run(main, model, deadlock_after=0.5)
    except Deadlock as error:
        print(error)
