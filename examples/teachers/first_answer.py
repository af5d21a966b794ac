"""Three servers are asked the same. The first answer counts; the others are not waited for."""

from concmodels import load


def main(model):
    answers = model.Channel(3, "answers")
    with model.TaskGroup() as group:
        for name, seconds in ("slow", 60), ("quick", 0.3), ("asleep", 3600):
            group.spawn(ask, model, name, seconds, answers)
        done = model.select(answers, timeout=30)
        group.cancel()
    print("first:", done.item)


def ask(model, name, seconds, answers):
    model.sleep(seconds)
    answers.send(name)


if __name__ == "__main__":
    model = load("threads")
    model.run(main, model)
