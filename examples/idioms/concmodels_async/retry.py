"""A plain loop with the model's sleep: other tasks run meanwhile."""

from concmodels import load

model = load("asyncio")


async def connect(attempt: int) -> str:
    if attempt < 3:
        raise ConnectionError("refused")
    return "hello"


async def main() -> None:
    pause = 0.01
    for attempt in range(1, 6):
        try:
            answer = await connect(attempt)
        except ConnectionError as error:
            print(f"attempt {attempt}: {error}")
            if attempt == 5:
                raise
            await model.sleep(pause)
            pause *= 2
        else:
            print(f"attempt {attempt}: {answer}")
            break


if __name__ == "__main__":
    model.run(main)
