"""May a function that `sorted` calls wait for a message? In a sync model yes, in an async one no."""

from collections.abc import Coroutine

from concmodels import AsyncModel, Channel, SyncModel, load


def main(model: SyncModel) -> list[str]:
    with model.TaskGroup() as group, model.Channel() as answers:
        group.spawn(supply, answers)
        return sorted("abc", key=lambda letter: answers.receive())


def supply(answers: Channel[int]) -> None:
    for rank in (3, 1, 2):
        answers.send(rank)


async def async_main(model: AsyncModel) -> list[str] | str:
    answers, asked = model.Channel(), list[Coroutine[object, object, object]]()

    def rank(letter: str) -> Coroutine[object, object, object]:
        asked.append(answers.receive())  # no await: a sync function can't
        return asked[-1]

    try:
        return sorted("abc", key=rank)  # type: ignore[arg-type]
    except TypeError as error:
        return f"TypeError: {error}"
    finally:
        for coroutine in asked:
            coroutine.close()


if __name__ == "__main__":
    for name in ("threads", "greenlet"):
        print(f"{name:9}", load(name).run(main, load(name)))
    for name in ("asyncio", "trio"):
        print(f"{name:9}", load(name).run(async_main, load(name)))
