"""`fail_after` cancels what is inside it and raises TooSlowError; `move_on_after` only goes on."""

import trio


async def ask():
    await trio.sleep(60)
    return "hello"


async def main():
    try:
        with trio.fail_after(0.05):
            print(await ask())
    except trio.TooSlowError:
        print("no answer in time")


if __name__ == "__main__":
    trio.run(main)
