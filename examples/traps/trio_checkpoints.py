"""In trio every send and receive lets the others run, needed or not; the model's do so when they wait, or after 256."""

import trio

from concmodels import AsyncModel, load


async def count_turns(turns: list[int]) -> None:
    while True:
        await trio.lowlevel.checkpoint()
        turns.append(1)


async def memory_channel() -> int:
    turns: list[int] = []
    send, receive = trio.open_memory_channel[int](1)
    async with trio.open_nursery() as nursery:
        nursery.start_soon(count_turns, turns)
        await trio.sleep(0)
        turns.clear()
        for number in range(100):
            await send.send(number)
            await receive.receive()
        nursery.cancel_scope.cancel()
    return len(turns)


async def model_channel(model: AsyncModel) -> int:
    turns: list[int] = []
    channel = model.Channel(1)
    async with model.TaskGroup() as group:
        group.spawn(count_turns, turns)
        await model.sleep(0)
        turns.clear()
        for number in range(100):
            await channel.send(number)
            await channel.receive()
        group.cancel()
    return len(turns)


if __name__ == "__main__":
    turns = trio.run(memory_channel)
    print("trio's memory channel, 200 operations: the other task had", "about 200" if turns > 190 else turns, "turns")
    model = load("trio")
    turns = model.run(model_channel, model)
    print("the model's channel, 200 operations: the other task had", "at most 2" if turns <= 2 else turns, "turns")
