"""Dask computes a call once if it believes that it has seen it before: the same function with the same arguments."""

import random

from distributed import Client

from concmodels import SyncModel, load


def roll() -> float:
    return random.random()


def with_dask() -> tuple[int, int]:
    with Client(processes=False, n_workers=1, dashboard_address="127.0.0.1:0") as client:
        futures = [client.submit(roll) for _ in range(10)]
        again = [client.submit(roll, pure=False) for _ in range(10)]
        return len(set(client.gather(futures))), len(set(client.gather(again)))


def with_the_model(model: SyncModel) -> int:
    with model.Pool(2) as pool:
        futures = [pool.submit(roll) for _ in range(10)]
        return len({future.result() for future in futures})


if __name__ == "__main__":
    pure, impure = with_dask()
    print("client.submit(roll), ten times, different results:", pure)
    print("client.submit(..., pure=False):", impure)
    model = load("dask")
    print("a pool of the model:", model.run(with_the_model, model))
