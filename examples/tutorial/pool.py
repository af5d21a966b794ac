"""Six tasks for three workers. Every task waits, as one does that asks a server."""

from concmodels import SyncModel, load

WAITS = (0.6, 0.2, 0.4, 0.2, 0.4, 0.2)


def main(model: SyncModel) -> None:
    begin = model.now()
    with model.Pool(3) as pool:
        for result in pool.map(ask, [model] * len(WAITS), WAITS):
            print(f"after {model.now() - begin:.1f} s: {result}")


def ask(model: SyncModel, seconds: float) -> str:
    model.sleep(seconds)
    return f"an answer that took {seconds} s"


if __name__ == "__main__":
    model = load("threads")
    model.run(main, model)
