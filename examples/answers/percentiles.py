"""The same requests on three models: one in a hundred computes. The mean, the median, and the percentiles."""

import statistics
import time

from concmodels import load

REQUESTS, GAP, WORKERS = 1000, 0.002, 4


def handle(number):
    end = time.perf_counter() + (0.03 if number % 100 == 50 else 0.0001)
    while time.perf_counter() < end:
        pass
    return time.perf_counter()  # one clock for all processes of the machine


def main(model):
    waits = []
    with model.Pool(WORKERS) as pool:
        pool.submit(handle, 0).result()  # a worker is there
        begin = time.perf_counter()
        for number in range(REQUESTS):
            due = begin + number * GAP
            model.sleep(max(0, due - time.perf_counter()))
            waits.append((due, pool.submit(handle, number)))
        return sorted(answer.result() - due for due, answer in waits)


def told(late):
    shown = {"mean": statistics.mean(late), "worst": late[-1]}
    shown |= {f"P{percent}": late[len(late) * percent // 100 - 1] for percent in (50, 90, 99)}
    return "  ".join(f"{name} {shown[name] * 1000:5.1f} ms" for name in ("mean", "P50", "P90", "P99", "worst"))


if __name__ == "__main__":
    for name in ("greenlet", "threads", "processes"):
        model = load(name)
        print(f"{name:10} {told(model.run(main, model))}")
