"""`map` of a pool: the results come in the order of the jobs."""

from concmodels import load


async def fetch(model, page):
    await model.sleep(0.01)  # here a request would wait
    return f"page {page}"


async def main(model):
    async with model.Pool(3) as pool:
        print(
            [
                it
                async for it in pool.map(
                    fetch, [model] * 6, range(1, 7)
                )
            ]
        )


if __name__ == "__main__":
    model = load("asyncio")
    model.run(main, model)
