"""A channel says that the task has started; the group is cancelled at the end."""

from concmodels import load


def heartbeat(model, started):
    print("heartbeat: started")
    try:
        started.send(None)
        while True:
            model.sleep(0.01)  # a heartbeat
    finally:
        print("heartbeat: stopped")


def main(model):
    started = model.Channel()
    with model.TaskGroup() as group:
        group.spawn(heartbeat, model, started)
        started.receive()
        print("main: working")
        group.cancel()
    print("main: done")


if __name__ == "__main__":
    model = load("threads")
    model.run(main, model)
