"""`map` of a pool: the results come in the order of the jobs."""

from concmodels import load


def fetch(model, page):
    model.sleep(0.01)  # here a request would wait
    return f"page {page}"


def main(model):
    with model.Pool(3) as pool:
        print(list(pool.map(fetch, [model] * 6, range(1, 7))))


if __name__ == "__main__":
    model = load("threads")
    model.run(main, model)
