"""`fail_after` cancels what is inside it and raises TimeoutError; `move_on_after` only goes on."""

import anyio


async def ask():
    await anyio.sleep(60)
    return "hello"


async def main():
    try:
        with anyio.fail_after(0.05):
            print(await ask())
    except TimeoutError:
        print("no answer in time")


if __name__ == "__main__":
    anyio.run(main)
