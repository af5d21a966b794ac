"""The program on the front page of the site: two tasks and a channel between them."""

from concmodels import Channel, load

model = load("threads")


def main() -> None:
    channel = model.Channel(8)
    with model.TaskGroup() as group:
        group.spawn(show, channel)
        for number in range(3):
            channel.send(number)


def show(channel: Channel[int]) -> None:
    for _ in range(3):
        print(channel.receive())


if __name__ == "__main__":
    model.run(main)
