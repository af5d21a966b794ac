"""The tasks of pool.py again, with a progress bar."""

from rich.progress import track

from concmodels import SyncModel, load

WAITS = (0.6, 0.2, 0.4, 0.2, 0.4, 0.2)


def main(model: SyncModel) -> None:
    with model.Pool(3) as pool:
        answers = pool.map(ask, [model] * len(WAITS), WAITS)
        waited = sum(track(answers, "asking", total=len(WAITS)))
    print(f"{waited:.1f} s of waiting")


def ask(model: SyncModel, seconds: float) -> float:
    model.sleep(seconds)
    return seconds


if __name__ == "__main__":
    model = load("threads")
    model.run(main, model)
