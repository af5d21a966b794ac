"""Two tasks count to three, first without an `await` in between, then with one."""

from concmodels import load


async def main(room):
    for count in (count_in_one_go, count_and_let_others):
        print(f"{count.__name__}:", end="")
        async with room.TaskGroup() as group:
            group.spawn(count, room, "a")
            group.spawn(count, room, "b")
        print()


async def count_in_one_go(room, name):
    for number in (1, 2, 3):
        print(f" {name}{number}", end="")


async def count_and_let_others(room, name):
    for number in (1, 2, 3):
        print(f" {name}{number}", end="")
        await room.sleep(0)


if __name__ == "__main__":
    asyncio = load("asyncio")
    asyncio.run(main, asyncio)
