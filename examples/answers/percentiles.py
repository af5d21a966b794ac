"""The same requests on three models: one in a hundred computes. Medians of three rounds: the mean and percentiles."""

import statistics
import time
from concurrent.futures import Future

from concmodels import SyncModel, load

REQUESTS, GAP, WORKERS = 500, 0.002, 4


def handle(number: int) -> float:
    end = time.perf_counter() + (0.03 if number % 100 == 50 else 0.0001)
    while time.perf_counter() < end:
        pass
    return time.perf_counter()  # one clock for all processes of the machine


def main(model: SyncModel) -> list[float]:
    waits: list[tuple[float, Future[float]]] = []
    with model.Pool(WORKERS) as pool:
        pool.submit(handle, 0).result()  # a worker is there
        begin = time.perf_counter()
        for number in range(REQUESTS):
            due = begin + number * GAP
            model.sleep(max(0, due - time.perf_counter()))
            waits.append((due, pool.submit(handle, number)))
        return sorted(answer.result() - due for due, answer in waits)


def figures(late: list[float]) -> dict[str, float]:
    figures = {f"P{percent}": late[len(late) * percent // 100 - 1] for percent in (50, 90, 99)}
    return {"mean": statistics.mean(late)} | figures | {"worst": late[-1]}


if __name__ == "__main__":
    models = {name: load(name) for name in ("greenlet", "threads", "processes")}
    rounds = [{name: figures(model.run(main, model)) for name, model in models.items()} for _ in range(3)]
    for name in models:
        medians = {what: statistics.median(it[name][what] for it in rounds) for what in rounds[0][name]}
        print(f"{name:10}", "  ".join(f"{what} {late * 1000:5.1f} ms" for what, late in medians.items()))
