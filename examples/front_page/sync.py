"""Six lines on the front page of the site: two tasks and a channel between them."""

from concmodels import load

threads = load("threads")


def main():
    with threads.TaskGroup() as group:
        with threads.Channel(8) as channel:
            group.spawn(show, channel)
            for number in range(3):
                channel.send(number)


def show(channel):
    for item in channel:
        print(item)


if __name__ == "__main__":
    threads.run(main)
