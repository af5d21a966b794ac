"""A loop with a sleep that is awaited: other tasks run meanwhile."""

import trio


async def connect(attempt):
    if attempt < 3:
        raise ConnectionError("refused")
    return "hello"


async def main():
    pause = 0.01
    for attempt in range(1, 6):
        try:
            answer = await connect(attempt)
        except ConnectionError as error:
            print(f"attempt {attempt}: {error}")
            if attempt == 5:
                raise
            await trio.sleep(pause)
            pause *= 2
        else:
            print(f"attempt {attempt}: {answer}")
            break


if __name__ == "__main__":
    trio.run(main)
