"""`map` of a pool: the results come in the order of the jobs."""

from concmodels import load

model = load("asyncio")


async def fetch(page: int) -> str:
    await model.sleep(0.01)  # here a request would wait
    return f"page {page}"


async def main() -> None:
    async with model.Pool(3) as pool:
        print(
            [it async for it in pool.map(fetch, range(1, 7))]
        )


if __name__ == "__main__":
    model.run(main)
