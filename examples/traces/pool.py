"""A task every 4 milliseconds, each of which takes 10, for a pool of some workers."""

import sys

from concmodels import SyncModel, load, trace


def main(model: SyncModel, workers: int) -> None:
    with model.Pool(workers) as pool:
        results = []
        for _ in range(16):
            results.append(pool.submit(model.sleep, 0.01))
            model.sleep(0.004)
        for result in results:
            result.result()


if __name__ == "__main__":
    with trace.to(sys.argv[2]):
        model = load("threads")
        model.run(main, model, int(sys.argv[1]))
