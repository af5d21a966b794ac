"""A thousand times: how many jobs are done before the word to stop is heard?"""

from collections import Counter

from concmodels import SyncModel, load

RUNS = 1000


def main(model: SyncModel) -> None:
    counted = Counter(jobs_done(model) for _ in range(RUNS))
    for number in range(4):
        share = counted[number] / RUNS
        print(f"{number} jobs done: {share:4.0%}  {'*' * round(40 * share)}")


def jobs_done(model: SyncModel) -> int:
    jobs, stop = model.Channel(8), model.Channel(8)
    for job in ("wash", "dry", "fold"):
        jobs.send(job)
    stop.send("go home")
    number = 0
    while model.select(jobs, stop).channel is jobs:
        number += 1
    return number


if __name__ == "__main__":
    model = load("threads")
    model.run(main, model)
