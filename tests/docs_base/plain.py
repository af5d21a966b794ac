from concmodels import load


def main(room):
    with room.Channel(8) as channel:
        channel.send("sent")
        print(channel.receive())


if __name__ == "__main__":
    threads = load("threads")
    threads.run(main, threads)
