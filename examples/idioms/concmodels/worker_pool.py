"""`map` of a pool: the results come in the order of the jobs."""

from concmodels import load

model = load("threads")


def fetch(page: int) -> str:
    model.sleep(0.01)  # here a request would wait
    return f"page {page}"


def main() -> None:
    with model.Pool(3) as pool:
        print(list(pool.map(fetch, range(1, 7))))


if __name__ == "__main__":
    model.run(main)
