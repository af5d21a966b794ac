"""An error leaves a task group in a group, also when it is the only one: `except ValueError` does not see it."""

import anyio


async def main() -> None:
    async with anyio.create_task_group():
        raise ValueError("no such host")


if __name__ == "__main__":
    try:
        anyio.run(main)
    except ValueError:
        print("except ValueError: caught")
    except ExceptionGroup as group:
        print("except ExceptionGroup:", group.exceptions)
    try:
        anyio.run(main)
    except* ValueError as group:
        print("except* ValueError:", group.exceptions)
