from concmodels import load


def main(model):
    with model.Channel(8) as channel:
        channel.send("sent")
        print(channel.receive())


if __name__ == "__main__":
    model = load("threads")
    model.run(main, model)
